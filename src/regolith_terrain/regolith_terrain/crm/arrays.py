# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of a bed of particles, and named tuples of them for kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]
Bytes = NDArray[np.uint8]

# Columns of a particle: position [m], velocity [m/s], stress [Pa] (compression negative), world axes.
X, Y, Z, U, V, W, XX, YY, ZZ, XY, YZ, ZX, COLUMNS = range(13)

SOIL, MARKER = 0, 1
"""Kinds of particles. Markers fill walls and bodies near their surface, and extrapolate the soil there."""


FRICTIONAL, CAM_CLAY, FLUID = range(3)
"""Material laws: the yield criteria of a soil, and a fluid without one."""

# Columns of a particle's memory under Cam Clay: preconsolidation pressure [Pa], volume per volume of grains [-].
PRECONSOLIDATION, SPECIFIC, MEMORY = range(3)


class Material(NamedTuple):
    """Soil parameters in the form of the kernels."""

    law: int
    """FRICTIONAL, CAM_CLAY or FLUID."""
    density: float
    """Bulk density [kg/m^3], constant: pressure follows from the stress, not from an equation of state."""
    shear_modulus: float
    """Shear modulus G [Pa]; under Cam Clay that of the stiffest soil."""
    bulk_modulus: float
    """Bulk modulus K [Pa]; under Cam Clay that of the stiffest soil."""
    friction: float
    """Static friction coefficient mu_s [-]; under Cam Clay M, the ratio q / p in the critical state [-]."""
    limiting_friction: float
    """Friction coefficient mu_2 in fast flow [-]."""
    thickening: float
    """I_0 / (d sqrt(rho)) [sqrt(m / kg)], which defines the increase of friction with the shear rate."""
    cohesion: float
    """Cohesion c [Pa]."""
    swelling: float
    """Cam Clay only: swelling index kappa, the decrease of specific volume with ln(p) on unloading [-]."""
    compression: float
    """Cam Clay only: compression index lambda, the same on first loading [-]."""
    viscosity: float = 0.0
    """Fluid only: dynamic viscosity [Pa s]."""


class Scheme(NamedTuple):
    """Numerical parameters of the discretization."""

    spacing: float
    """Particle spacing d_0 [m]."""
    length: float
    """Smoothing length h [m]; the kernel extends to 2 h."""
    steepness: float
    """Gradient factor of the kernel, :func:`regolith_terrain.crm.smoothing.steepness` [1/m^5]."""
    volume: float
    """Volume of a particle, d_0^3 [m^3]."""
    viscosity: float
    """Coefficient alpha of the artificial viscosity [-]."""
    sound_speed: float
    """Sound speed sqrt(K / rho) [m/s]."""
    shifting: float
    """Fraction of the neighbors' mean velocity that moves a particle (XSPH) [-]."""
    surface: float
    """Divergence of position (3 deep in soil) below which a particle is on the free surface [-]."""
    corrected: bool
    """Whether velocity gradients are corrected to be exact for linear fields."""


class Neighbors(NamedTuple):
    """Neighbor lists: offsets into runs of cells, one byte each.

    Particles are sorted by cell, z fastest. The 27 cells around a particle are nine runs of rows, one in each of the
    nine surrounding columns of cells. The list of a row has, for each run, a count and that many offsets from the
    first row of the run.
    """

    offsets: Bytes
    """Lists of all rows, concatenated."""
    begin: NDArray[np.int64]
    """Start of the list of each row, -1 for none, shape (n,)."""
    cell: NDArray[np.int64]
    """Cell of each row, shape (n,)."""
    first: Rows
    """First row of each cell, and the number of rows at the end, shape (cells + 1,)."""
    around: NDArray[np.int64]
    """Surrounding columns of cells of each column, including itself, in a fixed order, shape (columns, 9)."""
    shift: Floats
    """Offset added to a particle's x and y for comparison with those of such a column in a periodic bed [m], shape
    (columns, 9, 2)."""
    height: int
    """Number of cells of a column."""


class BoundaryBodies(NamedTuple):
    """Poses and twists of the bodies of markers; body 0 is the world."""

    center: Floats
    """Centers [m], shape (b, 3)."""
    rotation: Floats
    """Axes of each body as columns, shape (b, 3, 3)."""
    velocity: Floats
    """Velocity of the center [m/s], shape (b, 3)."""
    spin: Floats
    """Angular velocity, world axes [rad/s], shape (b, 3)."""
    acceleration: Floats
    """Acceleration of the center [m/s^2], shape (b, 3)."""


def make_bodies(count: int) -> BoundaryBodies:
    """Return bodies at rest at the origin, including the world."""
    rotation = np.zeros((count, 3, 3))
    rotation[:] = np.eye(3)
    return BoundaryBodies(np.zeros((count, 3)), rotation, *(np.zeros((count, 3)) for _ in range(3)))
