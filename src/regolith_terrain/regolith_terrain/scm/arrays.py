# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bundles of the arrays that kernels read and write: Numba passes named tuples of arrays without copying."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_terrain.grid.node_records import Floats, Indices
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_terrain.scm.constants import FLOAT_ROWS, STAT_COUNT


class Ground(NamedTuple):
    """A window of soil (:class:`regolith_terrain.grid.soil_grid.SoilWindow`).

    Node (r, c) lies at x = (i0 + r) spacing.
    """

    base: Floats
    """Undisturbed heights with a one-node border [m], shape (ni + 2, nj + 2)."""
    upright: Floats
    """In/out: vertical part of the undisturbed ground's unit normal, zero where not yet needed, shape (ni, nj)."""
    level_initial: Floats
    """In/out [m], shape (ni, nj), as the next five."""
    level: Floats
    """In/out [m]."""
    sinkage_plastic: Floats
    """In/out [m]."""
    sigma_yield: Floats
    """In/out [Pa]."""
    mass_kgpm2: Floats
    """In/out: change of the columns' mass against virgin ground, in whole quanta [kg/m^2]."""
    touched: NDArray[np.bool_]
    """Out, set where a node was loaded or moved."""
    region: NDArray[np.uint8]
    """Row of the soil table that holds there, shape (ni, nj)."""
    i0: int
    """Index of the window's first row."""
    j0: int
    """Index of its first column."""
    spacing: float
    """Distance of the nodes [m]."""


def scm_ground(window: SoilWindow, region: NDArray[np.uint8] | None = None) -> Ground:
    """Return a window of this law's ground as the kernels take it.

    Args:
        region: Row of the soil table of each node, shape (ni, nj); none: the first everywhere.
    """
    level_initial, level, sinkage_plastic, sigma_yield, mass = window.values
    return Ground(
        window.base,
        window.upright,
        level_initial,
        level,
        sinkage_plastic,
        sigma_yield,
        mass,
        window.touched,
        region if region is not None else np.zeros(window.shape, np.uint8),
        window.i0,
        window.j0,
        window.spacing,
    )


class Shapes(NamedTuple):
    """The contact shapes of a vehicle's bodies; their frames have the wheel's axle along y."""

    kind: Indices
    """CYLINDER, GROUSERED, BOX or MESH, shape (n,)."""
    size: Floats
    """[m], shape (n, 6). Cylinder: radius, half width; count, height and thickness of grousers within that radius.
    Grousered: radius of the drum, half width; the same of grousers on it. Box: half lengths. Mesh: half lengths of its
    box, centre of that box."""
    clusters: Indices
    """First and end cluster of a mesh, shape (n, 2)."""
    sphere: Floats
    """Centre and radius of the ball round each cluster [m], shape (m, 4)."""
    triangles: Indices
    """First and end triangle of each cluster, shape (m, 2)."""
    corners: Floats
    """Corners of the triangles [m], shape (k, 9)."""


class Scratch(NamedTuple):
    """Working memory of one kernel call at a time."""

    floats: Floats
    """Shape (FLOAT_ROWS, n)."""
    ints: Indices
    """Shape (n, 8)."""
    marks: NDArray[np.int32]
    """State of each cell in bulldozing: free, loaded, to be eroded; shape (n,)."""
    cells: NDArray[np.int32]
    """The cells bulldozing moves, shape (4 n,)."""
    blade: Floats
    """A grouser's rotation, shape (3, 3)."""


class Wrench(NamedTuple):
    """Force, torque and statistics of one body's contact."""

    force: Floats
    """Force on the body, world axes [N], shape (3,)."""
    torque: Floats
    """Torque about the shape's centre, world axes [N m], shape (3,)."""
    stats: Floats
    """Statistics of the contact by the STAT columns, shape (STAT_COUNT,)."""


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False, forceinline=True)
def push_at(wrench: Wrench, rx: float, ry: float, rz: float, fx: float, fy: float, fz: float) -> None:
    """Add a force and its torque to a wrench.

    Args:
        rx: Where the force acts, from the shape's center, world axes [m], as ry, rz.
        fx: The force, world axes [N], as fy, fz.
    """
    wrench.force[0] += fx
    wrench.force[1] += fy
    wrench.force[2] += fz
    wrench.torque[0] += ry * fz - rz * fy
    wrench.torque[1] += rz * fx - rx * fz
    wrench.torque[2] += rx * fy - ry * fx


def make_scratch(reach: float, spacing: float, spread: float = 0.0) -> Scratch:
    """Return working memory that serves any orientation of a body.

    Args:
        reach: Radius of a sphere about its centre that holds it [m], see :func:`regolith_terrain.scm.shapes.reach`.
        spacing: Of the nodes [m].
        spread: Cells that erosion spreads beyond the body (SPREAD of the bulldozing parameters).
    """
    side = 2 * int(math.ceil(reach / spacing)) + 6 + 2 * (int(spread) + 2)
    n = side * side
    return Scratch(
        np.zeros((FLOAT_ROWS, n)),
        np.zeros((n, 8), dtype=np.int32),
        np.zeros(n, dtype=np.int32),
        np.zeros(4 * n, dtype=np.int32),
        np.zeros((3, 3)),
    )


def make_wrench() -> Wrench:
    """Return room for one body's wrench."""
    return Wrench(np.zeros(3), np.zeros(3), np.zeros(STAT_COUNT))
