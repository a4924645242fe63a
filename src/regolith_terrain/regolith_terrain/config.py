# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``terrain`` section of a scenario: source of the ground, its sampling and its soil."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BeforeValidator, Field, SerializeAsAny, ValidationInfo, model_validator

from regolith_files.section import Section
from regolith_files.validation import validated
from regolith_terrain.crm.soil import ParticleSoil
from regolith_terrain.polygons import crossing
from regolith_terrain.solids.config import ObstacleConfig
from regolith_terrain.terrain_model import DEFAULT, SCM, TerrainModel, terrain_model, terrain_models
from regolith_terrain.terrain_parameters import SOILS, SoilParameters
from regolith_terrain.terrain_parameters import ScmSoilConfig as ScmSoilConfig
from regolith_terrain.terrain_source_config import DetailConfig, Point, PresetName, RectangleConfig, SiteConfig
from regolith_terrain.terrain_source_config import RoughnessConfig as RoughnessConfig
from regolith_world.names import file_name

if TYPE_CHECKING:
    # A kernel: it takes longer to load than the whole scenario to check.
    from regolith_terrain.crm.region import ParticleRegion
    from regolith_terrain.elevation.grid import StoredValues
    from regolith_terrain.grid.soil_map import Region, SoilMap


class BulldozingConfig(Section):
    """Bulldozing: displaced soil that heaps up beside a wheel (:mod:`regolith_terrain.scm.bulldozing`)."""

    enabled: bool = Field(default=False, description='whether displaced soil heaps up')
    erosion_angle_deg: float = Field(default=35.0, gt=0.0, lt=90.0, description='steepest slope of loose soil [deg]')
    flow_factor: float = Field(
        default=1.0, ge=0.0, le=2.0, description='volume that heaps up over volume of the plastic set [-]'
    )
    erosion_iterations: int = Field(default=3, ge=0, le=100, description='sweeps of erosion per substep')
    erosion_propagations: int = Field(default=10, ge=0, le=50, description='cells erosion reaches beyond a patch')

    def parameters(self) -> NDArray[np.float64]:
        """Return its part of the rules of displaced soil, zeros in the rest, shape (7,)."""
        slope = math.tan(math.radians(self.erosion_angle_deg))
        own = [float(self.enabled), slope, self.flow_factor, self.erosion_iterations, self.erosion_propagations]
        return np.array([*own, 0.0, 0.0])


class SlipSinkageConfig(Section):
    """Slip-sinkage: soil that a slipping wheel carries behind it (:mod:`regolith_terrain.scm.slip_sinkage`).

    Source: muhlhaus1987; carrier1991, the grain size.
    Checked by: test_slip_sinkage.py::test_the_shear_band_is_eight_median_grains.
    """

    enabled: bool | None = Field(
        default=None, description="whether slipping wheels dig themselves in; none: in mode 'regolith'"
    )
    shear_layer_m: float = Field(
        default=5.6e-4,
        gt=0.0,
        le=0.05,
        description='thickness of the soil that goes with a smooth rim, or below grousers, in terms of soil at its full'
        ' speed [m]; the default is half of a shear band of 16 median grains (Muhlhaus & Vardoulakis 1987) of 70 um'
        ' (Carrier, Olhoeft & Mendell 1991), across which the speed falls to nothing',
    )

    def parameters(self) -> NDArray[np.float64]:
        """Return its part of the rules of displaced soil, zeros in the rest, shape (7,)."""
        return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, self.shear_layer_m])


def soil_names() -> tuple[str, ...]:
    """Return the names of the soil sets that ship or are installed, sorted."""
    return SOILS.names()


def load_soil(soil: str | Path | Mapping[str, Any], base_dir: str | Path = '.') -> ScmSoilConfig:
    """Return a soil of the default law; see :func:`load_soil_of`."""
    loaded = load_soil_of(SCM, soil, base_dir)
    assert isinstance(loaded, ScmSoilConfig)
    return loaded


