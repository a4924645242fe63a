# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The autonomy stack without ROS: from sensor inputs to commands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autonomy_stack import inputs
from autonomy_stack.attitude import turn
from autonomy_stack.elevation_map import ElevationMap
from autonomy_stack.follower import Choice, Driving, choose
from autonomy_stack.hazards import Hazards, Limits, assess
from autonomy_stack.inputs import Inputs
from autonomy_stack.matching import Match, match
from autonomy_stack.odometry import Odometry
from autonomy_stack.planner import BLOCKED, CostToGo, cost_to_go

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Mount:
    """Pose of a sensor on the rover."""

    place: Vector = field(default_factory=lambda: np.zeros(3))
    """Origin in the base frame [m], shape (3,)."""
    rotation: Vector = field(default_factory=lambda: np.eye(3))
    """Rotation from the sensor frame to the base frame, shape (3, 3)."""


@dataclass(frozen=True)
class Settings:
    """Settings of the stack: rover and task."""

    lidar: Mount = field(default_factory=Mount)
    imu: Mount = field(default_factory=Mount)
    imu_hz: float = 100.0
    cloud_hz: float = 2.0
    limits: Limits = field(default_factory=Limits)
    driving: Driving = field(default_factory=Driving)
    arrived_m: float = 0.5
    """Distance within which a goal is reached [m]."""
    stands_s: float = 2.0
    """Time at rest from the first sample of the IMU on, to estimate gyroscope bias and vertical [s]."""
    nearest_m: float = 1.0
    """Distance from the lidar below which points belong to the rover [m]."""
    farthest_m: float = 14.0
    """Distance above which points are too sparse [m]."""
    matches: bool = True
    """Whether clouds are matched with the map to correct position, attitude and slip."""


@dataclass(frozen=True)
class Command:
    """Command to the rover."""

    speed: float = 0.0
    """Forward speed [m/s]."""
    turning: float = 0.0
    """Yaw rate [rad/s]."""


