# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the sensor tests: small scenes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from regolith_sensors.brdf import PRESETS, HapkeParameters
from regolith_sensors.dust.density import BLOCK, CELLS_M, DensityGrid
from regolith_sensors.dust.optics import DustOptics, dust_optics
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


@pytest.fixture
def dust_box() -> Callable[..., DustOptics]:
    """Return a factory of boxes of uniform dust."""

    def make(
        low: Sequence[float],
        high: Sequence[float],
        beta: float,
        parameters: HapkeParameters = PRESETS['lunar_sato2014'],
    ) -> DustOptics:
        """Return uniform dust with an extinction coefficient [1/m] between two corners [m] on planes of cells.

        The density falls from beta to 0 within half a cell of each face, on both sides of it.
        """
        cell = CELLS_M[0]
        first, last = (np.rint(np.array(corner) / cell).astype(int) for corner in (low, high))
        blocks = (first - 1) // BLOCK
        size = last // BLOCK - blocks + 1
        lookup = np.arange(size.prod(), dtype=np.int32).reshape(size)
        cells = np.stack(np.meshgrid(*[np.arange(BLOCK)] * 3, indexing='ij'), axis=-1).reshape(-1, 3)
        at = (np.argwhere(lookup >= 0)[:, None] + blocks) * BLOCK + cells
        # Corners on a face have half the density.
        share = np.clip(np.minimum(at - first, last - at) + 0.5, 0.0, 1.0).prod(axis=2)
        sums = np.ascontiguousarray(beta * share[None], dtype=np.float32)
        return dust_optics(DensityGrid.of([(blocks * (BLOCK * cell), cell, lookup)], sums), parameters)

    return make
