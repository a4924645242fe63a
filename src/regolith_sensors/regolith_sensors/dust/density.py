# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Density of dust on a sparse grid of cells, and the way of rays through it.

Cells are cubes of 5 cm in world coordinates, in blocks of 16 x 16 x 16; only blocks with dust exist. A parcel adds its
mass to the eight nearest cells with trilinear weights. The density is constant within a cell, so the optical depth of
a ray is an exact sum over the cells that it crosses: there is no step size.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from regolith_sensors.arrays import Floats, Ints, Longs, Singles
from regolith_world.numerics import kernel

CELL_M = 0.05
"""Side of a cell [m]."""
BLOCK = 16
"""Cells along a side of a block; the kernels shift by 4 bits."""
RANGE_M = 100.0
"""Horizontal distance from the viewer up to which dust is seen [m]."""
_CELLS = BLOCK**3
_INF = np.inf


class DensityGrid(NamedTuple):
    """Extinction coefficient of dust, for the kernels."""

    corner: Floats
    """Lower corner of the lookup table relative to the scene origin [m], shape (3,)."""
    lookup: Ints
    """Number of each block, -1 without dust, shape (blocks along x, y, z)."""
    extinction: Singles
    """Extinction coefficient of each cell [1/m], shape (blocks, 4096), cells along x, y, z."""

    @property
    def is_empty(self) -> bool:
        """Return whether there is no dust."""
        return len(self.extinction) == 0


def density_grid(places: Floats, parcel_extinction_m2: float, origin: Floats, viewer: Floats) -> DensityGrid:
    """Return the extinction coefficient of parcels.

    Args:
        places: Positions of the parcels in the world frame [m], shape (n, 3).
        parcel_extinction_m2: Extinction cross section of one parcel [m^2].
        origin: Origin of the scene in the world frame [m], shape (3,).
        viewer: Position of the viewer in the world frame [m], shape (3,).

    Source: museth2013.
    Checked by: test_dust_optics.py::test_splat_conserves_mass,
    test_dust_optics.py::test_splat_of_1e5_parcels_takes_less_than_50_ms.
    """
    near = np.abs(places[:, :2] - viewer[:2]).max(axis=1) < RANGE_M if len(places) else np.zeros(0, bool)
    # In units of cells, with integer coordinates at their centers.
    at = np.ascontiguousarray(places[near]) / CELL_M - 0.5
    if not len(at):
        return DensityGrid(np.zeros(3), np.zeros((0, 0, 0), np.int32), np.zeros((0, _CELLS), np.float32))
    low = np.floor(at).astype(np.int64)
    first = low.min(axis=0) // BLOCK
    size = (low.max(axis=0) + 1) // BLOCK - first + 1
    lookup = np.full(size, -1, dtype=np.int32)
    count = _number_blocks(low, first, lookup)
    extinction = np.zeros((count, _CELLS), dtype=np.float32)
    _splat(at, low, first, lookup, np.float32(parcel_extinction_m2 / CELL_M**3), extinction)
    return DensityGrid(first * (BLOCK * CELL_M) - origin, lookup, extinction)


@kernel(views_only=True)
def _number_blocks(low: Longs, first: Longs, lookup: Ints) -> int:
    """Number the blocks that parcels touch, in the order of the parcels; return their number."""
    count = 0
    for n in range(low.shape[0]):
        for corner in range(8):
            i = (low[n, 0] + (corner & 1) >> 4) - first[0]
            j = (low[n, 1] + (corner >> 1 & 1) >> 4) - first[1]
            k = (low[n, 2] + (corner >> 2) >> 4) - first[2]
            if lookup[i, j, k] < 0:
                lookup[i, j, k] = count
                count += 1
    return count


@kernel(views_only=True)
def _splat(at: Floats, low: Longs, first: Longs, lookup: Ints, each: float, extinction: Singles) -> None:
    for n in range(at.shape[0]):
        u, v, w = at[n, 0] - low[n, 0], at[n, 1] - low[n, 1], at[n, 2] - low[n, 2]
        for corner in range(8):
            a, b, c = corner & 1, corner >> 1 & 1, corner >> 2
            i, j, k = low[n, 0] + a, low[n, 1] + b, low[n, 2] + c
            block = lookup[(i >> 4) - first[0], (j >> 4) - first[1], (k >> 4) - first[2]]
            cell = (((i & 15) << 4) + (j & 15) << 4) + (k & 15)
            weight = (u if a else 1.0 - u) * (v if b else 1.0 - v) * (w if c else 1.0 - w)
            extinction[block, cell] += weight * each


@kernel(views_only=True, forceinline=True)
def clipped(
    corner: Floats, lookup: Ints, x: float, y: float, z: float, dx: float, dy: float, dz: float, near: float, far: float
) -> tuple[float, float]:
    """Return the part of a ray within the box of all blocks, as distances [m]; the first is larger if it misses it."""
    for axis in range(3):
        o = x if axis == 0 else y if axis == 1 else z
        d = dx if axis == 0 else dy if axis == 1 else dz
        a, b = corner[axis] - o, corner[axis] + lookup.shape[axis] * (BLOCK * CELL_M) - o
        if abs(d) < 1e-12:
            if a > 0.0 or b < 0.0:
                far = near - 1.0
            continue
        first, last = a / d, b / d
        near, far = max(near, min(first, last)), min(far, max(first, last))
    return near, far