def load_soil_of(law: TerrainModel, soil: str | Path | Mapping[str, Any], base_dir: str | Path = '.') -> SoilParameters:
    """Return a soil by name, from a YAML file or from a mapping of its values.

    Args:
        law: whose parameters they are
        soil: name (see :func:`soil_names`), path (relative ones start at ``base_dir``) or inline mapping
        base_dir: folder of the scenario file

    Raises:
        InputError: naming file, line, key, value and what is allowed
    """
    source = law.config.files.read(soil, base_dir)
    source.data.setdefault('name', 'custom' if isinstance(soil, Mapping) else source.file.stem)
    return validated(law.config, source.data, source)


def _base_dir(info: ValidationInfo) -> Path:
    context = info.context if isinstance(info.context, Mapping) else {}
    return Path(context.get('base_dir', '.'))


def _soil_from_anything(value: Any, info: ValidationInfo) -> Any:
    """Return a soil under the law that its own section names: a region does not know that of the ground around."""
    if isinstance(value, SoilParameters):
        return value
    return load_soil_of(terrain_model(info.data.get('model') or DEFAULT), value, _base_dir(info))


Soil = Annotated[SerializeAsAny[SoilParameters], BeforeValidator(_soil_from_anything)]


def _known_law(value: str) -> str:
    terrain_model(value)
    return value


def _default_soil(ground: Any) -> dict[str, Any]:
    """Return the soil section of a law where none is named; nothing for the default law, whose schema has it."""
    if not isinstance(ground, str) or ground == DEFAULT:
        return {}
    try:
        law = terrain_model(ground)
    except ValueError:
        return {}  # the key itself will say so
    return {'soil': law.default_soil if law.default_soil is not None else {'name': ground}}


LawName = Annotated[str, AfterValidator(_known_law)]


class DiscRegionConfig(Section):
    """A disc on the ground."""

    center: Point = Field(description='x, y [m]')
    radius_m: float = Field(gt=0.0, le=1e6, description='[m]')


class SoilRegionConfig(Section):
    """A part of the ground with a soil of its own: a polygon, a disc or a rectangle.

    One with ``model: crm`` is particles (:mod:`regolith_terrain.crm`): a rectangle that belongs to one vehicle.
    """

    polygon: tuple[Point, ...] | None = Field(default=None, min_length=3, description='corners in order, x, y [m]')
    disc: DiscRegionConfig | None = Field(default=None, description='centre and radius')
    rectangle: RectangleConfig | None = Field(default=None, description='two corners; the only outline for particles')
    model: LawName | None = Field(default=None, description='soil law of the region; none: that of the ground around')
    soil: Soil = Field(description='what lies there, parameters of that law')
    name: Annotated[str, AfterValidator(file_name)] | None = Field(
        default=None, description='of particles, in reports and file names'
    )
    spacing_m: float | None = Field(default=None, gt=0.0, le=1.0, description='distance of particles [m]')
    depth_m: float | None = Field(
        default=None, gt=0.0, le=100.0, description='of particles below undisturbed ground, down to a rough floor [m]'
    )
    vehicle: str | None = Field(default=None, min_length=1, description='the only vehicle that may enter particles')
    other_vehicles: Literal['stop', 'scm'] = Field(
        default='stop',
        description='what others do at the edge of particles: stand still, or go on as on the ground'
        ' around, without leaving marks',
    )

    @model_validator(mode='after')
    def _one_outline(self) -> SoilRegionConfig:
        if (self.polygon, self.disc, self.rectangle).count(None) != 2:
            outlines = [key for key in ('polygon', 'disc', 'rectangle') if getattr(self, key) is not None]
            problem = f'{outlines[1]}: is not the only outline' if outlines else 'has no outline'
            raise ValueError(f'{problem}; allowed: exactly one of polygon, disc and rectangle')
        if self.polygon is not None and (sides := crossing(self.polygon)):
            first, second = sides
            allowed = 'corners in order along the outline, which meets itself nowhere'
            raise ValueError(f'polygon: sides {first} and {second} meet; allowed: {allowed}')
        return self

    @model_validator(mode='after')
    def _particles_are_whole(self) -> SoilRegionConfig:
        given = {key: getattr(self, key) for key in ('rectangle', 'name', 'spacing_m', 'depth_m', 'vehicle')}
        if self.model != 'crm':
            extra = [key for key, value in given.items() if value is not None and key != 'rectangle']
            if extra:
                problem = 'applies to particles only; allowed: left out, or model: crm'
                raise ValueError(f'{extra[0]} = {given[extra[0]]!r}: {problem}')
            return self
        missing = [key for key, value in given.items() if value is None]
        if missing:
            raise ValueError(f'model = crm: without {missing[0]}; allowed: with {", ".join(given)}')
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
        """Return the outline as the soil map takes it."""
        from regolith_terrain.grid.soil_map import Region

        if self.disc is not None:
            return Region(np.array([self.disc.center], dtype=np.float64), self.disc.radius_m)
        if self.rectangle is not None:
            (x0, y0), (x1, y1) = self.rectangle.low, self.rectangle.high
            return Region(np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]), 0.0)
        return Region(np.array(self.polygon, dtype=np.float64), 0.0)

    def particles(self) -> ParticleRegion | None:
        """Return the region of particles, if that is what lies here."""
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
    # Only a scenario that names its own folder has its relative paths resolved; a resolved scenario is absolute.
    if isinstance(value, str) and value not in ('procedural', 'flat') and _base_dir(info) != Path('.'):
        return str(_base_dir(info) / value)
    return value


