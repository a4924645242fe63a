# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``terrain`` section of a scenario: elevation source, terrain model and soils."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BeforeValidator, Field, SerializeAsAny, ValidationInfo, model_validator

from regolith_files import Section, validated
from regolith_terrain.crm.soil import ParticleSoil
from regolith_terrain.polygons import crossing
from regolith_terrain.solids.config import ObstacleConfig
from regolith_terrain.terrain_model import DEFAULT_TERRAIN_MODEL, SCM, TerrainModel, find_terrain_model, terrain_models
from regolith_terrain.terrain_parameters import SOILS, SoilParameters
from regolith_terrain.terrain_parameters import ScmSoilConfig as ScmSoilConfig
from regolith_terrain.terrain_source_config import DetailConfig, Point, PresetName, RectangleConfig, SiteConfig
from regolith_terrain.terrain_source_config import RoughnessConfig as RoughnessConfig
from regolith_world import valid_file_name

if TYPE_CHECKING:
    # A kernel: it takes longer to load than the check of a whole scenario.
    from regolith_terrain.crm.region import ParticleRegion
    from regolith_terrain.elevation.grid import StoredValues
    from regolith_terrain.grid.soil_map import Region, SoilMap


class BulldozingConfig(Section):
    """Settings of bulldozing, displaced soil that heaps up; see :mod:`regolith_terrain.scm.bulldozing`."""

    enabled: bool = Field(default=False, description='Whether displaced soil heaps up beside wheels.')
    erosion_angle_deg: float = Field(
        default=35.0, gt=0.0, lt=90.0, description='Steepest slope of heaped loose soil [deg].'
    )
    flow_factor: float = Field(
        default=1.0, ge=0.0, le=2.0, description='Heaped volume over the volume of plastic sinkage [-].'
    )
    erosion_iterations: int = Field(default=3, ge=0, le=100, description='Number of erosion passes per substep.')
    erosion_propagations: int = Field(
        default=10, ge=0, le=50, description='Number of cells that erosion extends beyond a contact patch.'
    )

    def parameters(self) -> NDArray[np.float64]:
        """Return the bulldozing columns of the displacement rules, zeros in the rest, shape (7,)."""
        slope = math.tan(math.radians(self.erosion_angle_deg))
        own = [float(self.enabled), slope, self.flow_factor, self.erosion_iterations, self.erosion_propagations]
        return np.array([*own, 0.0, 0.0])


class SlipSinkageConfig(Section):
    """Settings of slip-sinkage: soil carried backward by a slipping wheel, see
    :mod:`regolith_terrain.scm.slip_sinkage`.

    Source: muhlhaus1987; carrier1991, the grain size.
    Checked by: test_slip_sinkage.py::test_shear_band_is_eight_median_grains.
    """

    enabled: bool | None = Field(
        default=None, description="Whether slip increases the sinkage of wheels; none: yes in mode 'regolith'."
    )
    shear_layer_m: float = Field(
        default=5.6e-4,
        gt=0.0,
        le=0.05,
        description='Thickness of the soil layer that moves at the full speed of a smooth rim, or of the grouser tips'
        ' [m]. The default is half of a shear band of 16 median grains (Muhlhaus & Vardoulakis 1987) of 70 um'
        ' (Carrier, Olhoeft & Mendell 1991), across which the speed falls to zero.',
    )

    def parameters(self) -> NDArray[np.float64]:
        """Return the slip-sinkage columns of the displacement rules, zeros in the rest, shape (7,)."""
        return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, self.shear_layer_m])


def soil_names() -> tuple[str, ...]:
    """Return the names of the shipped and installed soils, sorted."""
    return SOILS.names()


def load_soil(soil: str | Path | Mapping[str, Any], base_dir: str | Path = '.') -> ScmSoilConfig:
    """Return a soil of the default terrain model; see :func:`load_soil_of`."""
    loaded = load_soil_of(SCM, soil, base_dir)
    assert isinstance(loaded, ScmSoilConfig)
    return loaded


