# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns by the command line: killed and gone on with, on workers of one's own and behind Dask; failures; recordings."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml

from regolith_bringup.campaign.campaign import open_folder, run_campaign
from regolith_bringup.campaign.config import load_campaign
from regolith_bringup.run.simulation import Simulation

COMMAND = [sys.executable, '-m', 'regolith_bringup', 'campaign']
SCENARIO = {
    'duration_s': 1.0,
    'terrain': {'source': 'flat', 'spacing_m': 0.1, 'model': 'rigid', 'soil': {'friction': 0.8}},
    'vehicles': {'amber': {'model': 'viper', 'position': [0.0, 0.0], 'driver': {'type': 'constant', 'speed_mps': 0.2}}},
}
VARIED = {'vehicles.amber.driver.speed_mps': {'low': 0.05, 'high': 0.3, 'samples': 2}, 'seed': [1, 2]}


def written(folder: Path, **content: Any) -> Path:
    (folder / 'rover.yaml').write_text(yaml.safe_dump(SCENARIO), encoding='utf-8')
    file = folder / 'sweep.yaml'
    file.write_text(
        yaml.safe_dump({'scenario': 'rover.yaml', 'vary': VARIED, **content}, sort_keys=False), encoding='utf-8'
    )
    return file


def run(*words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == code, done.stderr[-2000:]
    return done


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / 'table.csv').open(encoding='utf-8') as text:
        return list(csv.DictReader(text))


