# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Built-in drivers: pure functions of time, true state, live inputs and an explicit state."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata

from regolith_files import entry_points, load_plugin
from regolith_vehicles.commands.command import AckermannCommand, DriveCommand
from regolith_vehicles.commands.command_interfaces import timeout_command
from regolith_vehicles.drivers.config import (
    ConstantDriverConfig,
    DriverConfig,
    ExternalDriverConfig,
    PathDriverConfig,
    PluginDriverConfig,
)
from regolith_vehicles.drivers.driver import Driver as Driver
from regolith_vehicles.drivers.driver import DriverError as DriverError
from regolith_vehicles.drivers.live_input import LiveInput
from regolith_vehicles.drivers.task_config import TasksDriverConfig
from regolith_vehicles.drivers.tasks import TasksDriver
from regolith_world.cycle import BodyState, Part, StateField, StateLayout, state_fields
from regolith_world.numerics import rotation

GROUP = 'regolith.drivers'
"""Entry point group of drivers; an entry point is a callable that takes parameters and returns a Driver."""


class ConstantDriver(Driver):
    """Driver that commands one twist between two times."""

    def __init__(self, config: ConstantDriverConfig) -> None:
        self._twist = DriveCommand(config.speed_mps, config.yaw_rate_radps)
        self._start_ns = round(config.start_s * 1e9)
        self._until_ns = None if config.end_s is None else round(config.end_s * 1e9)

    def command(self, t_ns: int, base: BodyState) -> DriveCommand:
        """Return the twist, or zero outside the time interval; see the base class."""
        if t_ns < self._start_ns or (self._until_ns is not None and t_ns >= self._until_ns):
            return DriveCommand()
        return self._twist


class PathDriver(Driver):
    """Driver by pure pursuit of a polyline: curvature 2 y / L^2 toward a point ahead, y to its left, at distance L.

    The state is the reached arc length. It only increases, so a path can cross itself.

    Source: coulter1992.
    Checked by: test_drivers.py::test_pure_pursuit_steers_on_the_circle_through_the_point_ahead,
    test_drivers.py::test_path_driver_follows_and_stops.
    """

    STATE = StateLayout('a path driver', StateField('_progress', 'd'))
    ARRIVED = 0.05
    """Distance along the path from the last waypoint at which the vehicle stops [m]."""

    def __init__(self, config: PathDriverConfig) -> None:
        self._config = config
        points = list(config.waypoints)
        if config.loop and points[0] != points[-1]:
            points.append(points[0])
        self._points = points
        self._lengths = [math.dist(points[k], points[k + 1]) for k in range(len(points) - 1)]
        self._total = math.fsum(self._lengths)
        self._start_ns = round(config.start_s * 1e9)
        self._progress = 0.0

    def command(self, t_ns: int, base: BodyState) -> DriveCommand:
        """Return the twist toward the point ahead; see the base class."""
        if t_ns < self._start_ns:
            return DriveCommand()
        x, y = float(base.position[0]), float(base.position[1])
        self._progress = self._nearest(x, y)
        left = self._total - self._progress
        if not self._config.loop and left <= self.ARRIVED:
            return DriveCommand()
        ahead_x, ahead_y = self._point(self._progress + self._config.lookahead_m)
        heading = rotation.yaw(base.orientation)
        across = -math.sin(heading) * (ahead_x - x) + math.cos(heading) * (ahead_y - y)
        distance = math.hypot(ahead_x - x, ahead_y - y)
        curvature = 2.0 * across / max(distance, 1e-3) ** 2
        speed = self._config.speed_mps
        if not self._config.loop:
            # Slow down over the last lookahead distance to a tenth of the speed, so the vehicle does not pass the end.
            speed *= min(1.0, max(0.1, left / self._config.lookahead_m))
        return DriveCommand(speed, speed * curvature)

    def _nearest(self, x: float, y: float) -> float:
        """Return the arc length of the nearest point ahead, within two lookahead distances."""
        first, last = self._progress, self._progress + 2.0 * self._config.lookahead_m
        best, best_distance = first, math.inf
        begin = 0.0
        laps = 1
        if self._config.loop:
            begin = math.floor(first / self._total) * self._total
            laps = math.ceil((last - begin) / self._total) + 1
        for _ in range(laps):
            for k, length in enumerate(self._lengths):
                low, high = max(first, begin), min(last, begin + length)
                if low <= high:
                    (ax, ay), (bx, by) = self._points[k], self._points[k + 1]
                    along = begin + ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length
                    along = min(max(along, low), high)
                    part = (along - begin) / length
                    distance = math.hypot(ax + part * (bx - ax) - x, ay + part * (by - ay) - y)
                    if distance < best_distance:
                        best, best_distance = along, distance
                begin += length
        return best

    def _point(self, along: float) -> tuple[float, float]:
        """Return the point at an arc length; beyond the end, on the extension of the last segment."""
        if self._config.loop:
            along = math.fmod(along, self._total)
        for k, length in enumerate(self._lengths):
            if along <= length or k == len(self._lengths) - 1:
                (ax, ay), (bx, by) = self._points[k], self._points[k + 1]
                part = along / length
                return ax + part * (bx - ax), ay + part * (by - ay)
            along -= length
        raise AssertionError('a path has at least one segment')


