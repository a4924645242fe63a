# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Playback of a recorded run: its topics in their order, on its clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import chain
from typing import Any

from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import deserialize_message
from rosgraph_msgs.msg import Clock

from regolith_bringup.bag.reading import Bag, RawMessage
from regolith_bringup.run.graph_client import GraphClient
from regolith_files import InputError, Problem

CLOCK = '/clock'
DEPTH = 1000
"""Queue depth of publishers, for slow subscribers [messages]."""
LATCHED_DEPTH = 100
_BESIDE_S = 1.5
"""Time to detect another run in the graph [wall s]."""


class BagPlayer(GraphClient):
    """Publishers of the topics of a bag, for use in a ``with`` statement.

    Args:
        bag: Bag of the run.
        topics: Topics to publish, relative to the namespace of the run. Empty: all.
        domain: ROS domain as text, None for that of the environment.
        namespace: Namespace to publish in.

    Raises:
        InputError: On entering, if another run is present or a message type is not installed.
    """

    def __init__(self, bag: Bag, topics: tuple[str, ...] = (), domain: str | None = None, namespace: str = '') -> None:
        super().__init__(domain, namespace)
        self._bag, self._topics = bag, topics

    def entered(self) -> None:
        """Check that no other node publishes the clock, and create the publishers."""
        clock = f'{self.root}/clock'
        if self.wait(lambda: self.node.count_publishers(clock) > 0, _BESIDE_S):
            allowed = '--domain auto, or --namespace of its own'
            raise InputError(Problem('replay', '', f'another run publishes {clock}', allowed))
        self._publishers = {
            name: self.node.create_publisher(_message_type(topic.type_name), self.root + name, self._profile(name))
            for name, topic in self._bag.topics.items()
            if topic.messages and name in (self._topics or self._bag.topics)
        }

    def _profile(self, name: str) -> QoSProfile:
        if name in self._bag.latched:
            return QoSProfile(depth=LATCHED_DEPTH, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        return QoSProfile(depth=DEPTH)

    def publish(
        self,
        *,
        from_ns: int,
        to_ns: int,
        rate: float,
        wait_s: float,
        on_progress: Callable[[int], None] = lambda t_ns: None,
    ) -> int:
        """Publish the messages of a time span.

        Latched messages from before the span are published first, for example descriptions and maps.

        Args:
            from_ns: Simulated start time [ns].
            to_ns: Simulated end time [ns].
            rate: Real-time factor. inf: as fast as the messages can be read.
            wait_s: Wait for subscribers before the first message [wall s].
            on_progress: Callback with the simulated time reached [ns].

        Returns:
            Number of published messages.
        """
        self.wait(lambda: False, wait_s)
        count, started, reached, shown = 0, time.monotonic(), from_ns, -1
        clock = self._publishers.get(CLOCK)
        for message in self._chosen(from_ns, to_ns):
            if message.log_time_ns > reached:
                reached = message.log_time_ns
                on_progress(reached)
            if math.isfinite(rate):
                due = started + 1e-9 * (reached - from_ns) / rate
                while (left := due - time.monotonic()) > 0.0:
                    self.executor.spin_once(timeout_sec=min(left, 0.05))
            count += 1
            if message.topic == CLOCK:
                if (t_ns := _clock_ns(message.data)) < shown:
                    continue
                shown = t_ns
            elif clock is not None and reached > shown:
                # The recorded clock is coarser. Without this, messages would arrive before the time of their stamps.
                clock.publish(_clock_message(reached))
                shown = reached
            self._publishers[message.topic].publish(message.data)
        return count

    def _chosen(self, from_ns: int, to_ns: int) -> Iterator[RawMessage]:
        names = tuple(self._publishers)
        before = [name for name in names if name in self._bag.latched]
        earlier = (m for m in self._bag.raw(*before) if m.log_time_ns < from_ns) if before and from_ns > 0 else iter(())
        # Clock messages of several senders with one time may be recorded slightly out of order.
        later = (m for m in self._bag.raw(*names) if from_ns <= m.log_time_ns <= to_ns)
        return chain(earlier, later)


def _clock_ns(data: bytes) -> int:
    stamp = deserialize_message(data, Clock).clock
    return int(stamp.sec) * 10**9 + int(stamp.nanosec)


def _clock_message(t_ns: int) -> Clock:
    message = Clock()
    message.clock.sec, message.clock.nanosec = t_ns // 10**9, t_ns % 10**9
    return message


def _message_type(name: str) -> Any:
    package, _, kind = name.partition('/msg/')
    try:
        return getattr(import_module(f'{package}.msg'), kind)
    except (ImportError, AttributeError):
        problem = f'message type {name} is not installed'
        raise InputError(Problem('replay', '', problem, 'an environment with its package')) from None
