# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the sensor tests: small scenes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from regolith_sensors.scene.scene import Scene
from regolith_sensors.surfaces.materials import Lambert, Material
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField


@pytest.fixture
def flat_scene() -> Callable[..., Scene]:
    """Return a factory of level ground, 40 m square, without detail below its grid."""

    def make(soil: Material | None = None, materials: tuple[Material, ...] = (), half: float = 19.2) -> Scene:
        ground = SoilHeightSource(SoilGrid(FlatField(), 0.1), (-half, half, -half, half))
        soil = soil if soil is not None else Lambert()
        return Scene(ground, materials, soil=soil, micro_slope_deg=0.0, micro_albedo=0.0)

    return make
