# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Who lies near whom: particles sorted by cell, and lists of neighbours in one byte each.

The order is that of the cells, and within a cell the order before: a function of the arrays alone, so that sums over
neighbours have the same bits whoever computes them.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_terrain.crm.arrays import MARKER, SOIL, Bytes, Floats, Neighbours, Rows

Ints = NDArray[np.int64]

MOST = 255
"""Largest offset into a run of three cells, and count of neighbours in it."""
LISTED, TOO_DENSE, NO_ROOM = range(3)
"""What becomes of lists: written; a run has too many rows for a byte; they take more than was thought."""


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def find_cells(particles: Floats, origin: Floats, edges: Floats, size: Ints, cell: Ints) -> None:
    """Write the cell of each row.

    Args:
        particles: Shape (n, 12).
        origin: Lower corner of the cells [m], shape (3,).
        edges: Of a cell [m], shape (3,).
        size: Cells along x, y, z, shape (3,).
    """
    for row in range(particles.shape[0]):
        a = min(int(math.floor((particles[row, 0] - origin[0]) / edges[0])), size[0] - 1)
        b = min(int(math.floor((particles[row, 1] - origin[1]) / edges[1])), size[1] - 1)
        c = int(math.floor((particles[row, 2] - origin[2]) / edges[2]))
        cell[row] = (a * size[1] + b) * size[2] + c


def columns_around(size: Ints, period: Floats) -> tuple[Ints, Floats]:
    """Return which columns lie round each, and how far off they are where the bed repeats itself.

    Args:
        size: Cells along x, y, z; where the bed does not repeat itself, those at the rim are empty, shape (3,).
        period: Lengths after which the bed repeats itself along x and y, 0 where it does not [m], shape (2,).

    Returns:
        :attr:`Neighbours.around` and :attr:`Neighbours.shift`.
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


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def sorted_rows(cell: Ints, first: Rows, order: Rows) -> None:
    """Write the first row of each cell after sorting, and which row comes to each place: a stable counting sort.

    Args:
        first: Out, shape (cells + 1,).
        order: Out, shape (n,).
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


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def list_neighbors(
    a: int, b: int, particles: Floats, kind: Bytes, near: Neighbours, rows: Rows, reach: float, room: int
) -> int:
    """Write the lists of ``rows[a:b]`` and where each begins; return LISTED, or why they cannot be.

    Markers list soil only. A row is no neighbour of its own.

    Args:
        reach: To which neighbours are listed [m].
        room: Bytes of a row's list, the mean over ``rows[a:b]`` at most; lists begin at a times that.
    """
    limit = reach * reach
    offsets = near.offsets
    place = a * room
    last = b * room
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
