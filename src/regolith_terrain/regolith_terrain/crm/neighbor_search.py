# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Neighbor search of CRM: particles sorted by cell, and neighbor lists of one byte per entry.

The order is that of the cells, and within a cell the previous order. It is a function of the arrays only, so sums over
neighbors are bit-identical for any number of threads.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm.arrays import MARKER, SOIL, Bytes, Floats, Neighbors, Rows
from regolith_world.numerics import kernel

Ints = NDArray[np.int64]

MOST = 255
"""Largest offset into a run of three cells, and largest number of neighbors in it."""
LISTED, TOO_DENSE, NO_ROOM = range(3)
"""Result of a list: written; too many rows in a run for one byte; not enough memory reserved."""


@kernel(views_only=True)
def find_cells(particles: Floats, origin: Floats, edges: Floats, size: Ints, cell: Ints) -> None:
    """Write the cell of each row.

    Args:
        particles: Particles, shape (n, 12).
        origin: Lower corner of the cells [m], shape (3,).
        edges: Edges of a cell [m], shape (3,).
        size: Numbers of cells along x, y, z, shape (3,).
        cell: Output: cell of each row, shape (n,).
    """
    for row in range(particles.shape[0]):
        a = min(int(math.floor((particles[row, 0] - origin[0]) / edges[0])), size[0] - 1)
        b = min(int(math.floor((particles[row, 1] - origin[1]) / edges[1])), size[1] - 1)
        c = int(math.floor((particles[row, 2] - origin[2]) / edges[2]))
        cell[row] = (a * size[1] + b) * size[2] + c


def columns_around(size: Ints, period: Floats) -> tuple[Ints, Floats]:
    """Return the surrounding columns of each column, and their offsets in a periodic bed.

    Args:
        size: Numbers of cells along x, y, z, shape (3,); without periodicity those at the rim are empty.
        period: Periods along x and y [m], 0 without periodicity, shape (2,).

    Returns:
        Values of :attr:`Neighbors.around` and :attr:`Neighbors.shift`.
    """
    a, b = (index.reshape(-1) for index in np.indices((int(size[0]), int(size[1]))))
    around = np.empty((len(a), 9), np.int64)
    shift = np.zeros((len(a), 9, 2))
    for run in range(9):
        p, q = a + run // 3 - 1, b + run % 3 - 1
        shift[:, run, 0] = -period[0] * np.floor_divide(p, size[0])
        shift[:, run, 1] = -period[1] * np.floor_divide(q, size[1])
        around[:, run] = (p % size[0]) * size[1] + q % size[1]
    return around, shift


@kernel(views_only=True)
def sorted_rows(cell: Ints, first: Rows, order: Rows) -> None:
    """Write the first row of each cell after sorting, and the source of each row: a stable counting sort.

    Args:
        cell: Cell of each row, shape (n,).
        first: Output: first row of each cell, shape (cells + 1,).
        order: Output: source of each row, shape (n,).
    """
    first[:] = 0
    for row in range(cell.shape[0]):
        first[cell[row] + 1] += 1
    for k in range(1, first.shape[0]):
        first[k] += first[k - 1]
    for row in range(cell.shape[0]):
        order[first[cell[row]]] = row
        first[cell[row]] += 1
    for k in range(first.shape[0] - 1, 0, -1):
        first[k] = first[k - 1]
    first[0] = 0


@kernel(views_only=True)
def list_neighbors(
    a: int, b: int, particles: Floats, kind: Bytes, near: Neighbors, rows: Rows, reach: float, capacity: int
) -> int:
    """Write the neighbor lists of ``rows[a:b]`` and their starts; return LISTED or the reason of a failure.

    Markers list soil only. A row is not its own neighbor.

    Args:
        a: First index into ``rows``.
        b: End index.
        particles: Particles, shape (n, 12).
        kind: SOIL or MARKER, shape (n,).
        near: Output: neighbor lists.
        rows: Rows whose neighbors are listed.
        reach: Distance to which neighbors are listed [m].
        capacity: Largest mean number of bytes of a list over ``rows[a:b]``; lists begin at a times that.
    """
    limit = reach * reach
    offsets = near.offsets
    place = a * capacity
    last = b * capacity
    for k in range(a, b):
        row = rows[k]
        soil_only = kind[row] == MARKER
        x, y, z = particles[row, 0], particles[row, 1], particles[row, 2]
        column = near.cell[row] // near.height
        near.begin[row] = place
        for run in range(9):
            center = near.around[column, run] * near.height + near.cell[row] - column * near.height
            xr, yr = x + near.shift[column, run, 0], y + near.shift[column, run, 1]
            start, end = near.first[center - 1], near.first[center + 2]
            if end - start > MOST:
                return TOO_DENSE
            if place + 1 + end - start > last:
                return NO_ROOM
            head = place
            place += 1
            for other in range(start, end):
                dx, dy, dz = xr - particles[other, 0], yr - particles[other, 1], z - particles[other, 2]
                if dx * dx + dy * dy + dz * dz < limit and other != row and not (soil_only and kind[other] != SOIL):
                    offsets[np.uintp(place)] = other - start
                    place += 1
            offsets[np.uintp(head)] = place - head - 1
    return LISTED
