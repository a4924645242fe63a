# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of the driver ``tasks``: a list of dig, haul, dump and release tasks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from regolith_files import LONGEST_DURATION_S, Section

Coordinate = Annotated[float, Field(ge=-1e6, le=1e6)]
Seconds = Annotated[float, Field(ge=0.0, le=LONGEST_DURATION_S)]


class TaskConfig(Section):
    """Settings common to all tasks."""

    joints: dict[str, float] = Field(
        default_factory=dict,
        description='Targets of joints by name during the task, in the units of their actuators; for other joints see'
        ' on_timeout.',
    )
    initial_wait_s: Seconds = Field(
        default=0.0, description='Time for which the vehicle waits at the start of the task, while its joints move [s].'
    )
    timeout_s: Seconds = Field(
        default=120.0, description='Time after which the task is aborted and the next one starts [s].'
    )


class DigConfig(TaskConfig):
    """Task to dig until tools are full, at a low forward speed."""

    type: Literal['dig']
    tools: tuple[str, ...] = Field(default=(), description='Names of the tools to fill. Absent: all.')
    target_fill: float = Field(default=0.9, ge=0.0, le=1.0, description='Fill level that each tool is to reach [-].')
    speed_mps: float = Field(default=0.05, ge=-20.0, le=20.0, description='Forward speed [m/s].')


class HaulConfig(TaskConfig):
    """Task to drive to a goal: rotation in place toward a goal at the side, then a curve."""

    type: Literal['haul']
    goal: tuple[Coordinate, Coordinate] = Field(description='Goal x, y in the world frame [m].')
    speed_mps: float = Field(default=0.2, gt=0.0, le=20.0, description='Maximum speed [m/s].')
    max_yaw_rate_radps: float = Field(default=0.3, gt=0.0, le=10.0, description='Maximum yaw rate [rad/s].')
    reverse: bool = Field(default=False, description='Whether the vehicle drives to the goal in reverse.')
    goal_tolerance_m: float = Field(
        default=0.05, gt=0.0, le=100.0, description='Distance from the goal at which the vehicle has arrived [m].'
    )


class DumpConfig(TaskConfig):
    """Task to dump until tools are empty."""

    type: Literal['dump']
    tools: tuple[str, ...] = Field(default=(), description='Names of the tools to empty. Absent: all.')
    target_fill: float = Field(default=0.0, ge=0.0, le=1.0, description='Fill level to which each tool is to fall [-].')
    speed_mps: float = Field(default=0.0, ge=-20.0, le=20.0, description='Forward speed [m/s].')


class ReleaseConfig(TaskConfig):
    """Task to release one object from a dispenser, at the end of the cycle after initial_wait_s."""

    type: Literal['release']
    dispenser: str = Field(min_length=1, description='Name of the dispenser.')


Task = Annotated[DigConfig | HaulConfig | DumpConfig | ReleaseConfig, Field(discriminator='type')]


class TasksDriverConfig(Section):
    """Driver that performs a list of tasks, using the ground-truth pose and fill levels of the tools."""

    type: Literal['tasks'] = 'tasks'
    tasks: tuple[Task, ...] = Field(
        min_length=1, max_length=10_000, description='Tasks dig, haul, dump and release, in order.'
    )
    repeat: int = Field(default=1, ge=1, le=100_000, description='Number of times the list is performed.')
    start_s: Seconds = Field(default=0.0, description='Simulated time at which the driver starts [s].')
