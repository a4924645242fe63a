# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The recorder as a process of its own, fed over real topics."""

from __future__ import annotations

import itertools
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import synthetic_run

rclpy = pytest.importorskip('rclpy', reason='ROS 2 is not in this environment')

from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from std_msgs.msg import String, UInt64  # noqa: E402

from regolith_bringup.bag.reading import Bag  # noqa: E402
from regolith_bringup.bag.recover import recover  # noqa: E402
from regolith_bringup.bag.serialized_heads import clock_ns, cycle_head, key_head  # noqa: E402
from regolith_bringup.bag.topics import RecordedTopic  # noqa: E402
from regolith_bringup.recorder_node import CLOCKS_HELD, Recorder  # noqa: E402
from regolith_bringup.run.middleware import UDP, VARIABLE, middleware_environment, profile  # noqa: E402
from regolith_world.ros.shutdown import await_stable_graph  # noqa: E402

pytestmark = pytest.mark.ros

DOMAIN = 1 + os.getpid() % 19
"""Apart from other runs of these tests on this machine."""
TOPICS = ['/clock|rosgraph_msgs/msg/Clock|state|1', '/talk|std_msgs/msg/String|state|1']


class World:
    """Stands in for the world: publishes /clock, some talk and, where its interface was built, cycles."""

    def __init__(self, with_cycles: bool) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=DOMAIN)
        self.node = rclpy.create_node('world', context=self.context, enable_rosout=False)
        self.clock = self.node.create_publisher(Clock, '/clock', 10)
        self.talk = self.node.create_publisher(String, '/talk', 100)
        self.acks: list[int] = []
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(UInt64, '/regolith/recorder/ack', lambda m: self.acks.append(m.data), latched)
        self.executor = rclpy.executors.SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.sent = 0
        if with_cycles:
            from regolith_msgs.msg import Cycle

            self.cycle_type = Cycle
            self.cycle = self.node.create_publisher(Cycle, '/regolith/cycle', 10)

    def wait_ready(self) -> None:
        end = time.monotonic() + 20.0
        while not self.acks and time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.05)
        assert self.acks == [0], 'the recorder did not get ready'

    def tick(self, k: int) -> None:
        message = Clock()
        message.clock.sec, message.clock.nanosec = divmod(k * 20_000_000, 10**9)
        self.clock.publish(message)
        for _ in range(5):
            self.talk.publish(String(data=f'{self.sent}'))
            self.sent += 1

    def send_cycle(self, number: int, command: int) -> None:
        message: Any = self.cycle_type()
        message.key.epoch, message.key.cycle, message.key.attempt = 3, number, 1
        message.t_ns, message.dt_ns, message.command = number * 20_000_000, 20_000_000, command
        message.verdict = 1
        self.cycle.publish(message)

    def close(self) -> None:
        self.executor.shutdown()
        await_stable_graph(self.node)
        self.node.destroy_node()
        self.context.try_shutdown()


def start(run: Path, topics: list[str], **options: Any) -> subprocess.Popen[bytes]:
    paths = os.pathsep.join(str(Path(p).resolve()) for p in sys.path if p)
    environment = {
        **os.environ,
        'PYTHONPATH': paths,
        'ROS_DOMAIN_ID': str(DOMAIN),
        'ROS_LOG_DIR': str(run / 'log'),
        # Without shared memory: these processes are killed, and so are tests that write to them then (see the file).
        **middleware_environment({VARIABLE: str(profile(UDP))}),
    }
    arguments = ['--ros-args', '-p', f'run_dir:={run}', '-p', f'topics:={json.dumps(topics)}']
    return subprocess.Popen(
        [sys.executable, '-m', 'regolith_bringup.recorder_node', *arguments], env=environment, **options
    )


