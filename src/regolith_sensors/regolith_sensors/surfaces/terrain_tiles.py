# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Terrain tiles of 32 x 32 cells that grow with distance; only tiles with changed soil are rebuilt.

The set of tiles is a function of a center, rounded to a grid of its own. A square of the quadtree is divided while it
is nearer to the center than ``detail`` times its side. Equal centers and equal soil thus give equal tiles, independent
of earlier ones. Each tile has a skirt around its edges, which closes the gaps toward coarser neighbors.

From the view range on, the surface bends down: hills end there in a smooth line, instead of in the steps of tiles.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Bools, Floats, Ints, Singles
from regolith_terrain.grid import SoilGrid
from regolith_world.numerics import kernel

Key = tuple[int, int, int]
"""Key of a tile: (level, index along x, index along y); cells of level l are 2^l grid cells wide."""

CELLS = 32
SIDE = CELLS + 3
"""Vertices along a side of a tile, including the surrounding skirt."""
_SLOT = SIDE * SIDE * 3 + 5
# Part of the relief below the grid that compaction removes, and the sinkage at which this is reached [m].
_SMOOTHED, _SMOOTH_DEPTH = 0.65, 0.01
_COARSE_KEPT = 8192
WIDEST_RUT = 0.7
"""Cell width above which the undisturbed ground is shown [m]."""
BEND = 0.1
"""Distance over which the surface bends down by 45 deg, relative to the view range at which it begins."""
_STEPS = 16
"""The center of the bend is rounded to at most the view range divided by this, so that few tiles change with it."""


class HeightSource(Protocol):
    """Interface of sources of tile heights."""

    @property
    def spacing(self) -> float:
        """Return the node spacing [m]."""

    @property
    def extent(self) -> tuple[float, float, float, float] | None:
        """Return west, east, south and north edge [m]; None for unbounded ground."""

    def block(self, i: int, j: int, stride: int, count: int) -> tuple[Floats, Floats]:
        """Return (present, undisturbed) heights [m] of nodes i, i + stride, ... and j, ..., shape (count, count)."""


class SoilHeightSource:
    """Heights of the soil grid, shared by all vehicles, in its last committed state."""

    def __init__(self, grid: SoilGrid, extent: tuple[float, float, float, float] | None = None) -> None:
        """Create a source for a grid.

        Beyond the edge of an elevation model its last heights continue, averaged along the edge, as for vehicles, with
        detail but without rocks: the horizon is plausible, but not the real one.

        Args:
            grid: Soil grid.
            extent: West, east, south and north edge of the ground shown [m]; None: unlimited.
        """
        self.grid = grid
        self._extent = extent
        self._coarse: OrderedDict[tuple[int, int, int], Floats] = OrderedDict()

    @property
    def spacing(self) -> float:
        """Return the node spacing [m]."""
        return self.grid.spacing

    @property
    def extent(self) -> tuple[float, float, float, float] | None:
        """Return west, east, south and north edge [m]; None: unlimited."""
        return self._extent

    def block(self, i: int, j: int, stride: int, count: int) -> tuple[Floats, Floats]:
        """Return (present, undisturbed) heights [m]; see :class:`HeightSource`."""
        if stride == 1:
            window = self.grid.window(i, i + count, j, j + count)
            return window.level, window.base[1:-1, 1:-1]
        base = self._coarse.get((i, j, stride))
        if base is None:
            ni, nj = i // stride, j // stride
            base = self.grid.height_field.coarse_nodes(ni, ni + count, nj, nj + count, self.spacing * stride)
            self._coarse[(i, j, stride)] = base
            if len(self._coarse) > _COARSE_KEPT:
                self._coarse.popitem(last=False)
        rise = self.grid.mean_rise(i, j, stride, count) if stride * self.spacing <= WIDEST_RUT else None
        return (base, base) if rise is None else (base + rise, base)


class TerrainTile:
    """A terrain tile: its shape and its slot in the pool."""

    __slots__ = ('bent', 'datum', 'key', 'revision', 'slot', 'vertices')

    def __init__(self, key: Key, slot: int, vertices: Singles) -> None:
        self.key = key
        self.slot = slot
        self.vertices = vertices
        """Flat vertices of its surface, SIDE x SIDE in its own coordinates [m]; 5 spare numbers at the end."""
        self.bent = False
        """Whether a part of it bends down."""
        self.datum = 0.0
        """Height of the vertices' z = 0 [m]."""
        self.revision = 0
        """Number of changes of its shape."""


