# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of terrain heights: procedural relief, detail, and the location of elevation models."""

from __future__ import annotations

import os
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from regolith_files import Section, allowed_names
from regolith_terrain.lunar.presets import preset_names

Point = tuple[Annotated[float, Field(ge=-1e6, le=1e6)], Annotated[float, Field(ge=-1e6, le=1e6)]]


class RectangleConfig(Section):
    """A rectangle in the horizontal plane with sides along x and y."""

    low: Point = Field(description='Corner with the smallest x and y [m].')
    high: Point = Field(description='Corner with the largest x and y [m].')

    @model_validator(mode='after')
    def _ordered(self) -> RectangleConfig:
        if not (self.low[0] < self.high[0] and self.low[1] < self.high[1]):
            raise ValueError(f'high = {list(self.high)}: is not above low; allowed: x and y above {list(self.low)}')
        return self


class SiteConfig(Section):
    """Location of the scenario origin on a celestial body, for GNSS receivers."""

    latitude_deg: float = Field(ge=-90.0, le=90.0, description='Latitude of the origin [deg].')
    longitude_deg: float = Field(ge=-180.0, le=360.0, description='Longitude of the origin, east positive [deg].')
    altitude_m: float = Field(
        default=0.0, ge=-2e4, le=2e4, description='Height of the origin above the sphere or ellipsoid of the body [m].'
    )
    body: Literal['moon', 'earth'] = Field(default='moon', description='Celestial body of the location.')


class RoughnessConfig(Section):
    """Shape of procedural terrain; the defaults describe a gentle mare.

    Craters follow a cumulative power law N(> D) = density (D / 1 m)^-exponent per square meter up to saturation
    (Trask 1966: on lunar plains small craters are in equilibrium, N(> D) about 0.079 D^-2).
    """

    rms_height_m: float = Field(
        default=0.06, ge=0.0, le=100.0, description='Standard deviation of the fractal relief [m].'
    )
    hurst: float = Field(default=0.85, gt=0.0, le=1.0, description='Hurst exponent of the fractal relief [-].')
    outer_scale_m: float = Field(
        default=24.0, gt=0.0, le=1e5, description='Longest wavelength of the fractal relief [m].'
    )
    inner_scale_m: float = Field(
        default=0.2, gt=0.0, le=1e3, description='Shortest wavelength of the fractal relief [m].'
    )
    crater_density: float = Field(
        default=0.02, ge=0.0, le=0.2, description='Number of craters wider than 1 m per area [1/m^2].'
    )
    crater_exponent: float = Field(
        default=2.0, ge=1.0, le=4.0, description='Exponent of the cumulative crater size distribution [-].'
    )
    crater_min_m: float = Field(default=0.4, gt=0.0, le=1e3, description='Smallest crater diameter [m].')
    crater_max_m: float = Field(default=60.0, gt=0.0, le=1e4, description='Largest crater diameter [m].')
    depth_ratio: float = Field(default=0.2, ge=0.0, le=0.4, description='Depth over diameter of a fresh crater [-].')
    crater_free_radius_m: float = Field(
        default=15.0, ge=0.0, le=1e4, description='Radius around the origin in which only small craters are placed [m].'
    )
    crater_free_max_diameter_m: float = Field(
        default=1.2, ge=0.0, le=1e3, description='Largest crater diameter within crater_free_radius_m [m].'
    )

    @model_validator(mode='after')
    def _ordered(self) -> RoughnessConfig:
        for low, high in (('inner_scale_m', 'outer_scale_m'), ('crater_min_m', 'crater_max_m')):
            if getattr(self, low) > getattr(self, high):
                key, limit = (
                    (low, f'up to {high}, {getattr(self, high)!r}')
                    if low in self.model_fields_set
                    else (high, f'at least {low}, {getattr(self, low)!r}')
                )
                raise ValueError(f'{key} = {getattr(self, key)!r}: {low} exceeds {high}; allowed: {limit}')
        return self


def _known_preset(value: str | None) -> str | None:
    # Paths were made absolute where the file that names them is known.
    if value is not None and not os.path.isabs(value) and value not in preset_names():
        raise ValueError(
            f'is not a preset; allowed: the path of a YAML file, or one of {allowed_names(preset_names(), value)}'
        )
    return value


PresetName = Annotated[str, AfterValidator(_known_preset)]


class DetailConfig(Section):
    """Settings of detail finer than the posts of an elevation model.

    See :mod:`regolith_terrain.elevation.detail`.
    """

    preset: PresetName = Field('highland', description='Preset whose small craters and texture are added.')
    craters: bool = Field(True, description='Whether craters narrower than two posts are added.')
    finest_m: float = Field(0.05, ge=0.02, le=1.0, description='Shortest wavelength of the added texture [m].')
