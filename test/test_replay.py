# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A recorded run is replayed to an outside subscriber, and resimulated to the same states."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from harness import (
    Observer,
    command,
    environment,
    finished,
    free_domain,
    new_domain,
    run_scenario,
    start,
    vehicle,
    write_scenario,
)

from regolith_bringup.bag.reading import Bag

pytestmark = [pytest.mark.ros, pytest.mark.seconds]
TOPICS = {'/amber/odom': 'nav_msgs/msg/Odometry', '/clock': 'rosgraph_msgs/msg/Clock'}


@pytest.fixture(scope='module')
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rover that drives for two seconds, with a checkpoint after one."""
    folder = tmp_path_factory.mktemp('recorded')
    scenario = write_scenario(
        folder, {'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.3)}, world={'checkpoint_period_s': 1.0}
    )
    return run_scenario(folder, scenario, processes='one').run_dir


def replayed(run: Path, *options: object, code: int = 0, domain: int | None = None) -> subprocess.CompletedProcess[str]:
    own = new_domain() if domain is None else domain
    done = finished(command('replay', run, *options), environment(own))
    assert done.returncode == code, done.stderr[-2000:]
    return done


def stamps(messages: list[Any]) -> list[int]:
    heads = (m.clock if hasattr(m, 'clock') else m.header.stamp for m in messages)
    return [head.sec * 10**9 + head.nanosec for head in heads]


@pytest.mark.slow
@pytest.mark.parametrize('begin', [0.0, 1.5])
def test_outside_subscriber_receives_what_was_recorded(recorded: Path, tmp_path: Path, begin: float) -> None:
    """All of it in its order, bit-identical, on the run's clock; latched messages exist, however late the replay begins."""
    from nav_msgs.msg import Odometry
    from rosgraph_msgs.msg import Clock
    from std_msgs.msg import String

    domain = new_domain()
    with Observer(domain) as late:
        odom, clock = late.subscribe(Odometry, '/amber/odom'), late.subscribe(Clock, '/clock')
        described = late.subscribe(String, '/amber/robot_description', latched=True)
        words = command('replay', recorded, '--start', begin, '--rate', 4)
        process = start(words, environment(domain), tmp_path / 'replay.txt')
        try:
            late.wait_for(lambda: process.poll() is not None, 90.0, 'the end')
            late.spin(0.5)
        finally:
            process.kill()
    free_domain(domain)
    bag = Bag(recorded)
    known = [m for m in bag.messages('/amber/odom') if m.log_time_ns >= begin * 1e9]
    assert stamps(odom) == stamps([m.content for m in known]) != []
    # The recorded clock is coarser than messages: their times are between.
    shown = stamps(clock)
    assert shown == sorted(shown)
    assert {m.log_time_ns for m in known} <= set(shown)
    assert set(stamps([m.content for m in bag.messages('/clock') if m.log_time_ns >= begin * 1e9])[1:]) <= set(shown)
    assert len(described) == 1 and described[0].data.startswith('<?xml')
    last = [m.content for m in bag.messages('/amber/odom')][-1]
    assert odom[-1].pose.pose.position.x == last.pose.pose.position.x > 0.3


def test_a_run_evolves_again_to_the_same_states(recorded: Path, tmp_path: Path) -> None:
    """From the beginning and from its checkpoint; a run with the settings of another soil does not."""
    found = json.loads(replayed(recorded, '--resimulate', '--json').stdout)
    assert found == {'from_s': 0.0, 'to_s': pytest.approx(2.0), 'cycles': 100, 'difference': ''}
    assert replayed(recorded, '--resimulate', '--start', 1.7).stdout.startswith(
        '50 cycles from 1 to 2 s: bit-identical states'
    )
    other = tmp_path / 'other'
    shutil.copytree(recorded, other)
    text = (other / 'scenario.yaml').read_text()
    (other / 'scenario.yaml').write_text(text.replace('speed_mps: 0.3', 'speed_mps: 0.30001'))
    done = replayed(other, '--resimulate', code=3)
    assert done.stdout.startswith('cycle ') and 'amber: state hash' in done.stdout


@pytest.mark.parametrize(
    ('options', 'why'),
    [
        (('--branch', 2), '--branch = 2: does not exist; allowed: 0'),
        (('--start', 9), 'is after the end; allowed: up to 2'),
        (('--rate', 'fast'), 'replay --rate: fast: is not a real-time factor'),
        (('--topic', '/amber/odm'), 'did you mean /amber/odom'),
    ],
)
def test_invalid_replay_is_refused(recorded: Path, options: tuple[object, ...], why: str) -> None:
    assert why in replayed(recorded, *options, code=2).stderr
