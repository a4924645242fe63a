# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Key ``effects.flare`` of cameras: reflections and scatter in the lens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field, field_validator, model_validator

from regolith_files import Section
from regolith_sensors.numerics.lens_matrices import refraction, space

MOST_SURFACES = 24
"""Largest number of surfaces; they have 276 ghosts."""


def _per_band(value: Any) -> Any:
    return (value, value, value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Index = Annotated[float, Field(ge=1.0, le=4.0)]


class LensSurfaceConfig(Section):
    """Spherical surface of a lens."""

    radius_m: float = Field(
        ge=-1e3, le=1e3, description='Radius; positive: its center is on the side of the sensor [m].'
    )
    distance_m: float = Field(0.0, ge=0.0, le=1.0, description='Distance to the next surface [m].')
    index: Annotated[tuple[Index, Index, Index], BeforeValidator(_per_band)] = Field(
        (1.0, 1.0, 1.0), description='Refractive index behind it, one or red, green and blue [-].'
    )
    reflectance: float = Field(
        0.005, ge=0.0, le=1.0, description='Reflectance: 0.043 bare, 0.015 one layer, 0.005 several layers [-].'
    )
    rim_m: float = Field(1.0, gt=0.0, le=1.0, description='Radius of its rim [m].')

    @field_validator('radius_m')
    @classmethod
    def _curved(cls, radius: float) -> float:
        if abs(radius) < 1e-4:
            raise ValueError('is no radius of a lens; allowed: 1e-4 to 1e3 m of either sign; a plane has 1e3')
        return radius


def focal_length(surfaces: Sequence[LensSurfaceConfig], band: int = 1) -> tuple[float, float]:
    """Return the focal length and the distance from the last surface to the focus [m].

    Args:
        surfaces: Surfaces from the scene to the sensor.
        band: Number of the band: 0 red, 1 green, 2 blue.

    Source: lee2013.
    Checked by: test_flare.py::test_check_lens.
    """
    m, before = np.eye(2), 1.0
    for k, surface in enumerate(surfaces):
        m = refraction(before, surface.index[band], surface.radius_m) @ m
        before = surface.index[band]
        if k + 1 < len(surfaces):
            m = space(surface.distance_m) @ m
    if m[1, 0] == 0.0:
        return math.inf, math.inf
    return float(-1.0 / m[1, 0]), float(-m[0, 0] / m[1, 0])


class SpotConfig(Section):
    """Spot of light, chosen by eye."""

    along: float = Field(ge=-1.5, le=1.5, description='Place, in units of the place of the source in the image [-].')
    size: float = Field(gt=0.0, le=2.0, description='Diameter over the width of the image [-].')
    tint: tuple[float, float, float] = Field((1.0, 1.0, 1.0), description='Red, green, blue [-].')
    share: float = Field(ge=0.0, le=0.1, description='Part of the light that enters the aperture [-].')

    @field_validator('tint')
    @classmethod
    def _light(cls, tint: tuple[float, float, float]) -> tuple[float, float, float]:
        if not all(0.0 <= part <= 10.0 for part in tint):
            raise ValueError('is no tint; allowed: red, green and blue from 0 to 10')
        return tint


class FlareConfig(Section):
    """Light of sun and lamps that the lens reflects and scatters."""

    lens: tuple[LensSurfaceConfig, ...] = Field(
        (), max_length=MOST_SURFACES, description='Surfaces from the scene to the sensor, whose pairs make ghosts.'
    )
    blades: int = Field(0, ge=0, le=30, description='Number of blades of the aperture; 0: it is round.')
    spots: tuple[SpotConfig, ...] = Field(
        (), max_length=50, description='Spots chosen by eye, for a lens whose surfaces are unknown.'
    )
    hood_deg: float = Field(
        60.0, gt=0.0, lt=90.0, description='Angle from the axis beyond which no light enters [deg].'
    )
    veil_share: float = Field(0.005, ge=0.0, le=0.2, description='Part of the light that the lens scatters [-].')
    veil_angle_deg: float = Field(0.5, ge=0.01, le=30.0, description='Angle within which scatter is even [deg].')
    veil_power: float = Field(1.2, gt=1.0, le=4.0, description='Exponent of its fall at larger angles [-].')

    @model_validator(mode='after')
    def _no_more_than_all_light(self) -> FlareConfig:
        for k, band in enumerate(('red', 'green', 'blue')):
            total = self.veil_share + sum(spot.share * spot.tint[k] for spot in self.spots)
            if total > 1.0:
                raise ValueError(
                    f'spots: their shares times tints and veil_share are {100.0 * total:.4g} % of the {band} light; '
                    'allowed: up to 100 %'
                )
        return self

    @field_validator('blades')
    @classmethod
    def _polygon(cls, blades: int) -> int:
        if blades in (1, 2):
            raise ValueError('is no polygon; allowed: 0, or 3 to 30')
        return blades

    @field_validator('lens')
    @classmethod
    def _focuses(cls, lens: tuple[LensSurfaceConfig, ...]) -> tuple[LensSurfaceConfig, ...]:
        if lens:
            focal, back = focal_length(lens)
            if not (0.0 < focal < 10.0 and back > 0.0 and math.isfinite(back)):
                raise ValueError(
                    f'has a focal length of {focal:.4g} m and a focus {back:.4g} m behind it; allowed: lenses with a '
                    'focus behind the last surface'
                )
        return lens
