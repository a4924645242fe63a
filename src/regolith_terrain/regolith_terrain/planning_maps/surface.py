# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Surface seen from above: soil, and the solids on it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid import SoilGrid
from regolith_terrain.solids import Solids

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_ABOVE_M = 1e-3
"""A vertical line has met a solid if it ends this far above the soil [m]."""
_PLACES = (-0.375, -0.125, 0.125, 0.375)
"""Places in a cell along each axis, in widths of the cell from its center."""


def surface_from_above(grid: SoilGrid, solids: Solids | None, x: Floats, y: Floats) -> tuple[Floats, Bools]:
    """Return heights seen from above [m], and whether a rock or obstacle is there; shapes as those of the positions.

    Args:
        grid: Soil grid.
        solids: Rocks and obstacles; None: there are none.
        x: Positions along x [m].
        y: Positions along y [m], of the same shape.

    Tests: test_terrain_maps.py::test_layers_of_a_flat_ground_with_a_crate.
    """
    levels = grid.levels(x, y)
    if solids is None:
        return levels, np.zeros(levels.shape, dtype=bool)
    tops = solids.tops(x.ravel(), y.ravel(), levels.ravel()).reshape(levels.shape)
    return tops, tops > levels + _ABOVE_M


def places_in_cells(x: Floats, y: Floats, cell_m: float) -> Iterator[tuple[Floats, Floats]]:
    """Yield 4 x 4 places in each cell [m], one of each cell at a time.

    Args:
        x: Centers of the cells along x [m].
        y: Centers along y [m], of the same shape.
        cell_m: Width of a cell [m].
    """
    for dx in _PLACES:
        for dy in _PLACES:
            yield x + dx * cell_m, y + dy * cell_m
