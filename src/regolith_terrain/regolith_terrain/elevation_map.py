# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Elevation map around the vehicles for visualization, and the changed grid nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regolith_terrain.grid.node_records import Floats, NodeRecords, node_key
from regolith_terrain.grid.soil_grid import SoilGrid

BLOCK = 128
"""Side length in cells of the blocks by which a map grows."""


@dataclass(frozen=True, slots=True)
class ElevationMap:
    """Heights of square cells."""

    west: float
    """x of the western edge [m]."""
    south: float
    """y of the southern edge [m]."""
    cell_m: float
    """Edge of a cell [m]."""
    heights: Floats
    """Heights of cell centers [m], shape (nx, ny), first index along x."""
    sinkage: Floats
    """Mean sinkage of a cell's changed nodes [m], shape (nx, ny); 0 without changed nodes."""


class MapWindow:
    """Elevation map around all positions given to :meth:`extend`; grows by whole blocks.

    A cell with changed nodes has their mean level, any other the undisturbed height at its center.
    """

    def __init__(self, grid: SoilGrid, cell_m: float = 0.1, reach_m: float = 8.0) -> None:
        """Create an empty map of a soil grid.

        Args:
            grid: Committed soil, read only.
            cell_m: Side length of a cell [m]; at least the grid node spacing is used.
            reach_m: Radius mapped around each position [m].
        """
        self.grid = grid
        self.cell_m = max(cell_m, grid.spacing)
        self._reach = reach_m
        self._blocks: dict[tuple[int, int], Floats] = {}
        self._shown = NodeRecords.empty(grid.law.names)

    def extend(self, x: float, y: float) -> None:
        """Add the area around a position [m] to the map."""
        edge = BLOCK * self.cell_m
        low, high = (np.floor((np.array([x, y]) + s * self._reach) / edge).astype(int) for s in (-1.0, 1.0))
        for a in range(low[0], high[0] + 1):
            for b in range(low[1], high[1] + 1):
                if (a, b) not in self._blocks:
                    # Nodes are at whole cells, the center of a cell is half a cell further.
                    i, j = a * BLOCK, b * BLOCK
                    corners = self.grid.height_field.coarse_nodes(i, i + BLOCK + 1, j, j + BLOCK + 1, self.cell_m)
                    middle = corners[1:, 1:] + corners[1:, :-1] + corners[:-1, 1:] + corners[:-1, :-1]
                    self._blocks[a, b] = 0.25 * middle

    def elevation(self) -> ElevationMap | None:
        """Return the map, with NaN in unvisited blocks; None before the first position."""
        if not self._blocks:
            return None
        index = np.array(sorted(self._blocks))
        low, high = index.min(axis=0), index.max(axis=0) + 1
        heights = np.full((high - low) * BLOCK, np.nan)
        for (a, b), block in self._blocks.items():
            i, j = (np.array([a, b]) - low) * BLOCK
            heights[i : i + BLOCK, j : j + BLOCK] = block
        sinkage = np.zeros_like(heights)
        records = self.grid.all_records()
        x, y = positions(records, self.grid.spacing)
        i = np.floor(x / self.cell_m).astype(int) - low[0] * BLOCK
        j = np.floor(y / self.cell_m).astype(int) - low[1] * BLOCK
        inside = (i >= 0) & (i < heights.shape[0]) & (j >= 0) & (j < heights.shape[1])
        flat = np.ravel_multi_index((i[inside], j[inside]), heights.shape)
        count = np.bincount(flat, minlength=heights.size)
        hit = np.nonzero(count)[0]
        level = np.bincount(flat, records.level[inside], heights.size)[hit] / count[hit]
        initial = np.bincount(flat, records.level_initial[inside], heights.size)[hit] / count[hit]
        heights.reshape(-1)[hit] = level
        sinkage.reshape(-1)[hit] = initial - level
        west, south = (low * BLOCK * self.cell_m).tolist()
        return ElevationMap(west, south, self.cell_m, heights, sinkage)

    def changes(self) -> NodeRecords:
        """Return the nodes that have changed since the last call."""
        before, now = self._shown, self.grid.all_records()
        self._shown = now
        if len(before) == 0:
            return now
        at = np.searchsorted(node_key(before.i, before.j), node_key(now.i, now.j)).clip(max=len(before) - 1)
        same = (node_key(before.i, before.j)[at] == node_key(now.i, now.j)) & (before.level[at] == now.level)
        fresh = np.nonzero(~same)[0]
        return NodeRecords.from_values(now.i[fresh], now.j[fresh], now.table[:, fresh], now.fields)


def positions(records: NodeRecords, spacing: float) -> tuple[Floats, Floats]:
    """Return x and y of nodes [m], each of shape (n,)."""
    return np.asarray(records.i * spacing, np.float64), np.asarray(records.j * spacing, np.float64)
