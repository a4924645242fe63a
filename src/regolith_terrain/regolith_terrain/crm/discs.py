# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The surface of soil that moves, as discs for whoever looks at it.

The surface is that of :mod:`regolith_terrain.crm.surface`, where the smoothed volume of soil falls to a half, but here
it need not be a height over the plane: it overhangs, and falls to pieces. Each particle next to it has a disc, where
its outward normal meets the surface.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_terrain.crm.arrays import Floats
from regolith_terrain.crm.smoothing import slope, weight
from regolith_terrain.crm.surface import Columns

_BISECTIONS = 8
"""Halvings of half a spacing, down to 2e-3 of it."""
_COVER = math.sqrt(0.5)
"""Radius over spacing: the least with which discs on a square lattice leave no gap."""
_VAGUE = 1e-2
"""Slope of the filled share of space over a smoothing length, below which nothing says where outside is [-]."""


class Discs(NamedTuple):
    """Discs that cover a surface, world axes."""

    place: Floats
    """Centres [m], shape (n, 3)."""
    normal: Floats
    """Unit normals, outward, shape (n, 3)."""
    radius: Floats
    """[m], shape (n,)."""

    @classmethod
    def none(cls) -> Discs:
        """Return no discs."""
        return cls(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))


def joined(parts: Sequence[Discs]) -> Discs:
    """Return the discs of all parts, in their order."""
    if not parts:
        return Discs.none()
    return Discs(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def surface_discs(columns: Columns, place: Floats) -> Discs:
    """Return discs on the surface at those of some particles that lie next to it, in their order.

    Regolith's own; checked by ``test_crm_discs.py``.

    :param columns: all that makes the ground
    :param place: of the particles, which are among it [m], shape (n, 3)
    """
    place = np.ascontiguousarray(place)
    found, normal, beside = np.empty_like(place), np.empty_like(place), np.zeros(len(place), np.bool_)
    _find(columns, place, found, normal, beside)
    count = int(np.count_nonzero(beside))
    return Discs(found[beside], normal[beside], np.full(count, _COVER * columns.spacing))


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _find(columns: Columns, place: Floats, found: Floats, normal: Floats, beside: NDArray[np.bool_]) -> None:
    """Write where the outward normal of each particle meets the surface, and the normal there.

    :param beside: out, whether that is within a spacing: the second layer lies one and a half below, shape (n,)
    """
    half = 0.5 * columns.spacing
    for k in range(place.shape[0]):
        x, y, z = place[k, 0], place[k, 1], place[k, 2]
        filled, gx, gy, gz = _filled_at(columns, x, y, z)
        nx, ny, nz = _outward(gx, gy, gz, columns.length)
        far = 0.0
        if filled >= 0.5:
            # Soil that has come apart is filled to less, and its disc is where it is.
            step = 0
            while step < 2 and filled >= 0.5:
                step += 1
                far = step * half
                filled, _, _, _ = _filled_at(columns, x + far * nx, y + far * ny, z + far * nz)
            if filled >= 0.5:
                continue
            near = far - half
            for _ in range(_BISECTIONS):
                middle = 0.5 * (near + far)
                filled, _, _, _ = _filled_at(columns, x + middle * nx, y + middle * ny, z + middle * nz)
                if filled < 0.5:
                    far = middle
                else:
                    near = middle
            far = 0.5 * (near + far)
        x, y, z = x + far * nx, y + far * ny, z + far * nz
        _, gx, gy, gz = _filled_at(columns, x, y, z)
        nx, ny, nz = _outward(gx, gy, gz, columns.length)
        found[k, 0], found[k, 1], found[k, 2] = x, y, z
        normal[k, 0], normal[k, 1], normal[k, 2] = nx, ny, nz
        beside[k] = True


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False, inline='always')
def _outward(gx: float, gy: float, gz: float, length: float) -> tuple[float, float, float]:
    """Return the unit vector against a gradient; up where there is next to none, as of a lonely grain."""
    steep = math.sqrt(gx * gx + gy * gy + gz * gz)
    if steep * length < _VAGUE:
        return 0.0, 0.0, 1.0
    return -gx / steep, -gy / steep, -gz / steep


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _filled_at(columns: Columns, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Return the share of space that is filled at a place [-], and its gradient [1/m]."""
    h, across = columns.length, columns.across
    steepness = -105.0 / (16.0 * math.pi * h**5)
    rows = (columns.first.shape[0] - 1) // across
    a = min(max(int(math.floor((x - columns.low[0]) / columns.edge)), 1), rows - 2)
    b = min(max(int(math.floor((y - columns.low[1]) / columns.edge)), 1), across - 2)
    filled = gx = gy = gz = 0.0
    for p in range(a - 1, a + 2):
        for row in range(columns.first[p * across + b - 1], columns.first[p * across + b + 2]):
            dx, dy, dz = x - columns.place[row, 0], y - columns.place[row, 1], z - columns.place[row, 2]
            r2 = dx * dx + dy * dy + dz * dz
            if r2 < 4.0 * h * h:
                q = math.sqrt(r2) / h
                filled += weight(q, h)
                g = slope(q, steepness)
                gx += g * dx
                gy += g * dy
                gz += g * dz
    return columns.volume * filled, columns.volume * gx, columns.volume * gy, columns.volume * gz
