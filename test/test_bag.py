# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What a run leaves in its bag, read by the tools other people read bags with."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from harness import RunResult, run_scenario, vehicle, write_scenario
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader

pytestmark = pytest.mark.ros

PROTOCOL = ('/regolith/cycle', '/regolith/cycle_result', '/regolith/terrain/delta', '/regolith/terrain/committed')
STATES = (
    'wheeled_description',
    'robot_description',
    'wheeled_state',
    'wheel_states',
    'joint_states',
    'odom',
    'ground_truth/odom',
)
EVOLVE, STOP, COMMIT, DISCARD = 0, 2, 1, 2


@pytest.fixture(scope='module')
def run(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    """A run of two rovers that bump into each other, so that some attempts are discarded."""
    folder = tmp_path_factory.mktemp('bag')
    vehicles = {
        'amber': vehicle(-0.95, 0.0, type='constant', speed_mps=0.4),
        'basalt': vehicle(0.95, 0.0, 180.0, type='constant', speed_mps=0.4),
    }
    vehicles['amber']['publish_world_to_odom'] = True
    return run_scenario(folder, write_scenario(folder, vehicles, duration_s=2.0), processes='one')


@pytest.fixture(scope='module')
def messages(run: RunResult) -> Mapping[str, Sequence[Any]]:
    """All messages by topic, as rosbags reads them."""
    found = defaultdict(list)
    with AnyReader([run.run_dir / 'bag']) as reader:
        for connection, _, data in reader.messages():
            found[connection.topic].append(reader.deserialize(data, connection.msgtype))
    return found


def _key(message: Any) -> tuple[int, int, int]:
    return message.key.epoch, message.key.cycle, message.key.attempt


def test_the_bag_holds_what_was_promised(run: RunResult, messages: Mapping[str, Sequence[Any]]) -> None:
    """Every topic of the contract, in a bag whose own account of its messages is right."""
    wanted = {'/clock', '/tf', '/regolith/status', *PROTOCOL}
    wanted |= {f'/{rover}/{topic}' for rover in ('amber', 'basalt') for topic in STATES}
    assert wanted <= set(messages)
    assert run.summary['bag']['lost'] == 0
    assert run.summary['bag']['messages'] == sum(map(len, messages.values()))
    assert Path(run.summary['bag']['path']) == run.run_dir / 'bag'


def test_frames_description_and_covariances_fit_together(messages: Mapping[str, Sequence[Any]]) -> None:
    """The URDF's joints are those of joint_states and its links those of /tf; odom starts where it is said to; an EKF can
    invert the covariances of odom."""
    robot = ElementTree.fromstring(messages['/amber/robot_description'][0].data)
    joints = {joint.get('name') for joint in robot.findall('joint') if joint.get('type') != 'fixed'}
    assert joints == set(messages['/amber/joint_states'][0].name)
    frames = {
        (f.header.frame_id, f.child_frame_id)
        for m in messages['/tf']
        for f in m.transforms
        if 'amber' in f.child_frame_id
    }
    tree = {(j.find('parent').get('link'), j.find('child').get('link')) for j in robot.findall('joint')}
    assert frames == {('amber/odom', 'amber/base_link')} | {(f'amber/{a}', f'amber/{b}') for a, b in tree}
    (start,) = (f for m in messages['/tf_static'] for f in m.transforms)
    assert (start.header.frame_id, start.child_frame_id) == ('world', 'amber/odom')
    place = messages['/amber/ground_truth/odom'][0].pose.pose.position
    shift = start.transform.translation
    assert np.allclose([shift.x, shift.y, shift.z], [place.x, place.y, place.z], atol=1e-9)
    before, after = (messages['/amber/odom'][k] for k in (0, -1))
    for covariance in (before.pose.covariance, after.pose.covariance, after.twist.covariance):
        table = np.reshape(covariance, (6, 6))
        assert np.array_equal(table, table.T) and np.linalg.eigvalsh(table).min() > 0.0
    assert after.pose.covariance[0] > 100.0 * before.pose.covariance[0]


def test_mcap_reads_the_same_messages(run: RunResult, messages: Mapping[str, Sequence[Any]]) -> None:
    """The mcap package with its ROS 2 decoder, which knows only the definitions in the file, finds the same."""
    counts: Counter[str] = Counter()
    hashes = []
    (path,) = (run.run_dir / 'bag').glob('*.mcap')
    with path.open('rb') as stream:
        for _, channel, _, content in make_reader(stream, decoder_factories=[DecoderFactory()]).iter_decoded_messages():
            counts[channel.topic] += 1
            if channel.topic == '/regolith/cycle_result':
                hashes += [result.state_hash for result in content.results]
    assert counts == {topic: len(found) for topic, found in messages.items()}
    assert sorted(hashes) == sorted(r.state_hash for m in messages['/regolith/cycle_result'] for r in m.results)


def test_the_cycles_are_without_gap_to_the_last_commit(run: RunResult, messages: Mapping[str, Sequence[Any]]) -> None:
    """Each cycle from 0 to the last that was committed, each attempt with its verdict in the next record."""
    # A record without a response in time is sent again; the copies are one record.
    records = sorted({_key(m): m for m in messages['/regolith/cycle']}.items())
    evolves = [m for _, m in records if m.command == EVOLVE]
    assert sorted({m.key.cycle for m in evolves}) == list(range(run.summary['cycles']))
    assert records[-1][1].command == STOP
    assert records[-1][1].t_ns == round(run.summary['simulated_s'] * 1e9)
    assert sum(m.verdict == COMMIT for _, m in records) == run.summary['cycles']
    assert sum(m.verdict == DISCARD for _, m in records) == run.summary['discarded_cycles'] > 0
    assert messages['/clock'][-1].clock.sec == 2


def test_every_attempt_has_every_result(messages: Mapping[str, Sequence[Any]]) -> None:
    """One cycle_result per participant, one delta per agent and EVOLVE, and one soil change per commit."""
    cycles = {_key(m): m for m in messages['/regolith/cycle']}
    repeated = len(messages['/regolith/cycle']) - len(cycles)
    evolves = {key for key, m in cycles.items() if m.command == EVOLVE}
    evolved = Counter((_key(r), r.name) for m in messages['/regolith/cycle_result'] for r in m.results)
    deltas = Counter((_key(d), d.agent) for m in messages['/regolith/terrain/delta'] for d in m.deltas)
    commits = Counter(_key(m) for m in messages['/regolith/terrain/committed'])
    assert set(evolved) == {(key, name) for key, m in cycles.items() for name in m.participants}
    assert set(deltas) == {(key, agent) for key in evolves for agent in ('amber', 'basalt')}
    records = sorted(cycles)
    assert set(commits) == {before for before, key in itertools.pairwise(records) if cycles[key].verdict == COMMIT}
    assert [m.soil_seq for m in messages['/regolith/terrain/committed']] == sorted(
        m.soil_seq for m in messages['/regolith/terrain/committed']
    )
    # A response is sent twice only to a record that was sent twice, which a slow machine brings about.
    for counts in (evolved, deltas, commits):
        assert all(1 <= n <= 1 + repeated for n in counts.values())


def test_every_committed_state_was_published(run: RunResult, messages: Mapping[str, Sequence[Any]]) -> None:
    """State topics hold each 20 ms of simulated time up to the last commit, in order."""
    for rover in ('amber', 'basalt'):
        for topic in ('odom', 'wheel_states', 'wheeled_state'):
            times = [m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for m in messages[f'/{rover}/{topic}']]
            assert times == sorted(times)
            # Cycles are shorter near contact, states are published at most at 50 Hz.
            assert {t // 20_000_000 for t in times} == set(range(101)), (rover, topic)
