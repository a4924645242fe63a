# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Driver that performs a list of dig, haul, dump and release tasks one after another."""

from __future__ import annotations

import math
from collections.abc import Mapping

from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.drivers.driver import Driver
from regolith_vehicles.drivers.task_config import (
    DigConfig,
    HaulConfig,
    ReleaseConfig,
    Task,
    TasksDriverConfig,
)
from regolith_world.cycle import BodyState, StateField, StateLayout, state_fields
from regolith_world.numerics import rotation

ASIDE_RAD = 0.3
"""Bearing of the goal beyond which the vehicle rotates in place [rad]."""
NEARLY = 5.0
"""Multiple of goal_tolerance_m within which the vehicle no longer rotates in place, and has arrived beside the goal."""
AHEAD_M = 0.8
"""Maximum distance of the pursued point on the line to the goal [m]."""


class TasksDriver(Driver):
    """Driver of tasks.

    Its state is the number of finished tasks, the start of the present one, and whether it rotates.
    """

    STATE = StateLayout('a driver of tasks', *state_fields('q', '_done', '_since_ns'), StateField('_turning', '?'))

    def __init__(self, config: TasksDriverConfig, start_ns: int | None = None) -> None:
        """Start with the first task.

        Args:
            config: Configuration of the driver.
            start_ns: Simulated start time [ns]; overrides the configuration.
        """
        self._config = config
        self._start_ns = round(config.start_s * 1e9) if start_ns is None else start_ns
        self._done = 0
        self._since_ns = self._start_ns
        self._turning = False
        self._levels: Mapping[str, float] = {}
        self._releases: tuple[str, ...] = ()

    def set_fill_levels(self, fill_levels: Mapping[str, float]) -> None:
        """Store the fill levels of the tools; see the base class."""
        self._levels = fill_levels

    @property
    def done(self) -> int:
        """Number of tasks that were finished or aborted."""
        return self._done

    def command(self, t_ns: int, base: BodyState) -> DriveCommand:
        """Return the command of the present task; see the base class."""
        tasks, self._releases = self._config.tasks, ()
        if t_ns < self._start_ns:
            return DriveCommand()
        # A task can be over before it starts, for example digging with full drums. Each is checked once per cycle.
        for _ in range(len(tasks)):
            if self._done >= len(tasks) * self._config.repeat:
                return DriveCommand()
            task = tasks[self._done % len(tasks)]
            seconds = (t_ns - self._since_ns) * 1e-9
            if seconds < task.timeout_s and not (seconds >= task.initial_wait_s and self._is_over(task, base)):
                twist = self._twist(task, base) if seconds >= task.initial_wait_s else (0.0, 0.0)
                return DriveCommand(*twist, task.joints)
            if isinstance(task, ReleaseConfig) and seconds < task.timeout_s:
                self._releases += (task.dispenser,)
            self._done, self._since_ns, self._turning = self._done + 1, t_ns, False
        return DriveCommand()

    def releases(self, t_ns: int) -> tuple[str, ...]:
        """Return the dispensers of the release tasks that are performed in this cycle; see the base class."""
        return self._releases

    def _is_over(self, task: Task, base: BodyState) -> bool:
        """Return whether a task has reached its end."""
        if isinstance(task, ReleaseConfig):
            return True
        if isinstance(task, HaulConfig):
            ahead, left = _goal(task, base)
            distance = math.hypot(ahead, left)
            return distance <= task.goal_tolerance_m or (distance <= NEARLY * task.goal_tolerance_m and ahead <= 0.0)
        levels = [level for name, level in self._levels.items() if name in task.tools or not task.tools]
        if isinstance(task, DigConfig):
            return all(level >= task.target_fill for level in levels)
        return all(level <= task.target_fill for level in levels)

    def _twist(self, task: Task, base: BodyState) -> tuple[float, float]:
        """Return forward speed [m/s] and yaw rate [rad/s] of the present task."""
        if isinstance(task, ReleaseConfig):
            return 0.0, 0.0
        if not isinstance(task, HaulConfig):
            return task.speed_mps, 0.0
        ahead, left = _goal(task, base)
        bearing, distance = math.atan2(left, ahead), max(math.hypot(ahead, left), 1e-3)
        # A rotation continues until the vehicle faces the goal; otherwise it would stop and start at the limit.
        aside = abs(bearing) > (0.1 * ASIDE_RAD if self._turning else ASIDE_RAD)
        self._turning = aside and distance > NEARLY * task.goal_tolerance_m
        if self._turning:
            return 0.0, math.copysign(task.max_yaw_rate_radps, bearing)
        # Pure pursuit of a point on the line to the goal, at most AHEAD_M away.
        curvature = 2.0 * math.sin(bearing) / min(distance, AHEAD_M)
        rate = min(max(task.speed_mps * curvature, -task.max_yaw_rate_radps), task.max_yaw_rate_radps)
        return -task.speed_mps if task.reverse else task.speed_mps, rate


def _goal(task: HaulConfig, base: BodyState) -> tuple[float, float]:
    """Return the goal's position ahead and to the left [m], relative to the end that leads."""
    heading = rotation.yaw(base.orientation) + (math.pi if task.reverse else 0.0)
    dx, dy = task.goal[0] - float(base.position[0]), task.goal[1] - float(base.position[1])
    return math.cos(heading) * dx + math.sin(heading) * dy, -math.sin(heading) * dx + math.cos(heading) * dy
