# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Regions of the terrain: outline, terrain model and soil, for any terrain model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, SerializeAsAny, ValidationInfo, model_validator

from regolith_files import Section, validated
from regolith_terrain.polygons import crossing
from regolith_terrain.terrain_model import DEFAULT_TERRAIN_MODEL, TerrainModel, find_terrain_model
from regolith_terrain.terrain_parameters import SoilParameters
from regolith_terrain.terrain_source_config import Point, RectangleConfig, base_dir

if TYPE_CHECKING:
    # A kernel: it takes longer to load than the check of a whole scenario.
    from regolith_terrain.grid.soil_map import Region


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


def _soil_from_anything(value: Any, info: ValidationInfo) -> Any:
    """Return a soil of the terrain model that its section names."""
    if isinstance(value, SoilParameters):
        return value
    return load_soil_of(find_terrain_model(info.data.get('model') or DEFAULT_TERRAIN_MODEL), value, base_dir(info))


Soil = Annotated[SerializeAsAny[SoilParameters], BeforeValidator(_soil_from_anything)]


def _known_law(value: str) -> str:
    find_terrain_model(value)
    return value


LawName = Annotated[str, AfterValidator(_known_law)]


class DiscRegionConfig(Section):
    """A disc in the horizontal plane."""

    center: Point = Field(description='Center of the disc, x, y [m].')
    radius_m: float = Field(gt=0.0, le=1e6, description='Radius of the disc [m].')


class OutlineConfig(Section):
    """Outline, terrain model and soil of a region of the terrain."""

    polygon: tuple[Point, ...] | None = Field(
        default=None, min_length=3, description='Corners of a polygonal region in order, x, y [m].'
    )
    disc: DiscRegionConfig | None = Field(default=None, description='Disc of a circular region.')
    rectangle: RectangleConfig | None = Field(
        default=None,
        description='Rectangle of a rectangular region; the only outline for a CRM region.',
    )
    model: LawName | None = Field(
        default=None, description='Terrain model of the region; none: the model of the surrounding terrain.'
    )
    soil: Soil = Field(description='Soil of the region: name, file or parameters of its terrain model.')

    @model_validator(mode='after')
    def _one_outline(self) -> OutlineConfig:
        if (self.polygon, self.disc, self.rectangle).count(None) != 2:
            outlines = [key for key in ('polygon', 'disc', 'rectangle') if getattr(self, key) is not None]
            problem = f'{outlines[1]}: is not the only outline' if outlines else 'has no outline'
            raise ValueError(f'{problem}; allowed: exactly one of polygon, disc and rectangle')
        if self.polygon is not None and (sides := crossing(self.polygon)):
            first, second = sides
            allowed = 'corners in order along an outline that does not cross itself'
            raise ValueError(f'polygon: sides {first} and {second} intersect; allowed: {allowed}')
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
