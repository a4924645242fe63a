# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The surface that particles leave at the nodes of the soil grid, and the mass in each column.

The surface is where the volume of soil, smoothed by the kernel, falls to a half. On a lattice it is nearly, not exactly
where soil ends; so the level of a node is its undisturbed height plus the rise of that surface since the beginning.
Mass is shared among the four nodes round a particle in whole quanta, so that the sum over a region is exact.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_terrain.crm.arrays import ZZ, Bytes, Floats, X, Y, Z
from regolith_terrain.crm.smoothing import weight

Ints = NDArray[np.int64]

_BISECTIONS = 12
"""Halvings of half a spacing, down to 1e-4 of it."""


class Columns(NamedTuple):
    """What makes the ground, sorted by squares in the plane as wide as the kernel reaches."""

    place: Floats
    """[m], shape (n, 3)."""
    pressure: Floats
    """Vertical, of soil [Pa], shape (n,)."""
    soil: Bytes
    """1 for soil, 0 for markers, shape (n,)."""
    first: Ints
    """First row of each square, and n at the end, shape (squares + 1,)."""
    low: Floats
    """Corner of the first square [m], shape (2,)."""
    edge: float
    """Side of a square [m]."""
    across: int
    """Squares along y."""
    length: float
    """Smoothing length [m]."""
    volume: float
    """Of a particle [m^3]."""
    spacing: float
    """Of particles [m]."""


def sort_columns(particles: Floats, soil: Bytes, low: Floats, high: Floats, length: float, spacing: float) -> Columns:
    """Return particles by squares.

    Args:
        particles: Those that make the ground, shape (n, 12).
        soil: 1 for soil, 0 for markers, shape (n,).
        low: Corner with the least x and y of all of them [m].
        high: Opposite corner, shape (2,) each.
        length: Smoothing length [m].
        spacing: Of particles [m].
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


@njit(cache=True, nogil=True, error_model='numpy')
def free_surface(columns: Columns, x: Floats, y: Floats, level: Floats, pressure: Floats) -> None:
    """Write the height of the surface [m] and the pressure a smoothing length below it [Pa] at places.

    Regolith's own; checked by ``test_crm_surface.py``.

    Args:
        x: Of the places [m], shape (k,); so is y.
        level: Out, shape (k,).
        pressure: Out, shape (k,).
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


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False, inline='always')
def _filled(z: float, height: Floats, beside: Floats, count: int, h: float, volume: float) -> float:
    """Return the share of space that is filled at a height above a place [-].

    Args:
        height: Of what lies near [m], shape (n,), the first ``count`` of which count.
        beside: Square of its horizontal distance [m^2], shape (n,).
    """
    total = 0.0
    for row in range(count):
        dz = height[row] - z
        r2 = beside[row] + dz * dz
        if r2 < 4.0 * h * h:
            total += weight(math.sqrt(r2) / h, h)
    return volume * total


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def weigh(particles: Floats, rows: Ints, quanta: int, i0: int, j0: int, spacing: float, mass: Ints) -> None:
    """Add the mass of particles to the nodes round each.

    Args:
        rows: Of the particles.
        quanta: Mass of one, per area of a node.
        i0: Index of the first node along x.
        j0: Along y.
        spacing: Of the nodes [m].
        mass: In/out, in quanta; what lies beyond its rim counts there, shape (ni, nj).
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
