# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration: entries of the scenario section ``vehicles``, and vehicle models loaded by name or file."""

from __future__ import annotations

from importlib import metadata, resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, field_validator

from regolith_files import (
    LONGEST_DURATION_S,
    SHORTEST_DURATION_S,
    FileKind,
    FileLibrary,
    InputError,
    Problem,
    Section,
    TimeSinceStart,
    as_yaml_text,
    validated,
)
from regolith_vehicles.description.model_config import VehicleModelConfig, frame_id
from regolith_vehicles.drivers.task_config import HaulConfig, TasksDriverConfig

__all__ = [
    'ConstantDriverConfig',
    'DriverConfig',
    'ExternalDriverConfig',
    'PathDriverConfig',
    'PluginDriverConfig',
    'VehicleEntry',
    'VehicleModelConfig',
    'VehicleModelError',
    'known_vehicles',
    'load_vehicle_model',
]


Coordinate = Annotated[float, Field(ge=-1e6, le=1e6)]
Place = tuple[Coordinate, Coordinate]
"""Point x, y in the world frame [m]."""


class EncoderConfig(Section):
    """Incremental encoders of the wheels."""

    ticks_per_revolution: int = Field(4096, ge=1, le=2**31, description='Encoder ticks per wheel revolution.')
    jitter_rad: float = Field(
        0.0, ge=0.0, le=1.0, description='Standard deviation of the angle at which an encoder edge is detected [rad].'
    )


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


def _frame_prefix(value: str) -> str:
    frame_id(f'{value}x')
    return value


class VehicleEntry(Section):
    """One vehicle of a scenario."""

    model: str = Field(
        default='viper', min_length=1, description='Name of a known vehicle model, or path of a vehicle YAML file.'
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
    sensors: dict[str, Any] = Field(
        default_factory=dict, description='Sensors by name, as package regolith_sensors defines them.'
    )
    spotlights: dict[str, Any] = Field(
        default_factory=dict, description='Spotlights by name, as package regolith_sensors defines them.'
    )


class VehicleModelError(InputError):
    """Error in a vehicle's files, with file, key, value and allowed values."""

    def __init__(self, file: str | Path, key: str, value: object, allowed: str, problem: str) -> None:
        super().__init__(Problem(str(file), key, problem, allowed, '' if value is None else as_yaml_text(value)))


VEHICLE_LIBRARY = FileLibrary(
    'vehicle', Path(str(resources.files('regolith_vehicles'))) / 'data', 'regolith.vehicles', '*/*.yaml'
)
"""Library of vehicle models."""


def known_vehicles() -> dict[str, Path | metadata.EntryPoint]:
    """Return the vehicle models that ``model:`` accepts, by name.

    These are the models of this package and those of entry-point group ``regolith.vehicles``. An entry point leads to
    the path of a vehicle YAML file, or to a callable that returns one.
    """
    return VEHICLE_LIBRARY.known()


def load_vehicle_model(name_or_path: str | Path, base_dir: str | Path = '.') -> tuple[VehicleModelConfig, Path]:
    """Return a vehicle's configuration and the absolute path of its MJCF file.

    Args:
        name_or_path: Name from :func:`known_vehicles`, or path of a YAML file.
        base_dir: Folder to which a relative path refers (the scenario's folder).

    Raises:
        InputError: If a file is invalid; names file, line, key, value and allowed values.
    """
    source = VEHICLE_LIBRARY.read(name_or_path, base_dir)
    config = validated(VehicleModelConfig, source.data, source)
    mjcf = source.find_file(('mjcf',), config.mjcf, 'the path of an MJCF file, relative to this file')
    config._source = source
    return config, mjcf


def _file_models() -> dict[str, type[BaseModel]]:
    from regolith_vehicles.car.config import CarConfig
    from regolith_vehicles.tracks.config import TracksConfig

    gear = 'running_gear.parameters'
    return {'': VehicleModelConfig, f'{gear} (name car)': CarConfig, f'{gear} (name tracks)': TracksConfig}


FILE_KIND = FileKind(
    'Vehicle', 'A vehicle file describes the running gear, joints and tools of an MJCF model.', _file_models
)
"""Vehicle files."""
