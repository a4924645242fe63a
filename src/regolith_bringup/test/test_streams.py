# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of commands with standard streams that are closed or full, and with variables no ROS node can start with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from regolith_bringup.cli import main
from regolith_bringup.run.ros_graph import free_domain

pytestmark = pytest.mark.seconds
ONE = 'run two_rovers --duration 0.1 --set terrain.source=flat --no-report --rtf max'


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``regolith`` with the redirections of a line of bash."""
    changed = {key: value for key, value in {**os.environ, **environment}.items() if value}
    return subprocess.run(
        ['bash', '-c', f'{sys.executable} -m regolith_bringup {line}'],
        cwd=folder,
        env=changed,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@cache
def usual_end(words: str) -> subprocess.CompletedProcess[str]:
    """Return how a command ends whose streams are all there."""
    with TemporaryDirectory() as folder:
        return shell(words, Path(folder))


COMMANDS, CLOSED = ('check two_rovers', '--help', 'nosuch'), ('>&-', '2>&-', '<&- >&- 2>&-')


@pytest.mark.parametrize(
    ('words', 'closed'),
    [
        *zip(COMMANDS, CLOSED),  # each of both once; all of them with all
        *(
            pytest.param(w, c, marks=pytest.mark.slow)
            for w in COMMANDS
            for c in CLOSED
            if COMMANDS.index(w) != CLOSED.index(c)
        ),
    ],
)
def test_command_with_closed_stream_ends_as_usual(tmp_path: Path, words: str, closed: str) -> None:
    usual, done = usual_end(words), shell(f'{words} {closed}', tmp_path)
    assert done.returncode == usual.returncode == (2 if words == 'nosuch' else 0)
    assert done.stdout == ('' if '>&-' in closed.split() else usual.stdout)
    assert done.stderr == ('' if '2>&-' in closed else usual.stderr)


@pytest.mark.parametrize(
    'words', ['scenarios --json', *(pytest.param(w, marks=pytest.mark.slow) for w in ('check two_rovers', '--help'))]
)
def test_command_with_full_stdout_is_refused_in_one_line(tmp_path: Path, words: str) -> None:
    done = shell(f'{words} > /dev/full', tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        'stdout: cannot be written: No space left on device; allowed: a writable file, or none (>&-)\n'
    )


def test_error_with_full_stderr_keeps_its_exit_code(tmp_path: Path) -> None:
    assert shell('check nosuch 2> /dev/full', tmp_path).returncode == 2
    assert shell('check two_rovers 2> /dev/full', tmp_path).returncode == 0


def test_command_whose_reader_has_left_ends_without_an_error(tmp_path: Path) -> None:
    done = shell('scenarios --json | true; echo ${PIPESTATUS[0]}', tmp_path)
    assert (done.stdout, done.stderr) == ('0\n', '')


@pytest.mark.ros
@pytest.mark.parametrize(
    ('processes', 'where', 'code'),
    [
        pytest.param(processes, *each, marks=pytest.mark.slow)
        for processes in ('one', 'many')
        for each in (('>&-', 0), ('2>&-', 0), ('>&- 2>&-', 0), ('> /dev/full', 2))
    ],
)
def test_run_without_a_stream_is_complete(tmp_path: Path, where: str, code: int, processes: str) -> None:
    domain = free_domain(range(1, 20))
    try:
        done = shell(
            f'{ONE} --out {tmp_path / "made"} --processes {processes} {where}',
            tmp_path,
            ROS_DOMAIN_ID=str(domain.number),
        )
    finally:
        domain.release()
    assert done.returncode == code, done.stderr
    assert 'Traceback' not in done.stderr and 'Exception' not in done.stderr
    summary = json.loads((tmp_path / 'made' / 'summary.json').read_text())
    assert summary['simulated_s'] == pytest.approx(0.1) and not summary['failure']
    if code:
        (line,) = [line for line in done.stderr.splitlines() if line.startswith('stdout:')]
        assert 'No space left on device' in line and line.endswith(f'the run is in {tmp_path / "made"}')


UNUSABLE = (
    ('ROS_DOMAIN_ID', 'abc', 'is not a ROS domain; allowed: 0 to 232'),
    ('ROS_DOMAIN_ID', '9999', 'is not a ROS domain; allowed: 0 to 232'),
    ('ROS_DOMAIN_ID', '-1', 'is not a ROS domain; allowed: 0 to 232'),
    ('RMW_IMPLEMENTATION', 'rmw_nosuch', 'is not installed; allowed: '),
    ('ROS_AUTOMATIC_DISCOVERY_RANGE', 'WORLD', 'is not a discovery range; allowed: SUBNET, '),
    ('FASTRTPS_DEFAULT_PROFILES_FILE', '/nosuch.xml', 'is not a file; allowed: an XML file'),
)


@pytest.mark.parametrize(
    ('words', 'variable', 'value', 'said'),
    [
        *((ONE, *each) for each in UNUSABLE),
        *(
            (words, *UNUSABLE[which])
            for words in ('join amber', 'rewind 0', 'verify two_rovers', 'replay {run}')
            for which in (1, 3)
        ),
    ],
    ids=lambda value: value.split()[0],
)
def test_unusable_ros_variable_is_refused_in_one_line(
    tmp_path: Path,
    run_dir: Path,
    words: str,
    variable: str,
    value: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Nothing is made, nothing started."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, value)
    with pytest.raises(SystemExit) as left:
        main(words.format(run=run_dir).split())
    printed = capfd.readouterr()
    assert left.value.code == 2, printed.err
    (line,) = printed.err.splitlines()
    assert line.startswith(f"environment: {variable} = '{value}': {said}")
    assert not printed.out and not list(tmp_path.iterdir())


@pytest.mark.ros
def test_node_with_an_unusable_ros_variable_is_refused_in_one_line() -> None:
    """Also where nodes are started one by one."""
    done = subprocess.run(
        [sys.executable, '-c', 'from regolith_world.world_node import main; main()'],
        capture_output=True,
        text=True,
        env={**os.environ, 'ROS_DOMAIN_ID': '9999'},
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "environment: ROS_DOMAIN_ID = '9999': is not a ROS domain; allowed: 0 to 232\n"
