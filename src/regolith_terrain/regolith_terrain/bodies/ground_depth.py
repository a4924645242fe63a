# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Depth of a convex part in the ground, from its pose and the levels of the grid nodes below it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.node_records import Floats
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.solids.polyhedron import Polyhedron, underside
from regolith_world.numerics import portable_math


def underside_of_part(solid: Polyhedron, position: Floats, turn: Floats, x: Floats, y: Floats) -> Floats:
    """Return the heights at which vertical lines enter a convex part from below [m], shape (n,); inf: they miss it.

    Args:
        solid: Shape of the part.
        position: Its origin in the world [m], shape (3,).
        turn: Its rotation matrix, shape (3, 3).
        x: Positions of the lines along x [m], shape (n,).
        y: Positions along y [m], shape (n,).

    Regolith's own; checked by ``test_ground_depth.py``.
    """
    normals = portable_math.times(solid.normals, turn.T)
    corners = portable_math.times(solid.vertices[solid.triangles[:, 0]], turn.T) + position
    return underside(np.column_stack((normals, np.sum(normals * corners, axis=1))), x, y)


def nodes_below(position: Floats, reach: float, spacing: float) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return indices of all grid nodes in the square about a position, shape (n,) each.

    Args:
        position: Middle of the square [m].
        reach: Half of its side [m].
        spacing: Grid node spacing [m].
    """
    spans = [
        np.arange(math.ceil((v - reach) / spacing), math.floor((v + reach) / spacing) + 1, dtype=np.int32)
        for v in position[:2].tolist()
    ]
    i, j = np.meshgrid(*spans, indexing='ij')
    return i.ravel(), j.ravel()


def depth_in_ground(solid: Polyhedron, position: Floats, turn: Floats, grid: SoilGrid) -> float:
    """Return the depth of the deepest point of a convex part below the level of the ground [m]; negative: above it.

    Args:
        solid: Shape of the part.
        position: Its origin in the world [m], shape (3,).
        turn: Its rotation matrix, shape (3, 3).
        grid: The ground.

    Regolith's own; checked by ``test_ground_depth.py``.
    """
    points = portable_math.times(solid.vertices, turn.T) + position
    reach = float(np.abs(points[:, :2] - position[:2]).max())
    i, j = nodes_below(position, reach, grid.spacing)
    x, y = (np.asarray(k * grid.spacing, dtype=np.float64) for k in (i, j))
    depth = grid.levels(x, y) - underside_of_part(solid, position, turn, x, y)
    lowest = points[np.argmin(points[:, 2])]  # a small part may have no node below it
    least = float(grid.levels(lowest[0], lowest[1])) - float(lowest[2])
    return float(np.max([least, *depth]))
