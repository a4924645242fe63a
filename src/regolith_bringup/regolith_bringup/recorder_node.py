# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The recorder: writes serialised messages of many topics into a bag without decoding them.

No executor: one wait set over all subscriptions, emptied at most every two milliseconds, so that the cost grows with
the bytes and hardly with the number of messages. Only a few messages are read, at fixed offsets: ``/clock``,
``regolith/cycle``, whose number is acknowledged and whose STOP ends the recording, the heads of the protocol's other
messages, and stamps.

Log times are the simulated time of publication: the largest stamp received until then, or ``/clock`` where no states
come. They never precede a message's own stamp, and rise through the file. ``/clock`` alone would not do: it comes a
hundred times per wall second at most, however many cycles that are, and is a cycle ahead of the states.
A topic that may stay empty is in the bag from its first message on.

When the world goes back, the bag ends and ``bag_1``, ``bag_2`` ... begins, with all that is latched; the past that is
repeated in silence is in none.

Publishes ``regolith/recorder/ack`` (std_msgs/UInt64, latched): 0 once every expected publisher has been matched, so
that no later message is missed; then the number of the last cycle message written. The world waits for the first before
it starts and may hold when the last falls behind.
"""

from __future__ import annotations

import importlib
import itertools
import json
import signal
import struct
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from rclpy.executors import SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import UInt64

from regolith_bringup.bag.loss_counter import LossCounter
from regolith_bringup.bag.recorder import BagWriter, qos_profile
from regolith_bringup.bag.topics import RecordedTopic
from regolith_bringup.run.process_priority import use_batch_scheduling
from regolith_files.atomic_write import write_atomically
from regolith_files.problems import counted
from regolith_world.checkpoint.disk_reserve import release
from regolith_world.ros.inbox import LOOK_PERIOD_S, spin_ready
from regolith_world.ros.naming import helper_node, named_node, root_of
from regolith_world.ros.parameters import STARTED_BY, declare, declare_run_id
from regolith_world.ros.shutdown import StartupError, run_process
from regolith_world.ros.type_matching_subscription import alternatives
from regolith_world.ros.world_monitor import WorldMonitor

_COMMAND_STOP = 2
CLOCKS_HELD = 2
"""Messages of ``/clock`` that wait for states of their time: the world is a cycle ahead of the states it publishes."""
LEAD_NS = 1_000_000_000
"""Largest lead over the time known so far with which a stamp of an outside node counts as simulated time [ns]: the
longest cycle there is."""
_DEPTH = 4000
"""Queue of each subscription, for messages during the compression of a chunk."""


class CycleHead(NamedTuple):
    """The first fields of a regolith_msgs/Cycle."""

    run: int
    epoch: int
    cycle: int
    command: int
    silent: bool


def cycle_head(data: bytes) -> CycleHead:
    """Return the head of a serialised regolith_msgs/Cycle without reading the rest of it."""
    order = '<' if data[1] & 1 else '>'
    run, epoch, cycle, _, _, _, _, _, command, silent = struct.unpack_from(order + 'QI4xQI4xqqqBB?', data, 4)
    return CycleHead(int(run), int(epoch), int(cycle), int(command), bool(silent))


def key_head(data: bytes) -> tuple[int, int]:
    """Return epoch and cycle of a serialised message that begins with a regolith_msgs/CycleKey."""
    epoch, cycle = struct.unpack_from(('<' if data[1] & 1 else '>') + '8xI4xQ', data, 4)
    return int(epoch), int(cycle)


def clock_ns(data: bytes) -> int:
    """Return the time [ns] of a serialised rosgraph_msgs/Clock."""
    seconds, nanoseconds = struct.unpack_from(('<' if data[1] & 1 else '>') + 'iI', data, 4)
    return int(seconds) * 1_000_000_000 + int(nanoseconds)


def stamp_ns(data: bytes, offset: int) -> int:
    """Return the time [ns] of a ``builtin_interfaces/Time`` in a serialised message.

    Args:
        offset: of the stamp in the message; 0: it has none

    Returns:
        the time, -1 where there is none
    """
    if not offset or len(data) < offset + 8:
        return -1
    seconds, nanoseconds = struct.unpack_from(('<' if data[1] & 1 else '>') + 'iI', data, offset)
    return int(seconds) * 1_000_000_000 + int(nanoseconds)


def stamp_offset(message_type: Any) -> int:
    """Return where the first stamp of a type's serialised messages is [bytes]; 0: they do not begin with one."""
    first = next(iter(message_type.get_fields_and_field_types().values()), '')
    # Behind the 4 bytes of the encapsulation header; of a sequence, behind its length.
    known = {'std_msgs/Header': 4, 'builtin_interfaces/Time': 4, 'sequence<geometry_msgs/TransformStamped>': 8}
    return known.get(first, 0)


