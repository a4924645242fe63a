# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Publishers of a world: ``/clock``, status and diagnostics."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial

from rclpy.clock import Clock as WallClock
from rclpy.clock import ClockType
from rclpy.node import Node
from regolith_msgs.msg import WorldStatus
from rosgraph_msgs.msg import Clock

from regolith_world.ros import clock_offset, qos
from regolith_world.ros.backpressure import Backpressure
from regolith_world.ros.diagnostics import Diagnostics
from regolith_world.ros.naming import root_namespace
from regolith_world.ros.type_matching_subscription import TypeWatch
from regolith_world.world import World

STATUS_PERIOD_S = 0.2
"""Period of the status while the world plays, wall time [s]."""
PULSE_S = 1.0
"""Period of status and diagnostics in every state, waiting included, wall time [s]."""
WORLD_STATE_NAMES = {
    WorldStatus.STARTING: 'starting',
    WorldStatus.PLAYING: 'running',
    WorldStatus.PAUSED: 'paused',
    WorldStatus.STALLED: 'stalled',
    WorldStatus.STOPPED: 'stopped',
}
"""States of the world in one word."""


class StatusPublisher:
    """Publishers of a world's time and state.

    Args:
        node: Node ``world``.
        world: The world.
        end_ns: Simulated time at which the run ends [ns]; 0: no end.
    """

    def __init__(self, node: Node, world: World, end_ns: int) -> None:
        self._world, self._end_ns = world, end_ns
        self._clock = node.create_publisher(
            Clock, f'{root_namespace(node)}/clock', qos.CLOCK, qos_overriding_options=qos.OVERRIDABLE
        )
        self._status = node.create_publisher(WorldStatus, 'status', qos.LATCHED)
        self.diagnostics = Diagnostics(node)
        self._log, self._types = node.get_logger(), TypeWatch(node, partial(_namespaces, root_namespace(node), world))
        self.state, self._text = WorldStatus.STARTING, ''
        self.real_time_factor = self._cycle_rate_now = 0.0
        """Real-time factor, and cycles per wall second, over the last half second."""
        self.followers: Backpressure | None = None
        self.punctuality: Callable[[], Mapping[str, float] | None] = lambda: None
        """See :meth:`regolith_world.ros.pacing.Pacer.deadline_statistics`."""
        self._last_clock = self._last_status = 0.0
        self._rate = (time.monotonic(), 0, 0)
        node.create_timer(PULSE_S, self._pulse, clock=WallClock(clock_type=ClockType.STEADY_TIME))

    @property
    def shown_ns(self) -> int:
        """Time of ``/clock`` [ns]."""
        return clock_offset.clock_ns(self._world.t_ns)

    def clock(self, period: float = 0.0) -> None:
        """Publish ``/clock`` unless the last message is younger than a period, wall time [s]."""
        now = time.monotonic()
        if period and now - self._last_clock < period:
            return
        self._last_clock = now
        message = Clock()
        message.clock.sec, message.clock.nanosec = int(self.shown_ns // 10**9), int(self.shown_ns % 10**9)
        self._clock.publish(message)

    def pulse(self, state: int) -> None:
        """Publish status and diagnostics with a new state."""
        self.state = state
        self._pulse()

    def _pulse(self) -> None:
        if time.monotonic() - self._last_status > 0.5 * PULSE_S:
            self.status(self.state, self._text, force=True)
        world = self._world
        values: dict[str, object] = {
            't_s': f'{world.t_ns * 1e-9:.3f}',
            'real_time_factor': f'{self.real_time_factor:.3f}',
            'cycle': world.cycle,
            'discarded_cycles': world.discarded_cycles,
            'forced_cycles': world.forced_cycles,
        }
        values |= self.punctuality() or {}
        members = [*world.participants, *(self.followers.present() if self.followers is not None else ())]
        for text in self._types.look():
            self._log.warning(text)
        self.diagnostics.publish(self.shown_ns, WORLD_STATE_NAMES[self.state], values, members, self._types.mismatches)

    def status(self, state: int, text: str = '', force: bool = False) -> None:
        """Publish the status if forced, or if the last one is old enough."""
        now = time.monotonic()
        self.state, self._text = state, text
        if not force and now - self._last_status < STATUS_PERIOD_S:
            return
        self._last_status = now
        world = self._world
        since, t_ns, cycle = self._rate
        if now - since >= 0.5:
            self.real_time_factor = (world.t_ns - t_ns) * 1e-9 / (now - since)
            self._cycle_rate_now = (world.cycle - cycle) / (now - since)
            self._rate = (now, world.t_ns, world.cycle)
        self._status.publish(
            WorldStatus(
                state=state,
                t_ns=int(world.t_ns),
                end_ns=int(self._end_ns),
                cycle=int(world.cycle),
                discarded_cycles=int(world.discarded_cycles),
                forced_cycles=int(world.forced_cycles),
                real_time_factor=float(self.real_time_factor),
                cycle_rate=float(self._cycle_rate_now),
                state_hash=world.state_hash,
                message=text,
            )
        )


def _namespaces(root: str, world: World) -> list[str]:
    """Return the namespaces of the nodes of a run."""
    return [f'{root}/{name}' for name in ('regolith', *world.participants)]
