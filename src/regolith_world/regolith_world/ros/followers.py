# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Those for whom the world waits between two cycles: the recorder, the sensors, the autonomy stack."""

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
"""Cycles the recorder may be behind before the world waits for it..."""
RECORDER_LAG_S = 0.5
"""...but not more than this of simulated time, if cycles are long. Publishers keep more than comes together in that."""
FRAME_PATIENCE_S = 120.0
"""How long one frame of a sensor may take, everything switched on [wall s]."""


class Followers:
    """How far each of them is, by their own word; waiting never changes what the world computes.

    :param node: counts publishers
    :param inbox: hears the acknowledgements
    :param serve: answers services; called while waiting
    :param report_failure: takes names and the consequence
    :param recorded: whether a recorder acknowledges what it wrote and must not be outrun
    :param sensors_lag_s: how far the world may run ahead of its sensors in simulated time; below 0: there are none
    """

    def __init__(
        self, node: Node, inbox: Inbox, world: World, leaving: Leaving, serve: Callable[[], None],
        report_failure: Callable[[list[str], str], None], recorded: bool, sensors_lag_s: float,
    ) -> None:
        """Listen to them."""
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
        """Return who of the recorder and the sensors (if there are any) is not connected to everybody yet."""
        missing = ['recorder'] if self._recorded and self._written < 0 else []
        return missing + (['sensors'] if self.sensing and self._sensed is None else [])

    def present(self) -> list[str]:
        """Return who of them is there."""
        recorder = ['recorder'] if self._recorded and self._written >= 0 else []
        return recorder + (['sensors'] if self.sensing and self._sensed is not None else [])

    def wait_for_recorder(self) -> None:
        """Never outrun the recorder: what it has not taken yet would be lost in the middleware's queues."""
        until = time.monotonic() + self._world.config.agent_timeout_s
        while self._recorded and self._world.cycle - self._written > self._recorder_lag:
            self._inbox.wait(0.02)
            self._serve()
            if time.monotonic() > until:
                self._recorded = False
                self._report_failure(['recorder'], 'goes on without a recorder')

    def wait_for_sensors(self, lag_ns: int | None = None) -> None:
        """Wait while a frame is more than its time behind.

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
        """Wait until the autonomy stack has said something since the last cycle, or its patience is up.

        The agent latches the same message at this cycle's EVOLVE; it travels to both at once, so the one that the
        world waited for may, rarely, reach the agent a cycle later. What was latched is in ``evolved`` either way.
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
        self._written = max(self._written, message.data)

    def _on_sensed(self, message: SensorsAck) -> None:
        self._sensed = (message.epoch, message.t_ns)

    def _on_input(self, message: Any) -> None:
        self._inputs += 1


def _message_type(name: str) -> Any:
    """Return the class of ``package/msg/Type``."""
    package, _, message = name.split('/')
    return getattr(importlib.import_module(f'{package}.msg'), message)
