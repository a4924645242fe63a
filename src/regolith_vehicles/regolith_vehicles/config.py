# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration: entries of the scenario section ``vehicles``."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from regolith_files import Section
from regolith_vehicles.description.encoder_config import EncoderConfig
from regolith_vehicles.description.model_config import frame_id
from regolith_vehicles.drivers.config import DriverConfig, ExternalDriverConfig, Place
from regolith_vehicles.faults.config import FaultConfig
from regolith_vehicles.traction.config import TractionConfig


def _frame_prefix(value: str) -> str:
    frame_id(f'{value}x')
    return value


class VehicleEntry(Section):
    """One vehicle of a scenario."""

    model: str = Field(
        default='viper',
        min_length=1,
        description='Name of a known vehicle model, or path of a vehicle YAML file, or of a URDF, xacro or SDF file.',
    )
    position: Place = Field(description='Initial x, y of the base frame in the world frame [m].')
    heading_deg: float = Field(
        default=0.0,
        ge=-360.0,
        le=360.0,
        description="Initial heading of the base frame's x axis, counterclockwise from east [deg].",
    )
    height_above_ground_m: float | None = Field(
        default=None,
        ge=0.0,
        le=1e4,
        description='Initial height above the lowest contact-free position [m], for a vehicle that a lander or'
        ' joint holds. Absent: the vehicle is placed on the ground.',
    )
    driver: DriverConfig = Field(
        default=ExternalDriverConfig(),
        description='Source of the commands, by type: a constant twist, a path, a list of tasks, topics (external),'
        ' or a driver of a plug-in.',
    )
    mass_scale: float = Field(
        default=1.0, ge=0.1, le=10.0, description='Factor on all masses and inertias of the model [-].'
    )
    frame_prefix: Annotated[str, AfterValidator(_frame_prefix)] | None = Field(
        default=None,
        max_length=200,
        description="Prefix of all frame ids of the vehicle and its sensors. Absent: the vehicle's name and a slash.",
    )
    publish_world_to_odom: bool = Field(
        default=False,
        description='Whether a static transform from world to the odom frame is published: the true initial pose.',
    )
    encoders: EncoderConfig | None = Field(
        default=None,
        description='Encoders of the wheels, which quantize joint_states only. Absent: joint_states has true angles.',
    )
    faults: tuple[FaultConfig, ...] = Field(
        default=(), max_length=100, description='Faults of the devices of the vehicle, for tests of autonomy.'
    )
    traction: TractionConfig | None = Field(
        default=None, description='Traction control of the wheels. Absent: wheels turn as commanded.'
    )
    sensors: dict[str, Any] = Field(
        default_factory=dict, description='Sensors by name, as package regolith_sensors defines them.'
    )
    spotlights: dict[str, Any] = Field(
        default_factory=dict, description='Spotlights by name, as package regolith_sensors defines them.'
    )
