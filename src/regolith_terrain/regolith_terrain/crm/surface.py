# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Surface of particles at the nodes of the soil grid, and mass of each column.

The surface is where the smoothed volume fraction of soil is a half. On a lattice this is nearly, not exactly, the end
of the soil. So the level of a node is its undisturbed height plus the rise of that surface since the start. Mass is
distributed to the four nodes around a particle in whole quanta, so the sum over a region is exact.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm.arrays import ZZ, Bytes, Floats, X, Y, Z
from regolith_terrain.crm.smoothing import weight
from regolith_world.numerics import kernel

Ints = NDArray[np.int64]

_BISECTIONS = 12
"""Number of bisections of half a spacing, down to 1e-4 of it."""


class Columns(NamedTuple):
    """Particles that form the surface, sorted by squares in the plane with the width of the kernel's reach."""

    place: Floats
    """Positions [m], shape (n, 3)."""
    pressure: Floats
    """Vertical pressure of soil [Pa], shape (n,)."""
    soil: Bytes
    """1 for soil, 0 for markers, shape (n,)."""
    first: Ints
    """First row of each square, and n at the end, shape (squares + 1,)."""
    low: Floats
    """Corner of the first square [m], shape (2,)."""
    edge: float
    """Side length of a square [m]."""
    across: int
    """Number of squares along y."""
    length: float
    """Smoothing length [m]."""
    volume: float
    """Volume of a particle [m^3]."""
    spacing: float
    """Particle spacing [m]."""


def sort_columns(particles: Floats, soil: Bytes, low: Floats, high: Floats, length: float, spacing: float) -> Columns:
    """Return particles sorted by squares.

    Args:
        particles: Particles that form the surface, shape (n, 12).
        soil: 1 for soil, 0 for markers, shape (n,).
        low: Corner with the smallest x and y of all of them [m], shape (2,).
        high: Corner with the largest x and y [m], shape (2,).
        length: Smoothing length [m].
        spacing: Particle spacing [m].
    """
    edge = 2.0 * length
    low = np.asarray(low, dtype=np.float64) - edge
    size = np.floor((np.asarray(high) - low) / edge).astype(np.int64) + 2
    index = np.clip(np.floor((particles[:, :2] - low) / edge).astype(np.int64), 0, size - 1)
    square = index[:, 0] * size[1] + index[:, 1]
    order = np.argsort(square, kind='stable')
    first = np.searchsorted(square[order], np.arange(int(size[0] * size[1]) + 1))
    place = np.ascontiguousarray(particles[order, X : Z + 1])
    return Columns(
        place,
        -particles[order, ZZ],
        soil[order],
        first.astype(np.int64),
        low,
        edge,
        int(size[1]),
        length,
        spacing**3,
        spacing,
    )


@kernel
def free_surface(columns: Columns, x: Floats, y: Floats, level: Floats, pressure: Floats) -> None:
    """Write the height of the surface [m] and the pressure one smoothing length below it [Pa] at positions.

    The definition is specific to Regolith and checked by ``test_crm_surface.py``.

    Args:
        columns: Particles that form the surface.
        x: Positions along x [m], shape (k,).
        y: Positions along y [m], shape (k,).
        level: Output: heights [m], shape (k,).
        pressure: Output: pressures [Pa], shape (k,).
    """
    h, spacing = columns.length, columns.spacing
    reach2 = 4.0 * h * h
    n = columns.place.shape[0]
    height, beside = np.empty(n), np.empty(n)
    load, is_soil = np.empty(n), np.empty(n, np.uint8)
    for k in range(x.shape[0]):
        a = int(math.floor((x[k] - columns.low[0]) / columns.edge))
        b = int(math.floor((y[k] - columns.low[1]) / columns.edge))
        count = 0
        z = -math.inf
        for p in range(a - 1, a + 2):
            begin, end = columns.first[p * columns.across + b - 1], columns.first[p * columns.across + b + 2]
            for row in range(begin, end):
                dx, dy = columns.place[row, 0] - x[k], columns.place[row, 1] - y[k]
                r2 = dx * dx + dy * dy
                if r2 < reach2:
                    height[count], beside[count] = columns.place[row, 2], r2
                    load[count], is_soil[count] = columns.pressure[row], columns.soil[row]
                    z = max(z, columns.place[row, 2])
                    count += 1
        if count == 0:
            level[k] = pressure[k] = math.nan
            continue
        z += spacing
        bottom = z - 1e3 * spacing
        while z > bottom and _filled(z, height, beside, count, h, columns.volume) < 0.5:
            z -= 0.5 * spacing
        low, high = z, z + 0.5 * spacing
        for _ in range(_BISECTIONS):
            z = 0.5 * (low + high)
            if _filled(z, height, beside, count, h, columns.volume) < 0.5:
                high = z
            else:
                low = z
        level[k] = 0.5 * (low + high)
        z = level[k] - h
        total = borne = 0.0
        for row in range(count):
            dz = height[row] - z
            r2 = beside[row] + dz * dz
            if is_soil[row] and r2 < reach2:
                g = weight(math.sqrt(r2) / h, h)
                total += g
                borne += g * load[row]
        pressure[k] = max(borne / total, 0.0) if total > 0.0 else 0.0


@kernel(views_only=True, inline='always')
def _filled(z: float, height: Floats, beside: Floats, count: int, h: float, volume: float) -> float:
    """Return the filled volume fraction at a height above a position [-].

    Args:
        z: Height [m].
        height: Heights of nearby particles [m], shape (n,), of which the first ``count`` are used.
        beside: Squares of their horizontal distances [m^2], shape (n,).
        count: Number of nearby particles.
        h: Smoothing length [m].
        volume: Volume of a particle [m^3].
    """
    total = 0.0
    for row in range(count):
        dz = height[row] - z
        r2 = beside[row] + dz * dz
        if r2 < 4.0 * h * h:
            total += weight(math.sqrt(r2) / h, h)
    return volume * total


@kernel(views_only=True)
def weigh(particles: Floats, rows: Ints, quanta: int, i0: int, j0: int, spacing: float, mass: Ints) -> None:
    """Add the mass of particles to the nodes around each.

    Args:
        particles: Particles, shape (n, 12).
        rows: Rows of the particles to add.
        quanta: Mass of one particle per node area, in quanta.
        i0: Index of the first node along x.
        j0: Index of the first node along y.
        spacing: Grid node spacing [m].
        mass: Input and output: mass in quanta, shape (ni, nj); particles beyond its rim are added there.
    """
    ni, nj = mass.shape
    for row in rows:
        u = min(max(particles[row, X] / spacing - i0, 0.0), ni - 1.0)
        v = min(max(particles[row, Y] / spacing - j0, 0.0), nj - 1.0)
        i, j = min(int(u), ni - 2), min(int(v), nj - 2)
        u, v = u - i, v - j
        a, b, c = int(quanta * ((1.0 - u) * (1.0 - v))), int(quanta * ((1.0 - u) * v)), int(quanta * (u * (1.0 - v)))
        mass[i, j] += a
        mass[i, j + 1] += b
        mass[i + 1, j] += c
        mass[i + 1, j + 1] += quanta - a - b - c
