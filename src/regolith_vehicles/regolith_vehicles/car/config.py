# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the running gear ``car`` in a vehicle's YAML file."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from regolith_files.section import Section
from regolith_vehicles.powertrain.config import Curve, PowertrainConfig, select_powertrain

Vector = NDArray[np.float64]


class CarWheelConfig(Section):
    """One wheel by the names its parts have in the MJCF file."""

    name: str = Field(min_length=1, description='of the wheel in messages')
    body: str = Field(min_length=1, description='MJCF body whose origin is the wheel centre')
    joint: str = Field(min_length=1, description='MJCF hinge it spins about; its axis is the axle')
    radius_m: float = Field(gt=0.0, le=5.0, description='of the cylinder that soil feels [m]')
    width_m: float = Field(gt=0.0, le=5.0, description='[m]')
    tire: str | None = Field(default=None, min_length=1, description='name of a known tire, or path of a tire YAML')
    tire_mode: Literal['regolith', 'reference'] = Field(
        default='regolith', description="reference: as Chrono's tires respond"
    )
    brake_torque_nm: float = Field(default=0.0, ge=0.0, le=1e6, description='at full braking [N m]')
    drive_ratio: float = Field(
        default=0.0, ge=0.0, le=100.0, description="its torque over the driveshaft's, differentials open"
    )
    upright: str | None = Field(
        default=None,
        min_length=1,
        description='MJCF body that bears it, where its torque comes by a half shaft from the chassis;'
        ' absent: from a motor in the hub',
    )


class SpringConfig(Section):
    """A spring between two bodies: a tendon of the MJCF file with a motor on it."""

    actuator: str = Field(min_length=1, description='MJCF motor on a tendon')
    rest_length_m: float = Field(gt=0.0, description='at which the spring pushes nothing [m]')
    force: Curve = Field(description='deflection [m] and force [N] from 0, 0 on; the same for push and pull')
    stops_m: tuple[float, float] = Field(description='lengths below and above which the stops act, too [m]')
    stop_force: Curve = Field(description='way beyond a stop [m] and force [N] from 0, 0 on')

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
    """A damper between two bodies: a tendon of the MJCF file with a motor on it."""

    actuator: str = Field(min_length=1, description='MJCF motor on a tendon')
    range_m: tuple[float, float] = Field(description='lengths between which it works as it should [m]')
    compression_nspm: float = Field(ge=0.0, description='[N s/m]')
    rebound_nspm: float = Field(ge=0.0, description='[N s/m]')
    compression_outside_nspm: float = Field(ge=0.0, description='outside the range [N s/m]')
    rebound_outside_nspm: float = Field(ge=0.0, description='outside the range [N s/m]')

    @model_validator(mode='after')
    def _has_a_range(self) -> DamperConfig:
        if self.range_m[0] >= self.range_m[1]:
            raise ValueError(f'range_m = {list(self.range_m)}: does not ascend; allowed: a shorter and a longer length')
        return self


class CarSteeringConfig(Section):
    """The steering."""

    actuator: str = Field(min_length=1, description='MJCF position servo of the linkage')
    max_angle_deg: float = Field(gt=0.0, le=90.0, description='of the linkage at full steering [deg]')
    max_rate_degps: float | None = Field(
        default=None,
        gt=0.0,
        le=1e4,
        description='Largest rate of the linkage [deg/s]. Absent: it jumps to what is commanded.',
    )
    wheel_angle_deg: float = Field(
        gt=0.0, le=90.0, description='mean of the steered wheels at full steering, by which a yaw rate is driven [deg]'
    )


class CarConfig(Section):
    """A road vehicle's running gear."""

    wheels: tuple[CarWheelConfig, ...] = Field(min_length=1, max_length=20)
    springs: tuple[SpringConfig, ...] = ()
    dampers: tuple[DamperConfig, ...] = ()
    steering: CarSteeringConfig
    powertrains: dict[str, PowertrainConfig] = Field(
        min_length=1, max_length=20, description='name -> what can drive it'
    )
    powertrain: str = Field(description='the one of them that does')
    driveshaft: str = Field(min_length=1, description='MJCF motor on the tendon that turns as the driveshaft does')
    differential_locks: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(), max_length=20, description='MJCF equality constraints that lock differentials'
    )
    differentials_locked: bool = Field(default=False, description='whether all of them do')
    pedal_time_s: float = Field(default=0.0, ge=0.0, le=10.0, description='from nothing to full of any input [s]')

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
                    raise ValueError(f'{key} = {name!r}: is that of {first[name]}, too; allowed: each once')
        if not any(wheel.drive_ratio > 0.0 for wheel in self.wheels):
            raise ValueError('wheels.0.drive_ratio = 0: so is that of all wheels; allowed: above 0 of one')
        return self

    @model_validator(mode='after')
    def _has_the_powertrain(self) -> CarConfig:
        select_powertrain(self.powertrain, self.powertrains)
        return self
