# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Density of dust on sparse grids.

A parcel stands for grains that move apart. It is drawn on the grid whose cells are about as wide as they are spread, so
that it is smooth and few cells hold it: cells of 5, 15, 45 and 135 cm, in blocks of 8 x 8 x 8. Only blocks with dust
exist. A parcel, or each of a few pieces around its path, adds its mass to 27 corners of cells with the weights of a
quadratic spline. The density is trilinear between corners, so that images show no edges of cells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from regolith_sensors.arrays import Bools, Floats, Ints, Longs, Singles
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_world.numerics import kernel
from regolith_world.random import generator, mix_bits

CELLS_M = (0.05, 0.15, 0.45, 1.35)
"""Sides of the cells of each level [m]."""
BITS = 3
BLOCK = 1 << BITS
"""Cells along a side of a block. Smaller blocks than 16 leave out more empty space: a ray takes half the time."""
LAST = BLOCK - 1
"""Index of the last cell along a side of a block."""
RANGE_M = 100.0
"""Horizontal distance from the viewer up to which dust is seen [m]."""
SIDE = BLOCK + 1
"""Corners of cells along a side of a block."""
_PIECES, _MOST_PIECES = 120_000, 32
"""Pieces in which all parcels together, and a single one, are drawn at most, if there are fewer parcels."""
_SPLINE = 0.5
"""Standard deviation of a quadratic spline in cells."""
_NODE_M = 0.3
"""Largest distance between nodes of light [m], if the cells are not larger."""
_SUMS = 2
CELL, BLOCKS, FIRST, NODES, FIRST_NODE, LOW, HIGH, _COLUMNS = 3, 4, 7, 8, 9, 10, 13, 16
"""Columns of the levels of a grid, after its corner."""


def _offsets() -> Floats:
    """Return standard normal offsets of mean 0 in pairs of opposite ones, shape (512, 3)."""
    half = generator(0, 'dust', 'pieces', 0).standard_normal((256, 3))
    return np.stack([half, -half], axis=1).reshape(-1, 3)


_OFFSETS = _offsets()
_LAST_OFFSET = 511


