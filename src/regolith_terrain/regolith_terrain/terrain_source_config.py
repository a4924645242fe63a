# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of terrain heights: procedural relief, detail, elevation models, rocks, grid."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator

from regolith_files import Section, allowed_names
from regolith_terrain.lunar.presets import preset_names
from regolith_terrain.solids.config import ObstacleConfig

if TYPE_CHECKING:
    from regolith_terrain.elevation.grid import StoredValues

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


def base_dir(info: ValidationInfo) -> Path:
    """Return the folder of the scenario file that is validated."""
    context = info.context if isinstance(info.context, Mapping) else {}
    return Path(context.get('base_dir', '.'))


def _source_from_base_dir(value: Any, info: ValidationInfo) -> Any:
    # Relative paths are resolved only for a scenario with a known folder; paths of a resolved scenario are absolute.
    if isinstance(value, str) and value not in ('procedural', 'flat') and base_dir(info) != Path('.'):
        return str(base_dir(info) / value)
    return value


class RockFreeConfig(Section):
    """A zone without rocks wider than 5 cm: all points within a distance of a line."""

    points: tuple[Point, ...] = Field(
        min_length=1, description='Points of the line in order, x, y [m]; a single point defines a disc.'
    )
    half_width_m: float = Field(
        gt=0.0, le=1e4, description='Half width of the zone: largest distance from the line [m].'
    )


North = Annotated[Literal['true', 'grid'], BeforeValidator(lambda value: 'true' if value is True else value)]
"""Direction of +y. YAML reads true without quotes as a boolean."""


class ElevationSettings(Section):
    """Keys of a ``terrain`` section for its heights, rocks, obstacles and grid."""

    source: Annotated[str, BeforeValidator(_source_from_base_dir)] = Field(
        'procedural',
        min_length=1,
        description="Source of the terrain heights: 'procedural', 'flat' or the path of a GeoTIFF, PDS3 label or .npy"
        ' file. The path of a tile list (.csv) gives tunnels with walls and roofs.',
    )
    preset: PresetName | None = Field(
        None,
        description="Preset of procedural lunar terrain, or its YAML file; none: gentle relief defined by 'roughness'.",
    )
    rocks: bool = Field(
        True, description='Whether the rocks of the preset, or of the detail between posts, are present.'
    )
    rock_collision: bool = Field(True, description='Whether vehicles collide with rocks wider than 5 cm.')
    rock_friction: float = Field(
        default=0.8, ge=0.0, le=10.0, description='Coulomb friction coefficient of rocks in contact with any body [-].'
    )
    obstacles: dict[Annotated[str, Field(min_length=1, max_length=100)], ObstacleConfig] = Field(
        default_factory=dict,
        description="Obstacles by name; in a resolved scenario a copy of the scenario section 'obstacles'.",
    )
    clear_paths_of_rocks: bool = Field(
        True,
        description='Whether rocks wider than 5 cm are removed from the starts and predefined paths of the vehicles.',
    )
    rock_free_zones: tuple[RockFreeConfig, ...] = Field(
        default=(),
        max_length=10_000,
        description='Additional zones without rocks wider than 5 cm; in a resolved scenario also the paths of the'
        ' vehicles.',
    )
    spacing_m: float = Field(default=0.02, ge=0.002, le=1.0, description='Grid node spacing of the soil grid [m].')
    map_size_m: float = Field(
        default=100.0,
        gt=0.0,
        le=1e5,
        description='Side of the square of maps and rocks around the origin [m]; the terrain continues beyond it.'
        ' Vehicles and sensors have rocks in a square of 400 m at most.',
    )
    seed: int | None = Field(
        default=None, ge=0, lt=2**63, description='Seed of procedural terrain; none: the seed of the scenario.'
    )
    post_spacing_m: float | None = Field(
        default=None,
        gt=0.0,
        le=1e4,
        description='Post spacing that replaces the value stated in the elevation model file [m].',
    )
    nodata: float | None = Field(
        default=None, description='Stored value of posts without a height; needed where the file does not declare it.'
    )
    height_scale: float | None = Field(
        default=None,
        gt=0.0,
        le=1e6,
        description='Height of one unit of the stored values of an elevation model [m]; none: 1 m, or what the file'
        ' states; required for gray images.',
    )
    height_offset_m: float = Field(
        default=0.0, ge=-1e7, le=1e7, description='Height of a scaled value of zero of an elevation model [m].'
    )
    window: RectangleConfig | None = Field(
        default=None,
        description='Part of an elevation model that is read, x and y from its center [m]; none: all of it, or of a'
        ' model of more than 4 million posts the part that vehicles reach and sensors see.',
    )
    site: SiteConfig | None = Field(
        default=None,
        description='Location of the origin on its celestial body; none: that of a georeferenced elevation model.',
    )
    center: tuple[float, float] | None = Field(
        None,
        description='Origin of the scenario in the elevation model: latitude, longitude [deg], or map coordinates'
        ' of the file [m]; none: the center of the model.',
    )
    north: North = Field('true', description="Direction of +y: 'true' north or 'grid' north of the elevation model.")
    detail: DetailConfig | Literal['none'] | None = Field(
        None,
        description='Detail between the posts of an elevation model; absent: highlands on lunar maps, none on others;'
        " 'none': no detail.",
    )
    roughness: RoughnessConfig = RoughnessConfig()

    @property
    def has_tiles(self) -> bool:
        """Whether the source is a list of tiles."""
        return self.source.lower().endswith('.csv')

    @property
    def has_elevation_model(self) -> bool:
        """Whether the source is the file of an elevation model."""
        return self.source not in ('procedural', 'flat') and not self.has_tiles

    @property
    def has_rocks(self) -> bool:
        """Whether rocks are present."""
        return self.rocks and (self.preset is not None or self.detail_between_posts is not None)

    @property
    def stored_values(self) -> StoredValues:
        """Values of the scenario that interpret the stored heights of an elevation model file."""
        from regolith_terrain.elevation.grid import StoredValues  # GDAL is slow to import

        return StoredValues(self.nodata, self.height_scale, self.height_offset_m)

    @property
    def detail_between_posts(self) -> DetailConfig | None:
        """Detail between the posts of an elevation model; None for other sources and where it is disabled."""
        if not self.has_elevation_model or self.detail == 'none':
            return None
        return self.detail if self.detail is not None else DetailConfig.model_validate({})
