# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Builders of the height field and the rocks of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from regolith_terrain.config import TerrainConfig
from regolith_terrain.elevation.detail import detail_field
from regolith_terrain.elevation.raster import RasterField
from regolith_terrain.height_field import FlatField, HeightField, PlaneField
from regolith_terrain.lunar.field import LunarField
from regolith_terrain.lunar.presets import load_preset
from regolith_terrain.lunar.rocks import RockField
from regolith_terrain.procedural import ProceduralField
from regolith_terrain.tiles.tile_floor import TileFloor
from regolith_terrain.tiles.tunnels import read_tunnels

if TYPE_CHECKING:
    from regolith_terrain.elevation.grid import ElevationGrid

__all__ = [
    'FlatField',
    'HeightField',
    'LunarField',
    'PlaneField',
    'ProceduralField',
    'RasterField',
    'RockField',
    'build_height_field',
    'build_rocks',
    'open_configured_model',
    'read_elevation_model',
]


def build_height_field(config: TerrainConfig, scenario_seed: int) -> HeightField:
    """Return the height field of a scenario.

    Args:
        config: Terrain section of the scenario.
        scenario_seed: Seed of procedural terrain and detail without a separate seed.

    Raises:
        ValueError: If an elevation model or a tile list cannot be used.
    """
    if config.source == 'flat':
        return FlatField()
    if config.has_tiles:
        return TileFloor(read_tunnels(config.source))
    seed = config.seed if config.seed is not None else scenario_seed
    if config.source == 'procedural':
        if config.preset is not None:
            return LunarField(seed, load_preset(config.preset))
        return ProceduralField(seed, config.roughness)
    raster = read_elevation_model(config)
    detail = config.detail_between_posts
    if config.detail is None and raster.body not in ('moon', None):
        detail = None
    spacing = max(raster.spacing, raster.spacing_across)
    # Default detail is omitted where it would not be finer, or where too few posts define the roughness.
    if detail is None or (config.detail is None and (spacing <= 2.0 * detail.finest_m or min(raster.posts.shape) < 9)):
        return raster
    return raster.with_detail(
        detail_field(
            raster.posts,
            spacing,
            seed,
            load_preset(detail.preset),
            finest_m=detail.finest_m,
            craters=detail.craters,
        )
    )


def open_configured_model(config: TerrainConfig) -> ElevationGrid:
    """Return the grid of a scenario's elevation model without reading heights."""
    from regolith_terrain.elevation.open_model import open_elevation_model

    return open_elevation_model(config.source, config.post_spacing_m, config.stored_values)


def read_elevation_model(config: TerrainConfig) -> RasterField:
    """Return the posts of a scenario's elevation model, without detail.

    Raises:
        ValueError: If the elevation model cannot be used.
    """
    part = config.window
    return RasterField.from_file(
        config.source,
        config.post_spacing_m,
        config.center,
        config.north,
        values=config.stored_values,
        window=None if part is None else (*part.low, *part.high),
    )


def build_rocks(config: TerrainConfig, scenario_seed: int) -> RockField | None:
    """Return the rocks of a scenario's terrain; None without rocks.

    Args:
        config: Terrain section of the scenario.
        scenario_seed: Seed of terrain without a separate seed.
    """
    field = build_height_field(config, scenario_seed) if config.has_rocks else None
    free = [(np.array(part.points, dtype=np.float64), part.half_width_m) for part in config.rock_free_zones]
    if isinstance(field, RasterField) and isinstance(field.detail, LunarField):
        return RockField(field.detail, free, field)
    return RockField(field, free) if isinstance(field, LunarField) else None
