# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Nodes for which the world waits between two cycles: recorder, sensors, autonomy stack."""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from regolith_msgs.msg import SensorsAck
from std_msgs.msg import UInt64

from regolith_world.ros import qos
from regolith_world.ros.inbox import Inbox
from regolith_world.ros.leaving import Leaving
from regolith_world.ros.naming import root_of
from regolith_world.world import World

RECORDER_LAG = 25
"""Largest lag of the recorder in cycles before the world waits..."""
RECORDER_LAG_S = 0.5
"""...and in simulated time, for long cycles. Publishers keep more messages than that."""
FRAME_PATIENCE_S = 120.0
"""Longest time for one frame of a sensor [wall s]."""


class Followers:
    """Progress of these nodes, by their acknowledgements; waiting never changes the world's results.

    :param node: for counts of publishers
    :param inbox: for the acknowledgements
    :param serve: answers services; called while waiting
    :param report_failure: takes names and the consequence
    :param recorded: whether there is a recorder, which must not be outrun
    :param sensors_lag_s: the world's largest lead over its sensors in simulated time [s]; below 0: no sensors
    """

    def __init__(
        self, node: Node, inbox: Inbox, world: World, leaving: Leaving, serve: Callable[[], None],
        report_failure: Callable[[list[str], str], None], recorded: bool, sensors_lag_s: float,
    ) -> None:
        """Subscribe to the acknowledgements."""
        self._node, self._inbox, self._world, self._leaving = node, inbox, world, leaving
        self._serve, self._report_failure = serve, report_failure
        self._recorded = recorded
        self._written = -1
        self._recorder_lag = min(RECORDER_LAG, max(math.ceil(RECORDER_LAG_S / world.config.heartbeat_s), 1))
        if recorded:
            inbox.subscribe(UInt64, 'recorder/ack', self._on_written, qos.LATCHED)
        self._lag_ns = round(sensors_lag_s * 1e9)
        self.sensing = sensors_lag_s >= 0.0
        """Whether there are sensors to wait for."""
        self._sensed: tuple[int, int] | None = None
        if self.sensing:
            inbox.subscribe(SensorsAck, 'sensors/ack', self._on_sensed, qos.LATCHED)
        self._inputs = self.input_timeouts = 0
        barrier = world.config.input_barrier
        if barrier is not None:
            topic = f'{root_of(node)}{barrier.topic}'
            inbox.subscribe(_message_type(barrier.type), topic, self._on_input, qos.STATE, optional=True)

    def missing(self) -> list[str]:
        """Return those of recorder and sensors (if there are any) without all their connections."""
        missing = ['recorder'] if self._recorded and self._written < 0 else []
        return missing + (['sensors'] if self.sensing and self._sensed is None else [])

    def present(self) -> list[str]:
        """Return those of recorder and sensors with all their connections."""
        recorder = ['recorder'] if self._recorded and self._written >= 0 else []
        return recorder + (['sensors'] if self.sensing and self._sensed is not None else [])

    def wait_for_recorder(self) -> None:
        """Wait for the recorder if it is behind: messages would be lost in the middleware's queues."""
        until = time.monotonic() + self._world.config.agent_timeout_s
        while self._recorded and self._world.cycle - self._written > self._recorder_lag:
            self._inbox.wait(0.02)
            self._serve()
            if time.monotonic() > until:
                self._recorded = False
                self._report_failure(['recorder'], 'goes on without a recorder')

    def wait_for_sensors(self, lag_ns: int | None = None) -> None:
        """Wait for the sensors if a frame is too far behind.

        :param lag_ns: in place of the usual lag [ns]
        """
        behind, since = self._sensed, time.monotonic()
        while self.sensing and not self._close(self._lag_ns if lag_ns is None else lag_ns) and not self._leaving.asked:
            # The ground's service may be in this very process, and sensors that were rewound ask it.
            self._inbox.wait(0.01)
            self._serve()
            if self._sensed != behind:
                behind, since = self._sensed, time.monotonic()
            gone = self._node.count_publishers('sensors/ack') == 0
            patience_s = self._world.config.agent_timeout_s if gone else FRAME_PATIENCE_S
            if time.monotonic() - since > patience_s:
                self.sensing = False
                self._report_failure(['sensors'], 'goes on without sensors')

    def _close(self, lag_ns: int) -> bool:
        epoch, done_ns = self._sensed or (-1, -1)
        if epoch != self._world.epoch and self._world.epoch > 0:
            return False
        return self._world.t_ns - done_ns <= lag_ns

    def wait_for_input(self) -> None:
        """Wait for a message of the autonomy stack since the last cycle, or its time-out.

        The agent latches the same message at this cycle's EVOLVE; since both receive it independently, it may, rarely,
        reach the agent a cycle later. The latched one is in ``evolved`` in any case.
        """
        barrier = self._world.config.input_barrier
        if barrier is None:
            return
        until = time.monotonic() + barrier.timeout_s
        while self._inputs == 0 and not self._leaving.asked:
            self._inbox.wait(0.01)
            self._serve()
            if time.monotonic() > until:
                self.input_timeouts += 1
                break
        self._inputs = 0

    def _on_written(self, message: UInt64) -> None:
        self._written = message.data  # smaller again after a rewind

    def _on_sensed(self, message: SensorsAck) -> None:
        self._sensed = (message.epoch, message.t_ns)

    def _on_input(self, message: Any) -> None:
        self._inputs += 1


def _message_type(name: str) -> Any:
    """Return the class of ``package/msg/Type``."""
    package, _, message = name.split('/')
    return getattr(importlib.import_module(f'{package}.msg'), message)
