# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schemas of where a terrain's heights come from: procedural relief, detail, and how elevation models are read."""

from __future__ import annotations

import os
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from regolith_files.problems import allowed_names
from regolith_files.section import Section
from regolith_terrain.lunar.presets import preset_names

Point = tuple[Annotated[float, Field(ge=-1e6, le=1e6)], Annotated[float, Field(ge=-1e6, le=1e6)]]


class RectangleConfig(Section):
    """A rectangle on the ground, sides along x and y."""

    low: Point = Field(description='corner with the least x and y [m]')
    high: Point = Field(description='opposite corner [m]')

    @model_validator(mode='after')
    def _ordered(self) -> RectangleConfig:
        if not (self.low[0] < self.high[0] and self.low[1] < self.high[1]):
            raise ValueError(f'high = {list(self.high)}: not beyond low; allowed: x and y above {list(self.low)}')
        return self


class SiteConfig(Section):
    """Place of a scenario's origin on its body, for receivers of positions."""

    latitude_deg: float = Field(ge=-90.0, le=90.0, description='Latitude of the origin [deg].')
    longitude_deg: float = Field(ge=-180.0, le=360.0, description='Longitude of the origin, east positive [deg].')
    altitude_m: float = Field(
        default=0.0, ge=-2e4, le=2e4, description='Height of the origin above the sphere or ellipsoid of the body [m].'
    )
    body: Literal['moon', 'earth'] = Field(default='moon', description='Body of the place.')


class RoughnessConfig(Section):
    """Shape of procedural ground; the defaults are a gentle mare.

    Craters follow a cumulative power law N(> D) = density (D / 1 m)^-exponent per square meter up to saturation
    (Trask 1966: on lunar plains small craters are in equilibrium, N(> D) about 0.079 D^-2).
    """

    rms_height_m: float = Field(
        default=0.06, ge=0.0, le=100.0, description='standard deviation of the fractal part [m]'
    )
    hurst: float = Field(default=0.85, gt=0.0, le=1.0, description='Hurst exponent of the fractal part')
    outer_scale_m: float = Field(default=24.0, gt=0.0, le=1e5, description='longest wavelength of the fractal part [m]')
    inner_scale_m: float = Field(default=0.2, gt=0.0, le=1e3, description='shortest wavelength of the fractal part [m]')
    crater_density: float = Field(default=0.02, ge=0.0, le=0.2, description='craters wider than 1 m [1/m^2]')
    crater_exponent: float = Field(
        default=2.0, ge=1.0, le=4.0, description='exponent of the cumulative size distribution'
    )
    crater_min_m: float = Field(default=0.4, gt=0.0, le=1e3, description='smallest crater diameter [m]')
    crater_max_m: float = Field(default=60.0, gt=0.0, le=1e4, description='largest crater diameter [m]')
    depth_ratio: float = Field(default=0.2, ge=0.0, le=0.4, description='depth over diameter of a fresh crater')
    crater_free_radius_m: float = Field(
        default=15.0, ge=0.0, le=1e4, description='around the origin, craters stay small [m]'
    )
    crater_free_max_diameter_m: float = Field(
        default=1.2, ge=0.0, le=1e3, description='largest crater in the clear region [m]'
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
    # Paths are made absolute before, where the file that names them is known.
    if value is not None and not os.path.isabs(value) and value not in preset_names():
        raise ValueError(
            f'no such preset; allowed: the path of a YAML file, or one of {allowed_names(preset_names(), value)}'
        )
    return value


PresetName = Annotated[str, AfterValidator(_known_preset)]


class DetailConfig(Section):
    """Detail finer than the posts of an elevation model; see :mod:`regolith_terrain.elevation.detail`."""

    preset: PresetName = Field('highland', description='whose small craters and texture are added')
    craters: bool = Field(True, description='whether craters narrower than two posts are added')
    finest_m: float = Field(0.05, ge=0.02, le=1.0, description='shortest wavelength [m]')