class TerrainTiles:
    """The visible tiles and their tables for the kernels."""

    def __init__(self, ground: HeightSource, view_range: float = 2000.0, detail: float = 5.0) -> None:
        """Create the tiles of the ground around a center.

        Args:
            ground: Source of the heights.
            view_range: Distance from the center to which the ground is shown as it is [m].
            detail: Level of detail; cells are about distance / (32 detail) wide.

        Raises:
            ValueError: If either is not positive.
        """
        if not (view_range > 0.0 and detail >= 1.0):
            raise ValueError(f'view_range {view_range!r} m, detail {detail!r}; allowed: > 0 and >= 1')
        self.ground = ground
        self.view_range = view_range
        self.detail = detail
        self.tiles: list[TerrainTile] = []
        """Tiles in the order of their keys."""
        self.nodes: Singles = np.zeros((0, CELLS + 1, CELLS + 1, 4), dtype=np.float32)
        """Height above the tile's datum, slopes and roughness of the soil (1: virgin) per slot."""
        self._vertices: list[Singles] = []
        self._by_key: dict[Key, TerrainTile] = {}
        self._free: list[int] = []
        self._center: tuple[int, int] | None = None
        self._bend = (0.0, 0.0)
        """Center of the circle outside of which the surface bends down [m]."""

    @property
    def middle(self) -> tuple[float, float]:
        """Return the center (x, y) [m] of the selected tiles; the origin before the first selection."""
        step = 2.0 * CELLS * self.ground.spacing
        return (0.0, 0.0) if self._center is None else (self._center[0] * step, self._center[1] * step)

    def center(self, x: float, y: float) -> bool:
        """Select the tiles for a viewer at (x, y) [m]; return whether any changed."""
        step = 2.0 * CELLS * self.ground.spacing
        center = (int(np.floor(x / step + 0.5)), int(np.floor(y / step + 0.5)))
        if center == self._center:
            return False
        self._center = center
        keys = sorted(self._chosen(center[0] * step, center[1] * step))
        wanted = set(keys)
        for key, tile in list(self._by_key.items()):
            if key not in wanted:
                self._free.append(tile.slot)
                del self._by_key[key]
        # The slot of a tile depends on history, but no result depends on the slot.
        self._grow(len(keys) - len(self._by_key))
        coarse = step * 2.0 ** max(int(np.floor(np.log2(self.view_range / (_STEPS * step)))), 0)
        bend = tuple(coarse * float(np.floor(n * step / coarse + 0.5)) for n in center)
        moved, self._bend = bend != self._bend, (bend[0], bend[1])
        for key in keys:
            known = key in self._by_key
            if not known:
                slot = self._free.pop()
                self._by_key[key] = TerrainTile(key, slot, self._vertices[slot])
            tile = self._by_key[key]
            if not known or (moved and (tile.bent or self._reach(tile) > self.view_range)):
                self._fill(tile)
        self.tiles = [self._by_key[key] for key in keys]
        return True

    def changed(self, i: NDArray[np.int32], j: NDArray[np.int32]) -> list[int]:
        """Rebuild the tiles that show any of these nodes; return their indices in ``tiles``, ascending."""
        if len(i) == 0:
            return []
        dirty = []
        positions = {tile.key: n for n, tile in enumerate(self.tiles)}
        for level in sorted({tile.key[0] for tile in self.tiles}):
            if level > 0 and self.ground.spacing * (1 << level) > WIDEST_RUT:
                continue
            shift, half = level + CELLS.bit_length() - 1, (1 << level) >> 1
            ti, tj = ((int(i.min()) + half) >> shift) - 1, ((int(j.min()) + half) >> shift) - 1
            shape = (((int(i.max()) + half) >> shift) - ti + 2, ((int(j.max()) + half) >> shift) - tj + 2)
            marked = np.zeros(shape, dtype=np.bool_)
            _mark(i, j, level, ti, tj, marked)
            for a, b in np.argwhere(marked).tolist():
                position = positions.get((level, a + ti, b + tj))
                if position is not None:
                    dirty.append(position)
        for position in sorted(dirty):
            self._fill(self.tiles[position])
        return sorted(dirty)

    def cell(self, tile: TerrainTile) -> float:
        """Return the width of a tile's cells [m]."""
        return float(self.ground.spacing * (1 << tile.key[0]))

    def corner(self, tile: TerrainTile) -> tuple[float, float, float]:
        """Return the origin of a tile's own coordinates (x, y, z) [m]."""
        side = CELLS * self.cell(tile)
        return tile.key[1] * side, tile.key[2] * side, tile.datum

    def _reach(self, tile: TerrainTile) -> float:
        """Return the distance of a tile's farthest corner from the center of the bend [m]."""
        side = CELLS * self.cell(tile)
        away = [max(abs(k * side - c), abs(k * side + side - c)) for k, c in zip(tile.key[1:], self._bend)]
        return math.hypot(*away)

    def _chosen(self, x: float, y: float) -> list[Key]:
        """Return the keys of all tiles around a center."""
        extent = self.ground.extent
        # The bend, and as much as its center is off.
        reach = (1.0 + BEND + 1.0 / _STEPS) * self.view_range
        level = 0
        while CELLS * self.ground.spacing * (1 << level) < reach:
            level += 1
        found: list[Key] = []
        side = CELLS * self.ground.spacing * (1 << level)
        roots = [int(np.floor((c + d * reach) / side)) for c in (x, y) for d in (-1.0, 1.0)]
        waiting = [(level, a, b) for a in range(roots[0], roots[1] + 1) for b in range(roots[2], roots[3] + 1)]
        while waiting:
            level, a, b = waiting.pop()
            side = CELLS * self.ground.spacing * (1 << level)
            west, south = a * side, b * side
            # Half a cell of tolerance: an extent can end on a tile's edge.
            slack = 0.5 * self.ground.spacing
            if extent is not None and (
                west > extent[1] - slack
                or west + side < extent[0] + slack
                or south > extent[3] - slack
                or south + side < extent[2] + slack
            ):
                continue
            distance = np.hypot(max(west - x, 0.0, x - west - side), max(south - y, 0.0, y - south - side))
            if distance > reach:
                continue
            if level > 0 and distance < self.detail * side:
                waiting += [(level - 1, 2 * a + da, 2 * b + db) for da in (0, 1) for db in (0, 1)]
            else:
                found.append((level, a, b))
        return found

    def _grow(self, more: int) -> None:
        lacking = more - len(self._free)
        if lacking > 0:
            old = len(self.nodes)
            added = np.zeros((lacking, *self.nodes.shape[1:]), dtype=np.float32)
            self.nodes = np.concatenate([self.nodes, added])
            self._vertices += [np.zeros(_SLOT, dtype=np.float32) for _ in range(lacking)]
            self._free += range(old + lacking - 1, old - 1, -1)

    def _fill(self, tile: TerrainTile) -> None:
        level, a, b = tile.key
        stride = 1 << level
        here = self.ground.block((a * CELLS - 1) * stride, (b * CELLS - 1) * stride, stride, SIDE)
        present, undisturbed = (np.ascontiguousarray(block) for block in here)
        tile.datum = float(np.floor(undisturbed[0, 0]))
        cell = self.cell(tile)
        _fill_tile(present, undisturbed, tile.datum, cell, self.nodes[tile.slot], tile.vertices)
        tile.bent = self._reach(tile) > self.view_range
        if tile.bent:
            corner = a * CELLS * cell - self._bend[0], b * CELLS * cell - self._bend[1]
            _bend_down(tile.vertices[: SIDE * SIDE * 3].reshape(-1, 3), *corner, self.view_range)
        tile.revision += 1


