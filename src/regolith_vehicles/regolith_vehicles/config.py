# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``vehicles`` section of a scenario, and the library of vehicle models."""

from __future__ import annotations

from importlib import metadata, resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator

from regolith_files.file_library import FileLibrary
from regolith_files.problems import InputError, Problem, as_yaml_text
from regolith_files.section import LONGEST_S, SHORTEST_S, Moment, Section
from regolith_files.validation import validated
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
"""x, y in the world [m]."""


class EncoderConfig(Section):
    """Incremental encoders on the wheels' axles."""

    ticks_per_revolution: int = Field(4096, ge=1, le=2**31, description='per turn')
    jitter_rad: float = Field(0.0, ge=0.0, le=1.0, description='standard deviation of where an edge is seen [rad]')


class ConstantDriverConfig(Section):
    """A driver that keeps one twist, all the time or until a time."""

    type: Literal['constant'] = 'constant'
    speed_mps: float = Field(ge=-20.0, le=20.0, description='forward speed [m/s]')
    yaw_rate_radps: float = Field(default=0.0, ge=-10.0, le=10.0, description='yaw rate, left positive [rad/s]')
    start_s: Moment = Field(default=0.0, description='simulated time before which the vehicle stands [s]')
    end_s: float | None = Field(
        default=None, ge=0.0, le=LONGEST_S, description='simulated time from which the vehicle stops [s]'
    )


class PathDriverConfig(Section):
    """A driver that follows way-points in the world frame by pure pursuit, on the true pose."""

    type: Literal['path'] = 'path'
    waypoints: tuple[Place, ...] = Field(min_length=2, description='x, y in the world [m]')
    speed_mps: float = Field(gt=0.0, le=20.0, description='[m/s]')
    lookahead_m: float = Field(default=1.0, gt=0.0, le=100.0, description='distance of the point steered at [m]')
    loop: bool = Field(default=False, description='whether the last way-point leads to the first')
    start_s: Moment = Field(default=0.0, description='simulated time at which it sets off [s]')

    @field_validator('waypoints')
    @classmethod
    def _apart(cls, points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        for k in range(1, len(points)):
            if points[k] == points[k - 1]:
                raise ValueError(f'{k}: is the same as the one before it; allowed: points that differ')
        return points


class ExternalDriverConfig(Section):
    """A driver outside: follows ``cmd_vel``."""

    type: Literal['external'] = 'external'
    timeout_s: float = Field(
        default=0.5, ge=SHORTEST_S, le=3600.0, description='simulated time without a command before it stops [s]'
    )


def waypoints_of(driver: Any) -> dict[tuple[str | int, ...], Place]:
    """Return the places that a driver's section sends it to, by their keys in it, in order."""
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
    """A driver of another package, from entry-point group ``regolith.drivers``."""

    type: Literal['plugin'] = 'plugin'
    name: str = Field(min_length=1, description='of the entry point')
    parameters: dict[str, Any] = Field(default_factory=dict, description="the driver's own")


DriverConfig = Annotated[
    ConstantDriverConfig | PathDriverConfig | TasksDriverConfig | ExternalDriverConfig | PluginDriverConfig,
    Field(discriminator='type'),
]


def _frame_prefix(value: str) -> str:
    frame_id(f'{value}x')
    return value


class VehicleEntry(Section):
    """One vehicle of a scenario."""

    model: str = Field(default='viper', min_length=1, description='name of a known vehicle, or path of a vehicle YAML')
    position: Place = Field(description='x, y of the base frame at the start [m]')
    heading_deg: float = Field(
        default=0.0, ge=-360.0, le=360.0, description='of +x of the base, from east to north [deg]'
    )
    height_above_ground_m: float | None = Field(
        default=None, ge=0.0, le=1e4, description='above where it would touch the ground, for what is held there [m]'
    )
    driver: DriverConfig = ExternalDriverConfig()
    mass_scale: float = Field(
        default=1.0, ge=0.1, le=10.0, description='factor on all masses and inertias of the model [-]'
    )
    frame_prefix: Annotated[str, AfterValidator(_frame_prefix)] | None = Field(
        default=None,
        max_length=200,
        description="before every frame id, of sensors too; absent: the vehicle's name and a slash",
    )
    publish_world_to_odom: bool = Field(
        default=False,
        description='publish a static transform from world to the odom frame: the true pose at the start',
    )
    encoders: EncoderConfig | None = Field(
        default=None, description='of the wheels, for joint_states alone; absent: true angles'
    )
    sensors: dict[str, Any] = Field(default_factory=dict, description='name -> a sensor (regolith_sensors)')
    spotlights: dict[str, Any] = Field(default_factory=dict, description='name -> a spotlight (regolith_sensors)')


class VehicleModelError(InputError):
    """A vehicle's files cannot be used: names the file, the key, the value, and what is allowed."""

    def __init__(self, file: str | Path, key: str, value: object, allowed: str, problem: str) -> None:
        super().__init__(Problem(str(file), key, problem, allowed, '' if value is None else as_yaml_text(value)))


VEHICLES = FileLibrary(
    'vehicle', Path(str(resources.files('regolith_vehicles'))) / 'data', 'regolith.vehicles', '*/*.yaml'
)
"""Models of vehicles."""


def known_vehicles() -> dict[str, Path | metadata.EntryPoint]:
    """Return the vehicles that ``model:`` may name: our own and those of entry-point group ``regolith.vehicles``.

    An entry point leads to the path of a vehicle YAML, or to a callable returning one.
    """
    return VEHICLES.known()


def load_vehicle_model(name_or_path: str | Path, base_dir: str | Path = '.') -> tuple[VehicleModelConfig, Path]:
    """Return a vehicle's configuration and the absolute path of its MJCF file.

    Args:
        name_or_path: one of :func:`known_vehicles`, or a YAML file
        base_dir: what a relative path is relative to (the scenario's folder)

    Raises:
        InputError: naming file, line, key, value and what is allowed
    """
    source = VEHICLES.read(name_or_path, base_dir)
    config = validated(VehicleModelConfig, source.data, source)
    mjcf = source.find_file(('mjcf',), config.mjcf, 'an MJCF file, by its path relative to this file')
    config._source = source
    return config, mjcf
