# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Density of dust on a sparse grid of cells, and the way of rays through it.

Cells are cubes of 5 cm in world coordinates, in blocks of 8 x 8 x 8; only blocks with dust exist. A parcel adds its
mass to 27 cells with the weights of a quadratic spline, which is smoother than trilinear ones. As its grains move apart
it is drawn in pieces around its path. The density is constant within a cell, so the optical depth of
a ray is an exact sum over the cells that it crosses: there is no step size.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from regolith_sensors.arrays import Floats, Ints, Longs, Singles
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_world.numerics import kernel
from regolith_world.random import generator, mix_bits

CELL_M = 0.05
"""Side of a cell [m]."""
BITS = 3
BLOCK = 1 << BITS
"""Cells along a side of a block. Smaller blocks than 16 leave out more empty space: a ray takes half the time."""
_LAST = BLOCK - 1
RANGE_M = 100.0
"""Horizontal distance from the viewer up to which dust is seen [m]."""
_CELLS = BLOCK**3
_PIECES, _MOST_PIECES = 60_000, 32
"""Pieces in which all parcels together, and a single one, are drawn at most."""
_SUMS = 4
_INF = np.inf


def _offsets() -> Floats:
    """Return standard normal offsets of mean 0 in pairs of opposite ones, shape (512, 3)."""
    half = generator(0, 'dust', 'pieces', 0).standard_normal((256, 3))
    return np.stack([half, -half], axis=1).reshape(-1, 3)


_OFFSETS = _offsets()


class DensityGrid(NamedTuple):
    """Extinction coefficient of dust, for the kernels."""

    corner: Floats
    """Lower corner of the lookup table relative to the scene origin [m], shape (3,)."""
    lookup: Ints
    """Number of each block, -1 without dust, shape (blocks along x, y, z)."""
    extinction: Singles
    """Extinction coefficient of each cell [1/m], shape (blocks, 512), cells along x, y, z."""

    @property
    def is_empty(self) -> bool:
        """Return whether there is no dust."""
        return len(self.extinction) == 0


class Puffs(NamedTuple):
    """Parcels in the air. Each stands for grains around it, which move apart."""

    place: Floats
    """Position in the world frame [m], shape (n, 3)."""
    spread: Floats
    """Standard deviation of its grains along each axis [m], shape (n,)."""
    number: Longs
    """Number that selects the places of its grains, shape (n,)."""


def density_grid(puffs: Puffs, parcel_extinction_m2: float, origin: Floats, viewer: Floats) -> DensityGrid:
    """Return the extinction coefficient of parcels.

    Args:
        puffs: The parcels.
        parcel_extinction_m2: Extinction cross section of one parcel [m^2].
        origin: Origin of the scene in the world frame [m], shape (3,).
        viewer: Position of the viewer in the world frame [m], shape (3,).

    Source: museth2013.
    Checked by: test_dust_optics.py::test_splat_conserves_mass,
    test_dust_optics.py::test_splat_of_1e5_parcels_takes_less_than_50_ms.
    """
    near = (np.abs(puffs.place[:, :2] - viewer[:2]) < RANGE_M).all(axis=1)
    place, spread, number = (np.ascontiguousarray(part[near]) for part in puffs)
    if not len(place):
        return DensityGrid(np.zeros(3), np.zeros((0, 0, 0), np.int32), np.zeros((0, _CELLS), np.float32))
    # Wide parcels need more pieces to be smooth.
    weights = (1.0 + spread / CELL_M) ** 2
    pieces = np.clip((weights * (_PIECES / weights.sum())).astype(np.int64), 1, _MOST_PIECES)
    margin = spread.max() * float(np.abs(_OFFSETS).max()) + CELL_M
    first = np.floor((place.min(axis=0) - margin) / (BLOCK * CELL_M)).astype(np.int64)
    last = np.floor((place.max(axis=0) + margin) / (BLOCK * CELL_M)).astype(np.int64)
    lookup = np.full(last - first + 1, -1, dtype=np.int32)
    count = _number_blocks(place, spread, number, pieces, _OFFSETS, first, lookup)
    # As many sums as this, whatever the number of threads, so that their rounding is the same.
    sums = np.zeros((_SUMS, count, _CELLS), dtype=np.float32)
    each = parcel_extinction_m2 / CELL_M**3
    run_in_ranges(_splat, _SUMS, 1, place, spread, number, pieces, _OFFSETS, first, lookup, each, sums)
    return DensityGrid(first * (BLOCK * CELL_M) - origin, lookup, sums.sum(axis=0))


@kernel(views_only=True, forceinline=True)
def _piece(place: Floats, spread: Floats, number: Longs, offsets: Floats, n: int, k: int) -> tuple[float, float, float]:
    """Return the place of a piece of a parcel in cells, with integer coordinates at their centers."""
    row = (int(mix_bits(np.uint64(number[n])) & np.uint64(0xFFFF)) + k) % offsets.shape[0]
    s = spread[n]
    return (
        (place[n, 0] + s * offsets[row, 0]) / CELL_M - 0.5,
        (place[n, 1] + s * offsets[row, 1]) / CELL_M - 0.5,
        (place[n, 2] + s * offsets[row, 2]) / CELL_M - 0.5,
    )


