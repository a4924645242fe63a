# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the undisturbed ground of a scenario comes from."""

from __future__ import annotations

from regolith_terrain.config import TerrainConfig
from regolith_terrain.procedural import ProceduralField
from regolith_terrain.raster import RasterField
from regolith_terrain.surface import FlatField, HeightField, PlaneField

__all__ = ['FlatField', 'HeightField', 'PlaneField', 'ProceduralField', 'RasterField', 'build_height_field']


def build_height_field(config: TerrainConfig, scenario_seed: int) -> HeightField:
    """Return the undisturbed ground of a scenario.

    :param config: the scenario's terrain section
    :param scenario_seed: used by procedural ground that states no seed of its own
    :raises ValueError: if a raster cannot be used
    """
    if config.source == 'flat':
        return FlatField()
    if config.source == 'procedural':
        return ProceduralField(config.seed if config.seed is not None else scenario_seed, config.roughness)
    return RasterField.from_file(config.source, config.post_spacing_m, config.center)
