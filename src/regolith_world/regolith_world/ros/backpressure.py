# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Backpressure: the world waits between two cycles for the recorder, the sensors and an autonomy stack."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from regolith_msgs.msg import SensorsAck
from std_msgs.msg import UInt64

from regolith_world.ros import qos
from regolith_world.ros.inbox import Inbox
from regolith_world.ros.naming import root_namespace
from regolith_world.ros.shutdown import ShutdownRequest
from regolith_world.ros.type_matching_subscription import accepted_types, message_class
from regolith_world.ros.wait_report import WaitReport
from regolith_world.world import World

RECORDER_LAG = 25
"""Maximum lag of the recorder in cycles before the world waits..."""
RECORDER_LAG_S = 0.5
"""...and in simulated time [s], for long steps. Publishers keep more messages than that."""
FRAME_PATIENCE_S = 120.0
"""Maximum time for one frame of a sensor, wall time [s]."""


class Backpressure:
    """Progress of these nodes by their acknowledgments. Waiting never changes the results of the world.

    Args:
        node: Node for counts of publishers.
        inbox: Inbox for the acknowledgments.
        world: The world.
        leaving: Request to end this process.
        serve: Function that serves services, called while waiting.
        on_timeout: Function of the name of an unresponsive node and what it owes; returns whether to wait longer.
        warn: Function that prints a human-readable line.
        recorded: Whether there is a recorder, whose lag is limited.
        max_sensor_lag_s: Maximum lead of the world over its sensors in simulated time [s]; below 0: no sensors.
    """

    def __init__(
        self,
        node: Node,
        inbox: Inbox,
        world: World,
        leaving: ShutdownRequest,
        serve: Callable[[], None],
        on_timeout: Callable[[str, str], bool],
        warn: Callable[[str], object],
        recorded: bool,
        max_sensor_lag_s: float,
    ) -> None:
        """Subscribe to the acknowledgments."""
        self._node, self._inbox, self._world, self._leaving = node, inbox, world, leaving
        self._serve, self._on_timeout, self._warn = serve, on_timeout, warn
        self._recorded = recorded
        self._written = -1
        self._recorder_lag = min(RECORDER_LAG, max(math.ceil(RECORDER_LAG_S / world.config.max_step_s), 1))
        if recorded:
            inbox.subscribe(UInt64, 'recorder/ack', self._on_written, qos.LATCHED)
        self._lag_ns = round(max_sensor_lag_s * 1e9)
        self.sensing = max_sensor_lag_s >= 0.0
        """Whether there are sensors to wait for."""
        self._sensed: tuple[int, int] | None = None
        if self.sensing:
            inbox.subscribe(SensorsAck, 'sensors/ack', self._on_sensed, qos.LATCHED)
        self._inputs = self.input_timeouts = 0
        self._waited = -1
        """Period of the barrier with the newest published state for which the world has waited."""
        barrier = world.config.input_barrier
        if barrier is not None:
            topic = f'{root_namespace(node)}{barrier.topic}'
            kinds = map(message_class, accepted_types(barrier.type or ''))
            inbox.subscribe_any(dict.fromkeys(kinds, self._on_input), topic, qos.STATE)
        self._waits = WaitReport(warn)

    def missing(self) -> list[str]:
        """Return those of recorder and sensors (if there are any) that lack connections."""
        missing = ['recorder'] if self._recorded and self._written < 0 else []
        return missing + (['sensors'] if self.sensing and self._sensed is None else [])

    def present(self) -> list[str]:
        """Return those of recorder and sensors that have all connections."""
        recorder = ['recorder'] if self._recorded and self._written >= 0 else []
        return recorder + (['sensors'] if self.sensing and self._sensed is not None else [])

    def wait_for_recorder(self) -> None:
        """Wait for the recorder if it lags, because the middleware's queues would lose messages."""
        patience_s, since = self._world.config.participant_timeout_s, time.monotonic()
        self._waits.begin()
        while self._recorded and self._world.cycle - self._written > self._recorder_lag and not self._leaving.requested:
            self._serve()
            self._inbox.wait(0.02)
            self._waits.note('the recorder, which is behind')
            if time.monotonic() - since > patience_s:
                self._recorded = self._on_timeout('recorder', f'no acknowledgment within {patience_s:g} s')
                since = time.monotonic()

    def wait_for_sensors(self, lag_ns: int | None = None) -> None:
        """Wait for the sensors if a frame lags too far.

        Args:
            lag_ns: Maximum lag in place of the usual one [ns].
        """
        behind, since, told = self._sensed, time.monotonic(), False
        while (
            self.sensing and not self._close(self._lag_ns if lag_ns is None else lag_ns) and not self._leaving.requested
        ):
            # The terrain service may be in this process, and sensors call it after a rewind.
            self._serve()
            self._inbox.wait(0.01)
            if self._sensed != behind:
                behind, since, told = self._sensed, time.monotonic(), False
            for_s = time.monotonic() - since
            if for_s < self._world.config.participant_timeout_s:
                continue
            if for_s > FRAME_PATIENCE_S or self._node.count_publishers('sensors/ack') == 0:
                self.sensing = self._on_timeout('sensors', f'no frame within {for_s:.0f} s')
                since = time.monotonic()
            elif not told:
                # A large frame, or the first one, takes longer. This is not a failure and needs no action.
                longest = f'{FRAME_PATIENCE_S:.0f} s at most'
                self._node.get_logger().info(f'sensors: no frame for {for_s:.0f} s; the world waits for one, {longest}')
                told = True

    def _close(self, lag_ns: int) -> bool:
        epoch, done_ns = self._sensed or (-1, -1)
        if epoch != self._world.epoch and self._world.epoch > 0:
            return False
        return self._world.t_ns - done_ns <= lag_ns

    def wait_for_input(self) -> None:
        """Wait for a message since the last wait, if vehicles have published a state since then; or for the timeout.

        Usually each cycle publishes the state from which it begins. A HOLD, in a pause or at a checkpoint, publishes it
        early, and the next cycle publishes none. A stack that sends a message for each state may have sent two
        before one wait. If the world waited after the next cycle, too, it would wait for a message that the stack does
        not owe. The same holds for several cycles within a period: vehicles publish the first state of a period only.

        The agent latches the same message at EVOLVE of this cycle. Both receive it independently, so in rare cases it
        reaches the agent one cycle later. ``cycle_result`` always contains the latched message.
        """
        barrier = self._world.config.input_barrier
        if barrier is None:
            return
        newest = self._world.published_ns // round(barrier.period_s * 1e9)
        if newest == self._waited:
            self._inputs = 0
            return
        self._waited = newest
        until = time.monotonic() + barrier.timeout_s
        self._waits.begin()
        while self._inputs == 0 and not self._leaving.requested:
            self._serve()
            self._inbox.wait(0.01)
            self._waits.note(f'a message on {barrier.topic} (world.input_barrier)')
            if time.monotonic() > until:
                self.input_timeouts += 1
                break
        self._inputs = 0

    def _on_written(self, message: UInt64) -> None:
        # Smaller after a rewind. 0 from a restarted recorder, to which earlier cycles do not apply.
        self._written = message.data or self._world.cycle

    def _on_sensed(self, message: SensorsAck) -> None:
        come_up = message.t_ns < 0 and self._world.cycle > 0
        self._sensed = (self._world.epoch, self._world.t_ns) if come_up else (message.epoch, message.t_ns)

    def _on_input(self, message: Any) -> None:
        self._inputs += 1