class ExternalDriver(Driver):
    """Driver of the last latched command of any command interface and the last joint targets, each until its timeout.

    The state is both with their times, and the present speed and steering of rate-limited commands.
    """

    STATE = StateLayout(
        'an external driver',
        *state_fields('q', '_since_ns', '_joints_since_ns', '_at_ns'),
        *state_fields('d', '_speed', '_steering_angle'),
        StateField('_wanted', Part(of=DriveCommand.load)),
    )
    wants_live_input = True

    def __init__(self, config: ExternalDriverConfig) -> None:
        self._timeout_ns = round(config.timeout_s * 1e9)
        self._since_ns = 0
        self._joints_since_ns = 0
        self._wanted = DriveCommand()
        self._at_ns = 0
        self._speed = self._steering_angle = 0.0

    def receive(self, t_ns: int, live: LiveInput) -> None:
        """Store a latched command and latched joint targets; see the base class."""
        old = self._joints(t_ns)
        if live.command is not None:
            self._wanted = replace(live.command, joints=self._wanted.joints)
            self._since_ns = t_ns
        if live.joints:
            self._wanted = replace(self._wanted, joints={**old, **live.joints})
            self._joints_since_ns = t_ns

    def _joints(self, t_ns: int) -> Mapping[str, float]:
        return self._wanted.joints if t_ns - self._joints_since_ns < self._timeout_ns else {}

    def command(self, t_ns: int, base: BodyState) -> DriveCommand:
        """Return the last command without parts older than the timeout; see the base class."""
        fresh = t_ns - self._since_ns < self._timeout_ns
        given = self._wanted if fresh else timeout_command(self._wanted)
        seconds, self._at_ns = (t_ns - self._at_ns) * 1e-9, t_ns
        if isinstance(given.by, AckermannCommand):
            given = replace(
                given, by=_approached(AckermannCommand(self._speed, self._steering_angle), given.by, seconds)
            )
        self._steering_angle = given.by.steering_angle if isinstance(given.by, AckermannCommand) else 0.0
        self._speed = given.speed
        return replace(given, joints=self._joints(t_ns))


def _approached(reached: AckermannCommand, goal: AckermannCommand, seconds: float) -> AckermannCommand:
    """Return speed and steering angle after a time toward a command, at the rates that it requests.

    Args:
        reached: Present speed and steering angle.
        goal: Command.
        seconds: Time [s].
    """

    def toward(now: float, wanted: float, rate: float) -> float:
        return wanted if rate <= 0.0 else now + min(max(wanted - now, -rate * seconds), rate * seconds)

    speed = toward(reached.speed, goal.speed, goal.acceleration)
    return AckermannCommand(speed, toward(reached.steering_angle, goal.steering_angle, goal.steering_rate))


def known_drivers() -> dict[str, metadata.EntryPoint]:
    """Return the drivers of other packages by name, in order."""
    return {point.name: point for point in entry_points(GROUP)}


def make_driver(config: DriverConfig) -> Driver:
    """Return the driver of a configuration.

    Raises:
        ValueError: If a plug-in is not installed (lists the installed ones), or cannot be loaded.
    """
    if isinstance(config, ConstantDriverConfig):
        return ConstantDriver(config)
    if isinstance(config, PathDriverConfig):
        return PathDriver(config)
    if isinstance(config, ExternalDriverConfig):
        return ExternalDriver(config)
    if isinstance(config, TasksDriverConfig):
        return TasksDriver(config)
    points = known_drivers()
    if config.name not in points:
        raise ValueError(f'driver.name: {config.name!r} is not installed; allowed: {sorted(points)}')
    driver = load_plugin(points[config.name])(**config.parameters)
    if not isinstance(driver, Driver):
        raise ValueError(f'driver.name: {config.name!r} refers to a {type(driver).__name__}, not a Driver')
    return driver


def finite_command(driver: Driver, config: DriverConfig, t_ns: int, base: BodyState) -> DriveCommand:
    """Return the command of a driver; see :meth:`Driver.command`.

    Args:
        driver: Driver.
        config: Configuration of the driver.
        t_ns: Simulated time at the start of the cycle [ns].
        base: Committed pose and twist of the base in the world frame.

    Raises:
        DriverError: If the command is neither a DriveCommand nor two numbers, or is not finite.
    """
    given = driver.command(t_ns, base)
    command = DriveCommand.of(given)
    if command is None or not command.finite:
        name = config.name if isinstance(config, PluginDriverConfig) else config.type
        raise DriverError(
            f'driver {name!r} ({type(driver).__module__}.{type(driver).__qualname__}) returned {given!r}; allowed:'
            ' two finite numbers, forward speed [m/s] and yaw rate [rad/s], or a DriveCommand of finite numbers'
        )
    return command
