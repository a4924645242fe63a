# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Path planner: cost to the goal from every cell, around obstacles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

Vector = NDArray[np.float64]

BLOCKED = 60.0
"""Cost of blocked ground: high but finite, so that a rover on it leaves it by the shortest path."""
_STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))


@dataclass(frozen=True)
class CostToGo:
    """Cost to go to a goal, as distances on level ground."""

    values: Vector
    """Values of the cells, rows along x [m]."""
    cell: float
    """Side of a cell [m]."""
    corner: tuple[float, float]
    """Smallest x and y of the field [m]."""

    def at(self, x: Vector, y: Vector) -> Vector:
        """Return the values at positions, bilinear between cell centers."""
        n, m = self.values.shape
        u = np.clip((np.asarray(x) - self.corner[0]) / self.cell - 0.5, 0.0, n - 1.001)
        v = np.clip((np.asarray(y) - self.corner[1]) / self.cell - 0.5, 0.0, m - 1.001)
        i, j = np.floor(u).astype(np.intp), np.floor(v).astype(np.intp)
        a, b = u - i, v - j
        z = self.values
        out: Vector = (1 - a) * ((1 - b) * z[i, j] + b * z[i, j + 1]) + a * (
            (1 - b) * z[i + 1, j] + b * z[i + 1, j + 1]
        )
        return out

    def descent(self, x: Vector, y: Vector) -> Vector:
        """Return the headings of steepest descent [rad]."""
        d = self.cell
        x, y = np.asarray(x), np.asarray(y)
        out: Vector = np.arctan2(self.at(x, y - d) - self.at(x, y + d), self.at(x - d, y) - self.at(x + d, y))
        return out

    def path(self, x: float, y: float, step_m: float = 0.5, longest_m: float = 200.0) -> Vector:
        """Return the path of descent from a position [m], shape (n, 2)."""
        points = [(x, y)]
        for _ in range(int(longest_m / step_m)):
            x, y = points[-1]
            if float(self.at(np.array(x), np.array(y))) < step_m:
                break
            heading = float(self.descent(np.array(x), np.array(y)))
            points.append((x + step_m * math.cos(heading), y + step_m * math.sin(heading)))
        return np.array(points)


def coarser(values: Vector, by: int, worst: bool) -> Vector:
    """Return means or maxima of blocks of by x by cells, without incomplete blocks at the far ends."""
    n, m = (size // by for size in values.shape)
    blocks = values[: n * by, : m * by].reshape(n, by, m, by)
    out: Vector = blocks.max(axis=(1, 3)) if worst else blocks.mean(axis=(1, 3))
    return out


def cost_to_go(
    cost: Vector,
    blocked: NDArray[np.bool_],
    goal: tuple[float, float],
    cell: float,
    corner: tuple[float, float],
    by: int = 2,
) -> CostToGo:
    """Return the cost to go of all positions (Dijkstra), on cells ``by`` times as wide as the given ones.

    Args:
        cost: Cost per distance of each cell, at least 1 [-].
        blocked: Whether a cell has cost :data:`BLOCKED` instead.
        goal: Goal x, y [m].
        cell: Side of a given cell [m].
        corner: Smallest x and y of the cells [m].
        by: Number of given cells along the side of a cell of the result.
    """
    dear = coarser(np.where(blocked, BLOCKED, cost), by, worst=False)
    wide = by * cell
    n, m = dear.shape
    number = np.arange(n * m).reshape(n, m)
    rows, columns, lengths = [], [], []
    for di, dj in _STEPS:
        here = (slice(0, n - di), slice(max(-dj, 0), m - max(dj, 0)))
        there = (slice(di, n), slice(max(dj, 0), m - max(-dj, 0)))
        rows.append(number[here].ravel())
        columns.append(number[there].ravel())
        lengths.append((0.5 * wide * math.hypot(di, dj) * (dear[here] + dear[there])).ravel())
    graph = coo_matrix(
        (np.concatenate(lengths), (np.concatenate(rows), np.concatenate(columns))), shape=(n * m, n * m)
    ).tocsr()
    i = min(max(int((goal[0] - corner[0]) / wide), 0), n - 1)
    j = min(max(int((goal[1] - corner[1]) / wide), 0), m - 1)
    values = dijkstra(graph, directed=False, indices=int(number[i, j])).reshape(n, m)
    return CostToGo(values, wide, corner)