class DensityGrid(NamedTuple):
    """Extinction coefficient of dust, for the kernels: the sum of that of all levels."""

    levels: Floats
    """Of each level: lower corner relative to the scene origin [m], side of a cell [m], blocks along x, y, z, first
    entry in the lookup table, nodes of light along a block, the first node less those of blocks of other levels, and
    both corners of the box around all cells with dust [m], shape (levels, 16)."""
    lookup: Ints
    """Number of each block, -1 without dust; blocks along z follow each other, shape (entries,)."""
    filled: Bools
    """Whether a cell has dust, blocks one after another with 512 cells along x, y, z each, shape (blocks * 512,)."""
    extinction: Singles
    """Extinction coefficient at each corner of cells [1/m], 729 for each block, shape (blocks * 729,)."""

    @property
    def is_empty(self) -> bool:
        """Return whether there is no dust."""
        return len(self.extinction) == 0

    def blocks(self, level: int) -> Longs:
        """Return the places of the blocks of a level in units of blocks, in the order of their numbers."""
        shape = self.levels[level, BLOCKS:FIRST].astype(np.int64)
        first = int(self.levels[level, FIRST])
        return _places(self.lookup[first : first + int(shape.prod())].reshape(shape))

    @staticmethod
    def of(parts: Sequence[tuple[Floats, float, Ints]], sums: Singles) -> DensityGrid:
        """Return the grid of levels.

        Args:
            parts: Lower corner relative to the scene origin [m], side of a cell [m] and lookup table of each level.
            sums: Parts of the extinction at the lower corners of cells [1/m], shape (parts, blocks, 512).
        """
        levels = np.zeros((len(parts), _COLUMNS))
        extinction = np.zeros((sums.shape[1], SIDE**3), np.float32)
        filled = np.zeros((sums.shape[1], BLOCK**3), np.bool_)
        bounds = np.empty((sums.shape[1], 6), np.int64)
        entries, count, nodes = 0, 0, 0
        for row, (corner, cell, lookup) in zip(levels, parts):
            places = _places(lookup)
            run_in_ranges(_gather, len(places), 64, sums, lookup, places, extinction, filled, bounds)
            side = 1 + BLOCK // next((apart for apart in (4, 2) if apart * cell <= _NODE_M), 1)
            row[:LOW] = *corner, cell, *lookup.shape, entries, side, nodes - count * side**3
            here = places * BLOCK
            row[LOW:HIGH] = corner + cell * (here + bounds[count : count + len(places), :3]).min(axis=0)
            row[HIGH:] = corner + cell * (here + bounds[count : count + len(places), 3:]).max(axis=0)
            entries, count, nodes = entries + lookup.size, count + len(places), nodes + len(places) * side**3
        table = np.concatenate([lookup.ravel() for _, _, lookup in parts]) if parts else np.zeros(0, np.int32)
        return DensityGrid(levels, table, filled.ravel(), extinction.ravel())


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
    x, y = puffs.place[:, 0], puffs.place[:, 1]
    near = (np.abs(x - viewer[0]) < RANGE_M) & (np.abs(y - viewer[1]) < RANGE_M)
    place, spread, number = puffs if near.all() else (part[near] for part in puffs)
    if not len(place):
        return DensityGrid.of((), np.zeros((0, 0, BLOCK**3), np.float32))
    cells = np.array(CELLS_M)
    level = np.searchsorted(_SPLINE * cells[1:], spread, side='right')
    pieces = np.clip(np.ceil((spread / (_SPLINE * cells[level])) ** 2), 1.0, _MOST_PIECES)
    pieces = np.maximum(pieces * min(_PIECES / pieces.sum(), 1.0), 1.0).astype(np.int64)
    # The spread of a parcel is that of its pieces and that of the spline.
    spread = np.sqrt(np.maximum(spread**2 - (_SPLINE * cells[level]) ** 2, 0.0))
    works, parts, count = list[tuple[Any, ...]](), list[tuple[Floats, float, Ints]](), 0
    for k in np.unique(level):
        here, side = level == k, BLOCK * cells[k]
        at = place[here], spread[here], number[here], pieces[here], _OFFSETS, float(cells[k])
        margin = at[1].max() * float(np.abs(_OFFSETS).max()) + 2.0 * cells[k]
        low, high = (np.array([bound(axis) for axis in at[0].T]) for bound in (np.min, np.max))
        first = np.floor((low - margin) / side).astype(np.int64)
        last = np.floor((high + margin) / side).astype(np.int64)
        lookup = np.full(last - first + 1, -1, dtype=np.int32)
        count = _number_blocks(*at, first, count, lookup)
        works.append((*at, first, lookup, parcel_extinction_m2 / cells[k] ** 3))
        parts.append((first * side - origin, float(cells[k]), lookup))
    # As many sums as this, whatever the number of threads, so that their rounding is the same.
    sums = np.zeros((_SUMS, count, BLOCK**3), dtype=np.float32)
    for work in works:
        run_in_ranges(_splat, _SUMS, 1, *work, sums)
    return DensityGrid.of(parts, sums)


def _places(lookup: Ints) -> Longs:
    """Return the places of the blocks of a level in the order of their numbers, shape (n, 3)."""
    there = np.argwhere(lookup >= 0)
    return there[np.argsort(lookup[tuple(there.T)])]


@kernel
def _gather(
    first: int,
    last: int,
    sums: Singles,
    lookup: Ints,
    places: Longs,
    extinction: Singles,
    filled: Bools,
    bounds: Longs,
) -> None:
    """Add up the parts of the extinction at the corners of blocks at these places, and mark cells that have dust.

    Bounds are the lowest cells of each block along each axis, and those after the highest ones.
    """
    owners, dusty = np.empty(8, np.int64), np.empty(SIDE, np.bool_)
    for row in range(first, last):
        a, b, c = places[row, 0], places[row, 1], places[row, 2]
        block = lookup[a, b, c]
        # Corners on the far sides of a block are those of the next blocks.
        for n in range(8):
            i, j, k = a + (n >> 2), b + (n >> 1 & 1), c + (n & 1)
            inside = i < lookup.shape[0] and j < lookup.shape[1] and k < lookup.shape[2]
            owners[n] = lookup[i, j, k] if inside else -1
        for x in range(SIDE):
            for y in range(SIDE):
                first_corner = (x * SIDE + y) * SIDE
                for z in range(SIDE):
                    owner = owners[((x >> BITS << 1) + (y >> BITS) << 1) + (z >> BITS)]
                    total = np.float32(0.0)
                    if owner >= 0:
                        cell = (((x & LAST) << BITS) + (y & LAST) << BITS) + (z & LAST)
                        for part in range(sums.shape[0]):
                            total += sums[part, owner, cell]
                    extinction[block, first_corner + z] = total
                    dusty[z] = total > 0.0
                for u in range(max(x - 1, 0), min(x, LAST) + 1):
                    for v in range(max(y - 1, 0), min(y, LAST) + 1):
                        row_of_cells = (u << BITS) + v << BITS
                        for w in range(BLOCK):
                            filled[block, row_of_cells + w] |= dusty[w] | dusty[w + 1]
        for axis in range(3):
            bounds[block, axis], bounds[block, 3 + axis] = BLOCK, 0
        for cell in range(BLOCK * BLOCK * BLOCK):
            if filled[block, cell]:
                for axis in range(3):
                    k = cell >> BITS * (2 - axis) & LAST
                    bounds[block, axis] = min(bounds[block, axis], k)
                    bounds[block, 3 + axis] = max(bounds[block, 3 + axis], k + 1)


