# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Named tuples of the arrays that kernels read and write; Numba passes them without copying."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.node_records import Floats, Indices
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_terrain.scm.constants import FLOAT_ROWS


class Ground(NamedTuple):
    """A window of soil (:class:`regolith_terrain.grid.soil_grid.SoilWindow`).

    Node (r, c) is at x = (i0 + r) spacing.
    """

    base: Floats
    """Undisturbed heights with a one-node border [m], shape (ni + 2, nj + 2)."""
    upright: Floats
    """Input and output: vertical component of the undisturbed unit normal, shape (ni, nj); zero until it is needed."""
    level_initial: Floats
    """Input and output: reference height of the sinkage [m], shape (ni, nj), as the next four."""
    level: Floats
    """Input and output: height [m]."""
    sinkage_plastic: Floats
    """Input and output: plastic sinkage along the normal [m]."""
    sigma_yield: Floats
    """Input and output: yield pressure [Pa]."""
    mass_kgpm2: Floats
    """Input and output: change of column mass relative to undisturbed soil, in whole quanta [kg/m^2]."""
    touched: NDArray[np.bool_]
    """Output: set where a node was loaded or moved."""
    region: NDArray[np.uint8]
    """Row of the soil table at each node, shape (ni, nj)."""
    i0: int
    """Index of the window's first row."""
    j0: int
    """Index of the window's first column."""
    spacing: float
    """Grid node spacing [m]."""


def scm_ground(window: SoilWindow, region: NDArray[np.uint8] | None = None) -> Ground:
    """Return a window of SCM soil in the form of the kernels.

    Args:
        window: Window of soil.
        region: Row of the soil table at each node, shape (ni, nj); none: the first everywhere.
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


class Scratch(NamedTuple):
    """Work arrays of one kernel call at a time."""

    floats: Floats
    """Float work array, shape (FLOAT_ROWS, n)."""
    ints: Indices
    """Integer work array, shape (n, 8)."""
    marks: NDArray[np.int32]
    """State of each cell in bulldozing: free, loaded, to be eroded; shape (n,)."""
    cells: NDArray[np.int32]
    """Cells moved by bulldozing, shape (4 n,)."""
    blade: Floats
    """Rotation of a grouser, shape (3, 3)."""


def make_scratch(reach: float, spacing: float, spread: float = 0.0) -> Scratch:
    """Return work arrays that are sufficient for any orientation of a body.

    Args:
        reach: Radius of a sphere about the body's center that contains it [m], see
            :func:`regolith_terrain.contact.shapes.reach`.
        spacing: Grid node spacing [m].
        spread: Number of cells by which erosion extends beyond the body (SPREAD of the bulldozing parameters).
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