@kernel(views_only=True)
def _number_blocks(
    place: Floats, spread: Floats, number: Longs, pieces: Longs, offsets: Floats, first: Longs, lookup: Ints
) -> int:
    """Number the blocks that parcels touch, in the order of the parcels; return their number."""
    count = 0
    for n in range(place.shape[0]):
        for piece in range(pieces[n]):
            u, v, w = _piece(place, spread, number, offsets, n, piece)
            i, j, k = int(math.floor(u + 0.5)), int(math.floor(v + 0.5)), int(math.floor(w + 0.5))
            inside = 0 < i & _LAST < _LAST and 0 < j & _LAST < _LAST and 0 < k & _LAST < _LAST
            for corner in range(1 if inside else 8):
                a = (i - 1 + 2 * (corner & 1) >> BITS) - first[0]
                b = (j - 1 + 2 * (corner >> 1 & 1) >> BITS) - first[1]
                c = (k - 1 + 2 * (corner >> 2) >> BITS) - first[2]
                if lookup[a, b, c] < 0:
                    lookup[a, b, c] = count
                    count += 1
    return count


@kernel
def _splat(
    begin: int,
    end: int,
    place: Floats,
    spread: Floats,
    number: Longs,
    pieces: Longs,
    offsets: Floats,
    first: Longs,
    lookup: Ints,
    each: float,
    sums: Singles,
) -> None:
    """Add parcels to sums, each of which has an equal part of the parcels."""
    along, across, upward = np.empty(3), np.empty(3), np.empty(3)
    count = place.shape[0]
    for part in range(begin, end):
        _splat_part(
            part * count // sums.shape[0],
            (part + 1) * count // sums.shape[0],
            place,
            spread,
            number,
            pieces,
            offsets,
            first,
            lookup,
            each,
            sums[part],
            along,
            across,
            upward,
        )


@kernel(views_only=True)
def _splat_part(
    begin: int,
    end: int,
    place: Floats,
    spread: Floats,
    number: Longs,
    pieces: Longs,
    offsets: Floats,
    first: Longs,
    lookup: Ints,
    each: float,
    extinction: Singles,
    along: Floats,
    across: Floats,
    upward: Floats,
) -> None:
    for n in range(begin, end):
        for piece in range(pieces[n]):
            u, v, w = _piece(place, spread, number, offsets, n, piece)
            i, j, k = int(math.floor(u + 0.5)), int(math.floor(v + 0.5)), int(math.floor(w + 0.5))
            _weights(u - i, along)
            _weights(v - j, across)
            _weights(w - k, upward)
            for a in range(3):
                x = i + a - 1
                for b in range(3):
                    y, weight = j + b - 1, each / pieces[n] * along[a] * across[b]
                    bx, by = (x >> BITS) - first[0], (y >> BITS) - first[1]
                    row = ((x & _LAST) << BITS) + (y & _LAST) << BITS
                    for c in range(3):
                        z = k + c - 1
                        block = lookup[bx, by, (z >> BITS) - first[2]]
                        extinction[block, row + (z & _LAST)] += weight * upward[c]


@kernel(views_only=True, forceinline=True)
def _weights(off: float, out: Floats) -> None:
    """Write the weights of the three nearest cells: a quadratic spline."""
    out[0], out[1], out[2] = 0.5 * (0.5 - off) ** 2, 0.75 - off * off, 0.5 * (0.5 + off) ** 2


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
        cells: Output: block times the cells of a block, plus the cell.

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
        block = lookup[i >> BITS, j >> BITS, k >> BITS]
        if block < 0:
            ex = ((i >> BITS) + (1 if dx > 0.0 else 0)) * side - (x - corner[0])
            ey = ((j >> BITS) + (1 if dy > 0.0 else 0)) * side - (y - corner[1])
            ez = ((k >> BITS) + (1 if dz > 0.0 else 0)) * side - (z - corner[2])
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
        bi, bj, bk = i >> BITS, j >> BITS, k >> BITS
        while t < far and count < cells.shape[0]:
            until = min(min(tx, ty), min(tz, far))
            cell = (((i & _LAST) << BITS) + (j & _LAST) << BITS) + (k & _LAST)
            beta = extinction[block, cell]
            if beta > 0.0 and until > t:
                starts[count], depths[count] = t, beta * (until - t)
                cells[count] = block * _CELLS + cell
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
            if i >> BITS != bi or j >> BITS != bj or k >> BITS != bk:
                break
    return count


def most_cells(grid: DensityGrid) -> int:
    """Return the largest number of cells that a ray can cross."""
    return BLOCK * sum(grid.lookup.shape) + 8