@kernel(views_only=True, forceinline=True)
def _first_piece(number: int) -> int:
    """Return the row of the offset of a parcel's first piece."""
    return int(mix_bits(np.uint64(number)) & np.uint64(_LAST_OFFSET))


@kernel(views_only=True, forceinline=True)
def _piece(place: Floats, spread: Floats, offsets: Floats, cell: float, n: int, k: int) -> tuple[float, float, float]:
    """Return the place of a piece of a parcel in cells, with integer coordinates at their corners.

    ``k`` is the number of the piece after :func:`_first_piece`.
    """
    row = k & _LAST_OFFSET
    s = spread[n]
    return (
        (place[n, 0] + s * offsets[row, 0]) / cell,
        (place[n, 1] + s * offsets[row, 1]) / cell,
        (place[n, 2] + s * offsets[row, 2]) / cell,
    )


@kernel(views_only=True)
def _number_blocks(
    place: Floats,
    spread: Floats,
    number: Longs,
    pieces: Longs,
    offsets: Floats,
    cell: float,
    first: Longs,
    count: int,
    lookup: Ints,
) -> int:
    """Number the blocks that parcels touch from ``count`` on, in the order of the parcels; return the next number."""
    for n in range(place.shape[0]):
        start = _first_piece(number[n])
        for piece in range(pieces[n]):
            u, v, w = _piece(place, spread, offsets, cell, n, start + piece)
            i, j, k = int(math.floor(u + 0.5)), int(math.floor(v + 0.5)), int(math.floor(w + 0.5))
            # Its corners are those of four cells along each axis.
            for c in range((k - 2 >> BITS) - first[2], (k + 1 >> BITS) - first[2] + 1):
                for b in range((j - 2 >> BITS) - first[1], (j + 1 >> BITS) - first[1] + 1):
                    for a in range((i - 2 >> BITS) - first[0], (i + 1 >> BITS) - first[0] + 1):
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
    cell: float,
    first: Longs,
    lookup: Ints,
    each: float,
    sums: Singles,
) -> None:
    """Add parcels to sums, each of which has an equal part of the parcels."""
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
            cell,
            first,
            lookup,
            each,
            sums[part],
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
    cell: float,
    first: Longs,
    lookup: Ints,
    each: float,
    extinction: Singles,
) -> None:
    for n in range(begin, end):
        start, share = _first_piece(number[n]), each / pieces[n]
        for piece in range(pieces[n]):
            u, v, w = _piece(place, spread, offsets, cell, n, start + piece)
            i, j, k = int(math.floor(u + 0.5)), int(math.floor(v + 0.5)), int(math.floor(w + 0.5))
            along, across, upward = _weights(u - i), _weights(v - j), _weights(w - k)
            x, y, z = i - 1, j - 1, k - 1
            in_one = x & LAST < LAST - 1 and y & LAST < LAST - 1 and z & LAST < LAST - 1
            block = lookup[(x >> BITS) - first[0], (y >> BITS) - first[1], (z >> BITS) - first[2]]
            for a in range(3):
                for b in range(3):
                    weight = share * along[a] * across[b]
                    row = ((x + a & LAST) << BITS) + (y + b & LAST) << BITS
                    if in_one:
                        at = row + (z & LAST)
                        extinction[block, at] += weight * upward[0]
                        extinction[block, at + 1] += weight * upward[1]
                        extinction[block, at + 2] += weight * upward[2]
                        continue
                    bx, by = (x + a >> BITS) - first[0], (y + b >> BITS) - first[1]
                    for c in range(3):
                        owner = lookup[bx, by, (z + c >> BITS) - first[2]]
                        extinction[owner, row + (z + c & LAST)] += weight * upward[c]


@kernel(views_only=True, forceinline=True)
def _weights(off: float) -> tuple[float, float, float]:
    """Return the weights of the three nearest cells: a quadratic spline."""
    return 0.5 * (0.5 - off) ** 2, 0.75 - off * off, 0.5 * (0.5 + off) ** 2