class RecordingError(Exception):
    """The bag cannot be written any longer; the text gives its end and the reason."""


@dataclass
class _Channel:
    topic: RecordedTopic
    subscription: Any
    message_type: type
    keyed: bool
    """Whether its messages begin with the key of a cycle."""
    stamp_at: int
    """See :func:`stamp_offset`."""
    number: int = -1
    """In the bag; below 0: not in it yet."""
    losses: LossCounter = field(default_factory=LossCounter)


_Taken = tuple[int, _Channel, bytes, int]
"""Wall time at which it was sent [ns], topic, message, sequence number."""


def _sent_at(taken: _Taken) -> int:
    return taken[0]


class Recorder:
    """The bag, the subscriptions, and the loop between them."""

    idle_s = 0.05
    """Longest wait for a message; bounds how late a signal is noticed [s]."""
    gather_s = 0.002
    """Shortest time between two rounds [s]."""
    quiet_s = 0.5
    """After STOP or a signal the bag is closed after this time without messages [s]..."""
    drain_limit_s = 3.0
    """...and at the latest after this one [s]."""

    def __init__(
        self, node: Node, run_dir: Path, topics: list[RecordedTopic], flush_period_s: float, run: int = 0
    ) -> None:
        self._run = run
        self._link = helper_node(node, 'link')
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._nodes: dict[str, Node] = {}
        """By vehicle, a node in its namespace, where the vehicle's remaps of relative names apply."""
        self._run_dir = run_dir
        self._flush_period_s = flush_period_s
        # Another that was before it, and was killed, has left its own.
        self._branch = next(k for k in itertools.count() if not _bag_folder(run_dir, k).exists())
        self._bag = BagWriter(_bag_folder(run_dir, self._branch))
        self._counts: Counter[str] = Counter()
        """Messages in the bags that have ended, by topic."""
        self._latest: dict[str, _Taken] = {}
        """The last message of each latched topic."""
        self._repeated = (-1, -1)
        """Epoch and cycle of the last record of a past that is repeated in silence."""
        self._epoch = -1
        self._node = node
        self._channels = [self._subscribe(topic) for topic in topics]
        self._index()
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._ack = node.create_publisher(UInt64, 'recorder/ack', latched)
        self._ready = False
        self._now_ns = self._clock_ns = self._flushed_ns = 0
        self._next_look = 0.0
        self._watch = WorldMonitor(node.get_logger().warning)
        self._clocks: deque[_Taken] = deque()
        """Messages of ``/clock`` that are held back."""
        self._cycle = -1
        self._acknowledged = -1
        self._stop_at: float | None = None
        self._last_message = time.monotonic()

    def _subscribe(self, topic: RecordedTopic) -> _Channel:
        package, _, name = topic.type_name.split('/')
        message_type = getattr(importlib.import_module(f'{package}.msg'), name)
        latched = topic.qos == 'latched'
        qos = QoSProfile(
            depth=_DEPTH,
            reliability=ReliabilityPolicy.BEST_EFFORT if topic.qos == 'sensor' else ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
        )
        node, name = self._place(topic.name)
        subscription = node.create_subscription(message_type, name, _unused, qos, raw=True)
        fields = message_type.get_fields_and_field_types()
        keyed = next(iter(fields.items())) == ('key', 'regolith_msgs/CycleKey') and topic.role != 'cycle'
        channel = _Channel(topic, subscription, message_type, keyed, stamp_offset(message_type))
        if topic.publishers:
            self._enter(channel)
        return channel

    def _index(self) -> None:
        self._by_pointer = {c.subscription.handle.pointer: c for c in self._channels}
        self._wait_set = _rclpy.WaitSet(len(self._channels), 0, 0, 0, 0, 0, self._node.context.handle)

    def _follow_types(self) -> None:
        """Subscribe again to topics that are published with another type than usual, before their first message."""
        for place, channel in enumerate(self._channels):
            others = alternatives(channel.topic.type_name)[1:]
            if not others or channel.number >= 0:
                continue
            infos = self._node.get_publishers_info_by_topic(channel.subscription.topic_name)
            published = {info.topic_type for info in infos}
            wanted = next((other for other in others if other in published), None)
            if wanted is not None and channel.topic.type_name not in published:
                node, _ = self._place(channel.topic.name)
                node.destroy_subscription(channel.subscription)
                self._channels[place] = self._subscribe(replace(channel.topic, type_name=wanted))
                self._index()

    def _enter(self, channel: _Channel) -> None:
        """Enter a topic into the bag."""
        topic = channel.topic
        latched = topic.qos == 'latched'
        offered = qos_profile(depth=1 if latched else 10, latched=latched, best_effort=topic.qos == 'sensor')
        channel.number = self._bag.add_topic(channel.subscription.topic_name, topic.type_name, [offered])

    def _place(self, topic: str) -> tuple[Node, str]:
        """Return the node to subscribe to a topic with, and its name there.

        Args:
            topic: from the root of the run
        """
        first, _, rest = topic.removeprefix('/').partition('/')
        if not rest or first == 'regolith':
            return self._link, f'{root_of(self._node)}{topic}'
        if first not in self._nodes:
            self._nodes[first] = named_node(
                'recorder',
                f'{root_of(self._node)}/{first}',
                start_parameter_services=False,
                enable_rosout=False,
                context=self._node.context,
            )
        return self._nodes[first], rest

    @property
    def nodes(self) -> list[Node]:
        """All nodes of this process."""
        return [self._node, self._link, *self._nodes.values()]

    def request_stop(self) -> None:
        """Close the bag once messages cease (from a signal handler, or on STOP)."""
        if self._stop_at is None:
            self._stop_at = time.monotonic()

    def spin(self) -> None:
        """Record until stopped, then close the bag.

        Raises:
            RecordingError: if the bag cannot be written any longer; it is left whole up to the last flush
        """
        try:
            self._record()
            self._tell_clocks(0)
            self._bag.close()
            self._write_counts(closed=True)
        except OSError as error:
            self._bag.abandon()
            release(self._run_dir)
            text = f'recording ends at {self._flushed_ns * 1e-9:.2f} s: {self._bag.path}: {error.strerror or error}'
            with suppress(OSError):
                self._write_counts(closed=False, failure=text)
            raise RecordingError(f'{text}; the bag holds everything before') from None

    def _record(self) -> None:
        next_flush = time.monotonic() + self._flush_period_s
        while not self._finished():
            wait_set = self._wait_set
            wait_set.clear_entities()
            for channel in self._channels:
                wait_set.add_subscription(channel.subscription.handle)
            wait_set.wait(int(self.idle_s * 1e9))
            round_: list[_Taken] = []
            for pointer in wait_set.get_ready_entities('subscription'):
                self._take(self._by_pointer[pointer], round_)
            self._write(round_)
            self._acknowledge()
            now = time.monotonic()
            if now >= self._next_look:
                self._follow_types()
                self._watch.look()
                self._next_look = now + LOOK_PERIOD_S
            if now >= next_flush:
                self._bag.flush()
                self._flushed_ns = self._now_ns
                self._write_counts(closed=False)
                next_flush = now + self._flush_period_s
                spin_ready(self._executor)
            time.sleep(self.gather_s)

    def _finished(self) -> bool:
        if self._stop_at is None:
            return False
        now = time.monotonic()
        if now - self._stop_at > self.drain_limit_s:
            return True
        return now - max(self._last_message, self._stop_at) > self.quiet_s

    def _take(self, channel: _Channel, into: list[_Taken]) -> None:
        """Empty one subscription's queue."""
        take, message_type = channel.subscription.handle.take_message, channel.message_type
        if channel.topic.name == '/regolith/status' or channel.topic.role:
            self._watch.heard()
        publishers = channel.subscription.get_publisher_count()
        while (taken := take(message_type, True)) is not None:
            data, info = taken
            sequence = info['publication_sequence_number'] or 0
            # Of what is latched only the newest counts: a status that a later one overtook is no loss.
            if sequence and channel.topic.qos != 'latched':
                channel.losses.add(sequence, publishers)
            into.append((info['source_timestamp'], channel, data, sequence))

    def _write(self, round_: list[_Taken]) -> None:
        """Write the messages of one round in the order of their sending, over all topics."""
        round_.sort(key=_sent_at)
        for taken in round_:
            _, channel, data, _ = taken
            role = channel.topic.role
            if role == 'clock':
                self._see_clock(taken)
                continue
            if role == 'cycle':
                if not self._take_cycle(cycle_head(data)):
                    continue
            elif channel.keyed and key_head(data) <= self._repeated:
                continue
            self._see_stamp(channel, data)
            if channel.topic.qos == 'latched':
                self._latest[channel.topic.name] = taken
            self._put(taken)
            # Status is published all the time: it does not keep a recording open.
            if channel.topic.keeps_open:
                self._last_message = time.monotonic()

    def _see_clock(self, taken: _Taken) -> None:
        """Hold a message of ``/clock`` back until states of its time come, or a few later ones have."""
        t_ns = clock_ns(taken[2])
        if t_ns < self._clock_ns:  # the world went back
            self._tell_clocks(0)
            self._now_ns = t_ns
        self._clock_ns = t_ns
        self._clocks.append(taken)
        self._tell_clocks(CLOCKS_HELD)

    def _tell_clocks(self, held: int) -> None:
        """Write what is held back of ``/clock``, except for the newest ones."""
        while len(self._clocks) > held:
            taken = self._clocks.popleft()
            self._now_ns = max(self._now_ns, clock_ns(taken[2]))
            self._put(taken)

    def _see_stamp(self, channel: _Channel, data: bytes) -> None:
        """Take a later time from a message's stamp, if it is a simulated one.

        Nodes of the run stamp with simulated time. Others may do so with wall time, which is far ahead.
        """
        t_ns = stamp_ns(data, channel.stamp_at)
        if t_ns > self._now_ns and (channel.topic.publishers or t_ns - self._now_ns <= LEAD_NS):
            while self._clocks and clock_ns(self._clocks[0][2]) <= t_ns:
                self._tell_clocks(len(self._clocks) - 1)
            self._now_ns = t_ns

    def _take_cycle(self, head: CycleHead) -> bool:
        """Return whether a record of the world is to be written."""
        if head.run != self._run:
            return False
        self._cycle = head.cycle
        if head.silent:
            self._repeated = head.epoch, head.cycle
            return False
        if head.epoch > self._epoch:
            if self._epoch >= 0:
                self._branch_off()
            self._epoch = head.epoch
        if head.command == _COMMAND_STOP:
            self.request_stop()
        return True

    def _branch_off(self) -> None:
        """End the bag and begin the next, with all that is latched."""
        self._tell_clocks(0)
        self._bag.close()
        self._counts.update(self._bag.counts)
        self._branch += 1
        self._bag = BagWriter(_bag_folder(self._run_dir, self._branch))
        for channel in self._channels:
            if channel.topic.publishers:
                self._enter(channel)
            else:
                channel.number = -1
        for taken in sorted(self._latest.values(), key=_sent_at):
            self._put(taken)

    def _put(self, taken: _Taken) -> None:
        sent_ns, channel, data, sequence = taken
        if channel.number < 0:
            self._enter(channel)
        self._bag.write(channel.number, data, self._now_ns, sent_ns, sequence)

    def _acknowledge(self) -> None:
        if not self._ready:
            self._ready = all(c.subscription.get_publisher_count() >= c.topic.publishers for c in self._channels)
            if self._ready:
                self._ack.publish(UInt64(data=0))
                self._acknowledged = 0
                self._node.get_logger().info(f'recording {counted(len(self._channels), "topic")} to {self._bag.folder}')
        elif self._cycle not in (-1, self._acknowledged):
            self._ack.publish(UInt64(data=self._cycle))
            self._acknowledged = self._cycle

    def _write_counts(self, *, closed: bool, failure: str = '') -> None:
        lost = {c.subscription.topic_name: c.losses.lost for c in sorted(self._channels, key=lambda c: c.topic.name)}
        counts = Counter(self._bag.counts) + self._counts
        record = {
            'messages': sum(counts.values()),
            'lost': sum(lost.values()),
            'closed': closed,
            'failure': failure,
            'topics': {name: {'messages': counts[name], 'lost': lost[name]} for name in lost},
        }
        write_atomically(self._run_dir / 'recorder.json', json.dumps(record, indent=1) + '\n')


