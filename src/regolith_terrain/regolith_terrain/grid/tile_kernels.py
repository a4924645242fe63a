# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the soil grid's tiles: copies into windows, changes of nodes, hashes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.node_records import Floats, Indices
from regolith_terrain.grid.soil_hash import Words, add_node
from regolith_world.numerics import kernel

Flags = NDArray[np.bool_]
Members = NDArray[np.int64]

TILE = 64
"""Number of nodes along the side of a tile."""
SHIFT = TILE.bit_length() - 1


def by_tile(i: Indices, j: Indices) -> list[tuple[tuple[int, int], Members]]:
    """Return (tile index, ascending positions of its nodes in the input) for every tile of the input."""
    if len(i) == 0:
        return []
    key = ((i >> SHIFT).astype(np.int64) << 32) + ((j >> SHIFT).astype(np.int64) + 2**31)
    order = np.argsort(key, kind='stable')
    ordered = key[order]
    starts = np.concatenate(([0], np.nonzero(ordered[1:] != ordered[:-1])[0] + 1, [len(order)]))
    first = order[starts[:-1]]
    tiles = zip((i[first] >> SHIFT).tolist(), (j[first] >> SHIFT).tolist(), strict=True)
    bounds = starts.tolist()
    return [(tile, order[a:b]) for tile, a, b in zip(tiles, bounds[:-1], bounds[1:], strict=True)]


@kernel
def copy_tile(
    tile_base: Floats,
    tile_values: Floats,
    virgin: bool,
    from_base: Flags,
    ti0: int,
    tj0: int,
    i0: int,
    j0: int,
    parts: Indices,
    base: Floats,
    values: Floats,
) -> None:
    """Copy the nodes that a tile shares with parts of a window, whose base has a border of one node.

    Args:
        tile_base: Undisturbed heights of the tile [m].
        tile_values: Records of the tile.
        virgin: Whether the tile has no records; fields ``from_base`` then start at its heights, others at zero.
        from_base: Whether a field starts at the height.
        ti0: Index of the tile's first row.
        tj0: Index of the tile's first column.
        i0: Index of the window's first row.
        j0: Index of the window's first column.
        parts: Rectangles, see :meth:`SoilGrid.window`.
        base: Output: undisturbed heights of the window [m].
        values: Output: fields of the window.
    """
    size = tile_base.shape[0]
    for part in range(parts.shape[0]):
        a, b = max(i0, parts[part, 0]), min(i0 + values.shape[1], parts[part, 1])
        c, d = max(j0, parts[part, 2]), min(j0 + values.shape[2], parts[part, 3])
        for i in range(max(a - 1, ti0), min(b + 1, ti0 + size)):
            for j in range(max(c - 1, tj0), min(d + 1, tj0 + size)):
                base[i - i0 + 1, j - j0 + 1] = tile_base[i - ti0, j - tj0]
        for k in range(values.shape[0]):
            for i in range(max(a, ti0), min(b, ti0 + size)):
                for j in range(max(c, tj0), min(d, tj0 + size)):
                    if not virgin:
                        values[k, i - i0, j - j0] = tile_values[k, i - ti0, j - tj0]
                    elif from_base[k]:
                        values[k, i - i0, j - j0] = tile_base[i - ti0, j - tj0]
                    else:
                        values[k, i - i0, j - j0] = 0.0


@kernel
def any_above(
    heights: Floats,
    ti0: int,
    tj0: int,
    i0: int,
    i1: int,
    j0: int,
    j1: int,
    spacing: float,
    z: float,
    slope_x: float,
    slope_y: float,
) -> bool:
    """Return whether a node i0..i1, j0..j1 of a tile or a window is above the plane z + slope_x x + slope_y y [m]."""
    rows, columns = heights.shape
    for i in range(max(i0, ti0), min(i1, ti0 + rows - 1) + 1):
        row = z + slope_x * (i * spacing)
        for j in range(max(j0, tj0), min(j1, tj0 + columns - 1) + 1):
            if heights[i - ti0, j - tj0] > row + slope_y * (j * spacing):
                return True
    return False