@pytest.fixture(autouse=True)
def localhost(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name, value in middleware_environment(os.environ).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv('ROS_LOG_DIR', str(tmp_path / 'log'))
    yield


def talk(run: Path) -> list[int]:
    return [int(m.content.data) for m in Bag(run).messages('/talk')]


@pytest.mark.parametrize('kind', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_bag_with_everything_in_it(kind: signal.Signals, tmp_path: Path) -> None:
    recorder = start(tmp_path, TOPICS)
    world = World(with_cycles=False)
    try:
        world.wait_ready()
        for k in range(50):
            world.tick(k)
            time.sleep(0.002)
        recorder.send_signal(kind)
        assert recorder.wait(5.0) == 0
        assert talk(tmp_path) == list(range(250))
        # Log time is the last /clock that is no longer held back, in order. Each topic has a queue of its own, so on a
        # busy machine one may overtake the other by some ticks; most messages are where they belong.
        times = [m.log_time_ns for m in Bag(tmp_path).messages('/talk')]
        assert times == sorted(times) and not any(t % 20_000_000 for t in times) and times[-1] <= 49 * 20_000_000
        assert statistics.median(20_000_000 * (k // 5) - t for k, t in enumerate(times)) == CLOCKS_HELD * 20_000_000
        counts = json.loads((tmp_path / 'recorder.json').read_text())
        assert counts['closed'] and counts['lost'] == 0
        assert counts['topics']['/talk'] == {'messages': 250, 'lost': 0}
    finally:
        recorder.kill()
        recorder.wait()
        world.close()


@pytest.mark.alone
def test_a_killed_recorder_has_lost_at_most_a_second(tmp_path: Path) -> None:
    recorder = start(tmp_path, TOPICS)
    world = World(with_cycles=False)
    try:
        world.wait_ready()
        sent_at = []
        end = time.monotonic() + 2.6
        k = 0
        while time.monotonic() < end:
            world.tick(k)
            sent_at += [time.monotonic()] * 5
            k += 1
            time.sleep(0.01)
        recorder.kill()
        killed = time.monotonic()
        recorder.wait()
        assert recover(tmp_path).rebuilt
        read = talk(tmp_path)
        assert read == list(range(len(read)))
        # One second of flush period, and a round of the loop; on a busy machine as long as this loop was held up, too.
        held_up = max(b - a for a, b in itertools.pairwise(sent_at))
        assert killed - sent_at[len(read) - 1] < 1.0 + 0.3 + held_up
    finally:
        recorder.kill()
        recorder.wait()
        world.close()


def test_a_full_disk_ends_the_recording_with_one_line(tmp_path: Path) -> None:
    """A limit on the size of files stands in for the disk: writing fails in the middle of a chunk all the same."""
    run = tmp_path / 'run'
    run.mkdir()
    recorder = start(run, TOPICS, stderr=subprocess.PIPE)
    world = World(with_cycles=False)
    try:
        world.wait_ready()
        resource.prlimit(recorder.pid, resource.RLIMIT_FSIZE, (500_000, 500_000))
        k, end = 0, time.monotonic() + 20.0
        while recorder.poll() is None and time.monotonic() < end:
            world.tick(k)
            world.talk.publish(String(data=f'{world.sent} {os.urandom(2000).hex()}'))
            world.sent += 1
            k += 1
            time.sleep(0.01)
        _, said = recorder.communicate(timeout=5.0)
        lines = [line for line in said.decode().splitlines() if 'recording' in line and 'topics' not in line]
        assert recorder.returncode == 3 and 'Traceback' not in said.decode(), said.decode()
        assert len(lines) == 1 and 'bag_0.mcap: File too large; the bag contains everything before' in lines[0]
        counts = json.loads((run / 'recorder.json').read_text())
        assert not counts['closed'] and 'File too large' in counts['failure']
        numbers = [int(m.content.data.partition(' ')[0]) for m in Bag(run).messages('/talk')]
        assert numbers == list(range(len(numbers))) and numbers
        assert recover(run).rebuilt and [int(m.content.data.split()[0]) for m in Bag(run).messages('/talk')] == numbers
    finally:
        recorder.kill()
        recorder.wait()
        world.close()


def test_stop_ends_the_recording_after_the_last_message(tmp_path: Path) -> None:
    pytest.importorskip('regolith_msgs.msg', reason='regolith_msgs is not built')
    recorder = start(tmp_path, [*TOPICS, '/regolith/cycle|regolith_msgs/msg/Cycle|state|1'])
    world = World(with_cycles=True)
    try:
        world.wait_ready()
        for k in range(30):
            world.send_cycle(k, 0)
            world.tick(k)
            time.sleep(0.002)
        world.send_cycle(30, 2)
        # What others say after STOP belongs to the run, too.
        time.sleep(0.2)
        world.tick(31)
        assert recorder.wait(5.0) == 0
        end = time.monotonic() + 2.0
        while world.acks[-1] != 30 and time.monotonic() < end:
            world.executor.spin_once(timeout_sec=0.05)
        assert world.acks[-1] == 30
        assert talk(tmp_path) == list(range(155))
        assert Bag(tmp_path).topics['/regolith/cycle'].messages == 31
    finally:
        recorder.kill()
        recorder.wait()
        world.close()


def test_each_node_of_a_recorder_has_a_name_of_its_own_and_all_topics_theirs(tmp_path: Path) -> None:
    """Nodes in the namespaces of vehicles, for remaps; topics of the run and of the graph's root need none."""
    names = [
        '/clock',
        '/talk',
        '/regolith/talk',
        '/regolith/terrain/talk',
        '/amber/talk',
        '/amber/eye/talk',
        '/basalt/talk',
    ]
    topics = [RecordedTopic.parse(f'{name}|std_msgs/msg/String') for name in names]
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=DOMAIN)
    node = rclpy.create_node('recorder', namespace='regolith', context=context)
    try:
        recorder = Recorder(node, tmp_path, topics, 1.0)
        found = [each.get_fully_qualified_name() for each in recorder.nodes]
        assert len(set(found)) == len(found) == 4, found
        assert {'/regolith/recorder', '/amber/recorder', '/basalt/recorder'} < set(found)
        assert [channel.subscription.topic_name for channel in recorder._channels] == names
        for each in recorder.nodes:
            each.destroy_node()
    finally:
        context.try_shutdown()


def test_heads_are_read_where_the_message_has_them() -> None:
    """The recorder reads fixed offsets; this fails if Cycle.msg or CycleKey.msg changes under it."""
    types = synthetic_run.Types()
    key = types.make('regolith_msgs/msg/CycleKey', run_id=2**61 + 3, epoch=7, cycle=2**40 + 5, attempt=9)
    cycle = types.make(
        'regolith_msgs/msg/Cycle',
        key=key,
        t_ns=-3,
        dt_ns=11,
        verdict=1,
        command=2,
        participants=['a', 'bc'],
        resimulating=True,
    )
    assert cycle_head(types.cdr(cycle)) == (2**61 + 3, 7, 2**40 + 5, 2, True)
    evolved = types.make('regolith_msgs/msg/CycleResult', key=key, name='a')
    assert key_head(types.cdr(evolved)) == (7, 2**40 + 5)
    time_ = types.make('builtin_interfaces/msg/Time', sec=12, nanosec=345)
    assert clock_ns(types.cdr(types.make('rosgraph_msgs/msg/Clock', clock=time_))) == 12_000_000_345
