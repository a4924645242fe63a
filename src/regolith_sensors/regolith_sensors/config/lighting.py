# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Section ``light`` of a scenario: the Sun, its reflectance and rendering settings; spotlights of vehicles."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    field_validator,
    model_validator,
)

from regolith_files import InputError, Section, YamlSource, usable_file
from regolith_sensors.brdf import PRESETS, remaining_mean_slope
from regolith_sensors.config.materials import HapkeSurfaceConfig, SurfaceConfig
from regolith_sensors.config.sensor_types import Mount
from regolith_sensors.config.sensors import Floats
from regolith_sensors.ephemeris import sun_over, utc_time
from regolith_sensors.light import Spotlight, Sun
from regolith_sensors.moon_axis import has_astronomy_engine
from regolith_sensors.night_sky import sky_over
from regolith_sensors.rays import registry
from regolith_world.numerics import rotation

Intensity = Annotated[float, Field(ge=0.0, le=1e6)]


class SpotlightConfig(Section):
    """A spotlight on a vehicle; it shines along x of its own frame."""

    mount: Mount = Field(default_factory=Mount)
    intensity_w_sr: tuple[Intensity, Intensity, Intensity] = Field(
        (30.0, 30.0, 30.0), description='red, green, blue [W/sr]'
    )
    inner_angle_deg: float = Field(15.0, gt=0.0, lt=89.0, description='half angle of the full cone [deg]')
    outer_angle_deg: float = Field(25.0, gt=0.0, lt=90.0, description='half angle where it has faded [deg]')

    @model_validator(mode='after')
    def _ordered(self) -> SpotlightConfig:
        if self.inner_angle_deg >= self.outer_angle_deg:
            raise ValueError(
                f'inner_angle_deg = {self.inner_angle_deg!r}: is not below outer_angle_deg; allowed: < '
                f'{self.outer_angle_deg!r}'
            )
        return self

    def spotlight(self, position: Floats, orientation: Floats) -> Spotlight:
        """Return the lamp of a vehicle whose base has this position [m] and orientation (x, y, z, w) in the world."""
        turn = rotation.matrix(orientation)
        return Spotlight(
            position + turn @ self.mount.position,
            turn @ rotation.matrix(self.mount.orientation)[:, 0],
            self.intensity_w_sr,
            math.radians(self.inner_angle_deg),
            math.radians(self.outer_angle_deg),
        )


class FixedSunConfig(Section):
    """The sun in a fixed direction."""

    azimuth_deg: float = Field(ge=-360.0, le=360.0, description='clockwise from north (+y) [deg]')
    elevation_deg: float = Field(ge=-90.0, le=90.0, description='Elevation of the Sun above the horizon [deg].')


DEFAULT_REFLECTANCE = 'lunar_sato2014'
YEARS = 1900, 2100
"""First and last year of the times that ``light.sun`` accepts."""


class LunarSunConfig(Section):
    """The sun over a place on the Moon; it moves with simulated time.

    The place is that of the world's origin unless stated.
    """

    latitude_deg: float | None = Field(
        None, ge=-90.0, le=90.0, description="selenographic [deg]; none: of the world's origin"
    )
    longitude_deg: float | None = Field(
        None, ge=-180.0, le=360.0, description="selenographic, east positive [deg]; none: of the world's origin"
    )
    north_deg: float | None = Field(
        None,
        ge=-360.0,
        le=360.0,
        description='bearing of +y of the world, clockwise from true north [deg]; none: that of the elevation model',
    )
    utc: str = Field(description='at the start of the run, e.g. 2026-11-21T12:00:00Z; years 1900 to 2100')

    @field_validator('utc')
    @classmethod
    def _time(cls, text: str) -> str:
        try:
            year = utc_time(text).year
        except (ValueError, OverflowError):
            raise ValueError('is no time; allowed: ISO 8601, e.g. 2026-11-21T12:00:00Z') from None
        if not YEARS[0] <= year <= YEARS[1]:
            raise ValueError(f'is out of range; allowed: years from {YEARS[0]} to {YEARS[1]}')
        return text

    @property
    def start(self) -> datetime:
        """Return the time at the start of the run; without a zone it is UTC."""
        return utc_time(self.utc)


