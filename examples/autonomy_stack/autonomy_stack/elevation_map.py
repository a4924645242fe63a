# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Elevation map: a grid of heights, collected from point clouds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class ElevationMap:
    """Mean and maximum height of points in square cells around the start.

    Of more than ``remembers`` points in a cell only the newer ones count, because the position of the rover drifts.

    Args:
        half_m: Half of the side of the map [m].
        cell_m: Side of a cell [m].
        remembers: Number of points that count per cell.
    """

    def __init__(self, half_m: float = 56.0, cell_m: float = 0.2, remembers: float = 60.0) -> None:
        self.cell, self.half, self._remembers = cell_m, half_m, remembers
        n = 2 * round(half_m / cell_m)
        self.count = np.zeros((n, n))
        """Weight of the points in each cell, rows along x, columns along y."""
        self.mean = np.full((n, n), np.nan)
        """Mean height of each cell [m]; NaN without points."""
        self.top = np.full((n, n), np.nan)
        """Maximum height in each cell [m]."""

    def indices(self, x: Vector, y: Vector) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
        """Return rows, columns and whether each position is on the map."""
        i = np.floor((np.asarray(x) + self.half) / self.cell).astype(np.intp)
        j = np.floor((np.asarray(y) + self.half) / self.cell).astype(np.intp)
        n = len(self.mean)
        there = (i >= 0) & (i < n) & (j >= 0) & (j < n)
        return np.where(there, i, 0), np.where(there, j, 0), there

    def add(self, points: Vector) -> None:
        """Add points in the level frame [m], shape (n, 3)."""
        i, j, there = self.indices(points[:, 0], points[:, 1])
        n = len(self.mean)
        flat, z = (i * n + j)[there], points[there, 2]
        cells, inverse, fresh = np.unique(flat, return_inverse=True, return_counts=True)
        mean = np.bincount(inverse, z) / fresh
        top = np.full(len(cells), -np.inf)
        np.maximum.at(top, inverse, z)
        count, old = self.count.reshape(-1), self.mean.reshape(-1)
        before = np.minimum(count[cells], self._remembers)
        share = fresh / (before + fresh)
        seen = before > 0.0
        old[cells] = np.where(seen, old[cells] + share * (mean - old[cells]), mean)
        tops = self.top.reshape(-1)
        # A maximum that later points do not reach again was noise or has moved, so it is lowered to theirs.
        lower = tops[cells] + share * (top - tops[cells])
        tops[cells] = np.where(seen, np.maximum(top, lower), top)
        count[cells] = before + fresh

    def height(self, x: Vector, y: Vector) -> tuple[Vector, Vector, Vector, NDArray[np.bool_]]:
        """Return bilinear heights [m], their slopes along x and y, and where all four surrounding cells are known."""
        u = (np.asarray(x) + self.half) / self.cell - 0.5
        v = (np.asarray(y) + self.half) / self.cell - 0.5
        n = len(self.mean)
        i, j = np.floor(u).astype(np.intp), np.floor(v).astype(np.intp)
        there = (i >= 0) & (i < n - 1) & (j >= 0) & (j < n - 1)
        i, j = np.where(there, i, 0), np.where(there, j, 0)
        a, b = u - i, v - j
        corners = self.mean[i, j], self.mean[i + 1, j], self.mean[i, j + 1], self.mean[i + 1, j + 1]
        z00, z10, z01, z11 = corners
        height = (1 - a) * ((1 - b) * z00 + b * z01) + a * ((1 - b) * z10 + b * z11)
        along_x = ((1 - b) * (z10 - z00) + b * (z11 - z01)) / self.cell
        along_y = ((1 - a) * (z01 - z00) + a * (z11 - z10)) / self.cell
        return height, along_x, along_y, there & np.isfinite(height)
