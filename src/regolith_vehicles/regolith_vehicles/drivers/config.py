# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of drivers, by type."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from regolith_files import LONGEST_DURATION_S, SHORTEST_DURATION_S, Section, TimeSinceStart
from regolith_vehicles.drivers.task_config import Coordinate, HaulConfig, TasksDriverConfig

Place = tuple[Coordinate, Coordinate]
"""Point x, y in the world frame [m]."""


class ConstantDriverConfig(Section):
    """Driver that commands one constant twist, optionally within a time interval."""

    type: Literal['constant'] = 'constant'
    speed_mps: float = Field(ge=-20.0, le=20.0, description='Forward speed [m/s].')
    yaw_rate_radps: float = Field(default=0.0, ge=-10.0, le=10.0, description='Yaw rate, positive to the left [rad/s].')
    start_s: TimeSinceStart = Field(default=0.0, description='Simulated time at which the vehicle starts to drive [s].')
    end_s: float | None = Field(
        default=None,
        ge=0.0,
        le=LONGEST_DURATION_S,
        description='Simulated time at which the vehicle stops [s]. Absent: it does not stop.',
    )


class PathDriverConfig(Section):
    """Driver that follows waypoints in the world frame by pure pursuit, using the ground-truth pose."""

    type: Literal['path'] = 'path'
    waypoints: tuple[Place, ...] = Field(min_length=2, description='Waypoints x, y in the world frame [m].')
    speed_mps: float = Field(gt=0.0, le=20.0, description='Forward speed [m/s].')
    lookahead_m: float = Field(default=1.0, gt=0.0, le=100.0, description='Lookahead distance of pure pursuit [m].')
    loop: bool = Field(default=False, description='Whether the path continues from the last waypoint to the first.')
    start_s: TimeSinceStart = Field(default=0.0, description='Simulated time at which the vehicle starts to drive [s].')

    @field_validator('waypoints')
    @classmethod
    def _apart(cls, points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        for k in range(1, len(points)):
            if points[k] == points[k - 1]:
                raise ValueError(f'{k}: equals the previous waypoint; allowed: a different point')
        return points


class ExternalDriverConfig(Section):
    """Driver outside the simulation: the vehicle follows topic ``cmd_vel``."""

    type: Literal['external'] = 'external'
    timeout_s: float = Field(
        default=0.5,
        ge=SHORTEST_DURATION_S,
        le=3600.0,
        description='Simulated time without a command after which the vehicle stops [s].',
    )


def waypoints_of(driver: Any) -> dict[tuple[str | int, ...], Place]:
    """Return the waypoints and goals of a driver's configuration by their keys in it, in order."""
    if isinstance(driver, PathDriverConfig):
        return {('waypoints', number): point for number, point in enumerate(driver.waypoints)}
    if isinstance(driver, TasksDriverConfig):
        return {
            ('tasks', number, 'goal'): task.goal
            for number, task in enumerate(driver.tasks)
            if isinstance(task, HaulConfig)
        }
    return {}


class PluginDriverConfig(Section):
    """Driver of another package, from entry-point group ``regolith.drivers``."""

    type: Literal['plugin'] = 'plugin'
    name: str = Field(min_length=1, description='Name of the entry point.')
    parameters: dict[str, Any] = Field(
        default_factory=dict, description='Parameters of the driver, defined by its package.'
    )


DriverConfig = Annotated[
    ConstantDriverConfig | PathDriverConfig | TasksDriverConfig | ExternalDriverConfig | PluginDriverConfig,
    Field(discriminator='type'),
]
