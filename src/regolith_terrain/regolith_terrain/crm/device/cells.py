# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sorting by cell and moving of rows on a device.

Cells are in the order of :mod:`regolith_terrain.crm.neighbor_search`.
"""

# Warp's annotations are values, not types for mypy.
# mypy: ignore-errors

from __future__ import annotations

import warp as wp

from regolith_terrain.crm import arrays
from regolith_terrain.crm.device.structs import ZERO, Grid, kernel

SOIL = wp.constant(wp.uint8(arrays.SOIL))
BAND = 256
"""Number of rows per thread in the search of extents."""


@kernel
def find_extents(particles: wp.array2d(dtype=wp.float64), extents: wp.array2d(dtype=wp.float64)):
    """Write the smallest and largest coordinates of each band; infinity for NaN positions."""
    band = wp.tid()
    for axis in range(3):
        low = wp.float64(wp.inf)
        high = -low
        for row in range(band * BAND, wp.min((band + 1) * BAND, particles.shape[0])):
            value = particles[row, axis]
            if not wp.isfinite(value):
                value = wp.float64(wp.inf)
            low = wp.min(low, value)
            high = wp.max(high, value)
        extents[band, axis] = low
        extents[band, 3 + axis] = high


@wp.func
def wrapped(value: wp.float64, period: wp.float64):
    """Return a coordinate of a periodic bed, between 0 and ``period``."""
    if period == ZERO:
        return value
    rest = wp.mod(value, period)
    if rest < ZERO:
        rest += period
    return rest


@kernel
def find_cells(
    particles: wp.array2d(dtype=wp.float64),
    origin: wp.vec3d,
    edges: wp.vec3d,
    grid: Grid,
    cell: wp.array(dtype=wp.int32),
    order: wp.array(dtype=wp.int32),
):
    """Write the cell of each row; wrap positions to the period."""
    row = wp.tid()
    x = wrapped(particles[row, 0], grid.period_x)
    y = wrapped(particles[row, 1], grid.period_y)
    particles[row, 0] = x
    particles[row, 1] = y
    a = wp.min(wp.int32(wp.floor((x - origin[0]) / edges[0])), grid.nx - 1)
    b = wp.min(wp.int32(wp.floor((y - origin[1]) / edges[1])), grid.ny - 1)
    c = wp.int32(wp.floor((particles[row, 2] - origin[2]) / edges[2]))
    cell[row] = (a * grid.ny + b) * grid.nz + c
    order[row] = row


@kernel
def find_first(cell: wp.array(dtype=wp.int32), count: wp.int32, first: wp.array(dtype=wp.int32)):
    """Write the first row of each cell from the cells of sorted rows."""
    which = wp.tid()
    low = wp.int32(0)
    high = wp.int32(count)
    while low < high:
        middle = (low + high) // 2
        if cell[middle] < which:
            low = middle + 1
        else:
            high = middle
    first[which] = low


@kernel
def take_rows(
    order: wp.array(dtype=wp.int32), source: wp.array2d(dtype=wp.float64), target: wp.array2d(dtype=wp.float64)
):
    """Copy rows in an order."""
    row, column = wp.tid()
    target[row, column] = source[order[row], column]


@kernel
def take_names(
    order: wp.array(dtype=wp.int32),
    kind: wp.array(dtype=wp.uint8),
    label: wp.array(dtype=wp.int32),
    new_kind: wp.array(dtype=wp.uint8),
    new_label: wp.array(dtype=wp.int32),
):
    """Copy kinds and labels in an order."""
    row = wp.tid()
    new_kind[row] = kind[order[row]]
    new_label[row] = label[order[row]]


@wp.func
def column_beside(grid: Grid, column: wp.int32, run: wp.int32):
    """Return one of the nine surrounding columns of a column, and the offset of x and y for it [m].

    The same as :func:`regolith_terrain.crm.neighbor_search.columns_around`.
    """
    p = column // grid.ny + run // 3 - 1
    q = column % grid.ny + run % 3 - 1
    x = wp.float64(0.0)
    y = wp.float64(0.0)
    if p < 0:
        p = p + grid.nx
        x = grid.period_x
    elif p >= grid.nx:
        p = p - grid.nx
        x = -grid.period_x
    if q < 0:
        q = q + grid.ny
        y = grid.period_y
    elif q >= grid.ny:
        q = q - grid.ny
        y = -grid.period_y
    return p * grid.ny + q, x, y


@kernel
def find_kind(kind: wp.array(dtype=wp.uint8), which: wp.uint8, flag: wp.array(dtype=wp.int32)):
    """Write which rows are of a kind."""
    row = wp.tid()
    flag[row] = 0
    if kind[row] == which:
        flag[row] = 1


@kernel
def find_moving_soil(
    particles: wp.array2d(dtype=wp.float64),
    kind: wp.array(dtype=wp.uint8),
    cell: wp.array(dtype=wp.int32),
    boxes: wp.array2d(dtype=wp.float64),
    still: wp.float64,
    soil: wp.array(dtype=wp.int32),
    busy: wp.array(dtype=wp.uint8),
):
    """Write the rows and cells of moving soil; freeze other soil.

    Soil moves in a box of motion, or individually.
    """
    row = wp.tid()
    soil[row] = 0
    if kind[row] != SOIL:
        return
    moves = wp.bool(False)
    for box in range(boxes.shape[0]):
        inside = wp.bool(True)
        for axis in range(3):
            value = particles[row, axis]
            if not (value >= boxes[box, axis] and value <= boxes[box, 3 + axis]):
                inside = False
        if inside:
            moves = True
    u = particles[row, 3]
    v = particles[row, 4]
    w = particles[row, 5]
    if u * u + v * v + w * w > still * still:
        moves = True
    if moves:
        soil[row] = 1
        busy[cell[row]] = wp.uint8(1)
    else:
        for axis in range(3):
            particles[row, 3 + axis] = ZERO


@kernel
def find_moving_markers(
    kind: wp.array(dtype=wp.uint8),
    cell: wp.array(dtype=wp.int32),
    grid: Grid,
    busy: wp.array(dtype=wp.uint8),
    markers: wp.array(dtype=wp.int32),
):
    """Write the rows of markers near moving soil."""
    row = wp.tid()
    markers[row] = 0
    if kind[row] == SOIL:
        return
    column = cell[row] // grid.nz
    level = cell[row] - column * grid.nz
    for run in range(9):
        beside, _x, _y = column_beside(grid, column, run)
        for step in range(-1, 2):
            if busy[wp.max(beside * grid.nz + level + step, 0)] != wp.uint8(0):
                markers[row] = 1


@kernel
def write_rows(flag: wp.array(dtype=wp.int32), place: wp.array(dtype=wp.int32), rows: wp.array(dtype=wp.int32)):
    """Write the flagged rows in sequence; ``place`` is the cumulative count of flags.

    The count includes the row itself.
    """
    row = wp.tid()
    if flag[row] != 0:
        rows[place[row] - 1] = row


@kernel
def find_longest(
    rows: wp.array(dtype=wp.int32),
    cell: wp.array(dtype=wp.int32),
    first: wp.array(dtype=wp.int32),
    grid: Grid,
    longest: wp.array(dtype=wp.int32),
):
    """Write the largest number of rows in three stacked cells around the given rows."""
    row = rows[wp.tid()]
    column = cell[row] // grid.nz
    level = cell[row] - column * grid.nz
    most = wp.int32(0)
    for run in range(9):
        beside, _x, _y = column_beside(grid, column, run)
        center = beside * grid.nz + level
        most = wp.max(most, first[center + 2] - first[wp.max(center - 1, 0)])
    wp.atomic_max(longest, 0, most)