def load_soil_of(law: TerrainModel, soil: str | Path | Mapping[str, Any], base_dir: str | Path = '.') -> SoilParameters:
    """Return a soil of a terrain model by name, from a YAML file or from a mapping of its values.

    Args:
        law: Terrain model whose soil parameters are read.
        soil: Name (see :func:`soil_names`), path (relative to ``base_dir``) or inline mapping.
        base_dir: Folder of the scenario file.

    Raises:
        InputError: If the input is invalid. The message names file, line, key, value and allowed values.
    """
    source = law.config.files.read(soil, base_dir)
    source.data.setdefault('name', 'custom' if isinstance(soil, Mapping) else source.file.stem)
    return validated(law.config, source.data, source)


def _base_dir(info: ValidationInfo) -> Path:
    context = info.context if isinstance(info.context, Mapping) else {}
    return Path(context.get('base_dir', '.'))


def _soil_from_anything(value: Any, info: ValidationInfo) -> Any:
    """Return a soil of the terrain model that its section names."""
    if isinstance(value, SoilParameters):
        return value
    return load_soil_of(find_terrain_model(info.data.get('model') or DEFAULT_TERRAIN_MODEL), value, _base_dir(info))


Soil = Annotated[SerializeAsAny[SoilParameters], BeforeValidator(_soil_from_anything)]


def _known_law(value: str) -> str:
    find_terrain_model(value)
    return value


def _default_soil(ground: Any) -> dict[str, Any]:
    """Return the default soil section of a terrain model.

    It is empty for the default model, whose schema has a default.
    """
    if not isinstance(ground, str) or ground == DEFAULT_TERRAIN_MODEL:
        return {}
    try:
        law = find_terrain_model(ground)
    except ValueError:
        return {}  # the validator of the key reports it
    return {'soil': law.default_soil if law.default_soil is not None else {'name': ground}}


LawName = Annotated[str, AfterValidator(_known_law)]


class DiscRegionConfig(Section):
    """A disc in the horizontal plane."""

    center: Point = Field(description='Center of the disc, x, y [m].')
    radius_m: float = Field(gt=0.0, le=1e6, description='Radius of the disc [m].')


