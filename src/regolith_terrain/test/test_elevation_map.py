# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the elevation map for viewers: extent, ruts and changes."""

from __future__ import annotations

import numpy as np

from regolith_terrain.elevation_map import BLOCK, MapWindow
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import PlaneField


def grid_with_rut() -> SoilGrid:
    """Return a soil grid z = 0.1 x + 0.5 with a rut 0.05 m deep where 1.0 <= x < 1.2 and 0 <= y < 0.4."""
    grid = SoilGrid(PlaneField(0.1, 0.0, 0.5), 0.02)
    i, j = (part.ravel().astype(np.int32) for part in np.meshgrid(np.arange(50, 60), np.arange(20), indexing='ij'))
    base = 0.1 * i * 0.02 + 0.5
    values = np.zeros((5, len(i)))
    values[0], values[1] = base, base - 0.05
    grid.apply(NodeRecords.from_values(i, j, values))
    return grid


def test_map_shows_the_plane_and_the_rut() -> None:
    """On linear terrain a cell shows its mean height; a changed cell shows the mean level of its 25 nodes."""
    view = MapWindow(grid_with_rut(), cell_m=0.1, reach_m=2.0)
    assert view.elevation() is None
    view.extend(1.0, 0.0)
    shown = view.elevation()
    assert shown is not None
    edge = BLOCK * 0.1
    assert (shown.west, shown.south) == (-edge, -edge) and shown.heights.shape == (2 * BLOCK, 2 * BLOCK)
    x = shown.west + (np.arange(2 * BLOCK) + 0.5) * 0.1
    rut = shown.sinkage > 0.0
    assert rut.sum() == 2 * 4
    assert np.allclose(shown.sinkage[rut], 0.05, rtol=0, atol=1e-12)
    plain = np.broadcast_to((0.1 * x + 0.5)[:, None], shown.heights.shape)
    assert np.allclose(shown.heights[~rut], plain[~rut], rtol=0, atol=1e-12)
    # The mean of nodes at 1.00 ... 1.08 is 1 cm west of the cell center: 1 mm of height on this slope.
    assert np.allclose(shown.heights[rut], plain[rut] - 0.05 - 0.001, rtol=0, atol=1e-12)


def test_map_grows_by_blocks_and_leaves_the_rest_unknown() -> None:
    view = MapWindow(SoilGrid(PlaneField(), 0.02), cell_m=0.1, reach_m=1.0)
    view.extend(5.0, 5.0)
    view.extend(30.0, 5.0)
    shown = view.elevation()
    assert shown is not None and shown.heights.shape == (3 * BLOCK, BLOCK)
    assert np.isnan(shown.heights[BLOCK : 2 * BLOCK]).all() and np.isfinite(shown.heights[2 * BLOCK :]).all()


def test_map_away_from_the_diagonal_keeps_rut_positions() -> None:
    """The map starts three blocks south of the origin and one west of it; the rut stays at its position."""
    view = MapWindow(grid_with_rut(), cell_m=0.1, reach_m=2.0)
    view.extend(1.0, 0.0)
    view.extend(1.0, -30.0)
    shown = view.elevation()
    assert shown is not None and (shown.west, shown.south) == (-BLOCK * 0.1, -3 * BLOCK * 0.1)
    i, j = np.nonzero(shown.sinkage > 0.0)
    assert sorted(set((i - BLOCK).tolist())) == [10, 11] and sorted(set((j - 3 * BLOCK).tolist())) == [0, 1, 2, 3]


def test_map_changes_are_those_since_the_last_call() -> None:
    grid = grid_with_rut()
    view = MapWindow(grid)
    assert len(view.changes()) == 200 and len(view.changes()) == 0
    i = np.array([40, 55], dtype=np.int32)
    values = np.zeros((5, 2))
    values[1] = [0.3, 0.4]
    grid.apply(NodeRecords.from_values(i, np.zeros(2, dtype=np.int32), values))
    news = view.changes()
    assert news.i.tolist() == [40, 55] and news.level.tolist() == [0.3, 0.4]
