# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the running gear ``tracks`` in a vehicle's YAML file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from regolith_files.section import Section
from regolith_vehicles.powertrain.config import PowertrainConfig, select_powertrain

Vector3 = tuple[float, float, float]
Size = Annotated[float, Field(gt=0.0, le=10.0)]
Name = Annotated[str, Field(min_length=1)]


class TrackWheelConfig(Section):
    """A road wheel or an idler by the names its parts have in the MJCF file."""

    body: Name = Field(description='MJCF body whose origin is its centre')
    joint: Name = Field(description="MJCF hinge it spins about, along the hull's y")
    radius_m: float = Field(gt=0.0, le=5.0, description='[m]')


class SprocketConfig(Section):
    """A sprocket by the names its parts have in the MJCF file; it is ahead of the road wheels."""

    body: Name = Field(description='MJCF body whose origin is its centre')
    joint: Name = Field(description="MJCF hinge it spins about, along the hull's y")
    actuator: Name = Field(description='MJCF motor on that joint')
    teeth: int = Field(ge=5, le=100, description='shoes for each turn')


class SideConfig(Section):
    """One track."""

    name: Name = Field(description='of the track in messages')
    sprocket: SprocketConfig
    wheels: tuple[TrackWheelConfig, ...] = Field(min_length=1, max_length=20, description='road wheels, front to rear')
    idler: TrackWheelConfig
    shoes: int = Field(ge=10, le=500, description='number of shoes in the band')


class PadConfig(Section):
    """A plane on the outer side of a shoe that presses on the ground."""

    length_m: Size = Field(description='along the track [m]')
    width_m: Size = Field(description='across [m]')
    position: Vector3 = Field(description="middle in the shoe's frame [m]")


class ShoeConfig(Section):
    """The shoes; their frame is midway between the pins, x ahead on the ground, y left, z towards the wheels."""

    pitch_m: float = Field(gt=0.0, le=1.0, description='from pin to pin [m]')
    mass_kg: float = Field(gt=0.0, le=1000.0, description='[kg]')
    inner_face_height_m: float = Field(
        ge=0.0, le=0.5, description='height of the inner face, on which wheels roll, above the pins'
    )
    pads: tuple[PadConfig, ...] = Field(min_length=1, max_length=20)
    guide_horn_m: tuple[Size, Size, Size] | None = Field(
        default=None, description='length, width and height of a guide horn, which is only drawn [m]'
    )


class TensionConfig(Section):
    """Elasticity of a whole band."""

    stiffness_npm: float = Field(gt=0.0, le=1e10, description='tension for each metre it is too long [N/m]')


class RubberConfig(Section):
    """Rubber of the road wheels: a Winkler foundation on the shoes."""

    modulus_npm2: float = Field(gt=0.0, le=1e12, description='pressure per length of a wheel, per metre it yields')
    damping_spm: float = Field(default=0.0, ge=0.0, le=100.0, description='share more for each m/s of yielding [s/m]')


class ResistanceConfig(Section):
    """Inner resistance of a band against moving: pins, guides, rubber that bends."""

    constant_n: float = Field(default=0.0, ge=0.0, le=1e6, description='[N]')
    linear_nspm: float = Field(default=0.0, ge=0.0, le=1e6, description='for each m/s of the band [N s/m]')


class TracksConfig(Section):
    """A tracked vehicle's running gear."""

    sides: tuple[SideConfig, ...] = Field(min_length=2, max_length=2, description='left and right')
    shoe: ShoeConfig
    tension: TensionConfig
    rubber: RubberConfig
    resistance: ResistanceConfig = ResistanceConfig()
    brake_torque_nm: float = Field(gt=0.0, le=1e7, description='of each sprocket at full braking [N m]')
    powertrains: dict[str, PowertrainConfig] = Field(
        min_length=1, max_length=20, description='name -> what can drive it'
    )
    powertrain: str = Field(description='the one of them that does')
    final_drive_ratio: float = Field(
        default=1.0, gt=0.0, le=100.0, description="sprockets' mean speed over the driveshaft's"
    )
    steering: Literal['brakes', 'split'] = Field(
        default='brakes',
        description='brakes: open differential, and the brake of the inner side; split: less torque on the inner side,'
        ' the reverse of it when it pivots',
    )
    pivot_steering: bool = Field(
        default=False, description='whether a twist without forward speed turns it on the spot'
    )
    pedal_time_s: float = Field(default=0.0, ge=0.0, le=10.0, description='from nothing to full of any input [s]')

    @model_validator(mode='after')
    def _pivots_by_splitting(self) -> TracksConfig:
        if self.pivot_steering and self.steering != 'split':
            raise ValueError(f'pivot_steering = true: with steering {self.steering!r}; allowed: with split')
        return self

    @model_validator(mode='after')
    def _sides_differ(self) -> TracksConfig:
        left, right = self.sides
        discs = [{s.sprocket.body, s.idler.body, *(w.body for w in s.wheels)} for s in (left, right)]
        if left.name == right.name or discs[0] & discs[1]:
            what = (
                'sides.1.name: is that of side 0, too'
                if left.name == right.name
                else (f'sides.1: has body {sorted(discs[0] & discs[1])[0]!r}, as has side 0')
            )
            raise ValueError(f'{what}; allowed: a left and a right one')
        for number, pad in enumerate(self.shoe.pads):
            if pad.length_m > self.shoe.pitch_m:
                key = f'shoe.pads.{number}.length_m = {pad.length_m!r}'
                raise ValueError(f'{key}: is too long; allowed: up to pitch_m, {self.shoe.pitch_m!r}')
        return self

    @model_validator(mode='after')
    def _has_the_powertrain(self) -> TracksConfig:
        select_powertrain(self.powertrain, self.powertrains)
        return self
