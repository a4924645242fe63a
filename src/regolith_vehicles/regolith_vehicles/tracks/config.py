# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the running gear ``tracks`` in a vehicle's YAML file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from regolith_files import Section
from regolith_vehicles.powertrain.config import PowertrainConfig, select_powertrain

Vector3 = tuple[float, float, float]
Size = Annotated[float, Field(gt=0.0, le=10.0)]
Name = Annotated[str, Field(min_length=1)]


class TrackWheelConfig(Section):
    """Road wheel or idler, by the names of its parts in the MJCF file."""

    body: Name = Field(description='MJCF body whose origin is the wheel center.')
    joint: Name = Field(description="MJCF hinge of the wheel's rotation, along the hull's y axis.")
    radius_m: float = Field(gt=0.0, le=5.0, description='Radius of the wheel [m].')


class SprocketConfig(Section):
    """Sprocket, by the names of its parts in the MJCF file; it is ahead of the road wheels."""

    body: Name = Field(description='MJCF body whose origin is the sprocket center.')
    joint: Name = Field(description="MJCF hinge of the sprocket's rotation, along the hull's y axis.")
    actuator: Name = Field(description='MJCF motor on that joint.')
    teeth: int = Field(ge=5, le=100, description='Number of teeth: shoes per revolution.')


class SideConfig(Section):
    """One track: sprocket, road wheels, idler and shoes."""

    name: Name = Field(description='Name of the track in messages.')
    sprocket: SprocketConfig
    wheels: tuple[TrackWheelConfig, ...] = Field(min_length=1, max_length=20, description='Road wheels, front to rear.')
    idler: TrackWheelConfig
    shoes: int = Field(ge=10, le=500, description='Number of shoes in the band.')


class PadConfig(Section):
    """Pad: a plane on the outer side of a shoe that presses on the ground."""

    length_m: Size = Field(description='Length along the track [m].')
    width_m: Size = Field(description='Width across the track [m].')
    position: Vector3 = Field(description='Middle of the pad in the shoe frame [m].')


class ShoeConfig(Section):
    """Shoes of a track.

    The shoe frame is midway between the pins: on the ground x points ahead, y left, and z toward the wheels.
    """

    pitch_m: float = Field(gt=0.0, le=1.0, description='Distance between the pins of a shoe [m].')
    mass_kg: float = Field(gt=0.0, le=1000.0, description='Mass of a shoe [kg].')
    inner_face_height_m: float = Field(
        ge=0.0, le=0.5, description='Height of the inner face, on which wheels roll, above the pins [m].'
    )
    pads: tuple[PadConfig, ...] = Field(min_length=1, max_length=20)
    guide_horn_m: tuple[Size, Size, Size] | None = Field(
        default=None, description='Length, width and height of a guide horn, for drawing only [m].'
    )


class TensionConfig(Section):
    """Elasticity of a whole band."""

    stiffness_npm: float = Field(gt=0.0, le=1e10, description='Tension per elongation of the band [N/m].')


class RubberConfig(Section):
    """Rubber of the road wheels: a Winkler foundation on the shoes."""

    modulus_npm2: float = Field(
        gt=0.0, le=1e12, description="Force per length of a wheel's contact and per penetration [N/m^2]."
    )
    damping_spm: float = Field(
        default=0.0, ge=0.0, le=100.0, description='Relative increase of the pressure per penetration rate [s/m].'
    )


class ResistanceConfig(Section):
    """Inner resistance of a band against motion: pins, guides, bending of rubber."""

    constant_n: float = Field(default=0.0, ge=0.0, le=1e6, description='Constant part of the resistance [N].')
    linear_nspm: float = Field(
        default=0.0, ge=0.0, le=1e6, description="Increase of the resistance with the band's speed [N s/m]."
    )


class TracksConfig(Section):
    """Parameters of a tracked vehicle's running gear."""

    sides: tuple[SideConfig, ...] = Field(min_length=2, max_length=2, description='Left and right track.')
    shoe: ShoeConfig
    tension: TensionConfig
    rubber: RubberConfig
    resistance: ResistanceConfig = ResistanceConfig()
    brake_torque_nm: float = Field(gt=0.0, le=1e7, description='Brake torque of each sprocket at full braking [N m].')
    powertrains: dict[str, PowertrainConfig] = Field(
        min_length=1, max_length=20, description='Available powertrains by name.'
    )
    powertrain: str = Field(description='Name of the powertrain in use.')
    final_drive_ratio: float = Field(
        default=1.0, gt=0.0, le=100.0, description="Mean speed of the sprockets divided by the driveshaft's speed [-]."
    )
    steering: Literal['brakes', 'split'] = Field(
        default='brakes',
        description='Steering method. Brakes: open differential and the brake of the inner side. Split: less'
        ' torque on the inner side, reversed torque in a pivot turn.',
    )
    pivot_steering: bool = Field(
        default=False, description='Whether a twist without forward speed turns the vehicle in place.'
    )
    pedal_time_s: float = Field(
        default=0.0, ge=0.0, le=10.0, description='Time in which a driver input changes from zero to full [s].'
    )

    @model_validator(mode='after')
    def _pivots_by_splitting(self) -> TracksConfig:
        if self.pivot_steering and self.steering != 'split':
            raise ValueError(
                f'pivot_steering = true: does not apply to steering {self.steering!r}; allowed: with steering split'
            )
        return self

    @model_validator(mode='after')
    def _sides_differ(self) -> TracksConfig:
        left, right = self.sides
        discs = [{s.sprocket.body, s.idler.body, *(w.body for w in s.wheels)} for s in (left, right)]
        if left.name == right.name or discs[0] & discs[1]:
            what = (
                'sides.1.name: is already used by side 0'
                if left.name == right.name
                else (f'sides.1: uses body {sorted(discs[0] & discs[1])[0]!r}, as side 0 does')
            )
            raise ValueError(f'{what}; allowed: one left and one right track')
        for number, pad in enumerate(self.shoe.pads):
            if pad.length_m > self.shoe.pitch_m:
                key = f'shoe.pads.{number}.length_m = {pad.length_m!r}'
                raise ValueError(f'{key}: is too long; allowed: up to pitch_m, {self.shoe.pitch_m!r}')
        return self

    @model_validator(mode='after')
    def _has_the_powertrain(self) -> TracksConfig:
        select_powertrain(self.powertrain, self.powertrains)
        return self
