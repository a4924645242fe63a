# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the running gear ``car`` in a vehicle's YAML file."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from regolith_files import Section
from regolith_vehicles.powertrain.config import Curve, PowertrainConfig, select_powertrain

Vector = NDArray[np.float64]


class CarWheelConfig(Section):
    """One wheel of a car, by the names of its parts in the MJCF file."""

    name: str = Field(min_length=1, description='Name of the wheel in messages.')
    body: str = Field(min_length=1, description='MJCF body whose origin is the wheel center.')
    joint: str = Field(min_length=1, description="MJCF hinge of the wheel's rotation; its axis is the axle.")
    radius_m: float = Field(gt=0.0, le=5.0, description='Radius of the cylinder in contact with soil [m].')
    width_m: float = Field(gt=0.0, le=5.0, description='Width of the wheel [m].')
    tire: str | None = Field(
        default=None, min_length=1, description='Name of a known tire, or path of a tire YAML file.'
    )
    tire_mode: Literal['regolith', 'reference'] = Field(
        default='regolith', description="Tire behavior. Reference: as Chrono's tires respond."
    )
    brake_torque_nm: float = Field(default=0.0, ge=0.0, le=1e6, description='Brake torque at full braking [N m].')
    drive_ratio: float = Field(
        default=0.0,
        ge=0.0,
        le=100.0,
        description='Wheel torque divided by driveshaft torque, with open differentials [-].',
    )
    upright: str | None = Field(
        default=None,
        min_length=1,
        description='MJCF body that supports the wheel if a half shaft from the chassis transmits its torque.'
        ' Absent: a motor in the hub.',
    )


class SpringConfig(Section):
    """Spring between two bodies: a motor on a tendon of the MJCF file."""

    actuator: str = Field(min_length=1, description='MJCF motor on a tendon.')
    rest_length_m: float = Field(gt=0.0, description='Length at which the spring force is zero [m].')
    force: Curve = Field(
        description='Pairs of deflection [m] and force [N], starting at 0, 0; the same for compression and extension.'
    )
    stops_m: tuple[float, float] = Field(description='Lengths below and above which the stops also act [m].')
    stop_force: Curve = Field(description='Pairs of travel beyond a stop [m] and force [N], starting at 0, 0.')

    @model_validator(mode='after')
    def _is_a_spring(self) -> SpringConfig:
        for key, curve in (('force', self.force), ('stop_force', self.stop_force)):
            if tuple(curve[0]) != (0.0, 0.0):
                raise ValueError(f'{key}.0 = {list(curve[0])}: is not the origin; allowed: [0, 0]')
        if self.stops_m[0] >= self.stops_m[1]:
            raise ValueError(f'stops_m = {list(self.stops_m)}: does not ascend; allowed: a shorter and a longer length')
        return self

    def knots(self) -> Vector:
        """Return length [m] and push [N] of the spring with its stops, linear between, shape (n, 2)."""
        table, stop = np.array(self.force), np.array(self.stop_force)
        low, high = self.stops_m
        lengths = np.unique(
            np.round(
                np.concatenate(
                    (
                        self.rest_length_m - table[:, 0],
                        self.rest_length_m + table[:, 0],
                        low - stop[:, 0],
                        high + stop[:, 0],
                    )
                ),
                12,
            )
        )
        push = [self._push(length, table, stop) for length in lengths]
        return np.column_stack((lengths, push))

    def _push(self, length: float, table: Vector, stop: Vector) -> float:
        way = self.rest_length_m - length
        push = float(np.sign(way) * np.interp(abs(way), table[:, 0], table[:, 1]))
        low, high = self.stops_m
        push += float(np.interp(max(0.0, low - length), stop[:, 0], stop[:, 1]))
        return push - float(np.interp(max(0.0, length - high), stop[:, 0], stop[:, 1]))


