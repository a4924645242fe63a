# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The driver that works through a list: dig, haul, dump."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from regolith_files.section import LONGEST_S, Section

Coordinate = Annotated[float, Field(ge=-1e6, le=1e6)]
Seconds = Annotated[float, Field(ge=0.0, le=LONGEST_S)]


class TaskConfig(Section):
    """What all tasks have in common."""

    joints: dict[str, float] = Field(
        default_factory=dict, description='targets of joints by name while it lasts; of others, see on_timeout'
    )
    initial_wait_s: Seconds = Field(
        default=0.0, description='for which the vehicle stands first, as its joints move [s]'
    )
    timeout_s: Seconds = Field(default=120.0, description='after which it is given up, and the next one begins [s]')


class DigConfig(TaskConfig):
    """Dig until tools are full, creeping ahead."""

    type: Literal['dig']
    tools: tuple[str, ...] = Field(default=(), description='that are to be full; absent: all')
    target_fill: float = Field(default=0.9, ge=0.0, le=1.0, description='level of filling each is to reach')
    speed_mps: float = Field(default=0.05, ge=-20.0, le=20.0, description='forward speed [m/s]')


class HaulConfig(TaskConfig):
    """Drive to a place: turn on the spot towards it where it lies aside, then in a bend."""

    type: Literal['haul']
    goal: tuple[Coordinate, Coordinate] = Field(description='x, y in the world [m]')
    speed_mps: float = Field(default=0.2, gt=0.0, le=20.0, description='[m/s]')
    max_yaw_rate_radps: float = Field(default=0.3, gt=0.0, le=10.0, description='greatest yaw rate [rad/s]')
    reverse: bool = Field(default=False, description='whether it drives there rear first')
    goal_tolerance_m: float = Field(default=0.05, gt=0.0, le=100.0, description='distance at which it has arrived [m]')


class DumpConfig(TaskConfig):
    """Pour out until tools are empty."""

    type: Literal['dump']
    tools: tuple[str, ...] = Field(default=(), description='that are to be empty; absent: all')
    target_fill: float = Field(default=0.0, ge=0.0, le=1.0, description='level of filling each is to fall to')
    speed_mps: float = Field(default=0.0, ge=-20.0, le=20.0, description='forward speed [m/s]')


Task = Annotated[DigConfig | HaulConfig | DumpConfig, Field(discriminator='type')]


class TasksDriverConfig(Section):
    """A driver that works through a list of tasks, on the true pose and the true filling of its tools."""

    type: Literal['tasks'] = 'tasks'
    tasks: tuple[Task, ...] = Field(min_length=1, max_length=10_000, description='dig, haul and dump, in order')
    repeat: int = Field(default=1, ge=1, le=100_000, description='how often the list is worked through')
    start_s: Seconds = Field(default=0.0, description='simulated time at which it begins [s]')