def _bag_folder(run_dir: Path, branch: int) -> Path:
    return run_dir / (f'bag_{branch}' if branch else 'bag')


def _unused(_: bytes) -> None:
    """The callback that a subscription must have; it is never called, as the wait set takes the messages."""


def build() -> tuple[Node, Recorder]:
    """Return the recorder and its node.

    Raises:
        StartupError: if there is no run folder, or no topic to record
        RecordingError: if no bag can be begun
    """
    node = Node('recorder', namespace='regolith')
    given = declare(node, 'run_dir', '', 'folder of the run; the bag is made in it')
    form = '/name|package/msg/Type[|qos[|publishers]]'
    lines = declare(node, 'topics', [''], 'what to record: /name|package/msg/Type[|qos[|publishers]]')
    flush_period_s = declare(node, 'flush_period_s', 0.5, 'between two ends of a chunk of the bag, wall time [s]')
    run_dir = Path(given)
    if not given or not run_dir.is_dir():
        found = f'{given!r} is no folder' if given else 'is not set'
        raise StartupError(f'recorder: parameter run_dir {found}; allowed: the folder of a run. {STARTED_BY}')
    try:
        topics = [RecordedTopic.parse(line) for line in lines if line]
    except ValueError as error:
        raise StartupError(f'recorder: parameter {error}') from None
    if not topics:
        raise StartupError(f'recorder: parameter topics is not set; allowed: a list of {form}')
    try:
        recorder = Recorder(node, run_dir, topics, flush_period_s, declare_run_id(node))
    except OSError as error:
        raise RecordingError(f'no recording: {error.filename or run_dir}: {error.strerror or error}') from None

    def stop(_signal: int, _frame: FrameType | None) -> None:
        recorder.request_stop()

    # Signals only set a flag: rclpy's own handlers would shut the context down with messages still in the queues.
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    return node, recorder


def main() -> None:
    """Run the recorder's process."""
    use_batch_scheduling()
    run_process(build, lambda made: made[1].spin(), lambda made: made[1].nodes, refusals=(RecordingError,))


if __name__ == '__main__':
    main()
