# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A running world from another terminal: pause, steps, real-time factor; a vehicle driven by keys in a pseudo-terminal."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest
from harness import LiveRun, command, environment, finished, new_domain, start, vehicle, write_scenario

from regolith_bringup.cli import main

pytestmark = [pytest.mark.ros, pytest.mark.seconds]


def asked(live: LiveRun, *words: object) -> subprocess.CompletedProcess[str]:
    """Return the outcome of a command, in this process: starting one takes as long as all it does."""
    out, err = io.StringIO(), io.StringIO()
    with patch.dict(os.environ), redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main([*map(str, words), '--domain', str(live.domain)])
    assert isinstance(ended.value.code, int)
    return subprocess.CompletedProcess(words, ended.value.code, out.getvalue(), err.getvalue())


def standing_at(text: str) -> float:
    found = re.search(r'at ([0-9.]+) ?(of .*)?s,', text)
    assert found, text
    return float(found[1])


def keyboard_ready(live: LiveRun) -> tuple[subprocess.Popen[bytes], int]:
    """Start ``teleop amber`` in a pseudo-terminal and return it with the terminal when it reads keys.

    On a busy machine it may not find the vehicle in time; it is then started again.
    """
    seen = ''
    for _ in range(5):
        ours, theirs = pty.openpty()
        words = command('teleop', 'amber', '--linear', 0.5)
        driving = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(live.domain))
        os.close(theirs)
        try:
            while 'q quits' not in seen:
                seen += os.read(ours, 1024).decode()
            return driving, ours
        except OSError:  # the terminal was closed
            assert driving.wait(20) == 2 and 'no node subscribes to /amber/cmd_vel' in seen, seen
            os.close(ours)
    raise TimeoutError(f'teleop found no vehicle: {seen}')


@pytest.mark.slow
def test_a_world_is_paused_stepped_and_driven_from_other_terminals(tmp_path: Path) -> None:
    """Steps are of 20 ms; keys make the rover go; an invalid request is reported in one line."""
    from nav_msgs.msg import Odometry

    scenario = write_scenario(
        tmp_path,
        {'amber': vehicle(0.0, 0.0, type='external')},
        duration_s=600.0,
        terrain={'model': 'rigid', 'soil': {'friction': 0.8}},
    )
    with LiveRun(tmp_path, scenario, '--rtf', 2, '--no-record', processes='one') as live:
        odom = live.subscribe(Odometry, '/amber/ground_truth/odom')
        live.wait_for(lambda: odom, 60.0, 'the run')
        done = finished(command('pause'), environment(live.domain))
        assert done.returncode == 0 and done.stdout.startswith('paused at '), done.stderr
        before = standing_at(done.stdout)
        done = asked(live, 'step', 5)
        assert done.returncode == 0 and standing_at(done.stdout) == pytest.approx(before + 0.1, abs=1e-6)
        live.spin(0.5)  # what came until now
        here = odom[-1].header.stamp.sec
        printed = tmp_path / 'stepping.txt'
        stepping = start(command('step', 1_000_000), environment(live.domain), printed)
        live.wait_for(lambda: odom[-1].header.stamp.sec > here + 1, 30.0, 'steps')
        done = asked(live, 'step')
        assert done.returncode == 2 and 'it is being stepped; fix: ' in done.stderr
        assert asked(live, 'resume').stdout.startswith('running at ')
        assert stepping.wait(timeout=30) == 2 and 'canceled after ' in printed.read_text()
        done = asked(live, 'step')
        assert done.returncode == 2 and 'fix: call ~/pause first' in done.stderr
        assert asked(live, 'rtf', 3.5).stdout == 'real-time factor: at most 3.5\n'
        assert re.fullmatch(r'running at .*, real-time factor [0-9.]+\n', asked(live, 'rtf').stdout)
        # Its snapshots; the time after a rewind is printed.
        done = asked(live, 'snapshot', 'save', 'here')
        assert done.returncode == 0 and done.stdout.startswith('here: at '), done.stderr
        kept = standing_at(done.stdout.replace(' s,', 's,', 1))
        done = asked(live, 'rewind', 'here')
        assert done.returncode == 0 and 'recording continues in bag_1' in done.stdout, done.stderr
        assert standing_at(done.stdout) == pytest.approx(kept, abs=1e-6)
        done = asked(live, 'rewind', f'{kept - 0.005}', '--live')
        assert kept - 0.03 < standing_at(done.stdout) < kept
        listed = json.loads(asked(live, 'snapshot', 'list', '--json').stdout)
        names = [each['name'] for each in listed['snapshots']]
        assert names[0] == 'beginning' and 'here' not in names and listed['first_s'] == 0.0, names
        for words, why in (
            (('rewind', 'hre'), 'is neither a time [s] nor the name of a snapshot; allowed: seconds, beginning'),
            (('rewind', 1e6), 'rewind to 1000000 s is outside the timeline of this run; allowed: 0.0000 to '),
            (('snapshot', 'save', 'a/b'), "'a/b' cannot be the name of a folder; allowed: "),
            (('rewind', '1e30'), 'is not a time; allowed: seconds from 0'),
            (('snapshot', 'save', '7.5'), 'would be read as a time'),
            (
                ('snapshot', 'save', 't000001.000'),
                "'t000001.000' is taken; allowed: a name that is not the time of a checkpoint",
            ),
        ):
            done = asked(live, *words)
            assert done.returncode == 2 and why in done.stderr, done.stderr
        assert asked(live, 'reset').stdout == 'reset to t = 0\n'
        assert standing_at(asked(live, 'rtf').stdout) < kept
        done = asked(live, 'teleop', 'amber')
        assert done.returncode == 2 and 'stdin is not a terminal' in done.stderr

        driving, ours = keyboard_ready(live)
        try:
            os.write(ours, b'wwww\x1b[A')  # five steps of ten: half speed
            live.wait_for(lambda: odom[-1].pose.pose.position.x > 0.2, 90.0, 'a way of 20 cm')
            os.write(ours, b'q')
            assert driving.wait(20) == 0
        finally:
            driving.kill()
            os.close(ours)
        live.wait_for(lambda: abs(odom[-1].twist.twist.linear.x) < 0.01, 20.0, 'a stop')


def test_without_a_world_it_says_where_it_looked(tmp_path: Path) -> None:
    """All three wait for it at once."""
    domain = new_domain()
    asking = {
        words: (
            start(command(*words), environment(domain), tmp_path / f'{words[0]}.out', tmp_path / f'{words[0]}.err'),
            said,
        )
        for words, said in {
            ('pause',): f'ROS domain {domain}',
            ('rtf', '2'): f'ROS domain {domain}',
            ('teleop', 'amber', '--gamepad', '/dev/null'): '/amber/cmd_vel',
        }.items()
    }
    for words, (process, said) in asking.items():
        assert process.wait(60.0) == 2, words
        (line,) = (tmp_path / f'{words[0]}.err').read_text().splitlines()
        assert said in line