class SoilRegionConfig(Section):
    """A region of the terrain with a separate soil: a polygon, a disc or a rectangle.

    A region with ``model: crm`` consists of particles (:mod:`regolith_terrain.crm`). It is a rectangle for one vehicle.
    """

    polygon: tuple[Point, ...] | None = Field(
        default=None, min_length=3, description='Corners of a polygonal region in order, x, y [m].'
    )
    disc: DiscRegionConfig | None = Field(default=None, description='Disc of a circular region.')
    rectangle: RectangleConfig | None = Field(
        default=None, description='Rectangle of a rectangular region; the only outline for a CRM region.'
    )
    model: LawName | None = Field(
        default=None, description='Terrain model of the region; none: the model of the surrounding terrain.'
    )
    soil: Soil = Field(description='Soil of the region: name, file or parameters of its terrain model.')
    name: Annotated[str, AfterValidator(valid_file_name)] | None = Field(
        default=None, description='CRM only: name of the region in reports and file names.'
    )
    spacing_m: float | None = Field(default=None, gt=0.0, le=1.0, description='CRM only: particle spacing [m].')
    depth_m: float | None = Field(
        default=None,
        gt=0.0,
        le=100.0,
        description='CRM only: depth of the particle bed below the undisturbed surface, down to a rough floor [m].',
    )
    vehicle: str | None = Field(
        default=None,
        min_length=1,
        description='CRM only: name of the only vehicle that may enter the region; its process moves the particles.',
    )
    other_vehicles: Literal['stop', 'scm'] = Field(
        default='stop',
        description="CRM only: behavior of other vehicles at the edge of the region: 'stop' halts them, 'scm' lets them"
        ' drive on the surrounding terrain model without leaving ruts.',
    )

    @model_validator(mode='after')
    def _one_outline(self) -> SoilRegionConfig:
        if (self.polygon, self.disc, self.rectangle).count(None) != 2:
            outlines = [key for key in ('polygon', 'disc', 'rectangle') if getattr(self, key) is not None]
            problem = f'{outlines[1]}: is not the only outline' if outlines else 'has no outline'
            raise ValueError(f'{problem}; allowed: exactly one of polygon, disc and rectangle')
        if self.polygon is not None and (sides := crossing(self.polygon)):
            first, second = sides
            allowed = 'corners in order along an outline that does not cross itself'
            raise ValueError(f'polygon: sides {first} and {second} intersect; allowed: {allowed}')
        return self

    @model_validator(mode='after')
    def _particles_are_whole(self) -> SoilRegionConfig:
        given = {key: getattr(self, key) for key in ('rectangle', 'name', 'spacing_m', 'depth_m', 'vehicle')}
        if self.model != 'crm':
            extra = [key for key, value in given.items() if value is not None and key != 'rectangle']
            if extra:
                problem = 'applies only to model crm; allowed: no value, or model: crm'
                raise ValueError(f'{extra[0]} = {given[extra[0]]!r}: {problem}')
            return self
        missing = [key for key, value in given.items() if value is None]
        if missing:
            raise ValueError(f'model = crm: {missing[0]} is missing; allowed: all of {", ".join(given)}')
        assert self.rectangle is not None and self.spacing_m is not None
        (x0, y0), (x1, y1) = self.rectangle.low, self.rectangle.high
        for key, side in (('rectangle', x1 - x0), ('rectangle', y1 - y0), ('depth_m', self.depth_m)):
            assert side is not None
            count = round(side / self.spacing_m)
            if count < 2 or abs(count * self.spacing_m - side) > 1e-6:
                value = [[x0, y0], [x1, y1]] if key == 'rectangle' else side
                allowed = f'a multiple of spacing_m {self.spacing_m!r}, at least two'
                raise ValueError(f'{key} = {value}: is {side:.6g} m; allowed: {allowed}')
        return self

    def region(self) -> Region:
        """Return the outline in the form of the soil map."""
        from regolith_terrain.grid.soil_map import Region

        if self.disc is not None:
            return Region(np.array([self.disc.center], dtype=np.float64), self.disc.radius_m)
        if self.rectangle is not None:
            (x0, y0), (x1, y1) = self.rectangle.low, self.rectangle.high
            return Region(np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]), 0.0)
        return Region(np.array(self.polygon, dtype=np.float64), 0.0)

    def particles(self) -> ParticleRegion | None:
        """Return the particle region, or None if the model of this region is not CRM."""
        if self.model != 'crm':
            return None
        from regolith_terrain.crm.region import ParticleRegion

        assert self.rectangle and self.name and self.vehicle and self.spacing_m and self.depth_m
        assert isinstance(self.soil, ParticleSoil)
        return ParticleRegion(
            self.name,
            self.vehicle,
            self.rectangle.low,
            self.rectangle.high,
            self.spacing_m,
            self.depth_m,
            self.soil,
            self.other_vehicles == 'stop',
        )


def _source_from_base_dir(value: Any, info: ValidationInfo) -> Any:
    # Relative paths are resolved only for a scenario with a known folder; paths of a resolved scenario are absolute.
    if isinstance(value, str) and value not in ('procedural', 'flat') and _base_dir(info) != Path('.'):
        return str(_base_dir(info) / value)
    return value


class RockFreeConfig(Section):
    """A zone without rocks wider than 5 cm: all points within a distance of a line."""

    points: tuple[Point, ...] = Field(
        min_length=1, description='Points of the line in order, x, y [m]; a single point defines a disc.'
    )
    half_width_m: float = Field(
        gt=0.0, le=1e4, description='Half width of the zone: largest distance from the line [m].'
    )


class ProfileConfig(Section):
    """A line along which the surface height is measured at the end of a run."""

    start: Point = Field(description='Start of the line, x, y [m].')
    end: Point = Field(description='End of the line, x, y [m].')

    @model_validator(mode='after')
    def _has_length(self) -> ProfileConfig:
        if self.start == self.end:
            raise ValueError(f'end = {list(self.end)!r}: equals start; allowed: a point other than start')
        return self


North = Annotated[Literal['true', 'grid'], BeforeValidator(lambda value: 'true' if value is True else value)]
"""Direction of +y. YAML reads true without quotes as a boolean."""