def killed(file: Path, out: Path, after: int, *options: object) -> None:
    """Start a campaign and kill it, workers and all, once some of its runs are done."""
    process = subprocess.Popen(
        [*COMMAND, str(file), '--out', str(out), *map(str, options)], start_new_session=True, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 600.0
    while len(list(out.glob('runs/*.json'))) < after:
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """Run a Dask scheduler and workers on this machine; yield the address."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, host='127.0.0.1', dashboard_address=None
    ) as made:
        yield made.scheduler_address


@pytest.mark.slow
def test_runs_that_are_missing_are_made_up_for(tmp_path: Path) -> None:
    """The table is the same byte by byte, and has the hash of each run by itself; what was done is not done again."""
    cases, folder = load_campaign(written(tmp_path))[1], tmp_path / 'out'
    open_folder(folder, cases, False)
    whole = run_campaign(folder, cases, recorded=False, workers=1)
    table = (folder / 'table.csv').read_bytes(), (folder / 'table.parquet').read_bytes()
    for name in ('001', '002'):
        (folder / 'runs' / f'{name}.json').unlink()
    stamp = (folder / 'runs' / '000.json').stat().st_mtime_ns
    assert open_folder(folder, cases, False) == 2
    assert run_campaign(folder, cases, recorded=False, workers=2).rows == whole.rows
    assert ((folder / 'table.csv').read_bytes(), (folder / 'table.parquet').read_bytes()) == table
    assert (folder / 'runs' / '000.json').stat().st_mtime_ns == stamp
    assert Simulation(cases[3].scenario).run(1.0) == rows(folder)[3]['state_hash']


@pytest.mark.slow
def test_a_campaign_that_was_killed_goes_on_to_the_same_table(tmp_path: Path) -> None:
    """Byte by byte, by one worker and by two; hashes are those of the runs by themselves; all is in the table."""
    file = written(tmp_path)
    whole, again = tmp_path / 'whole', tmp_path / 'again'
    assert run(file, '--out', whole, '--workers', 1, '--no-plots').stdout == f'{whole}\n'
    killed(file, again, 1, '--workers', 1)
    done = [path.name for path in again.glob('runs/*.json')]
    stamps = {name: (again / 'runs' / name).stat().st_mtime_ns for name in done}
    said = run(file, '--out', again, '--workers', 2).stderr
    assert f'4 runs, {len(done)} already complete' in said and 1 <= len(done) < 4
    assert {name: (again / 'runs' / name).stat().st_mtime_ns for name in done} == stamps, 'they did not run again'
    for table in ('table.csv', 'table.parquet'):
        assert (again / table).read_bytes() == (whole / table).read_bytes()
    found = rows(whole)
    assert [row['run'] for row in found] == [f'{k:03d}' for k in range(4)] and {row['problem'] for row in found} == {''}
    simulation = Simulation(load_campaign(file)[1][3].scenario)
    assert simulation.run(1.0) == found[3]['state_hash']
    far = [float(row['vehicles.amber.distance_m']) for row in found[::2]]
    assert far == sorted(far) and len(set(far)) == 2
    assert (again / 'plots' / 'vehicles.amber.distance_m.png').is_file() and not (whole / 'plots').exists()
    assert {row['run'] for row in csv.DictReader((whole / 'timing.csv').open())} == {row['run'] for row in found}


@pytest.mark.slow
def test_workers_behind_a_scheduler_give_the_same_table(tmp_path: Path) -> None:
    file = written(tmp_path, vary={'seed': [1, 2]})
    run(file, '--out', tmp_path / 'here', '--workers', 1, '--no-plots')
    with cluster(1) as address:
        run(file, '--out', tmp_path / 'there', '--scheduler', address, '--no-plots')
    assert (tmp_path / 'there' / 'table.csv').read_bytes() == (tmp_path / 'here' / 'table.csv').read_bytes()
    told = run(file, '--out', tmp_path / 'nowhere', '--scheduler', 'tcp://127.0.0.1:1', code=2).stderr.splitlines()
    assert 'no scheduler with workers there' in told[-1] and 'allowed: an address such as' in told[-1]


@pytest.mark.slow
def test_failed_runs_are_listed_and_the_others_complete(tmp_path: Path) -> None:
    """A steering joint with negative damping diverges during the run; the table has a line for it, and exit code 3."""
    source = resources.files('regolith_vehicles') / 'data' / 'viper'
    text = (source / 'viper.xml').read_text()
    (tmp_path / 'viper.xml').write_text(text.replace('damping="80"', 'damping="-20"'))
    (tmp_path / 'mad.yaml').write_text((source / 'viper.yaml').read_text())
    file = written(tmp_path, duration_s=2.0, vary={'vehicles.amber.model': [str(tmp_path / 'mad.yaml'), 'viper']})
    done = run(file, '--out', tmp_path / 'out', '--workers', 1, '--no-plots', code=3)
    first, second = rows(tmp_path / 'out')
    assert (
        'ParticipantFailed: amber: in the cycle from' in first['problem']
        and second['problem'] == ''
        and second['state_hash']
    )
    assert '1 of 2 runs failed: 000' in done.stderr and 'Traceback' not in done.stderr


@pytest.mark.ros
@pytest.mark.slow
def test_recorded_runs_leave_run_folders(tmp_path: Path) -> None:
    """The same hash as unrecorded; and they can be given to other commands. One that was broken off is run anew."""
    vary = {'seed': [4]}
    run(written(tmp_path, vary=vary), '--out', tmp_path / 'bare', '--workers', 1, '--no-plots')
    folder = tmp_path / 'out' / 'runs' / '000'
    file = written(tmp_path, vary=vary, record=True)
    open_folder(tmp_path / 'out', load_campaign(file)[1], True)
    (folder / 'bag').mkdir(parents=True)
    (folder / 'bag' / 'bag_0.mcap').write_bytes(b'half a run')
    run(file, '--out', tmp_path / 'out', '--workers', 1, '--no-plots')
    assert (folder / 'report.html').is_file() and (folder / 'bag' / 'metadata.yaml').is_file()
    assert rows(tmp_path / 'out')[0]['state_hash'] == rows(tmp_path / 'bare')[0]['state_hash']
    assert json.loads((folder / 'summary.json').read_text())['bag']['lost'] == 0


@pytest.mark.slow
@pytest.mark.alone
def test_twenty_four_runs_on_two_workers(tmp_path: Path) -> None:
    """20 s each: killed in the middle and gone on with, by local workers and through Dask, the table is the same."""
    file = tmp_path / 'sweep.yaml'
    vary = {'seed': list(range(8)), 'vehicles.amber.driver.speed_mps': [0.2, 0.3, 0.4]}
    file.write_text(yaml.safe_dump({'scenario': 'two_rovers', 'duration_s': 20.0, 'vary': vary}, sort_keys=False))
    started = time.monotonic()
    run(file, '--out', tmp_path / 'one', '--workers', 1, '--no-plots')
    alone = time.monotonic() - started
    started = time.monotonic()
    run(file, '--out', tmp_path / 'two', '--workers', 2, '--no-plots')
    print(
        f'one worker {alone:.0f} s, two {time.monotonic() - started:.0f} s: {alone / (time.monotonic() - started):.2f}'
    )
    killed(file, tmp_path / 'killed', 12, '--workers', 2)
    run(file, '--out', tmp_path / 'killed', '--workers', 2, '--no-plots')
    with cluster(2) as address:
        killed(file, tmp_path / 'dask', 12, '--scheduler', address)
        run(file, '--out', tmp_path / 'dask', '--scheduler', address, '--no-plots')
    for other in ('two', 'killed', 'dask'):
        for table in ('table.csv', 'table.parquet'):
            assert (tmp_path / other / table).read_bytes() == (tmp_path / 'one' / table).read_bytes(), (other, table)
