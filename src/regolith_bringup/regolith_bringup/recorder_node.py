# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Recorder node: writes serialized messages of many topics into a bag without decoding them.

It uses no executor, but one wait set over all subscriptions, which is emptied at most every 2 ms. The cost therefore
depends on the bytes and hardly on the number of messages. Only a few messages are read, at fixed offsets: ``/clock``,
``regolith/cycle`` (its number is acknowledged, its STOP ends the recording), the heads of the other protocol messages,
and stamps.

Log times are the simulated time of publication: the largest stamp received until then, or ``/clock`` where no states
are received. They never precede the stamp of the message, and increase through the file. ``/clock`` alone is not
sufficient: it is published at most a hundred times per wall second, and is one cycle ahead of the states. A topic that
may stay empty is in the bag from its first message on.

After a rewind, the bag ends and ``bag_1``, ``bag_2`` ... begins, with all latched messages. Repeated cycles of the past
are not recorded.

The node publishes ``regolith/recorder/ack`` (std_msgs/UInt64, latched): 0 once every expected publisher has been
matched, so that no later message is missed; then the number of the last written cycle message. The world waits for the
first acknowledgment before it starts, and may wait when the last one falls behind.
"""

from __future__ import annotations

import importlib
import itertools
import json
import signal
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any

from rclpy.executors import SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import UInt64

from regolith_bringup.bag.loss_counter import LossCounter
from regolith_bringup.bag.recorder import CHUNK_BYTES, BagWriter, qos_profile
from regolith_bringup.bag.serialized_heads import CycleHead, clock_ns, cycle_head, key_head, stamp_ns, stamp_offset
from regolith_bringup.bag.topics import RecordedTopic
from regolith_bringup.run.process_priority import use_batch_scheduling
from regolith_files import counted_noun, write_atomically
from regolith_terrain.updates import COMMITTED_TOPIC
from regolith_world.checkpoint import disk_reserve
from regolith_world.ros import (
    START_HINT,
    TYPE_CHECK_PERIOD_S,
    StartupError,
    WorldMonitor,
    accepted_types,
    declare_parameter,
    declare_run_id,
    helper_node,
    named_node,
    root_namespace,
    run_process,
    spin_ready,
)

_COMMAND_STOP = 2
CLOCKS_HELD = 2
"""Messages of ``/clock`` held back until states of their time arrive. The world is one cycle ahead of its states."""
LEAD_NS = 1_000_000_000
"""Maximum lead over the known time with which a stamp of an external node counts as simulated time [ns]: the longest
possible cycle."""
_DEPTH = 4000
"""Queue depth of each subscription, for messages during the compression of a chunk."""
_CHUNK_LIMIT = 4 * CHUNK_BYTES
"""Size at which a chunk ends even within a cycle [bytes]."""


class RecordingError(Exception):
    """Error of writing the bag. The message contains the end of the recording and the reason."""


@dataclass
class _Channel:
    topic: RecordedTopic
    subscription: Any
    message_type: type
    keyed: bool
    """Whether its messages begin with a cycle key."""
    stamp_at: int
    """Offset of the stamp, see :func:`stamp_offset`."""
    number: int = -1
    """Channel number in the bag, negative if not in the bag yet."""
    losses: LossCounter = field(default_factory=LossCounter)


_Taken = tuple[int, _Channel, bytes, int]
"""Wall time of publication [ns], topic, message, sequence number."""


def _sent_at(taken: _Taken) -> int:
    return taken[0]


class Recorder:
    """Bag, subscriptions and main loop of the recorder."""

    idle_s = 0.05
    """Maximum wait for a message, which limits the delay of a signal [s]."""
    gather_s = 0.002
    """Minimum time between two rounds [s]."""
    quiet_s = 0.5
    """Time without messages after STOP or a signal, after which the bag is closed [s]."""
    drain_limit_s = 3.0
    """Time after STOP or a signal after which the bag is closed in any case [s]."""

    def __init__(
        self, node: Node, run_dir: Path, topics: list[RecordedTopic], flush_period_s: float, run: int = 0
    ) -> None:
        self._run = run
        self._link = helper_node(node, 'link')
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._nodes: dict[str, Node] = {}
        """Node in the namespace of each vehicle, where the remappings of relative names apply."""
        self._run_dir = run_dir
        self._flush_period_s = flush_period_s
        # A killed earlier recorder of this run may have left its own count file.
        self._branch = next(k for k in itertools.count() if not _bag_folder(run_dir, k).exists())
        self._bag = BagWriter(_bag_folder(run_dir, self._branch), chunk_bytes=_CHUNK_LIMIT)
        self._counts: Counter[str] = Counter()
        """Number of messages in closed bags, by topic."""
        self._latest: dict[str, _Taken] = {}
        """Last message of each latched topic."""
        self._repeated = (-1, -1)
        """Epoch and cycle of the last record of a past that is repeated after a rewind."""
        self._epoch = -1
        self._node = node
        self._channels = [self._subscribe(topic) for topic in topics]
        self._index()
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._ack = node.create_publisher(UInt64, 'recorder/ack', latched)
        self._ready = False
        self._now_ns = self._clock_ns = self._flushed_ns = 0
        self._next_look = 0.0
        self._watch = WorldMonitor(node, f'{root_namespace(node)}/regolith/starting')
        self._between = True
        """Whether all deltas in the bag are followed by the committed soil change."""
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
            others = accepted_types(channel.topic.type_name)[1:]
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
        """Add a topic to the bag."""
        topic = channel.topic
        latched = topic.qos == 'latched'
        offered = qos_profile(depth=1 if latched else 10, latched=latched, best_effort=topic.qos == 'sensor')
        channel.number = self._bag.add_topic(channel.subscription.topic_name, topic.type_name, [offered])

    def _place(self, topic: str) -> tuple[Node, str]:
        """Return the node for the subscription to a topic, and the name to use there.

        Args:
            topic: Topic name relative to the namespace of the run.
        """
        first, _, rest = topic.removeprefix('/').partition('/')
        if not rest or first == 'regolith':
            return self._link, f'{root_namespace(self._node)}{topic}'
        if first not in self._nodes:
            self._nodes[first] = named_node(
                'recorder',
                f'{root_namespace(self._node)}/{first}',
                start_parameter_services=False,
                enable_rosout=False,
                context=self._node.context,
            )
        return self._nodes[first], rest

    @property
    def nodes(self) -> list[Node]:
        """Nodes of this process."""
        return [self._node, self._link, *self._nodes.values()]

    def request_stop(self) -> None:
        """Close the bag once messages cease (called from a signal handler, or on STOP)."""
        if self._stop_at is None:
            self._stop_at = time.monotonic()

    def spin(self) -> None:
        """Record until stopped, then close the bag.

        Raises:
            RecordingError: If the bag can no longer be written. It is complete up to the last flush.
        """
        try:
            self._record()
            self._tell_clocks(0)
            self._bag.close()
            self._write_counts(closed=True)
        except OSError as error:
            self._bag.abandon()
            disk_reserve.release(self._run_dir)
            text = f'recording ends at {self._flushed_ns * 1e-9:.2f} s: {self._bag.path}: {error.strerror or error}'
            with suppress(OSError):
                self._write_counts(closed=False, failure=text)
            raise RecordingError(f'{text}; the bag contains everything before') from None

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
                self._watch.check()
                self._next_look = now + TYPE_CHECK_PERIOD_S
            if now >= next_flush + (0.0 if self._between else 0.5 * self._flush_period_s):
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
        """Empty the queue of one subscription."""
        take, message_type = channel.subscription.handle.take_message, channel.message_type
        if channel.topic.name == '/regolith/status' or channel.topic.role:
            self._watch.record_message()
        publishers = channel.subscription.get_publisher_count()
        while (taken := take(message_type, True)) is not None:
            data, info = taken
            sequence = info['publication_sequence_number'] or 0
            # Of latched topics, only the newest message counts: a status replaced by a later one is not a loss.
            if sequence and channel.topic.qos != 'latched':
                channel.losses.add(sequence, publishers)
            into.append((info['source_timestamp'], channel, data, sequence))

    def _write(self, round_: list[_Taken]) -> None:
        """Write the messages of one round in order of publication, over all topics."""
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
            self._end_chunk(channel.topic.name)
            # Status is published all the time, so it does not keep a recording open.
            if channel.topic.keeps_open:
                self._last_message = time.monotonic()

    def _end_chunk(self, topic: str) -> None:
        """End a full chunk after the committed soil change of a cycle.

        It repeats the values of the deltas, so it takes little space in a chunk with them.
        """
        if topic == COMMITTED_TOPIC:
            self._between = True
            if self._bag.pending_bytes >= CHUNK_BYTES:
                self._bag.flush()
        elif topic.startswith('/regolith/terrain/delta'):
            self._between = False

    def _see_clock(self, taken: _Taken) -> None:
        """Hold a message of ``/clock`` back until states of its time arrive, or a few later clock messages have."""
        t_ns = clock_ns(taken[2])
        if t_ns < self._clock_ns:  # the world was rewound
            self._tell_clocks(0)
            self._now_ns = t_ns
        self._clock_ns = t_ns
        self._clocks.append(taken)
        self._tell_clocks(CLOCKS_HELD)

    def _tell_clocks(self, held: int) -> None:
        """Write the held-back messages of ``/clock``, except for the newest ones."""
        while len(self._clocks) > held:
            taken = self._clocks.popleft()
            self._now_ns = max(self._now_ns, clock_ns(taken[2]))
            self._put(taken)

    def _see_stamp(self, channel: _Channel, data: bytes) -> None:
        """Use a later time from the stamp of a message if it is a simulated one.

        Nodes of the run use simulated time. Others may use wall time, which is far ahead.
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
        if head.resimulating:
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
        """End the bag and begin the next one, with all latched messages."""
        self._tell_clocks(0)
        self._bag.close()
        self._counts.update(self._bag.counts)
        self._branch += 1
        self._bag = BagWriter(_bag_folder(self._run_dir, self._branch), chunk_bytes=_CHUNK_LIMIT)
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
                self._node.get_logger().info(
                    f'recording {counted_noun(len(self._channels), "topic")} to {self._bag.folder}'
                )
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
    """Callback that a subscription requires. It is never called, because the wait set takes the messages."""


def build() -> tuple[Node, Recorder]:
    """Return the recorder and its node.

    Raises:
        StartupError: If there is no run folder, or no topic to record.
        RecordingError: If no bag can be created.
    """
    node = Node('recorder', namespace='regolith')
    given = declare_parameter(node, 'run_dir', '', 'run folder, in which the bag is created')
    form = '/name|package/msg/Type[|qos[|publishers]]'
    lines = declare_parameter(node, 'topics', [''], 'recorded topics: /name|package/msg/Type[|qos[|publishers]]')
    flush_period_s = declare_parameter(
        node, 'flush_period_s', 0.5, 'period of ending a chunk of the bag, wall time [s]'
    )
    run_dir = Path(given)
    if not given or not run_dir.is_dir():
        found = f'{given!r} is not a folder' if given else 'is not set'
        raise StartupError(f'recorder: parameter run_dir {found}; allowed: a run folder. {START_HINT}')
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

    # Signals only set a flag. The handlers of rclpy would shut the context down with messages still in the queues.
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    return node, recorder


def main() -> None:
    """Run the recorder process."""
    use_batch_scheduling()
    run_process(build, lambda made: made[1].spin(), lambda made: made[1].nodes, refusals=(RecordingError,))


if __name__ == '__main__':
    main()