@kernel
def pick(touched: Flags, i0: int, j0: int, values: Floats) -> tuple[Indices, Indices, Floats]:
    """Return indices and values of the touched nodes, row by row."""
    count = 0
    for r in range(touched.shape[0]):
        for c in range(touched.shape[1]):
            if touched[r, c]:
                count += 1
    i = np.empty(count, np.int32)
    j = np.empty(count, np.int32)
    picked = np.empty((values.shape[0], count))
    at = 0
    for r in range(touched.shape[0]):
        for c in range(touched.shape[1]):
            if touched[r, c]:
                i[at], j[at] = r + i0, c + j0
                at += 1
    for k in range(values.shape[0]):
        field = values[k]
        for n in range(count):
            picked[k, n] = field[i[n] - i0, j[n] - j0]
    return i, j, picked


@kernel
def _row_from(i: Indices, low: int) -> int:
    """Return the position of the first of ascending indices that is at least ``low``."""
    first, end = 0, i.shape[0]
    while first < end:
        middle = (first + end) // 2
        if i[middle] < low:
            first = middle + 1
        else:
            end = middle
    return first


@kernel
def in_boxes(i: Indices, j: Indices, first: Members, end: Members) -> Flags:
    """Return whether any node is in each of some boxes, shape (n,).

    Args:
        i: Indices of the nodes along x, ascending, shape (k,).
        j: Indices along y.
        first: Smallest indices in each box, shape (n, 2).
        end: Largest ones.
    """
    found = np.zeros(first.shape[0], dtype=np.bool_)
    for n in range(first.shape[0]):
        for k in range(_row_from(i, first[n, 0]), i.shape[0]):
            if i[k] > end[n, 0]:
                break
            if first[n, 1] <= j[k] <= end[n, 1]:
                found[n] = True
                break
    return found


@kernel
def refresh(touched: Flags, i0: int, j0: int, values: Floats, i: Indices, j: Indices, table: Floats) -> bool:
    """Write records to the nodes of a window and unmark them; return whether no node is still marked.

    Args:
        touched: Input and output: marks of the nodes.
        i0: Index of the window's first row.
        j0: Index of the window's first column.
        values: Output: fields of the window.
        i: Indices of the records along x, ascending, shape (n,).
        j: Indices along y.
        table: The records.
    """
    for n in range(_row_from(i, i0), i.shape[0]):
        r, c = i[n] - i0, j[n] - j0
        if r >= touched.shape[0]:
            break
        if 0 <= c < touched.shape[1]:
            touched[r, c] = False
            for k in range(values.shape[0]):
                values[k, r, c] = table[k, n]
    return not touched.any()


@kernel
def take_tile(
    i0: int,
    j0: int,
    i: Indices,
    j: Indices,
    values: Floats,
    bits: Words,
    members: Members,
    tile_values: Floats,
    tile_bits: Words,
    modified: Flags,
    lanes: Words,
    write: bool,
    weigh: bool,
) -> int:
    """Update the hash and the records of a tile's nodes; return the number of newly modified nodes.

    Args:
        i0: Index of the tile's first row.
        j0: Index of the tile's first column.
        i: Node indices along x, shape (n,).
        j: Node indices along y, shape (n,).
        values: New records.
        bits: New records as words.
        members: Columns of the tile's nodes in the records.
        tile_values: Records of the tile.
        tile_bits: Records of the tile as words.
        modified: Whether a node of the tile has a record.
        lanes: Input and output: words of the hash.
        write: Whether to write the records.
        weigh: Whether to update the hash.
    """
    fresh = 0
    for member in members:
        li = i[member] - i0
        lj = j[member] - j0
        if weigh:
            if modified[li, lj]:
                add_node(i[member], j[member], tile_bits, li * modified.shape[1] + lj, True, lanes)
            else:
                fresh += 1
            add_node(i[member], j[member], bits, member, False, lanes)
        if write:
            modified[li, lj] = True
            for k in range(values.shape[0]):
                tile_values[k, li, lj] = values[k, member]
    return fresh


@kernel
def hash_all(i: Indices, j: Indices, bits: Words, lanes: Words) -> None:
    """Add all nodes to the lanes of a hash."""
    for n in range(i.shape[0]):
        add_node(i[n], j[n], bits, n, False, lanes)