@kernel(views_only=True)
def cross(
    corner: Floats,
    lookup: Ints,
    extinction: Singles,
    x: float,
    y: float,
    z: float,
    dx: float,
    dy: float,
    dz: float,
    near: float,
    far: float,
    starts: Singles,
    depths: Singles,
    cells: Longs,
) -> int:
    """Write the cells with dust that a ray crosses; return their number.

    Args:
        corner: See :class:`DensityGrid`.
        lookup: See :class:`DensityGrid`.
        extinction: See :class:`DensityGrid`.
        x: Start of the ray relative to the scene origin [m].
        y: The same along y.
        z: The same along z.
        dx: Unit direction.
        dy: The same along y.
        dz: The same along z.
        near: Distance at which it begins [m].
        far: Distance at which it ends [m].
        starts: Output: distance at which it enters each cell [m].
        depths: Output: optical depth of each cell.
        cells: Output: block times 4096 plus cell.

    Source: amanatides1987.
    Checked by: test_dust_optics.py::test_slab_has_its_transmission.
    """
    near, far = clipped(corner, lookup, x, y, z, dx, dy, dz, near, far)
    count = 0
    if not near < far:
        return 0
    side = BLOCK * CELL_M
    # Distances between planes, the next plane, and the direction of steps, along each axis.
    inverse_x = 1.0 / dx if abs(dx) > 1e-12 else _INF
    inverse_y = 1.0 / dy if abs(dy) > 1e-12 else _INF
    inverse_z = 1.0 / dz if abs(dz) > 1e-12 else _INF
    ox, oy, oz = (x - corner[0]) / CELL_M, (y - corner[1]) / CELL_M, (z - corner[2]) / CELL_M
    sx, sy, sz = dx / CELL_M, dy / CELL_M, dz / CELL_M
    nx, ny, nz = lookup.shape[0] * BLOCK, lookup.shape[1] * BLOCK, lookup.shape[2] * BLOCK
    t = near
    while t < far and count < cells.shape[0]:
        # A little ahead, so that rounding does not return to the cell before.
        ahead = t + 1e-6
        u, v, w = ox + sx * ahead, oy + sy * ahead, oz + sz * ahead
        i, j, k = int(math.floor(u)), int(math.floor(v)), int(math.floor(w))
        if i < 0 or j < 0 or k < 0 or i >= nx or j >= ny or k >= nz:
            break
        block = lookup[i >> 4, j >> 4, k >> 4]
        if block < 0:
            ex = ((i >> 4) + (1 if dx > 0.0 else 0)) * side - (x - corner[0])
            ey = ((j >> 4) + (1 if dy > 0.0 else 0)) * side - (y - corner[1])
            ez = ((k >> 4) + (1 if dz > 0.0 else 0)) * side - (z - corner[2])
            leave = _INF
            if abs(dx) > 1e-12:
                leave = ex * inverse_x
            if abs(dy) > 1e-12:
                leave = min(leave, ey * inverse_y)
            if abs(dz) > 1e-12:
                leave = min(leave, ez * inverse_z)
            t = max(leave, ahead)
            continue
        # Through the cells of this block.
        tx = ((i + (1 if dx > 0.0 else 0)) - ox) * CELL_M * inverse_x if abs(dx) > 1e-12 else _INF
        ty = ((j + (1 if dy > 0.0 else 0)) - oy) * CELL_M * inverse_y if abs(dy) > 1e-12 else _INF
        tz = ((k + (1 if dz > 0.0 else 0)) - oz) * CELL_M * inverse_z if abs(dz) > 1e-12 else _INF
        gx, gy, gz = CELL_M * abs(inverse_x), CELL_M * abs(inverse_y), CELL_M * abs(inverse_z)
        bi, bj, bk = i >> 4, j >> 4, k >> 4
        while t < far and count < cells.shape[0]:
            until = min(min(tx, ty), min(tz, far))
            cell = (((i & 15) << 4) + (j & 15) << 4) + (k & 15)
            beta = extinction[block, cell]
            if beta > 0.0 and until > t:
                starts[count], depths[count] = t, beta * (until - t)
                cells[count] = block * 4096 + cell
                count += 1
            t = max(until, t)
            if until >= far:
                break
            if tx <= ty and tx <= tz:
                i += 1 if dx > 0.0 else -1
                tx += gx
            elif ty <= tz:
                j += 1 if dy > 0.0 else -1
                ty += gy
            else:
                k += 1 if dz > 0.0 else -1
                tz += gz
            if i >> 4 != bi or j >> 4 != bj or k >> 4 != bk:
                break
    return count


def most_cells(grid: DensityGrid) -> int:
    """Return the largest number of cells that a ray can cross."""
    return BLOCK * sum(grid.lookup.shape) + 8