class TerrainConfig(Section):
    """The terrain of a scenario: elevation source, terrain model, soils and rocks."""

    source: Annotated[str, BeforeValidator(_source_from_base_dir)] = Field(
        'procedural',
        min_length=1,
        description="Source of the terrain heights: 'procedural', 'flat' or the path of a GeoTIFF, PDS3 label or .npy"
        ' file.',
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
    scm_mode: Literal['regolith', 'reference'] = Field(
        default='regolith',
        description="SCM contact formulation: 'regolith' with the extensions of this project, or 'reference' as in"
        ' Project Chrono.',
    )
    merge_compaction: bool = Field(
        default=True,
        description='Whether ruts of other vehicles are merged with their compaction; false: as in SynChrono.',
    )
    model: LawName = Field(
        default=DEFAULT_TERRAIN_MODEL, description="Terrain model: 'scm', 'rigid' or the name of a plug-in."
    )
    soil: Soil = Field(
        default_factory=lambda: load_soil('lunar_nominal'),
        description='Soil of the terrain model: name of a shipped soil, file or parameters.',
    )
    regions: tuple[SoilRegionConfig, ...] = Field(
        default=(),
        max_length=255,
        description='Regions with separate soils; where regions overlap, the last one applies.',
    )
    bulldozing: BulldozingConfig = BulldozingConfig()
    slip_sinkage: SlipSinkageConfig = SlipSinkageConfig()
    bedrock_depth_m: float | None = Field(
        default=None,
        ge=0.0,
        le=1e4,
        description='Depth of bedrock below the undisturbed surface, which no tool can dig [m]; absent: no bedrock.',
    )

    profiles: dict[Annotated[str, Field(min_length=1, max_length=100)], ProfileConfig] = Field(
        default_factory=dict,
        max_length=100,
        description='Height profiles by name: lines along which summary and report show the height of the surface.',
    )

    @model_validator(mode='before')
    @classmethod
    def _soils_of_one_law(cls, values: Any) -> Any:
        """Add the default soil where none is given, and the model of the terrain to every region."""
        if not isinstance(values, Mapping):
            return values
        ground, regions = values.get('model', DEFAULT_TERRAIN_MODEL), values.get('regions', ())
        around = {} if ground == DEFAULT_TERRAIN_MODEL else {'model': ground}
        if regions and isinstance(regions, (list, tuple)):
            regions = tuple(
                {**_default_soil(r.get('model', DEFAULT_TERRAIN_MODEL)), **around, **r} if isinstance(r, Mapping) else r
                for r in regions
            )
        return {**_default_soil(ground), **values, **({'regions': regions} if regions else {})}

    @property
    def law(self) -> TerrainModel:
        """Terrain model that defines the node fields of the grid."""
        laws = [find_terrain_model(name) for name in self.grounds]
        return next((law for law in laws if law.own), laws[0])

    @property
    def grounds(self) -> tuple[str, ...]:
        """Names of all terrain models in use; the model of the surrounding terrain is first."""
        return tuple(dict.fromkeys((self.model, *(region.model or self.model for region in self.regions))))

    def particle_regions(self) -> tuple[ParticleRegion, ...]:
        """Return the CRM regions."""
        return tuple(part for part in (region.particles() for region in self.regions) if part is not None)

    def soil_map(self, vehicle: str | None = None) -> SoilMap:
        """Return the map of soils.

        Args:
            vehicle: Name of the vehicle whose CRM regions consist of particles. Other CRM regions get the surrounding
                soil.
        """
        from regolith_terrain.grid.soil_map import SoilMap

        here = [(region.model or self.model, region) for region in self.regions]
        places = [(self.model, self.soil)] + [
            (self.model, self.soil) if law == 'crm' and region.vehicle != vehicle else (law, region.soil)
            for law, region in here
        ]
        tables = {}
        for name in dict.fromkeys(law for law, _ in places):
            own = {row: soil.parameters() for row, (law, soil) in enumerate(places) if law == name}
            tables[name] = np.full((len(places), len(next(iter(own.values())))), np.nan)
            for row, parameters in own.items():
                tables[name][row] = parameters
        first = next(name for name in self.grounds if find_terrain_model(name) is self.law)
        particles = [part for part in self.particle_regions() if part.vehicle == vehicle]
        return SoilMap(tables.pop(first), [region.region() for region in self.regions], tables, particles)

    @model_validator(mode='after')
    def _belong_together(self) -> TerrainConfig:
        alone = [name for name in self.grounds if not find_terrain_model(name).shares]
        if alone and len(self.grounds) > 1:
            key = self._key_of(alone[0])
            raise ValueError(
                f'{key} = {alone[0]!r}: cannot be combined with other models; allowed: one model for the whole terrain'
            )
        if find_terrain_model(self.model).bounded:
            others = ', '.join(name for name in terrain_models() if name != self.model)
            raise ValueError(f'model = {self.model!r}: is valid only in regions; allowed: {others}')
        self._check_particles()
        own = [name for name in self.grounds if find_terrain_model(name).own]
        if len(own) > 1:
            # One grid has the node fields of one terrain model.
            problem = f'has separate node fields, as has {own[0]!r}'
            raise ValueError(f'{self._key_of(own[1])} = {own[1]!r}: {problem}; allowed: at most one such model')
        if len(self.grounds) > 1 and self.bulldozing.enabled:
            laws = ' and '.join(self.grounds)
            raise ValueError(f'bulldozing.enabled = true: is not supported with models {laws}; allowed: one model')
        if self.slip_sinkage.enabled and self.scm_mode == 'reference':
            raise ValueError(
                "slip_sinkage.enabled = true: is not supported in mode 'reference'; allowed: mode 'regolith'"
            )
        if self.preset is not None and self.source != 'procedural':
            raise ValueError(
                f'preset = {self.preset!r}: applies only to procedural terrain; allowed: source: procedural'
            )
        if self.source in ('procedural', 'flat'):
            given = self.model_fields_set & {'nodata', 'height_scale', 'height_offset_m', 'window', 'detail'}
            for key in sorted(key for key in given if getattr(self, key) not in (None, 0.0)):
                what = f'applies only to elevation models, not to {self.source!r}'
                raise ValueError(f'{key}: {what}; allowed: source: a file')
        return self

    def _key_of(self, ground: str) -> str:
        """Return the key that names a terrain model."""
        numbers = (number for number, region in enumerate(self.regions) if region.model == ground)
        return 'model' if self.model == ground else f'regions.{next(numbers)}.model'

    def _check_particles(self) -> None:
        """Reject CRM regions with duplicate names, overlaps, short sides, parts outside the map or below bedrock."""
        half = 0.5 * self.map_size_m
        names = set()
        for number, section in enumerate(self.regions):
            one = section.particles()
            if one is None:
                continue
            key = f'regions.{number}'
            what = f'{key}.rectangle = {[list(one.low), list(one.high)]}: region {one.name!r}'
            if one.name in names:
                raise ValueError(f'{key}.name = {one.name!r}: is the name of two regions; allowed: unique names')
            names.add(one.name)
            for other, beside in enumerate(self.regions):
                if other != number and one.meets(*beside.region().bounds()):
                    raise ValueError(
                        f'{what} overlaps regions.{other}; allowed: CRM regions that do not overlap others'
                    )
            least = 3.0 * self.spacing_m
            if min(b - a for a, b in zip(one.low, one.high, strict=True)) < least:
                raise ValueError(f'{what} is too small; allowed: sides of at least 3 spacing_m, {least:g} m')
            if max(map(abs, (*one.low, *one.high))) > half:
                raise ValueError(f'{what} is outside the map; allowed: within {half:g} m, half of map_size_m')
            if self.bedrock_depth_m is not None and one.depth > self.bedrock_depth_m:
                allowed = f'up to bedrock_depth_m {self.bedrock_depth_m!r}'
                raise ValueError(f'{key}.depth_m = {one.depth!r}: is below bedrock; allowed: {allowed}')
            if self.digs_in and not one.stops_others:
                # Others would leave no ruts, but would carry only half of the soil across the edge.
                allowed = 'stop, or slip_sinkage: {enabled: false}'
                raise ValueError(
                    f"{key}.other_vehicles = 'scm': is not supported with slip-sinkage; allowed: {allowed}"
                )

    def displacement(self) -> NDArray[np.float64]:
        """Return the displacement rules in the form of the kernels, shape (7,)."""
        rules = self.bulldozing.parameters()
        return rules + self.slip_sinkage.parameters() if self.digs_in else rules

    @property
    def digs_in(self) -> bool:
        """Whether slip-sinkage is active."""
        return self.scm_mode == 'regolith' and self.slip_sinkage.enabled is not False

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
        if self.source in ('procedural', 'flat') or self.detail == 'none':
            return None
        return self.detail if self.detail is not None else DetailConfig.model_validate({})

    @property
    def soil_name(self) -> str:
        """Name of the soil."""
        return self.soil.name
