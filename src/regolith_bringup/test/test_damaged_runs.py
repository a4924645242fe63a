# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Run folders that something has damaged: one line that names the file, exit code 2, and nothing half-written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import synthetic_run as made

from regolith_bringup.bag.mcap_reader import MAGIC
from regolith_bringup.cli import main


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a run of its own, of two chunks and more."""
    monkeypatch.chdir(tmp_path)
    return made.make_run(tmp_path / 'run', 40)


def bag(run: Path) -> None:
    """Overwrite the middle of a bag; its index at the end stays."""
    file = run / 'bag' / 'bag_0.mcap'
    with file.open('r+b') as stream:
        stream.seek(int(file.stat().st_size * 0.1))
        stream.write(b'\xa5' * (file.stat().st_size // 4))


def index(run: Path) -> None:
    """Overwrite the index at the end of a bag up to its footer."""
    file = run / 'bag' / 'bag_0.mcap'
    with file.open('r+b') as stream:
        stream.seek(-2037, os.SEEK_END)
        stream.write(b'\xa5' * 2000)


def emptied(run: Path) -> None:
    (run / 'bag' / 'bag_0.mcap').write_bytes(b'')


def unrecorded(run: Path) -> None:
    shutil.rmtree(run / 'bag')


def summary(run: Path) -> None:
    (run / 'summary.json').write_text('garbage: [')


def world(run: Path) -> None:
    (run / 'world_summary.json').write_text('[1, 2]')


def scenario(run: Path) -> None:
    (run / 'scenario.yaml').write_text('vehicles: [')


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('damage', 'arguments', 'named'),
    [
        (bag, ('report',), 'bag_0.mcap: is damaged'),
        (index, ('report',), 'bag_0.mcap: is damaged'),
        (index, ('view', '--save', 'seen.rrd'), 'bag_0.mcap: is damaged'),
        (emptied, ('report',), 'bag_0.mcap: is empty'),
        (emptied, ('compare', 'run'), 'bag_0.mcap: is empty'),
        (emptied, ('replay', '--rate', 'max'), 'bag_0.mcap: is empty'),
        (emptied, ('view', '--save', 'seen.rrd'), 'bag_0.mcap: is empty'),
        (unrecorded, ('report',), 'run: has no recording'),
        (unrecorded, ('replay',), 'run: has no recording'),
        (unrecorded, ('view', '--save', 'seen.rrd'), 'run: has no recording'),
        (lambda run: None, ('replay', '--start', 'inf', '--end', 'inf'), 'inf, 1: is not a time'),
        (lambda run: None, ('view', '--save', '/proc/seen.rrd'), '--save = /proc/seen.rrd: cannot be written'),
        (lambda run: None, ('compare', 'run', '--out', '.'), '--out = .: is a folder'),
        (bag, ('replay', '--branch', '3'), '--branch = 3: does not exist; allowed: 0'),
        (summary, ('report',), 'summary.json: cannot be read'),
        (world, ('report',), 'world_summary.json: cannot be read'),
        (scenario, ('report',), 'scenario.yaml'),
        (scenario, ('view', '--save', 'seen.rrd'), 'scenario.yaml'),
    ],
)
def test_it_is_said_in_one_line(
    run: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[Path], None],
    arguments: tuple[str, ...],
    named: str,
) -> None:
    before = {path.name for path in run.parent.iterdir()}
    damage(run)
    name, *rest = arguments
    with pytest.raises(SystemExit) as left:
        main([name, str(run), *rest])
    (line,) = capsys.readouterr().err.splitlines()
    assert left.value.code == 2 and named in line and 'allowed: ' in line, line
    assert {path.name for path in run.parent.iterdir()} == before and not (run / 'report.html').exists()


def test_what_was_not_closed_is_shown_and_said(
    run: Path, capsys: pytest.CaptureFixture[str], small_plots: None
) -> None:
    """As after a killed recorder: what is there is worth a report, and what is not there a word."""
    file = run / 'bag' / 'bag_0.mcap'
    file.write_bytes(file.read_bytes()[: file.stat().st_size * 3 // 4])
    with pytest.raises(SystemExit) as left:
        main(['report', str(run)])
    (line,) = capsys.readouterr().err.splitlines()
    assert left.value.code == 0 and line.endswith(f'To repair it: ./regolith recover {run}') and 'not closed' in line
    for words in ('rebuilt', 'complete'):
        with pytest.raises(SystemExit):
            main(['recover', str(run)])
        assert words in capsys.readouterr().out


def test_a_recording_without_cycles_is_no_repetition(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A bag without messages repeats nothing, and so proves nothing."""
    (run / 'bag' / 'bag_0.mcap').write_bytes(MAGIC)
    with pytest.raises(SystemExit) as left:
        main(['replay', str(run), '--resimulate'])
    line = capsys.readouterr().err.splitlines()[-1]
    assert left.value.code == 2 and 'contains no cycle' in line and 'allowed: ' in line, line


@pytest.mark.parametrize('words', [['--rate', '2'], ['--end', '1'], ['--topic', '/clock'], ['--domain', '7']])
def test_what_is_evolved_again_takes_no_options_of_what_is_published(
    words: list[str], run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bag(run)
    with pytest.raises(SystemExit) as left:
        main(['replay', str(run), '--resimulate', *words])
    said = f'replay --resimulate: {words[0]}: does not apply to --resimulate; allowed: --start'
    assert (left.value.code, capsys.readouterr().err.splitlines()[-1]) == (2, said)


def test_a_view_that_cannot_be_drawn_leaves_the_file_of_an_earlier_one(run: Path) -> None:
    bag(run)
    kept = run.parent / 'seen.rrd'
    kept.write_text('of an earlier run')
    with pytest.raises(SystemExit) as left:
        main(['view', str(run), '--save', str(kept)])
    assert left.value.code == 2 and kept.read_text() == 'of an earlier run'