@kernel
def _mark(i: Ints, j: Ints, level: int, ti: int, tj: int, marked: Bools) -> None:
    """Mark the tiles of a level that use a node, inside or beside an edge."""
    half = (1 << level) >> 1
    for n in range(i.shape[0]):
        # The coarse node whose square contains the node.
        ci, cj = (i[n] + half) >> level, (j[n] + half) >> level
        # Tile t uses cells t CELLS - 1 to t CELLS + CELLS + 1.
        for a in range(-((CELLS + 1 - ci) // CELLS), (ci + 1) // CELLS + 1):
            for b in range(-((CELLS + 1 - cj) // CELLS), (cj + 1) // CELLS + 1):
                marked[a - ti, b - tj] = True


@kernel
def _fill_tile(
    present: Floats, undisturbed: Floats, datum: float, cell: float, nodes: Singles, vertices: Singles
) -> None:
    """Write a tile's shading nodes and its vertices, whose outermost ring is the skirt."""
    cells = nodes.shape[0] - 1
    for a in range(cells + 1):
        for b in range(cells + 1):
            nodes[a, b, 0] = present[a + 1, b + 1] - datum
            nodes[a, b, 1] = (present[a + 2, b + 1] - present[a, b + 1]) / (2.0 * cell)
            nodes[a, b, 2] = (present[a + 1, b + 2] - present[a + 1, b]) / (2.0 * cell)
            sinkage = undisturbed[a + 1, b + 1] - present[a + 1, b + 1]
            nodes[a, b, 3] = 1.0 - _SMOOTHED * min(max(sinkage / _SMOOTH_DEPTH, 0.0), 1.0)
    side = cells + 3
    for a in range(side):
        for b in range(side):
            ia, ib = min(max(a - 1, 0), cells), min(max(b - 1, 0), cells)
            z = present[ia + 1, ib + 1] - datum
            if ia != a - 1 or ib != b - 1:
                z -= 0.5 * cell
            at = 3 * (a * side + b)
            vertices[at], vertices[at + 1], vertices[at + 2] = ia * cell, ib * cell, z


@kernel
def _bend_down(vertices: Singles, x: float, y: float, radius: float) -> None:
    """Lower the vertices of a tile, whose corner is at (x, y) [m], outside of a circle around (0, 0)."""
    for n in range(vertices.shape[0]):
        beyond = math.hypot(x + vertices[n, 0], y + vertices[n, 1]) - radius
        if beyond > 0.0:
            vertices[n, 2] -= beyond * beyond / (2.0 * BEND * radius)
