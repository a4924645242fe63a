# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Powertrains and batteries in a vehicle's YAML file."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from regolith_files import Section, rounded_text

RPM = np.pi / 30.0

Positive = Annotated[float, Field(gt=0.0)]
Ratio = Annotated[float, Field(gt=0.0, le=100.0)]


def ascending(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """Validate that the first numbers of a curve's points ascend, and return the points.

    Raises:
        ValueError: If they do not ascend.
    """
    if any(b[0] <= a[0] for a, b in pairwise(points)):
        raise ValueError('does not ascend; allowed: points with ascending first numbers')
    return points


Curve = Annotated[tuple[tuple[float, float], ...], Field(min_length=2, max_length=200), AfterValidator(ascending)]


def _brakes(idle: tuple[tuple[float, float], ...]) -> None:
    """Refuse an engine that drives without throttle.

    Raises:
        ValueError: If a torque is positive; names the point.
    """
    if pushes := [number for number, point in enumerate(idle) if point[1] > 0.0]:
        raise ValueError(
            f'zero_throttle.{pushes[0]}: is a positive torque without throttle; allowed: torques of at most 0'
        )


class EngineMap(Section):
    """Engine without inertia: torque over speed at zero and full throttle, linear in between."""

    type: Literal['map']
    zero_throttle: Curve = Field(description='Pairs of speed [rad/s] and torque [N m] at zero throttle.')
    full_throttle: Curve = Field(description='Pairs of speed [rad/s] and torque [N m] at full throttle.')
    reaction_on_chassis: bool = Field(
        default=True,
        description="Whether the engine's reaction torque acts on the chassis. False: it is lost, as in the reference.",
    )

    @model_validator(mode='after')
    def _brakes_without_throttle(self) -> EngineMap:
        _brakes(self.zero_throttle)
        return self


class ShaftEngine(Section):
    """Engine with a free shaft: throttle times a torque, less the losses."""

    type: Literal['shaft']
    inertia_kgm2: float = Field(
        gt=0.0,
        le=1e4,
        description='Moment of inertia of all parts that rotate with the engine, up to the coupling [kg m^2].',
    )
    full_throttle: Curve = Field(description='Pairs of speed [rad/s] and torque [N m] at full throttle, before losses.')
    losses: Curve = Field(
        description='Pairs of speed [rad/s] and torque [N m] of the losses at any throttle; negative, against the'
        ' motion.'
    )
    idle_radps: float = Field(
        default=0.0, ge=0.0, le=1e4, description='Speed that the engine keeps without throttle [rad/s]. 0: it can stop.'
    )
    reaction_on_chassis: bool = Field(
        default=True, description="Whether the engine's reaction torque acts on the chassis. False: it is lost."
    )

    @model_validator(mode='after')
    def _loses(self) -> ShaftEngine:
        if gains := [number for number, point in enumerate(self.losses) if point[0] > 0.0 and point[1] > 0.0]:
            raise ValueError(f'losses.{gains[0]}: is a gain; allowed: torques of at most 0 at speeds above 0')
        return self


class ElectricMotor(Section):
    """Electric motor on a battery: torque over speed at full throttle and at zero throttle."""

    type: Literal['electric']
    full_throttle: Curve = Field(description='Pairs of speed [rad/s] and maximum torque [N m].')
    zero_throttle: Curve = Field(
        description='Pairs of speed [rad/s] and torque [N m] at zero throttle; negative while it generates.'
    )
    torque_constant_nmpa: float = Field(gt=0.0, le=1e4, description='Torque per current in the windings [N m/A].')
    resistance_ohm: float = Field(ge=0.0, le=1e4, description='Resistance of the windings [ohm].')
    converter_efficiency: float = Field(
        default=0.95,
        gt=0.0,
        le=1.0,
        description='Efficiency of the electronics between battery and windings, in both directions [-].',
    )
    reaction_on_chassis: bool = Field(
        default=True, description="Whether the motor's reaction torque acts on the chassis. False: it is lost."
    )

    @model_validator(mode='after')
    def _brakes_without_throttle(self) -> ElectricMotor:
        _brakes(self.zero_throttle)
        return self


class Converter(Section):
    """Torque converter between engine and gearbox: two curves over turbine speed / engine speed."""

    type: Literal['converter']
    capacity_factor: Curve = Field(
        description='Pairs of speed ratio, 0 to 1, and capacity factor K of torque = (engine speed / K)^2 [rad/s'
        ' / sqrt(N m)].'
    )
    torque_ratio: Curve = Field(
        description='Pairs of speed ratio, 0 to 1, and turbine torque divided by engine torque [-].'
    )

    @model_validator(mode='after')
    def _has_capacity(self) -> Converter:
        if low := [number for number, (_, k) in enumerate(self.capacity_factor) if not k > 0.0]:
            raise ValueError(f'capacity_factor.{low[0]}.1: is out of range; allowed: above 0')
        return self


class Clutch(Section):
    """Friction clutch between engine and gearbox that closes as the engine speed increases."""

    type: Literal['clutch']
    torque_nm: float = Field(gt=0.0, le=1e6, description='Maximum torque of the closed clutch [N m].')
    engagement_speeds_radps: tuple[float, float] = Field(
        description='Engine speeds between which the clutch closes [rad/s]. Both 0: it is always closed.'
    )

    @model_validator(mode='after')
    def _closes_upwards(self) -> Clutch:
        begins, ends = self.engagement_speeds_radps
        if not (0.0 <= begins < ends or begins == ends == 0.0):
            raise ValueError(
                f'engagement_speeds_radps = {[begins, ends]}: does not ascend; allowed: two ascending speeds of '
                'at least 0, or [0, 0]'
            )
        return self


class Gearbox(Section):
    """Gearbox that shifts without delay, by the speed of its input shaft: engine or turbine of a coupling."""

    gears: tuple[Ratio, ...] = Field(
        min_length=1,
        max_length=20,
        description='Driveshaft speed divided by input speed of each gear [-], first gear first.',
    )
    reverse: float = Field(lt=0.0, ge=-100.0, description='Ratio of the reverse gear [-].')
    upshift_rpm: tuple[Positive, ...] = Field(
        description='Input speed above which each gear except the last shifts up [rpm].'
    )
    downshift_rpm: float = Field(
        default=0.0,
        ge=0.0,
        description='Input speed below which a gear shifts down [rpm]. It has no effect with one gear.',
    )
    shift_latency_s: float = Field(
        default=0.0, ge=0.0, le=60.0, description='Minimum time between two gear changes [s].'
    )
    inertia_kgm2: float = Field(
        default=0.0,
        ge=0.0,
        le=1e4,
        description='Moment of inertia of the shaft between a coupling and the gears [kg m^2].',
    )

    @model_validator(mode='after')
    def _fits(self) -> Gearbox:
        if len(self.upshift_rpm) != len(self.gears) - 1:
            wanted = len(self.gears) - 1
            raise ValueError(
                f'upshift_rpm: has {len(self.upshift_rpm)} speeds; allowed: one fewer than gears, {wanted}'
            )
        if self.upshift_rpm and not 0.0 < self.downshift_rpm < min(self.upshift_rpm):
            raise ValueError(
                f'downshift_rpm = {self.downshift_rpm!r}: is out of range; '
                f'allowed: above 0, below all upshift_rpm, {min(self.upshift_rpm)!r}'
            )
        return self


class PowertrainConfig(Section):
    """Powertrain from an engine or motor to the driveshaft."""

    engine: Annotated[EngineMap | ShaftEngine | ElectricMotor, Field(discriminator='type')]
    coupling: Annotated[Converter | Clutch, Field(discriminator='type')] | None = Field(
        default=None, description='Coupling between an engine of type shaft and the gearbox.'
    )
    gearbox: Gearbox

    @model_validator(mode='after')
    def _is_whole(self) -> PowertrainConfig:
        if isinstance(self.engine, ShaftEngine) != (self.coupling is not None):
            has = 'no coupling' if self.coupling is None else f'coupling {self.coupling.type!r}'
            raise ValueError(
                f'engine.type = {self.engine.type!r}: is used with {has}; '
                'allowed: type shaft with a coupling, map and electric without'
            )
        if isinstance(self.engine, ShaftEngine) and not self.gearbox.inertia_kgm2 > 0.0:
            raise ValueError('gearbox.inertia_kgm2 = 0: is too small behind a coupling; allowed: above 0')
        return self


def select_powertrain(powertrain: str, powertrains: dict[str, PowertrainConfig]) -> str:
    """Validate that a vehicle has the powertrain of this name, and return the name.

    Raises:
        ValueError: If the vehicle has no powertrain of this name.
    """
    if powertrain not in powertrains:
        raise ValueError(
            f'powertrain = {powertrain!r}: is unknown; allowed: one of powertrains, {", ".join(powertrains)}'
        )
    return powertrain


class BatteryConfig(Section):
    """Battery that supplies a vehicle's motors."""

    energy_wh: float = Field(gt=0.0, le=1e7, description='Energy of the full battery [W h].')
    voltage_v: tuple[Positive, Positive] = Field(
        description='Voltages of the empty and the full battery without load [V].'
    )
    resistance_ohm: float = Field(gt=0.0, le=1e3, description='Inner resistance of the battery [ohm].')
    standby_w: float = Field(
        default=0.0, ge=0.0, le=1e6, description='Power that is always drawn, as by computers and heaters [W].'
    )
    initial_state_of_charge: float = Field(
        default=1.0, gt=0.0, le=1.0, description='Initial state of charge, 0 to 1 [-].'
    )
    converter_efficiency: float = Field(
        default=0.95, ge=0.1, le=1.0, description='Efficiency of the converters between battery and loads [-].'
    )
    charge_rate_per_h: float = Field(
        default=0.5,
        gt=0.0,
        le=100.0,
        description='Maximum charging power of solar panels, divided by the energy of the full battery [1/h].',
    )

    @model_validator(mode='after')
    def _is_a_source(self) -> BatteryConfig:
        low, high = self.voltage_v
        if low > high:
            raise ValueError(
                f'voltage_v = {[low, high]}: decreases with charge; allowed: an empty and a full voltage, ascending'
            )
        if self.standby_w >= low * low / (4.0 * self.resistance_ohm):
            most = low * low / (4.0 * self.resistance_ohm)
            raise ValueError(
                f'standby_w = {self.standby_w!r}: exceeds the battery power; '
                f'allowed: below V^2 / 4 R of empty cells, {rounded_text(most, 3)} W'
            )
        return self


class WheelMotorConfig(Section):
    """Electric motor of each wheel, for its power consumption; its torque is limited in the MJCF file."""

    gear_ratio: float = Field(gt=0.0, le=1e5, description='Motor speed divided by wheel speed [-].')
    torque_constant_nmpa: float = Field(gt=0.0, le=1e4, description='Torque per current in the windings [N m/A].')
    resistance_ohm: float = Field(ge=0.0, le=1e4, description='Resistance of the windings [ohm].')
    gear_efficiency: float = Field(
        default=1.0, gt=0.0, le=1.0, description='Efficiency of the gear in both directions [-].'
    )
    regenerates: bool = Field(default=False, description='Whether power from the wheels is returned to the battery.')