class SkyConfig(Section):
    """Earth and stars in the sky of a place and time, which ``light.sun`` states."""

    stars: bool = Field(True, description='whether images show the 5000 brightest stars')
    earth: bool = Field(True, description='whether images show the Earth with its phase')
    earthshine: bool = Field(False, description='whether the Earth lights the scene; one shadow ray per pixel')


class HorizonConfig(Section):
    """Terrain beyond ``view_range_m`` that hides the sun, from elevation models around the site.

    The place is that of the world's origin unless stated.
    """

    models: tuple[str, ...] = Field(
        min_length=1, description='paths of elevation models of the Moon around the site, finest first'
    )
    spacing_m: float = Field(50.0, ge=1.0, le=5000.0, description='distance of the posts with a horizon [m]')
    azimuths: int = Field(360, ge=8, le=3600, description='number of azimuths of the horizon')
    latitude_deg: float | None = Field(
        None, ge=-90.0, le=90.0, description="selenographic [deg]; none: of the world's origin"
    )
    longitude_deg: float | None = Field(
        None, ge=-180.0, le=360.0, description="selenographic, east positive [deg]; none: of the world's origin"
    )
    altitude_m: float | None = Field(
        None,
        ge=-20_000.0,
        le=20_000.0,
        description='height of z = 0 of the world in the models [m]; none: of its origin',
    )
    north_deg: float | None = Field(
        None,
        ge=-360.0,
        le=360.0,
        description='bearing of +y of the world, clockwise from true north [deg]; none: that of the elevation model',
    )

    @field_validator('models')
    @classmethod
    def _files(cls, models: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        source = (info.context or {}).get('source')
        folder = '.' if source is None else source.base_dir(('light', 'horizon', 'models'))
        found = []
        for number, path in enumerate(models):
            try:
                found.append(str(usable_file(path, 'the path of an elevation model', folder)))
            except InputError as error:
                (problem,) = error.problems
                raise ValueError(f'{number}: {problem.problem}; allowed: {problem.allowed}') from None
        return tuple(found)


def _sun_kind(value: Any) -> str:
    """Return 'at' or 'over', by the keys that only one of the two has."""
    keys = value if isinstance(value, dict) else type(value).model_fields if isinstance(value, BaseModel) else ()
    return 'over' if not {'latitude_deg', 'longitude_deg', 'utc'}.isdisjoint(keys) else 'at'


AnySun = Annotated[
    Annotated[FixedSunConfig, Tag('at')] | Annotated[LunarSunConfig, Tag('over')], Discriminator(_sun_kind)
]


def _known_soil(name: str) -> str:
    if name not in PRESETS:
        raise ValueError(f'no such reflectance; allowed: {", ".join(PRESETS)}')
    return name


def note_idle_keys(light: LightConfig, source: YamlSource) -> None:
    """Warn of values that have no effect beside the other values of the section.

    Args:
        light: Section ``light``.
        source: File of the scenario.
    """
    if light.horizon is not None and light.sun is None:
        source.warn(('light', 'horizon'), 'has no effect, because light.sun is null', 'state a sun, or no horizon')
    if light.ephemeris != 'meeus' and not isinstance(light.sun, LunarSunConfig):
        problem = f'has no effect, because light.sun {"is null" if light.sun is None else "has a fixed direction"}'
        source.warn(('light', 'ephemeris'), problem, 'light.sun with utc, or leave it out', light.ephemeris)
    if light.reflectance != DEFAULT_REFLECTANCE and not isinstance(light.soil, HapkeSurfaceConfig):
        problem = f'has no effect, because light.soil has the type {light.soil.type}'
        source.warn(('light', 'reflectance'), problem, 'light.soil: {type: hapke}, or leave it out', light.reflectance)


class LightConfig(Section):
    """The ``light`` section: the sun, and the look of the ground."""

    sun: AnySun | None = Field(
        FixedSunConfig(azimuth_deg=120.0, elevation_deg=20.0),
        description='azimuth_deg and elevation_deg, or latitude_deg, longitude_deg and utc; null: night',
    )
    reflectance: Annotated[str, AfterValidator(_known_soil)] = Field(
        DEFAULT_REFLECTANCE, description="parameters of Hapke's reflectance of the ground"
    )
    soil: SurfaceConfig = Field(
        default_factory=HapkeSurfaceConfig, description='reflectance model of the ground and its parameters'
    )
    rocks: SurfaceConfig | None = Field(
        None, description='reflectance model of rocks; null: that of Hapke for mare rock'
    )
    micro_relief: Literal['shadowed', 'slopes_only'] = Field(
        'shadowed',
        description='relief below the grid: with clods, craters and shadows, or slopes of a fractal surface alone',
    )
    micro_slope_deg: float = Field(10.0, ge=0.0, le=40.0, description='r.m.s. slope of relief below the grid [deg]')
    micro_albedo: float = Field(0.06, ge=0.0, le=0.5, description='r.m.s. of the relative brightness below the grid')
    vehicle_dust: float = Field(
        0.35,
        ge=0.0,
        le=1.0,
        description='share of wheels and of the lowest parts of hulls that dust covers in images [-]',
    )
    ephemeris: Literal['meeus', 'astronomy_engine'] = Field(
        'meeus', description='position of the sun: series to 0.04 deg, or the package astronomy-engine to 0.004 deg'
    )
    sky: SkyConfig | None = Field(None, description='Earth and stars; null: a black sky')
    horizon: HorizonConfig | None = Field(
        None, description='far terrain that hides the sun; null: only terrain within view_range_m does'
    )
    view_range_m: float = Field(1000.0, ge=10.0, le=20_000.0, description='to which the ground is shown [m]')
    ray_backend: Annotated[str, AfterValidator(registry.check)] = Field(
        registry.DEFAULT_RAY_BACKEND, description='back end that traces rays'
    )
    terrain_detail: float = Field(6.0, ge=1.0, le=40.0, description='cells are about distance / (32 detail) wide')

    @field_validator('ephemeris')
    @classmethod
    def _installed(cls, name: str) -> str:
        if name == 'astronomy_engine' and not has_astronomy_engine():
            raise ValueError(
                'needs the Python package astronomy-engine, which is not installed; allowed: meeus; fix: pip install '
                'astronomy-engine'
            )
        return name

    @model_validator(mode='after')
    def _sky_has_a_time(self) -> LightConfig:
        if self.sky is not None and not isinstance(self.sun, LunarSunConfig):
            raise ValueError('sky: needs the place and time of light.sun; allowed: a sun with utc')
        return self

    @model_validator(mode='after')
    def _relief_within_roughness(self) -> LightConfig:
        if self.micro_relief == 'shadowed' and isinstance(self.soil, HapkeSurfaceConfig):
            try:
                remaining_mean_slope(PRESETS[self.reflectance].theta, math.tan(math.radians(self.micro_slope_deg)))
            except ValueError as error:
                raise ValueError(
                    f'micro_slope_deg = {self.micro_slope_deg!r}: {error}, or micro_relief: slopes_only'
                ) from None
        return self

    def sun_at(self, t_ns: int) -> Sun | None:
        """Return the sun at a simulated time [ns]."""
        if self.sun is None:
            return None
        if isinstance(self.sun, FixedSunConfig):
            return Sun(math.radians(self.sun.azimuth_deg), math.radians(self.sun.elevation_deg))
        when = self.sun.start + timedelta(microseconds=t_ns // 1000)
        latitude, longitude, north = self.sun.latitude_deg, self.sun.longitude_deg, self.sun.north_deg or 0.0
        assert latitude is not None and longitude is not None, 'resolved with the scenario'
        place = math.radians(latitude), math.radians(longitude)
        over = sun_over(*place, when, self.ephemeris == 'astronomy_engine')
        sun = replace(over, azimuth=(over.azimuth - math.radians(north)) % (2.0 * math.pi))
        if self.sky is None:
            return sun
        shown = self.sky.stars, self.sky.earth, self.sky.earthshine
        return replace(sun, sky=sky_over(*place, math.radians(north), when, sun, *shown))
