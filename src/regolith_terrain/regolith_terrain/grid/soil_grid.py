# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil grid: the committed soil state as sparse node records over a height field.

Nodes are at (i spacing, j spacing) for all integers i, j and move only vertically. Tiles of 64 x 64 nodes are created
at the first access. A node has a record after its first change. Only :meth:`SoilGrid.apply` and :meth:`SoilGrid.load`
write to the grid. Vehicles work on windows, which are copies.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.node_records import Floats, Indices, NodeRecords, row_of
from regolith_terrain.grid.soil_hash import LANES, Words, add_node, digest
from regolith_terrain.height_field import HeightField
from regolith_terrain.terrain_model import (
    DEFAULT_TERRAIN_MODEL,
    LEVEL,
    LEVEL_INITIAL,
    MASS,
    TerrainModel,
    find_terrain_model,
)
from regolith_world.cycle import Part, Saved, StateField, StateLayout
from regolith_world.numerics import kernel

Flags = NDArray[np.bool_]
Members = NDArray[np.int64]

TILE = 64
"""Number of nodes along the side of a tile."""
_SHIFT = TILE.bit_length() - 1


@dataclass(slots=True)
class SoilWindow:
    """Dense copy of the nodes i0 <= i < i0 + ni, j0 <= j < j0 + nj; changes by kernels do not reach the grid.

    Every field of the terrain model is also an attribute: ``window.level``, shape (ni, nj).
    """

    i0: int
    """Index of the first row; node (r, c) is at x = (i0 + r) spacing."""
    j0: int
    """Index of the first column."""
    spacing: float
    """Grid node spacing [m]."""
    base: Floats
    """Undisturbed heights with one additional node on each side [m], shape (ni + 2, nj + 2)."""
    upright: Floats
    """Vertical component of the undisturbed unit normal, shape (ni, nj); zero until a kernel computes it."""
    fields: tuple[str, ...]
    """Names of the node fields, in the order of the terrain model."""
    values: Floats
    """All fields, shape (number of fields, ni, nj)."""
    touched: Flags
    """Whether a kernel has changed a node, shape (ni, nj)."""

    def __getattr__(self, name: str) -> Floats:
        """Return a field by its name, shape (ni, nj)."""
        return row_of(self, name, self.values)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the window, (ni, nj)."""
        return self.values.shape[1], self.values.shape[2]

    def history(self) -> Floats:
        """Return a copy of all fields, shape (number of fields, ni, nj)."""
        return self.values.copy()

    def changed(self) -> NodeRecords:
        """Return the records of all touched nodes, sorted by (i, j)."""
        i, j, values = _pick(self.touched, self.i0, self.j0, self.values)
        return NodeRecords(i, j, values, self.fields)


class _Tile:
    """Heights of 64 x 64 nodes and, after a first change, their records."""

    __slots__ = ('base', 'bits', 'modified', 'values')

    def __init__(self, base: Floats) -> None:
        self.base = base
        self.values: Floats | None = None
        self.bits: Words | None = None
        """Records as words, shape (fields, nodes)."""
        self.modified: Flags | None = None

    def writable(self, from_base: Flags) -> tuple[Floats, Words, Flags]:
        """Return records, records as words, and marks of changed nodes; create them if necessary.

        Args:
            from_base: Whether a field starts at the height.
        """
        if self.values is None or self.bits is None or self.modified is None:
            self.values = np.zeros((len(from_base), TILE, TILE))
            self.values[from_base] = self.base
            self.bits = self.values.view(np.uint64).reshape(len(from_base), -1)
            self.modified = np.zeros((TILE, TILE), dtype=np.bool_)
        return self.values, self.bits, self.modified


class SoilGrid(Saved):
    """The committed soil that all vehicles share."""

    STATE = StateLayout(
        'soil',
        StateField('spacing', 'd', same=True),
        StateField('records', Part(of=NodeRecords.restored)),
        tag=b'REGSOIL3',
    )

    def __init__(self, height_field: HeightField, spacing: float, law: TerrainModel | None = None) -> None:
        """Create an unmodified grid over a height field.

        Args:
            height_field: Undisturbed surface.
            spacing: Grid node spacing [m].
            law: Terrain model; none: the default one.

        Raises:
            ValueError: If the spacing is not positive.
        """
        if not spacing > 0.0:
            raise ValueError(f'spacing {spacing!r} m; allowed: > 0')
        self.height_field = height_field
        self.spacing = float(spacing)
        self.law = law if law is not None else find_terrain_model(DEFAULT_TERRAIN_MODEL)
        self._from_base = np.array([field.start == 'base' for field in self.law.fields])
        self._initial, self._level, self._mass = (self.law.fields.index(f) for f in (LEVEL_INITIAL, LEVEL, MASS))
        self._no_values = np.zeros((len(self._from_base), 0, 0))
        self._clear()

    def _clear(self) -> None:
        self._tiles: dict[tuple[int, int], _Tile] = {}
        self._lanes = np.zeros(LANES, dtype=np.uint64)
        self._count = 0
        self._writes = 0
        self._hashed: tuple[NodeRecords, int, NDArray[np.uint64], int] | None = None

    # -- reading ------------------------------------------------------------------------------------------------

    @property
    def modified_count(self) -> int:
        """Number of nodes with a record."""
        return self._count

    def window(self, i0: int, i1: int, j0: int, j1: int, parts: Indices | None = None) -> SoilWindow:
        """Return a copy of the nodes i0 <= i < i1, j0 <= j < j1.

        Args:
            i0: First node index along x.
            i1: End node index along x.
            j0: First node index along y.
            j1: End node index along y.
            parts: Rows (i0, i1, j0, j1) of the only rectangles to be used, shape (k, 4). Elsewhere the window is
                undefined and its level NaN, so kernels reject it.

        Raises:
            ValueError: If the range is empty.
        """
        if i1 <= i0 or j1 <= j0:
            raise ValueError(f'window i {i0}..{i1}, j {j0}..{j1} is empty')
        ni, nj = i1 - i0, j1 - j0
        base = np.empty((ni + 2, nj + 2))
        values = np.empty((len(self._from_base), ni, nj))
        if parts is None:
            parts = np.array([[i0, i1, j0, j1]], dtype=np.int32)
        else:
            values[self._level] = np.nan
        for tile, ai, aj in self._overlapping(i0 - 1, i1 + 1, j0 - 1, j1 + 1):
            virgin = tile.values is None
            records = self._no_values if virgin else tile.values
            _copy_tile(tile.base, records, virgin, self._from_base, ai, aj, i0, j0, parts, base, values)
        touched = np.zeros((ni, nj), dtype=np.bool_)
        upright = np.zeros((ni, nj))
        return SoilWindow(i0, j0, self.spacing, base, upright, self.law.names, values, touched)

    def heights_and_masses(self, i0: int, i1: int, j0: int, j1: int) -> tuple[Floats, Floats]:
        """Return copies of level [m] and mass [kg/m^2] of the nodes i0 <= i < i1, j0 <= j < j1.

        For small areas that need only these two: a fifth of the time of a window.
        """
        out = np.empty((2, i1 - i0, j1 - j0))
        both = slice(self._level, self._mass + 1, self._mass - self._level)
        for tile, ai, aj in self._overlapping(i0, i1, j0, j1):
            a, b, c, d = max(i0, ai), min(i1, ai + TILE), max(j0, aj), min(j1, aj + TILE)
            here = out[:, a - i0 : b - i0, c - j0 : d - j0]
            if tile.values is None:
                here[0], here[1] = tile.base[a - ai : b - ai, c - aj : d - aj], 0.0
            else:
                here[:] = tile.values[both, a - ai : b - ai, c - aj : d - aj]
        return out[0], out[1]

    def records_at(self, i: Indices, j: Indices) -> NodeRecords:
        """Return the records of nodes, modified or not, in the given order, shape (n,) each."""
        i = np.asarray(i, dtype=np.int32)
        j = np.asarray(j, dtype=np.int32)
        values = np.zeros((len(self._from_base), len(i)))
        for (ti, tj), members in _by_tile(i, j):
            tile = self._tile(ti, tj)
            li, lj = i[members] & (TILE - 1), j[members] & (TILE - 1)
            if tile.values is None:
                values[np.ix_(self._from_base, members)] = tile.base[li, lj]
            else:
                values[:, members] = tile.values[:, li, lj]
        return NodeRecords(i, j, values, self.law.names)

    def levels(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Return the level [m] of the nodes nearest to (x, y) [m]; the arguments broadcast."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        i = np.floor(x / self.spacing + 0.5).astype(np.int32)
        j = np.floor(y / self.spacing + 0.5).astype(np.int32)
        # Not through the tiles: a map of a whole site must not allocate tiles on which no vehicle drives.
        out = np.array(self.height_field.heights(i * self.spacing, j * self.spacing), dtype=np.float64)
        flat, fi, fj = out.reshape(-1), i.reshape(-1), j.reshape(-1)
        for (ti, tj), members in _by_tile(fi, fj):
            tile = self._tiles.get((ti, tj))
            if tile is not None and tile.values is not None:
                flat[members] = tile.values[self._level, fi[members] & (TILE - 1), fj[members] & (TILE - 1)]
        return flat.reshape(out.shape)

    def rises_above(self, plane: tuple[float, ...], way: float) -> bool:
        """Return whether a node's level_initial may be above a patch of a plane that moves by up to ``way`` [m].

        Args:
            plane: x and y of the patch's center, half extents along x and y, height there [m], slopes along x, y.
            way: Largest distance by which the plane moves [m].
        """
        x, y, reach_x, reach_y, z, slope_x, slope_y = plane
        i0, i1 = self._indices(x, reach_x + way)
        j0, j1 = self._indices(y, reach_y + way)
        # The plane may also move horizontally.
        z -= way * (1.0 + abs(slope_x) + abs(slope_y)) + x * slope_x + y * slope_y
        for tile, ai, aj in self._overlapping(i0, i1 + 1, j0, j1 + 1):
            heights = tile.base if tile.values is None else tile.values[self._initial]
            if _any_above(heights, ai, aj, i0, i1, j0, j1, self.spacing, z, slope_x, slope_y):
                return True
        return False

    def _indices(self, middle: float, reach: float) -> tuple[int, int]:
        return math.floor((middle - reach) / self.spacing), math.ceil((middle + reach) / self.spacing)

    def mean_rise(self, i: int, j: int, stride: int, count: int) -> Floats | None:
        """Return the mean rise of the level above the undisturbed surface [m] over squares of nodes.

        Args:
            i: Index along x of the first of the coarse nodes i, i + stride, ...
            j: Index along y of the first of the coarse nodes.
            stride: Number of nodes along the side of a square.
            count: Number of coarse nodes along either axis.

        Returns:
            Mean rise, shape (count, count); None if no node there was touched.
        """
        low_i, low_j = i - stride // 2, j - stride // 2
        first, last = (
            (low_i >> _SHIFT, low_j >> _SHIFT),
            (
                (low_i + count * stride - 1) >> _SHIFT,
                (low_j + count * stride - 1) >> _SHIFT,
            ),
        )
        if (last[0] - first[0] + 1) * (last[1] - first[1] + 1) < len(self._tiles):
            keys = [(a, b) for a in range(first[0], last[0] + 1) for b in range(first[1], last[1] + 1)]
        else:
            keys = sorted(k for k in self._tiles if first[0] <= k[0] <= last[0] and first[1] <= k[1] <= last[1])
        out: Floats | None = None
        for key in keys:
            tile = self._tiles.get(key)
            if tile is None or tile.values is None or tile.modified is None:
                continue
            li, lj = np.nonzero(tile.modified)
            a, b = ((key[0] << _SHIFT) + li - low_i) // stride, ((key[1] << _SHIFT) + lj - low_j) // stride
            inside = (a >= 0) & (a < count) & (b >= 0) & (b < count)
            out = np.zeros((count, count)) if out is None else out
            rise = (tile.values[self._level] - tile.base)[li, lj] / stride**2
            np.add.at(out, (a[inside], b[inside]), rise[inside])
        return out

    def all_records(self) -> NodeRecords:
        """Return the records of all modified nodes, sorted by (i, j)."""
        none = NodeRecords.empty(self.law.names)
        parts_i, parts_j, parts = [none.i], [none.j], [none.table]
        for (ti, tj), tile in self._tiles.items():
            if tile.values is not None and tile.modified is not None:
                li, lj = np.nonzero(tile.modified)
                parts_i.append((li + (ti << _SHIFT)).astype(np.int32))
                parts_j.append((lj + (tj << _SHIFT)).astype(np.int32))
                parts.append(tile.values[:, li, lj])
        i, j, values = np.concatenate(parts_i), np.concatenate(parts_j), np.concatenate(parts, axis=1)
        order = np.lexsort((j, i))
        return NodeRecords.from_values(i[order], j[order], values[:, order], self.law.names)

    def max_rut_depth(self) -> float:
        """Return the depth of the deepest node below the undisturbed surface [m], >= 0."""
        depth = 0.0
        for tile in self._tiles.values():
            if tile.values is not None and tile.modified is not None and tile.modified.any():
                depth = max(depth, float((tile.base - tile.values[self._level])[tile.modified].max()))
        return depth

    def moved_mass(self, edited: int = 0) -> float:
        """Return the sum of all changes of column mass without edits, rounded once [kg/m^2].

        See :mod:`regolith_terrain.grid.mass_balance`.

        Args:
            edited: Mass that edits added, in quanta.
        """
        kept = (t.values[self._mass] for t in self._tiles.values() if t.values is not None)
        masses = chain.from_iterable(mass[mass != 0.0].tolist() for mass in kept)
        many, few = divmod(-edited, 2**53)  # doubles represent both exactly
        return math.fsum(chain(masses, (many * 2.0**53 * MASS_QUANTUM_KGPM2, few * MASS_QUANTUM_KGPM2)))

    # -- writing ------------------------------------------------------------------------------------------------

    def apply(self, records: NodeRecords) -> None:
        """Write records to the committed soil.

        Raises:
            ValueError: If the nodes are not unique and sorted by (i, j).
        """
        hashed, self._hashed = self._hashed, None
        if hashed is not None and hashed[0] is records and hashed[3] == self._writes:
            self._take(records, write=True, weigh=False)
            self._count, self._lanes = hashed[1], hashed[2]
        else:
            self._count, self._lanes = self._take(records, write=True)
        self._writes += 1

    def hash_with(self, records: NodeRecords) -> str:
        """Return the soil hash that :meth:`apply` would give, without a change."""
        count, lanes = self._take(records, write=False)
        # apply() usually follows with the same records, and then reuses this result.
        self._hashed = (records, count, lanes, self._writes)
        return digest(count, lanes)

    def _take(self, records: NodeRecords, write: bool, weigh: bool = True) -> tuple[int, NDArray[np.uint64]]:
        if weigh and not records.is_sorted():
            raise ValueError('node records must be unique and sorted by (i, j)')
        if records.fields != self.law.names and len(records):
            raise ValueError(f'node records of {", ".join(records.fields)}; allowed here: {", ".join(self.law.names)}')
        lanes, count = self._lanes.copy(), self._count
        i, j, values, bits = records.i, records.j, records.table, records.table.view(np.uint64)
        for (ti, tj), members in _by_tile(i, j):
            tile = self._tile(ti, tj).writable(self._from_base)
            count += _take_tile(ti << _SHIFT, tj << _SHIFT, i, j, values, bits, members, *tile, lanes, write, weigh)
        return count, lanes

    # -- identity and storage -----------------------------------------------------------------------------------

    def soil_hash(self) -> str:
        """Return the SHA-256 (hex) of all modified nodes; O(1)."""
        return digest(self._count, self._lanes)

    def recomputed_hash(self) -> str:
        """Return the value of :meth:`soil_hash` recomputed from the records."""
        records = self.all_records()
        lanes = np.zeros(LANES, dtype=np.uint64)
        _hash_all(records.i, records.j, records.table.view(np.uint64), lanes)
        return digest(len(records), lanes)

    @property
    def records(self) -> NodeRecords:
        """Records of all modified nodes; when they are set, they replace all present ones."""
        return self.all_records()

    @records.setter
    def records(self, records: NodeRecords) -> None:
        if records.fields != self.law.names:
            raise ValueError(f'fields {", ".join(records.fields)}; allowed: {", ".join(self.law.names)} of this grid')
        tiles = self._tiles
        self._clear()
        # The undisturbed heights are kept: their computation is the slow part.
        self._tiles = {key: _Tile(tile.base) for key, tile in tiles.items()}
        self.apply(records)

    def _overlapping(self, i0: int, i1: int, j0: int, j1: int) -> Iterator[tuple[_Tile, int, int]]:
        """Yield the tiles that have nodes i0 <= i < i1, j0 <= j < j1, each with the indices of its first node."""
        for ti in range(i0 >> _SHIFT, (i1 - 1 >> _SHIFT) + 1):
            for tj in range(j0 >> _SHIFT, (j1 - 1 >> _SHIFT) + 1):
                yield self._tile(ti, tj), ti << _SHIFT, tj << _SHIFT

    def _tile(self, ti: int, tj: int) -> _Tile:
        tile = self._tiles.get((ti, tj))
        if tile is None:
            i, j = ti << _SHIFT, tj << _SHIFT
            tile = _Tile(self.height_field.nodes(i, i + TILE, j, j + TILE, self.spacing))
            self._tiles[ti, tj] = tile
        return tile


def _by_tile(i: Indices, j: Indices) -> list[tuple[tuple[int, int], Members]]:
    """Return (tile index, ascending positions of its nodes in the input) for every tile of the input."""
    if len(i) == 0:
        return []
    key = ((i >> _SHIFT).astype(np.int64) << 32) + ((j >> _SHIFT).astype(np.int64) + 2**31)
    order = np.argsort(key, kind='stable')
    ordered = key[order]
    starts = np.concatenate(([0], np.nonzero(ordered[1:] != ordered[:-1])[0] + 1, [len(order)]))
    return [
        ((int(i[order[a]]) >> _SHIFT, int(j[order[a]]) >> _SHIFT), order[a:b])
        for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]


@kernel
def _copy_tile(
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
def _any_above(
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
    """Return whether a node i0..i1, j0..j1 of a tile is above the plane z + slope_x x + slope_y y [m]."""
    size = heights.shape[0]
    for i in range(max(i0, ti0), min(i1, ti0 + size - 1) + 1):
        row = z + slope_x * (i * spacing)
        for j in range(max(j0, tj0), min(j1, tj0 + size - 1) + 1):
            if heights[i - ti0, j - tj0] > row + slope_y * (j * spacing):
                return True
    return False


@kernel
def _pick(touched: Flags, i0: int, j0: int, values: Floats) -> tuple[Indices, Indices, Floats]:
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
def _take_tile(
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
def _hash_all(i: Indices, j: Indices, bits: Words, lanes: Words) -> None:
    """Add all nodes to the lanes of a hash."""
    for n in range(i.shape[0]):
        add_node(i[n], j[n], bits, n, False, lanes)