class DamperConfig(Section):
    """Damper between two bodies: a motor on a tendon of the MJCF file."""

    actuator: str = Field(min_length=1, description='MJCF motor on a tendon.')
    range_m: tuple[float, float] = Field(description='Lengths between which the inner damping coefficients apply [m].')
    compression_nspm: float = Field(ge=0.0, description='Damping coefficient in compression, within the range [N s/m].')
    rebound_nspm: float = Field(ge=0.0, description='Damping coefficient in rebound, within the range [N s/m].')
    compression_outside_nspm: float = Field(
        ge=0.0, description='Damping coefficient in compression, outside the range [N s/m].'
    )
    rebound_outside_nspm: float = Field(
        ge=0.0, description='Damping coefficient in rebound, outside the range [N s/m].'
    )

    @model_validator(mode='after')
    def _has_a_range(self) -> DamperConfig:
        if self.range_m[0] >= self.range_m[1]:
            raise ValueError(f'range_m = {list(self.range_m)}: does not ascend; allowed: a shorter and a longer length')
        return self


class CarSteeringConfig(Section):
    """Steering of a car."""

    actuator: str = Field(min_length=1, description='MJCF position servo of the linkage.')
    max_angle_deg: float = Field(gt=0.0, le=90.0, description='Angle of the linkage at full steering [deg].')
    max_rate_degps: float | None = Field(
        default=None,
        gt=0.0,
        le=1e4,
        description='Maximum rate of the linkage [deg/s]. Absent: the linkage follows the command without delay.',
    )
    wheel_angle_deg: float = Field(
        gt=0.0,
        le=90.0,
        description='Mean angle of the steered wheels at full steering, used to convert a yaw rate into steering'
        ' [deg].',
    )


class CarConfig(Section):
    """Parameters of a road vehicle's running gear."""

    wheels: tuple[CarWheelConfig, ...] = Field(min_length=1, max_length=20)
    springs: tuple[SpringConfig, ...] = ()
    dampers: tuple[DamperConfig, ...] = ()
    steering: CarSteeringConfig
    powertrains: dict[str, PowertrainConfig] = Field(
        min_length=1, max_length=20, description='Available powertrains by name.'
    )
    powertrain: str = Field(description='Name of the powertrain in use.')
    driveshaft: str = Field(min_length=1, description='MJCF motor on the tendon that turns as the driveshaft does.')
    differential_locks: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(), max_length=20, description='MJCF equality constraints that lock differentials.'
    )
    differentials_locked: bool = Field(default=False, description='Whether all differentials are locked.')
    pedal_time_s: float = Field(
        default=0.0, ge=0.0, le=10.0, description='Time in which a driver input changes from zero to full [s].'
    )

    @model_validator(mode='after')
    def _parts_are_its_own(self) -> CarConfig:
        wheels = list(enumerate(self.wheels))
        actuators = [
            *((f'springs.{k}.actuator', spring.actuator) for k, spring in enumerate(self.springs)),
            *((f'dampers.{k}.actuator', damper.actuator) for k, damper in enumerate(self.dampers)),
            ('steering.actuator', self.steering.actuator),
            ('driveshaft', self.driveshaft),
        ]
        for named in (
            [(f'wheels.{k}.name', wheel.name) for k, wheel in wheels],
            [(f'wheels.{k}.joint', wheel.joint) for k, wheel in wheels],
            [(f'wheels.{k}.body', wheel.body) for k, wheel in wheels],
            [(f'differential_locks.{k}', lock) for k, lock in enumerate(self.differential_locks)],
            actuators,
        ):
            first: dict[str, str] = {}
            for key, name in named:
                if first.setdefault(name, key) != key:
                    raise ValueError(f'{key} = {name!r}: is already used by {first[name]}; allowed: unique names')
        if not any(wheel.drive_ratio > 0.0 for wheel in self.wheels):
            raise ValueError('wheels.0.drive_ratio = 0: no wheel is driven; allowed: above 0 for at least one wheel')
        return self

    @model_validator(mode='after')
    def _has_the_powertrain(self) -> CarConfig:
        select_powertrain(self.powertrain, self.powertrains)
        return self