class RockFreeConfig(Section):
    """Ground that rocks wider than 5 cm are kept off: all within a distance of a line."""

    points: tuple[Point, ...] = Field(min_length=1, description='of the line in order, x, y [m]; one alone: a disc')
    half_width_m: float = Field(gt=0.0, le=1e4, description='how far from the line [m]')


class ProfileConfig(Section):
    """A line along which the ground is measured at the end of a run."""

    start: Point = Field(description='x, y [m]')
    end: Point = Field(description='x, y [m]')

    @model_validator(mode='after')
    def _has_length(self) -> ProfileConfig:
        if self.start == self.end:
            raise ValueError(f'end = {list(self.end)!r}: is the start, too; allowed: places that differ')
        return self


North = Annotated[Literal['true', 'grid'], BeforeValidator(lambda value: 'true' if value is True else value)]
"""YAML reads true without quotes as a truth value."""


class TerrainConfig(Section):
    """The ground: its source, its soil law and its soils."""

    source: Annotated[str, BeforeValidator(_source_from_base_dir)] = Field(
        'procedural', min_length=1, description="'procedural', 'flat' or the path of a GeoTIFF, PDS3 label or .npy"
    )
    preset: PresetName | None = Field(
        None, description="kind of procedural lunar ground, or its YAML file; none: gentle ground as 'roughness' says"
    )
    rocks: bool = Field(True, description='whether a preset, or detail between posts, has its rocks')
    rock_collision: bool = Field(True, description='whether vehicles collide with rocks wider than 5 cm')
    rock_friction: float = Field(
        default=0.8, ge=0.0, le=10.0, description='Coulomb coefficient of rocks against anything [-]'
    )
    obstacles: dict[Annotated[str, Field(min_length=1, max_length=100)], ObstacleConfig] = Field(
        default_factory=dict, description="the scenario's section obstacles, in a resolved scenario"
    )
    clear_paths_of_rocks: bool = Field(
        True, description='whether rocks wider than 5 cm are kept off the starts and given paths of the vehicles'
    )
    rock_free_zones: tuple[RockFreeConfig, ...] = Field(
        default=(), max_length=10_000, description='further ground without such rocks; in a resolved scenario the paths'
    )
    spacing_m: float = Field(default=0.02, ge=0.002, le=1.0, description='spacing of the soil grid [m]')
    map_size_m: float = Field(
        default=100.0,
        gt=0.0,
        le=1e5,
        description='extent of maps and of rocks, at most 400 m [m]; the ground itself continues',
    )
    seed: int | None = Field(default=None, ge=0, lt=2**63, description='of procedural ground; none: the scenario seed')
    post_spacing_m: float | None = Field(
        default=None, gt=0.0, le=1e4, description='overrides the spacing a raster states [m]'
    )
    nodata: float | None = Field(
        default=None, description='Stored value of posts without a height, where the file does not declare it.'
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
        default=None, description='Place of the origin on its body; none: that of a georeferenced elevation model.'
    )
    center: tuple[float, float] | None = Field(
        None, description="origin: latitude, longitude [deg], or the raster's own coordinates [m]; none: its middle"
    )
    north: North = Field('true', description="whether +y is true north or the raster's own")
    detail: DetailConfig | Literal['none'] | None = Field(
        None,
        description='Detail between the posts of a raster; absent: highlands on lunar maps, none on others;'
        " 'none': none.",
    )
    roughness: RoughnessConfig = RoughnessConfig()
    scm_mode: Literal['regolith', 'reference'] = Field(
        default='regolith', description='soil contact model: ours or the reference'
    )
    compaction_transfer: bool = Field(
        default=True, description='whether ruts of others arrive compacted; false: as SynChrono'
    )
    model: LawName = Field(
        default=DEFAULT, description="soil law: what the ground is made of, 'scm', 'rigid' or a plug-in's name"
    )
    soil: Soil = Field(default_factory=lambda: load_soil('lunar_nominal'), description='parameters of that law')
    regions: tuple[SoilRegionConfig, ...] = Field(
        default=(), max_length=255, description='parts with other soils; where they overlap the last one holds'
    )
    bulldozing: BulldozingConfig = BulldozingConfig()
    slip_sinkage: SlipSinkageConfig = SlipSinkageConfig()
    bedrock_depth_m: float | None = Field(
        default=None, ge=0.0, le=1e4, description='of rock that no tool digs below undisturbed ground [m]; absent: none'
    )

    profiles: dict[Annotated[str, Field(min_length=1, max_length=100)], ProfileConfig] = Field(
        default_factory=dict, max_length=100, description='lines whose heights are in summary and report, by names'
    )

    @model_validator(mode='before')
    @classmethod
    def _soils_of_one_law(cls, values: Any) -> Any:
        """Return the values with a law's default soil where none is named, and the ground's law in every region."""
        if not isinstance(values, Mapping):
            return values
        ground, regions = values.get('model', DEFAULT), values.get('regions', ())
        around = {} if ground == DEFAULT else {'model': ground}
        if regions and isinstance(regions, (list, tuple)):
            regions = tuple(
                {**_default_soil(r.get('model', DEFAULT)), **around, **r} if isinstance(r, Mapping) else r
                for r in regions
            )
        return {**_default_soil(ground), **values, **({'regions': regions} if regions else {})}

    @property
    def law(self) -> TerrainModel:
        """Law whose fields all nodes have: of those side by side the one with fields of its own."""
        laws = [terrain_model(name) for name in self.grounds]
        return next((law for law in laws if law.own), laws[0])

    @property
    def grounds(self) -> tuple[str, ...]:
        """Names of all laws that hold somewhere, that of the ground around first."""
        return tuple(dict.fromkeys((self.model, *(region.model or self.model for region in self.regions))))

    def particle_regions(self) -> tuple[ParticleRegion, ...]:
        """Return the regions of particles."""
        return tuple(part for part in (region.particles() for region in self.regions) if part is not None)

    def soil_map(self, vehicle: str | None = None) -> SoilMap:
        """Return the map of soils.

        Args:
            vehicle: whose particles are particles; all others' are soil as around them
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
        first = next(name for name in self.grounds if terrain_model(name) is self.law)
        particles = [part for part in self.particle_regions() if part.vehicle == vehicle]
        return SoilMap(tables.pop(first), [region.region() for region in self.regions], tables, particles)

    @model_validator(mode='after')
    def _belong_together(self) -> TerrainConfig:
        alone = [name for name in self.grounds if not terrain_model(name).shares]
        if alone and len(self.grounds) > 1:
            key = self._key_of(alone[0])
            raise ValueError(f'{key} = {alone[0]!r}: does not lie beside others; allowed: on all of the ground')
        if terrain_model(self.model).bounded:
            others = ', '.join(name for name in terrain_models() if name != self.model)
            raise ValueError(f'model = {self.model!r}: is valid only in regions; allowed: {others}')
        self._check_particles()
        own = [name for name in self.grounds if terrain_model(name).own]
        if len(own) > 1:
            # One grid has the node fields of one law.
            problem = f'has node fields of its own, as has {own[0]!r}'
            raise ValueError(f'{self._key_of(own[1])} = {own[1]!r}: {problem}; allowed: one that has')
        if len(self.grounds) > 1 and self.bulldozing.enabled:
            laws = ' and '.join(self.grounds)
            raise ValueError(f'bulldozing.enabled = true: on ground of {laws}; allowed: on ground of one law')
        if self.slip_sinkage.enabled and self.scm_mode == 'reference':
            raise ValueError("slip_sinkage.enabled = true: in mode 'reference'; allowed: in mode 'regolith'")
        if self.preset is not None and self.source != 'procedural':
            raise ValueError(
                f'preset = {self.preset!r}: is of procedural ground; allowed: only with source: procedural'
            )
        if self.source in ('procedural', 'flat'):
            given = self.model_fields_set & {'nodata', 'height_scale', 'height_offset_m', 'window', 'detail'}
            for key in sorted(key for key in given if getattr(self, key) not in (None, 0.0)):
                what = f'is of elevation models, not of {self.source!r}'
                raise ValueError(f'{key}: {what}; allowed: where source is a file')
        return self

    def _key_of(self, ground: str) -> str:
        """Return the key that names a soil law."""
        numbers = (number for number, region in enumerate(self.regions) if region.model == ground)
        return 'model' if self.model == ground else f'regions.{next(numbers)}.model'

    def _check_particles(self) -> None:
        """Refuse regions of particles of one name, under another region, too small, off the site, below bedrock."""
        half = 0.5 * self.map_size_m
        names = set()
        for number, section in enumerate(self.regions):
            one = section.particles()
            if one is None:
                continue
            key = f'regions.{number}'
            what = f'{key}.rectangle = {[list(one.low), list(one.high)]}: region {one.name!r}'
            if one.name in names:
                raise ValueError(f'{key}.name = {one.name!r}: two regions have it; allowed: a name for each')
            names.add(one.name)
            for other, beside in enumerate(self.regions):
                if other != number and one.meets(*beside.region().bounds()):
                    raise ValueError(f'{what} overlaps regions.{other}; allowed: particles beside other regions')
            least = 3.0 * self.spacing_m
            if min(b - a for a, b in zip(one.low, one.high, strict=True)) < least:
                raise ValueError(f'{what} holds hardly a node; allowed: sides of 3 spacing_m, {least:g} m')
            if max(map(abs, (*one.low, *one.high))) > half:
                raise ValueError(f'{what} leaves the terrain; allowed: within {half:g} m, half of size_m')
            if self.bedrock_depth_m is not None and one.depth > self.bedrock_depth_m:
                allowed = f'up to bedrock_depth_m {self.bedrock_depth_m!r}'
                raise ValueError(f'{key}.depth_m = {one.depth!r}: goes below bedrock; allowed: {allowed}')
            if self.digs_in and not one.stops_others:
                # Others would leave no marks, but half of what they carry across the edge.
                allowed = 'stop, or slip_sinkage: {enabled: false}'
                raise ValueError(f"{key}.other_vehicles = 'scm': where wheels carry soil; allowed: {allowed}")

    def displacement(self) -> NDArray[np.float64]:
        """Return the rules of displaced soil as the kernels take them, shape (7,)."""
        rules = self.bulldozing.parameters()
        return rules + self.slip_sinkage.parameters() if self.digs_in else rules

    @property
    def digs_in(self) -> bool:
        """Whether slipping wheels dig themselves in."""
        return self.scm_mode == 'regolith' and self.slip_sinkage.enabled is not False

    @property
    def has_rocks(self) -> bool:
        """Whether rocks lie on the ground."""
        return self.rocks and (self.preset is not None or self.detail_between_posts is not None)

    @property
    def stored_values(self) -> StoredValues:
        """What the user states about the values in the file of an elevation model."""
        from regolith_terrain.elevation.grid import StoredValues  # GDAL is costly to import

        return StoredValues(self.nodata, self.height_scale, self.height_offset_m)

    @property
    def detail_between_posts(self) -> DetailConfig | None:
        """Detail between the posts of an elevation model; None for other ground, and where it is switched off."""
        if self.source in ('procedural', 'flat') or self.detail == 'none':
            return None
        return self.detail if self.detail is not None else DetailConfig.model_validate({})

    @property
    def soil_name(self) -> str:
        """Name of the soil set."""
        return self.soil.name