class Stack:
    """Odometry, map, hazards, path and command, in this order, from the inputs of all sensors.

    All values are in the level frame with the initial position and heading of the rover.

    Args:
        settings: Settings of rover and task.
        goals: x, y of the goals in order [m]; none: it maps at rest.
    """

    BESIDE_M = 15.0
    """Margin of the planned area around the rectangle of rover and goal [m]."""
    TRAPPED_S = 8.0
    """Time without progress after which the rover backs out [s]."""

    def __init__(self, settings: Settings, goals: Sequence[tuple[float, float]]) -> None:
        self.settings = settings
        self.goals = list(goals)
        self.inputs = Inputs(settings.imu_hz, settings.cloud_hz)
        self.odometry = Odometry()
        self.ground = ElevationMap()
        self.hazards: Hazards | None = None
        """Hazards of the ground around rover and goal."""
        self.corner = (0.0, 0.0)
        """Smallest x and y of that area [m]."""
        self.field: CostToGo | None = None
        self.choice: Choice | None = None
        self.last_match: Match | None = None
        self.reached: list[tuple[float, float]] = []
        """Estimated position of the rover when it reached each goal [m]."""
        self._cost: CostToGo | None = None
        self._wheels_ns = -1
        self._imu_ns = self._begin_ns = -1
        self._speed = (0.0, 0.0)
        self._trap = [self.settings.stands_s, 0.0, 0.0]
        self._backs_until_ns = -1
        self._traps: list[tuple[float, float]] = []

    @property
    def done(self) -> bool:
        """Whether all goals were reached."""
        return len(self.reached) == len(self.goals)

    @property
    def pose(self) -> tuple[float, float, float]:
        """Position [m] and heading [rad]."""
        x, y, _ = self.odometry.place.tolist()
        return x, y, self.odometry.attitude.heading

    def step(self, t_ns: int) -> Command | None:
        """Return the command for the inputs up to a time [ns]; None: some of them have not arrived."""
        if not self.inputs.complete(t_ns):
            return None
        for when, kind, content in self.inputs.take(t_ns):
            if kind == inputs.WHEELS:
                self._roll(when, *content)
            elif kind == inputs.INERTIAL:
                self._feel(when, *content)
            else:
                self._see(when, content)
        return self._drive(t_ns)

    # -- the sensors --------------------------------------------------------------------------------------------------

    def _roll(self, t_ns: int, ahead_mps: float, left_mps: float) -> None:
        seconds = (t_ns - self._wheels_ns) * 1e-9 if self._wheels_ns >= 0 else 0.0
        self._wheels_ns = t_ns
        self._speed = ahead_mps, left_mps
        self.odometry.roll(t_ns, ahead_mps * seconds, left_mps * seconds)

    def _feel(self, t_ns: int, rate: Vector, force: Vector) -> None:
        rate, force = self.settings.imu.rotation @ rate, self.settings.imu.rotation @ force
        seconds = (t_ns - self._imu_ns) * 1e-9 if self._imu_ns >= 0 else 0.0
        self._imu_ns = t_ns
        if self._begin_ns < 0:
            self._begin_ns = t_ns
            self._trap[0] += t_ns * 1e-9
        if t_ns <= self._rests_until_ns:
            # The rover settles into the soil in its first half second.
            if t_ns - self._begin_ns > 0.5e9:
                self.odometry.attitude.stand(rate, force)
        else:
            self.odometry.attitude.move(rate, force, seconds)

    def _see(self, t_ns: int, points: Vector) -> None:
        pose = self.odometry.at(t_ns)
        if pose is None or t_ns < self._rests_until_ns:
            return
        s = self.settings
        distance = np.sqrt((points**2).sum(axis=1))
        points = points[(distance > s.nearest_m) & (distance < s.farthest_m)]
        base = points @ s.lidar.rotation.T + s.lidar.place
        seen = base @ pose.rotation.T + pose.place
        if s.matches and not self._standing:
            found = match(self.ground, seen, pose.place)
            if found is not None:
                self.last_match = found
                self.odometry.correct(found.shift, found.rotation)
                seen = (seen - pose.place) @ turn(found.rotation).T + pose.place + found.shift
        self.ground.add(seen)
        self._look()

    @property
    def _rests_until_ns(self) -> float:
        """End of the initial rest [ns]. It begins with the first sample of the IMU, in a run in progress, too."""
        return max(self._begin_ns, 0) + self.settings.stands_s * 1e9

    @property
    def _standing(self) -> bool:
        return abs(self._speed[0]) < 0.01

    # -- the path ------------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Compute hazards and the path to the goal after a change of the map."""
        ground, (x, y, _) = self.ground, self.pose
        goal = None if self.done else self.goals[len(self.reached)]
        n, cell, half = len(ground.mean), ground.cell, ground.half
        window = []
        for a, b in zip((x, y), goal or (x, y)):
            # Even bounds, because the path is planned on cells twice as wide.
            ends = min(a, b) - self.BESIDE_M, max(a, b) + self.BESIDE_M
            low, high = (2 * int((end + half) / (2.0 * cell)) for end in ends)
            window.append(slice(max(low, 0), min(high, n)))
        self.corner = window[0].start * cell - half, window[1].start * cell - half
        self.hazards = assess(ground, self.settings.limits, (window[0], window[1]))
        if goal is None:
            return
        blocked, reach = self.hazards.blocked.copy(), round(0.8 / cell)
        for place in self._traps:
            i, j = (int((at - low) / cell) for at, low in zip(place, self.corner))
            blocked[max(i - reach, 0) : max(i + reach, 0), max(j - reach, 0) : max(j + reach, 0)] = True
        self.field = cost_to_go(self.hazards.cost, blocked, goal, cell, self.corner)
        self._cost = CostToGo(np.where(blocked, BLOCKED, self.hazards.cost), cell, self.corner)

    def _drive(self, t_ns: int) -> Command:
        if self.field is None or self._cost is None or self.done or t_ns < self._rests_until_ns:
            return Command()
        x, y, heading = self.pose
        goal = self.goals[len(self.reached)]
        if math.dist((x, y), goal) < self.settings.arrived_m:
            self.reached.append((x, y))
            self.choice, self._trap = None, [t_ns * 1e-9, x, y]
            if self.done:
                return Command()
            self._look()
        if t_ns < self._backs_until_ns:
            return Command(-self.settings.driving.slowest_mps, 0.0)
        last = self.choice.arc if self.choice is not None else None
        self.choice = choose(self.settings.driving, (x, y, heading), self.field, self._cost, last)
        speed = self.choice.speed
        self._notice_traps(t_ns, x, y, heading)
        return Command(speed, speed * self.choice.arc.curvature)

    def _notice_traps(self, t_ns: int, x: float, y: float, heading: float) -> None:
        """Back out of a place without progress, and mark it as blocked."""
        since, tx, ty = self._trap
        if math.dist((x, y), (tx, ty)) > 0.4:
            self._trap = [t_ns * 1e-9, x, y]
        elif t_ns * 1e-9 - since > self.TRAPPED_S:
            self._traps.append((x + 1.2 * math.cos(heading), y + 1.2 * math.sin(heading)))
            self._backs_until_ns = t_ns + 6_000_000_000
            self._trap = [t_ns * 1e-9 + 6.0, x, y]
            self._look()
