# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Powertrains and batteries in a vehicle's YAML file."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from regolith_files.section import Section

RPM = np.pi / 30.0

Positive = Annotated[float, Field(gt=0.0)]
Ratio = Annotated[float, Field(gt=0.0, le=100.0)]


def ascending(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """Return the points of a curve whose first numbers grow; for validators.

    Raises:
        ValueError: if they do not
    """
    if any(b[0] <= a[0] for a, b in pairwise(points)):
        raise ValueError('does not ascend; allowed: points whose first numbers grow')
    return points


Curve = Annotated[tuple[tuple[float, float], ...], Field(min_length=2, max_length=200), AfterValidator(ascending)]


def _brakes(idle: tuple[tuple[float, float], ...]) -> None:
    """Refuse an engine that pushes without throttle.

    Raises:
        ValueError: naming the point
    """
    if pushes := [number for number, point in enumerate(idle) if point[1] > 0.0]:
        raise ValueError(f'zero_throttle.{pushes[0]}: pushes without throttle; allowed: torques of at most 0')


class EngineMap(Section):
    """An engine without inertia: torque over speed at no throttle and at full, linear between."""

    type: Literal['map']
    zero_throttle: Curve = Field(description='speed [rad/s] and torque [N m] without throttle')
    full_throttle: Curve = Field(description='speed [rad/s] and torque [N m] at full throttle')
    reaction_on_chassis: bool = Field(
        default=True, description='whether the chassis carries its reaction; false: it is lost, as in the reference'
    )

    @model_validator(mode='after')
    def _brakes_without_throttle(self) -> EngineMap:
        _brakes(self.zero_throttle)
        return self


class ShaftEngine(Section):
    """An engine whose shaft turns by itself: throttle times a torque, less its losses."""

    type: Literal['shaft']
    inertia_kgm2: float = Field(gt=0.0, le=1e4, description='of all that turns with it, up to the coupling [kg m^2]')
    full_throttle: Curve = Field(description='speed [rad/s] and torque [N m] at full throttle, losses not taken off')
    losses: Curve = Field(description='speed [rad/s] and torque [N m] at any throttle, against the motion: below zero')
    idle_radps: float = Field(
        default=0.0, ge=0.0, le=1e4, description='speed that it keeps without throttle [rad/s]; 0: it may stop'
    )
    reaction_on_chassis: bool = Field(
        default=True, description='whether the chassis carries its reaction; false: it is lost'
    )

    @model_validator(mode='after')
    def _loses(self) -> ShaftEngine:
        if gains := [number for number, point in enumerate(self.losses) if point[0] > 0.0 and point[1] > 0.0]:
            raise ValueError(f'losses.{gains[0]}: is a gain; allowed: torques of at most 0 at speeds above 0')
        return self


class ElectricMotor(Section):
    """A motor on a battery: torque over speed at full throttle, and what it takes back without."""

    type: Literal['electric']
    full_throttle: Curve = Field(description='speed [rad/s] and torque [N m] at most')
    zero_throttle: Curve = Field(
        description='speed [rad/s] and torque [N m] without throttle: below zero, it generates'
    )
    torque_constant_nmpa: float = Field(gt=0.0, le=1e4, description='torque for each ampere in its windings [N m/A]')
    resistance_ohm: float = Field(ge=0.0, le=1e4, description='of its windings [ohm]')
    converter_efficiency: float = Field(
        default=0.95, gt=0.0, le=1.0, description='of the electronics between battery and windings, either way [-]'
    )
    reaction_on_chassis: bool = Field(
        default=True, description='whether the chassis carries its reaction; false: it is lost'
    )

    @model_validator(mode='after')
    def _brakes_without_throttle(self) -> ElectricMotor:
        _brakes(self.zero_throttle)
        return self


class Converter(Section):
    """A torque converter between engine and gearbox: two curves over turbine speed / engine speed."""

    type: Literal['converter']
    capacity_factor: Curve = Field(
        description='K of torque = (engine speed / K)^2 [rad/s / sqrt(N m)] over the ratio of speeds, 0 to 1'
    )
    torque_ratio: Curve = Field(description="turbine's torque over the engine's, over the ratio of speeds, 0 to 1")

    @model_validator(mode='after')
    def _has_capacity(self) -> Converter:
        if low := [number for number, (_, k) in enumerate(self.capacity_factor) if not k > 0.0]:
            raise ValueError(f'capacity_factor.{low[0]}.1: is out of range; allowed: above 0')
        return self


class Clutch(Section):
    """A friction clutch between engine and gearbox that closes by itself as the engine turns faster."""

    type: Literal['clutch']
    torque_nm: float = Field(gt=0.0, le=1e6, description='that it bears closed [N m]')
    engagement_speeds_radps: tuple[float, float] = Field(
        description='speeds of the engine between which it closes; both 0: it is always closed [rad/s]'
    )

    @model_validator(mode='after')
    def _closes_upwards(self) -> Clutch:
        begins, ends = self.engagement_speeds_radps
        if not (0.0 <= begins < ends or begins == ends == 0.0):
            raise ValueError(
                f'engagement_speeds_radps = {[begins, ends]}: does not ascend; allowed: two speeds from 0 on that '
                'grow, or [0, 0]'
            )
        return self


class Gearbox(Section):
    """Gears that change at once, as the speed of the shaft before them asks for: engine, or turbine of a coupling."""

    gears: tuple[Ratio, ...] = Field(
        min_length=1, max_length=20, description="driveshaft's speed over that of the shaft before it, first gear first"
    )
    reverse: float = Field(lt=0.0, ge=-100.0, description='of the reverse gear')
    upshift_rpm: tuple[Positive, ...] = Field(description='speed above which each gear but the last goes up')
    downshift_rpm: float = Field(
        default=0.0, ge=0.0, description='speed below which a gear goes down; of one gear nothing'
    )
    shift_latency_s: float = Field(default=0.0, ge=0.0, le=60.0, description='least time between two changes [s]')
    inertia_kgm2: float = Field(
        default=0.0, ge=0.0, le=1e4, description='of the shaft between a coupling and the gears [kg m^2]'
    )

    @model_validator(mode='after')
    def _fits(self) -> Gearbox:
        if len(self.upshift_rpm) != len(self.gears) - 1:
            wanted = len(self.gears) - 1
            raise ValueError(f'upshift_rpm: has {len(self.upshift_rpm)} speeds; allowed: one less than gears, {wanted}')
        if self.upshift_rpm and not 0.0 < self.downshift_rpm < min(self.upshift_rpm):
            raise ValueError(
                f'downshift_rpm = {self.downshift_rpm!r}: is out of range; '
                f'allowed: above 0, below all upshift_rpm, {min(self.upshift_rpm)!r}'
            )
        return self


class PowertrainConfig(Section):
    """From an engine or motor to the driveshaft."""

    engine: Annotated[EngineMap | ShaftEngine | ElectricMotor, Field(discriminator='type')]
    coupling: Annotated[Converter | Clutch, Field(discriminator='type')] | None = Field(
        default=None, description='between an engine of type shaft and the gearbox'
    )
    gearbox: Gearbox

    @model_validator(mode='after')
    def _is_whole(self) -> PowertrainConfig:
        if isinstance(self.engine, ShaftEngine) != (self.coupling is not None):
            has = 'no coupling' if self.coupling is None else f'coupling {self.coupling.type!r}'
            raise ValueError(
                f'engine.type = {self.engine.type!r}: with {has}; '
                'allowed: type shaft with a coupling, map and electric without'
            )
        if isinstance(self.engine, ShaftEngine) and not self.gearbox.inertia_kgm2 > 0.0:
            raise ValueError('gearbox.inertia_kgm2 = 0: is behind a coupling; allowed: above 0')
        return self


def select_powertrain(powertrain: str, powertrains: dict[str, PowertrainConfig]) -> str:
    """Return the name of the powertrain that drives a vehicle.

    Raises:
        ValueError: if it is none of those it has
    """
    if powertrain not in powertrains:
        raise ValueError(
            f'powertrain = {powertrain!r}: is unknown; allowed: one of powertrains, {", ".join(powertrains)}'
        )
    return powertrain


class BatteryConfig(Section):
    """A battery that feeds a vehicle's motors."""

    energy_wh: float = Field(gt=0.0, le=1e7, description='in its cells when it is full [W h]')
    voltage_v: tuple[Positive, Positive] = Field(description='of empty and full cells without load [V]')
    resistance_ohm: float = Field(gt=0.0, le=1e3, description='of all cells as they are wired [ohm]')
    standby_w: float = Field(default=0.0, ge=0.0, le=1e6, description='power that is always drawn: computers, heaters')
    initial_state_of_charge: float = Field(default=1.0, gt=0.0, le=1.0, description='at the start, over a full one [-]')

    @model_validator(mode='after')
    def _is_a_source(self) -> BatteryConfig:
        low, high = self.voltage_v
        if low > high:
            raise ValueError(f'voltage_v = {[low, high]}: falls with charge; allowed: full at least as high as empty')
        if self.standby_w >= low * low / (4.0 * self.resistance_ohm):
            most = low * low / (4.0 * self.resistance_ohm)
            raise ValueError(
                f'standby_w = {self.standby_w!r}: exceeds its power; '
                f'allowed: below V^2 / 4 R of empty cells, {most:.3g} W'
            )
        return self


class WheelMotorConfig(Section):
    """The motor of each wheel, for what it takes of the battery; its torque is limited in the MJCF file."""

    gear_ratio: float = Field(gt=0.0, le=1e5, description="motor's speed over the wheel's")
    torque_constant_nmpa: float = Field(gt=0.0, le=1e4, description='torque for each ampere in its windings [N m/A]')
    resistance_ohm: float = Field(ge=0.0, le=1e4, description='of its windings [ohm]')
    gear_efficiency: float = Field(default=1.0, gt=0.0, le=1.0, description='either way [-]')
    regenerates: bool = Field(default=False, description='whether power that wheels give goes back to the battery')
