# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``terrain`` section of a scenario: elevation source, terrain model and soils."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from regolith_files import Section, as_yaml_text
from regolith_terrain.crm import ParticleRegionSettings
from regolith_terrain.region_config import LawName, Soil, load_soil_of
from regolith_terrain.scm import ScmSettings, ScmSoilConfig
from regolith_terrain.terrain_model import DEFAULT_TERRAIN_MODEL, TerrainModel, find_terrain_model, terrain_models
from regolith_terrain.terrain_parameters import SOILS
from regolith_terrain.terrain_source_config import ElevationSettings, Point

if TYPE_CHECKING:
    # A kernel: it takes longer to load than the check of a whole scenario.
    from regolith_terrain.grid.owned_region import OwnedRegion
    from regolith_terrain.grid.soil_map import SoilMap


def soil_names() -> tuple[str, ...]:
    """Return the names of the shipped and installed soils, sorted."""
    return SOILS.names()


def load_soil(soil: str | Path | Mapping[str, Any], base_dir: str | Path = '.') -> ScmSoilConfig:
    """Return a soil of the default terrain model; see :func:`load_soil_of`."""
    loaded = load_soil_of(find_terrain_model(DEFAULT_TERRAIN_MODEL), soil, base_dir)
    assert isinstance(loaded, ScmSoilConfig)
    return loaded


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


class SoilRegionConfig(ParticleRegionSettings):
    """A region of the terrain with a separate soil: a polygon, a disc or a rectangle.

    A region with ``model: crm`` consists of particles (:mod:`regolith_terrain.crm`). It is a rectangle for one vehicle.
    """

    def owned(self) -> OwnedRegion | None:
        """Return the region as one that belongs to a vehicle; None if its terrain model is valid everywhere."""
        lay_region = None if self.model is None else find_terrain_model(self.model).lay_region
        return None if lay_region is None else lay_region(self)


class ProfileConfig(Section):
    """A line along which the surface height is measured at the end of a run."""

    start: Point = Field(description='Start of the line, x, y [m].')
    end: Point = Field(description='End of the line, x, y [m].')

    @model_validator(mode='after')
    def _has_length(self) -> ProfileConfig:
        if self.start == self.end:
            raise ValueError(f'end = {list(self.end)!r}: equals start; allowed: a point other than start')
        return self


def _profile_name(name: str) -> str:
    if not re.fullmatch(r'\w[\w .:+-]{0,99}', name):
        raise ValueError(
            f'{as_yaml_text(name)} is no name of a profile; allowed: a letter or digit, then up to 99 letters, digits, '
            'spaces, and _ . : + -'
        )
    return name


class TerrainConfig(ScmSettings, ElevationSettings):
    """The terrain of a scenario: elevation source, terrain model, soils and rocks."""

    merge_compaction: bool = Field(
        default=True,
        description='Whether ruts of other vehicles are merged with their compaction; false: as in SynChrono.',
    )
    model: LawName = Field(
        default=DEFAULT_TERRAIN_MODEL,
        description=f"Terrain model: {DEFAULT_TERRAIN_MODEL!r}, 'rigid' or the name of a plug-in.",
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
    bedrock_depth_m: float | None = Field(
        default=None,
        ge=0.0,
        le=1e4,
        description='Depth of bedrock below the undisturbed surface, which no tool can dig [m]; absent: no bedrock.',
    )

    profiles: dict[Annotated[str, AfterValidator(_profile_name)], ProfileConfig] = Field(
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

    def owned_regions(self) -> tuple[OwnedRegion, ...]:
        """Return the regions that belong to a vehicle."""
        return tuple(own for own in (region.owned() for region in self.regions) if own is not None)

    def soil_map(self, vehicle: str | None = None) -> SoilMap:
        """Return the map of soils.

        Args:
            vehicle: Name of the vehicle whose regions have their own soil. Regions of other vehicles get the
                surrounding soil.
        """
        from regolith_terrain.grid.soil_map import SoilMap

        owners = [own.vehicle if own is not None else vehicle for own in (region.owned() for region in self.regions)]
        places = [(self.model, self.soil)] + [
            (region.model or self.model, region.soil) if owner == vehicle else (self.model, self.soil)
            for region, owner in zip(self.regions, owners, strict=True)
        ]
        tables = {}
        for name in dict.fromkeys(law for law, _ in places):
            own = {row: soil.parameters() for row, (law, soil) in enumerate(places) if law == name}
            absent = find_terrain_model(name).config.absent()
            tables[name] = np.array([own.get(row, absent) for row in range(len(places))], dtype=np.float64)
        first = next(name for name in self.grounds if find_terrain_model(name) is self.law)
        owned = [region for region in self.owned_regions() if region.vehicle == vehicle]
        return SoilMap(tables.pop(first), [region.region() for region in self.regions], tables, owned)

    @model_validator(mode='after')
    def _belong_together(self) -> TerrainConfig:
        alone = [name for name in self.grounds if not find_terrain_model(name).is_combinable]
        if alone and len(self.grounds) > 1:
            key = self._key_of(alone[0])
            raise ValueError(
                f'{key} = {alone[0]!r}: cannot be combined with other models; allowed: one model for the whole terrain'
            )
        if find_terrain_model(self.model).lay_region is not None:
            others = ', '.join(name for name in terrain_models() if name != self.model)
            raise ValueError(f'model = {self.model!r}: is valid only in regions; allowed: {others}')
        self._check_owned_regions()
        own = [name for name in self.grounds if find_terrain_model(name).own]
        if len(own) > 1:
            # One grid has the node fields of one terrain model.
            problem = f'has separate node fields, as has {own[0]!r}'
            raise ValueError(f'{self._key_of(own[1])} = {own[1]!r}: {problem}; allowed: at most one such model')
        if len(self.grounds) > 1 and self.bulldozing.enabled:
            laws = ' and '.join(self.grounds)
            raise ValueError(f'bulldozing.enabled = true: is not supported with models {laws}; allowed: one model')
        if self.preset is not None and self.source != 'procedural':
            raise ValueError(
                f'preset = {self.preset!r}: applies only to procedural terrain; allowed: source: procedural'
            )
        if not self.has_elevation_model:
            given = self.model_fields_set & {'nodata', 'height_scale', 'height_offset_m', 'window', 'detail'}
            for key in sorted(key for key in given if getattr(self, key) not in (None, 0.0)):
                what = f'applies only to elevation models, not to {self.source!r}'
                raise ValueError(f'{key}: {what}; allowed: source: a file')
        return self

    def _key_of(self, ground: str) -> str:
        """Return the key that names a terrain model."""
        numbers = (number for number, region in enumerate(self.regions) if region.model == ground)
        return 'model' if self.model == ground else f'regions.{next(numbers)}.model'

    def _check_owned_regions(self) -> None:
        """Reject regions of vehicles with equal names, overlaps, short sides, parts outside the map or in bedrock."""
        half = 0.5 * self.map_size_m
        names = set()
        for number, section in enumerate(self.regions):
            one = section.owned()
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
                    f'{key}.other_vehicles = {section.other_vehicles!r}: is not supported with slip-sinkage; '
                    f'allowed: {allowed}'
                )

    @property
    def soil_name(self) -> str:
        """Name of the soil."""
        return self.soil.name
