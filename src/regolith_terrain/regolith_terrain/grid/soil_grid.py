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
from regolith_terrain.grid.soil_hash import LANES, Words, digest
from regolith_terrain.grid.tile_kernels import (
    SHIFT,
    TILE,
    Flags,
    Members,
    any_above,
    by_tile,
    copy_tile,
    hash_all,
    in_boxes,
    pick,
    refresh,
    take_tile,
)
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
    writes: int
    """Value of :attr:`SoilGrid.writes` that the window shows, apart from touched nodes."""

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
        i, j, values = pick(self.touched, self.i0, self.j0, self.values)
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


_TileNodes = list[tuple[_Tile, int, int, Members]]
RAISED = np.dtype([('i', '<i4'), ('j', '<i4'), ('rise', '<f8')])
"""Row of :attr:`SoilGrid.raised`: indices of a node, and the rise of its level [m]."""


class SoilGrid(Saved):
    """The committed soil that all vehicles share."""

    STATE = StateLayout(
        'soil',
        StateField('spacing', 'd', same=True),
        StateField('raised_rows', 'q'),
        StateField('raised', RAISED, ('raised_rows',)),
        StateField('records', Part(of=NodeRecords.restored)),
        tag=b'REGSOIL4',
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
        self._writes = 0
        self._clear()

    def _clear(self) -> None:
        self._tiles: dict[tuple[int, int], _Tile] = {}
        self._lanes = np.zeros(LANES, dtype=np.uint64)
        self._count = 0
        self._writes += 1
        self._last = NodeRecords.empty(self.law.names)
        """Records of the last write."""
        self._hashed: tuple[NodeRecords, int, Words, int, _TileNodes] | None = None
        """Records of :meth:`hash_with`, the results, and :attr:`writes` at that time."""
        self.raised = np.zeros(0, RAISED)
        """Nodes that the last write raised from outside, rows of RAISED; what stands on them is lifted.

        They follow from the last two states of the soil, so they are saved but not hashed."""

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
            copy_tile(tile.base, records, virgin, self._from_base, ai, aj, i0, j0, parts, base, values)
        touched = np.zeros((ni, nj), dtype=np.bool_)
        upright = np.zeros((ni, nj))
        return SoilWindow(i0, j0, self.spacing, base, upright, self.law.names, values, touched, self._writes)

    def refresh(self, window: SoilWindow) -> bool:
        """Bring a window to the present soil and unmark its nodes; return whether it is the present soil now.

        It is after a single write that has all touched nodes, and without a write if no node was touched.
        """
        if window.writes == self._writes:
            return not window.touched.any()
        if window.writes != self._writes - 1:
            return False
        last, window.writes = self._last, self._writes
        shown: bool = refresh(window.touched, window.i0, window.j0, window.values, last.i, last.j, last.table)
        return shown

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
        for (ti, tj), members in by_tile(i, j):
            tile = self._tile(ti, tj)
            li, lj = i[members] & (TILE - 1), j[members] & (TILE - 1)
            if tile.values is None:
                values[np.ix_(self._from_base, members)] = tile.base[li, lj]
            else:
                values[:, members] = tile.values[:, li, lj]
        return NodeRecords(i, j, values, self.law.names)

    @property
    def writes(self) -> int:
        """Number of writes so far; the soil differs only if it does."""
        return self._writes

    def written_since(self, writes: int, low: Floats, high: Floats) -> Flags:
        """Return whether soil in boxes may have changed since :attr:`writes` was a number, shape (n,).

        Args:
            writes: Former value of :attr:`writes`.
            low: Minima (x, y) of the boxes [m], shape (n, 2).
            high: Maxima (x, y) [m], shape (n, 2).
        """
        if writes not in (self._writes, self._writes - 1):
            return np.full(len(low), True)
        if writes == self._writes:
            return np.full(len(low), False)
        first, end = np.floor(low / self.spacing).astype(np.int64), np.ceil(high / self.spacing).astype(np.int64)
        found: Flags = in_boxes(self._last.i, self._last.j, first, end)
        return found

    def levels(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Return the level [m] of the nodes nearest to (x, y) [m]; the arguments broadcast."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        i = np.floor(x / self.spacing + 0.5).astype(np.int32)
        j = np.floor(y / self.spacing + 0.5).astype(np.int32)
        # Not through the tiles: a map of a whole site must not allocate tiles on which no vehicle drives.
        flat, virgin = np.empty(i.size), np.ones(i.size, dtype=np.bool_)
        fi, fj = i.reshape(-1), j.reshape(-1)
        for (ti, tj), members in by_tile(fi, fj):
            tile = self._tiles.get((ti, tj))
            if tile is not None:
                heights = tile.base if tile.values is None else tile.values[self._level]
                flat[members] = heights[fi[members] & (TILE - 1), fj[members] & (TILE - 1)]
                virgin[members] = False
        if virgin.any():
            flat[virgin] = self.height_field.heights(fi[virgin] * self.spacing, fj[virgin] * self.spacing)
        return flat.reshape(i.shape)

    def rises_above(self, plane: tuple[float, ...], way: float, window: SoilWindow | None = None) -> bool:
        """Return whether a node's level_initial may be above a patch of a plane that moves by up to ``way`` [m].

        Args:
            plane: x and y of the patch's center, half extents along x and y, height there [m], slopes along x, y.
            way: Largest distance by which the plane moves [m].
            window: A window of the present soil that contains the patch, which is faster; none: the grid.
        """
        x, y, reach_x, reach_y, z, slope_x, slope_y = plane
        i0, i1 = self._indices(x, reach_x + way)
        j0, j1 = self._indices(y, reach_y + way)
        # The plane may also move horizontally.
        z -= way * (1.0 + abs(slope_x) + abs(slope_y)) + x * slope_x + y * slope_y
        if window is not None:
            heights, ai, aj = window.values[self._initial], window.i0, window.j0
            return bool(any_above(heights, ai, aj, i0, i1, j0, j1, self.spacing, z, slope_x, slope_y))
        for tile, ai, aj in self._overlapping(i0, i1 + 1, j0, j1 + 1):
            heights = tile.base if tile.values is None else tile.values[self._initial]
            if any_above(heights, ai, aj, i0, i1, j0, j1, self.spacing, z, slope_x, slope_y):
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
            (low_i >> SHIFT, low_j >> SHIFT),
            (
                (low_i + count * stride - 1) >> SHIFT,
                (low_j + count * stride - 1) >> SHIFT,
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
            a, b = ((key[0] << SHIFT) + li - low_i) // stride, ((key[1] << SHIFT) + lj - low_j) // stride
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
                parts_i.append((li + (ti << SHIFT)).astype(np.int32))
                parts_j.append((lj + (tj << SHIFT)).astype(np.int32))
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

    def apply(self, records: NodeRecords, raised: NDArray[np.void] | None = None) -> None:
        """Write records to the committed soil.

        Args:
            records: The records.
            raised: Nodes among them that were raised from outside, rows of RAISED; none: there are none.

        Raises:
            ValueError: If the nodes are not unique and sorted by (i, j).
        """
        hashed, self._hashed = self._hashed, None
        if hashed is not None and hashed[0] is records and hashed[3] == self._writes:
            self._take(records, hashed[4], write=True, weigh=False)
            self._count, self._lanes = hashed[1], hashed[2]
        else:
            self._count, self._lanes = self._take(records, self._tiles_of(records), write=True)
        self._last, self._writes = records, self._writes + 1
        if raised is not None or len(self.raised):
            self.raised = np.zeros(0, RAISED) if raised is None else raised

    def hash_with(self, records: NodeRecords) -> str:
        """Return the soil hash that :meth:`apply` would give, without a change."""
        nodes = self._tiles_of(records)
        count, lanes = self._take(records, nodes, write=False)
        # apply() usually follows with the same records, and then reuses this result.
        self._hashed = (records, count, lanes, self._writes, nodes)
        return digest(count, lanes)

    def _tiles_of(self, records: NodeRecords) -> _TileNodes:
        """Return the tiles of records, with the indices of the first node and the positions of the records of each."""
        if not records.is_sorted():
            raise ValueError('node records must be unique and sorted by (i, j)')
        if records.fields != self.law.names and len(records):
            raise ValueError(f'node records of {", ".join(records.fields)}; allowed here: {", ".join(self.law.names)}')
        found = by_tile(records.i, records.j)
        return [(self._tile(ti, tj), ti << SHIFT, tj << SHIFT, members) for (ti, tj), members in found]

    def _take(self, records: NodeRecords, nodes: _TileNodes, write: bool, weigh: bool = True) -> tuple[int, Words]:
        lanes, count = self._lanes.copy(), self._count
        i, j, values, bits = records.i, records.j, records.table, records.table.view(np.uint64)
        for tile, ai, aj, members in nodes:
            arrays = tile.writable(self._from_base)
            count += take_tile(ai, aj, i, j, values, bits, members, *arrays, lanes, write, weigh)
        return count, lanes

    # -- identity and storage -----------------------------------------------------------------------------------

    def soil_hash(self) -> str:
        """Return the SHA-256 (hex) of all modified nodes; O(1)."""
        return digest(self._count, self._lanes)

    def recomputed_hash(self) -> str:
        """Return the value of :meth:`soil_hash` recomputed from the records."""
        records = self.all_records()
        lanes = np.zeros(LANES, dtype=np.uint64)
        hash_all(records.i, records.j, records.table.view(np.uint64), lanes)
        return digest(len(records), lanes)

    @property
    def raised_rows(self) -> int:
        """Number of :attr:`raised` nodes."""
        return len(self.raised)

    @property
    def records(self) -> NodeRecords:
        """Records of all modified nodes; when they are set, they replace all present ones."""
        return self.all_records()

    @records.setter
    def records(self, records: NodeRecords) -> None:
        if records.fields != self.law.names:
            raise ValueError(f'fields {", ".join(records.fields)}; allowed: {", ".join(self.law.names)} of this grid')
        tiles, raised = self._tiles, self.raised  # a load sets the raised nodes before the records
        self._clear()
        # The undisturbed heights are kept: their computation is the slow part.
        self._tiles = {key: _Tile(tile.base) for key, tile in tiles.items()}
        self.apply(records, raised)

    def _overlapping(self, i0: int, i1: int, j0: int, j1: int) -> Iterator[tuple[_Tile, int, int]]:
        """Yield the tiles that have nodes i0 <= i < i1, j0 <= j < j1, each with the indices of its first node."""
        for ti in range(i0 >> SHIFT, (i1 - 1 >> SHIFT) + 1):
            for tj in range(j0 >> SHIFT, (j1 - 1 >> SHIFT) + 1):
                yield self._tile(ti, tj), ti << SHIFT, tj << SHIFT

    def _tile(self, ti: int, tj: int) -> _Tile:
        tile = self._tiles.get((ti, tj))
        if tile is None:
            i, j = ti << SHIFT, tj << SHIFT
            tile = _Tile(self.height_field.nodes(i, i + TILE, j, j + TILE, self.spacing))
            self._tiles[ti, tj] = tile
        return tile
