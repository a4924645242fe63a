# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of a bed of particles, and bundles of them for kernels."""

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
"""Kinds of particles. Markers fill walls and bodies near their surface, and carry what soil there would."""


FRICTIONAL, CAM_CLAY = 0, 1
"""Laws of a soil's strength."""

# Columns of a particle's memory under Cam Clay: pressure it has borne [Pa], volume per volume of grains [-].
BORNE, SPECIFIC, MEMORY = range(3)


class Material(NamedTuple):
    """Numbers of a soil, as kernels take them."""

    law: int
    """FRICTIONAL or CAM_CLAY."""
    density: float
    """[kg/m^3], constant: pressure comes from the stress, not from an equation of state."""
    shear_modulus: float
    """G [Pa]; under Cam Clay that of the stiffest soil."""
    bulk_modulus: float
    """K [Pa]; under Cam Clay that of the stiffest soil."""
    friction: float
    """mu_s, at rest [-]; under Cam Clay M, the ratio q / p in the critical state [-]."""
    limiting_friction: float
    """mu_2, in fast flow [-]."""
    thickening: float
    """I_0 / (d sqrt(rho)) [sqrt(m / kg)], of the growth of friction with the rate of shear."""
    cohesion: float
    """c [Pa]."""
    swelling: float
    """Kappa, of Cam Clay: fall of the specific volume with ln(p) on unloading [-]."""
    compression: float
    """Lambda, of Cam Clay: the same on first loading [-]."""


class Scheme(NamedTuple):
    """Numbers of the discretisation."""

    spacing: float
    """d_0 [m]."""
    length: float
    """Smoothing length h [m]; the kernel reaches to 2 h."""
    steepness: float
    """Of the kernel, :func:`regolith_terrain.crm.smoothing.steepness` [1/m^5]."""
    volume: float
    """Of a particle, d_0^3 [m^3]."""
    viscosity: float
    """Alpha of the artificial viscosity [-]."""
    sound_speed: float
    """sqrt(K / rho) [m/s]."""
    shifting: float
    """Share of the neighbours' mean velocity that moves a particle (XSPH) [-]."""
    surface: float
    """Divergence of position (3 deep in soil) below which a particle lies on the free surface [-]."""
    corrected: bool
    """Whether velocity gradients are exact for linear fields."""


class Neighbours(NamedTuple):
    """Who lies near whom: offsets into runs of cells, one byte each.

    Particles are sorted by cell, z fastest, so the 27 cells round a particle are nine runs of rows, one in each of the
    nine columns of cells round it. The list of a row is, run by run, a count and as many offsets from the run's first
    row.
    """

    offsets: Bytes
    """Lists of all rows, one after the other."""
    begin: NDArray[np.int64]
    """Where a row's list begins, -1 for none, shape (n,)."""
    cell: NDArray[np.int64]
    """Cell of each row, shape (n,)."""
    first: Rows
    """First row of each cell, and the number of rows at the end, shape (cells + 1,)."""
    around: NDArray[np.int64]
    """Columns of cells round each column, itself among them, in a fixed order, shape (columns, 9)."""
    shift: Floats
    """What to add to a particle's x and y to compare it with those of such a column, where the bed repeats itself [m],
    shape (columns, 9, 2)."""
    height: int
    """Cells of a column."""


class BoundaryBodies(NamedTuple):
    """Poses and twists of what markers belong to; body 0 is the world."""

    center: Floats
    """[m], shape (b, 3)."""
    rotation: Floats
    """Columns are a body's axes, shape (b, 3, 3)."""
    velocity: Floats
    """Of the centre [m/s], shape (b, 3)."""
    spin: Floats
    """Angular velocity, world axes [rad/s], shape (b, 3)."""
    acceleration: Floats
    """Of the centre [m/s^2], shape (b, 3)."""


def make_bodies(count: int) -> BoundaryBodies:
    """Return bodies at rest at the origin, the world among them."""
    rotation = np.zeros((count, 3, 3))
    rotation[:] = np.eye(3)
    return BoundaryBodies(np.zeros((count, 3)), rotation, *(np.zeros((count, 3)) for _ in range(3)))
