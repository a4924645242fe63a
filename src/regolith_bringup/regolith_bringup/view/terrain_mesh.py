# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Terrain as meshes of three resolutions: tiles on changed soil, patches around them, and the site around all.

A patch has no triangles where a tile is, and the site has none where a patch is. Where a fine mesh borders on a coarse
one, it blends into it: heights and colors within :data:`_BLEND` cells of the border are weighted means of both. At the
border they are those of the coarse mesh, so there is neither step nor gap. All other edges have skirts. A soil change
rebuilds its tiles only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.view.terrain_shading import TerrainShading
from regolith_terrain import HeightField
from regolith_terrain.grid import NodeRecords, node_key

Floats = NDArray[np.float64]
Key = tuple[int, int]

TILE = 32
"""Number of cells along the side of a tile, one per grid node."""
_PATCH = 8
"""Number of tiles along the side of a patch."""
_CELLS = _PATCH * TILE
_MOST_PATCHES = 160
"""Maximum number of patches along the side of the shown site."""
_SITE_CELLS = 192
"""Maximum number of cells along the side of the site, unless one patch is one cell."""
_MARGIN_M = 4.0
"""Margin around vehicles shown at high resolution [m]."""
_SKIRT_M, _TILE_SKIRT_M = 0.4, 0.1
"""Depth of the skirts of patches and site, and of tiles [m], larger than the height difference of the meshes."""
_TEXTURE = 0.35
"""Fraction of relief finer than patches that is shown on tiles [-]. With all of it, changed soil would look different
from its surroundings."""
_BLEND = 8
"""Number of cells of a fine mesh over which it blends into a coarse one."""
_TINTED_M = 0.005
"""Depth from which a rut keeps its color even near a coarse mesh [m]."""
_AROUND = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
_FINE_PATCHES = 48
"""Number of initial patches from which their resolution is halved."""


@dataclass(frozen=True, eq=False)
class MeshPiece:
    """Part of the terrain mesh, or an update of it."""

    name: str
    vertices: NDArray[np.float32]
    """Vertices in the world frame [m], shape (n, 3)."""
    colors: NDArray[np.uint8]
    """sRGB colors, shape (n, 3)."""
    triangles: NDArray[np.uint32] | None
    """Triangles, counterclockwise from above, shape (m, 3). None: unchanged."""


def tiles_of(i: NDArray[np.int64], j: NDArray[np.int64]) -> list[Key]:
    """Return the sorted tiles that contain given grid nodes. Nodes on an edge belong to all adjacent tiles.

    Changed soil therefore never ends at an open edge.
    """
    # Sorting rows of two values would take thirty times as long.
    own = np.unique(np.concatenate([node_key((i - a) // TILE, (j - b) // TILE) for a in (0, 1) for b in (0, 1)]))
    return list(zip((own >> 32).tolist(), ((own & (2**32 - 1)) - 2**31).tolist()))


class TerrainMesh:
    """Shown terrain of a run as meshes.

    Args:
        field: Undisturbed height field.
        spacing: Spacing of the soil grid [m].
        size: Size of the site if the field has no edge [m].
        shade: Shading of the terrain.
        step: Grid nodes per patch cell, None to derive it from the number of patches.
        cells: Maximum number of cells along the side of the site, unless one patch is one cell.
        tile_step: Grid nodes per tile cell, a divisor of :data:`TILE`.
        together: Whether the tiles of a patch are one piece. This gives far fewer pieces, each sent as a whole.
    """

    def __init__(
        self,
        field: HeightField,
        spacing: float,
        size: float,
        shade: TerrainShading,
        step: int | None = None,
        cells: int = _SITE_CELLS,
        tile_step: int = 1,
        together: bool = False,
    ) -> None:
        self.field, self.spacing, self.shade = field, spacing, shade
        self._step, self._cells, self._tile_step, self._together = step, cells, tile_step, together
        self.side = _CELLS * spacing
        """Side length of a patch [m]."""
        half = 0.5 * size
        self._edges = field.extent or (-half, half, -half, half)
        self._tiles: dict[Key, _Tile] = {}
        self._patches: dict[Key, _Grid] = {}
        self._site: _Grid | None = None

    def patches_around(self, points: Floats) -> set[Key]:
        """Return the patches around points [m], shape (n, 2)."""
        found: set[Key] = set()
        for x in (-_MARGIN_M, 0.0, _MARGIN_M):
            for y in (-_MARGIN_M, 0.0, _MARGIN_M):
                places = np.floor((points + (x, y)) / self.side).astype(np.int64)
                found |= set(map(tuple, np.unique(places, axis=0).tolist()))
        return found

    def show(self, patches: Iterable[Key], tiles: Iterable[Key] = ()) -> list[MeshPiece]:
        """Return the pieces that are new or lose triangles when patches and tiles are added."""
        return self._drawn(*self._add(patches, tiles))

    def take(self, changes: Sequence[NodeRecords]) -> list[MeshPiece]:
        """Return the tiles rebuilt by soil changes, and other pieces that become visible.

        Args:
            changes: Changed nodes, at least one. Of equal nodes the last one counts.
        """
        i, j, level = (np.concatenate([getattr(each, name) for each in changes]) for name in ('i', 'j', 'level'))
        touched = tiles_of(i.astype(np.int64), j.astype(np.int64))
        patches, tiles = self._add((), touched)
        # A tile includes the nodes on its far edges, and its slopes need one more node on each side.
        near = {(i + a, j + b) for i, j in touched for a in (-1, 0, 1) for b in (-1, 0, 1)} & self._tiles.keys()
        changed = [key for key in sorted(near) if self._tiles[key].take(i, j, level)]
        return self._drawn(patches, tiles, changed)

    def _add(self, patches: Iterable[Key], tiles: Iterable[Key]) -> tuple[list[Key], list[Key]]:
        """Create missing patches and tiles, and return those that are new or change."""
        new_tiles = sorted(set(tiles) - self._tiles.keys())
        wanted = {*patches, *((i // _PATCH, j // _PATCH) for i, j in new_tiles)}
        new_patches = sorted(wanted - self._patches.keys())
        if self._step is None:
            self._step = 4 if len(new_patches) <= _FINE_PATCHES else 8
        self._patches |= {key: self._patch(key) for key in new_patches}
        fresh = {*new_patches, *(key for new in new_patches for key in _neighbors(new) if key in self._patches)}
        if new_patches and (self._site is None or not self._site.holds_all(new_patches)):
            self._site = self._far(sorted(self._patches))
            fresh = {*self._patches}
        for key in sorted(fresh):
            self._join_patch(key)
        self._tiles |= {key: self._tile(key) for key in new_tiles}
        near = {key for new in new_tiles for key in _neighbors(new) if key in self._tiles}
        near |= {key for key in self._tiles if (key[0] // _PATCH, key[1] // _PATCH) in fresh}
        for key in sorted({*new_tiles, *near}):
            self._join_tile(key)
        return sorted(fresh), sorted({*new_tiles, *near})

    def _join_patch(self, key: Key) -> None:
        """Blend a patch into the site where it has no neighbor patch."""
        grid, site = self._patches[key], self._site
        assert site is not None
        i, j = (f + np.arange(c + 1) for f, c in zip(grid.first, grid.cells, strict=True))
        fine = grid.cells[0] / site.per
        weight = _weights(grid.cells[0], [around for around in _AROUND if _moved(key, around) not in self._patches])
        grid.join(weight, *site.at(i / fine, j / fine))

    def _join_tile(self, key: Key) -> None:
        """Blend a tile into its patch where it has no neighbor tile."""
        patch = self._patches[key[0] // _PATCH, key[1] // _PATCH]
        step = _CELLS / patch.cells[0]
        i, j = (k * TILE + np.arange(TILE + 1) for k in key)
        weight = _weights(TILE, [around for around in _AROUND if _moved(key, around) not in self._tiles])
        self._tiles[key].join(weight, *patch.at(i / step, j / step))

    def _drawn(self, patches: list[Key], tiles: list[Key], changed: Iterable[Key] = ()) -> list[MeshPiece]:
        """Return new patches and tiles, pieces with removed triangles, and changed tiles."""
        pieces = []
        if patches and self._site is not None:
            pieces.append(self._site.piece(self._without_patches()))
        holed = {(i // _PATCH, j // _PATCH) for i, j in tiles}
        pieces += [self._patches[key].piece(self._without_tiles(key)) for key in sorted({*patches, *holed})]
        return [*pieces, *self._soil(tiles, changed)]

    def _soil(self, new: Iterable[Key], changed: Iterable[Key] = ()) -> list[MeshPiece]:
        """Return new and changed tiles."""
        if self._together:
            return [self._merged(key) for key in sorted({(i // _PATCH, j // _PATCH) for i, j in (*new, *changed)})]
        known = {*new}
        again = (self._tiles[key].piece(whole=False) for key in changed if key not in known)
        return [*(self._tiles[key].piece(whole=True) for key in new), *again]

    def _merged(self, patch: Key) -> MeshPiece:
        """Return all tiles of a patch as one piece."""
        own = [tile for key, tile in sorted(self._tiles.items()) if (key[0] // _PATCH, key[1] // _PATCH) == patch]
        pieces = [tile.piece(whole=True) for tile in own]
        count = len(pieces[0].vertices)
        triangles = [p.triangles + np.uint32(k * count) for k, p in enumerate(pieces) if p.triangles is not None]
        return MeshPiece(
            f'soil/{patch[0]}_{patch[1]}',
            np.concatenate([p.vertices for p in pieces]),
            np.concatenate([p.colors for p in pieces]),
            np.concatenate(triangles),
        )

    def shown(self) -> list[MeshPiece]:
        """Return all shown pieces in their present state."""
        site = [self._site.piece(self._without_patches())] if self._site is not None else []
        patches = [grid.piece(self._without_tiles(key)) for key, grid in sorted(self._patches.items())]
        return [*site, *patches, *self._soil(sorted(self._tiles))]

    def restart(self) -> list[MeshPiece]:
        """Return all tiles as undisturbed terrain."""
        for tile in self._tiles.values():
            tile.level[:] = tile.base
        return self._soil((), sorted(self._tiles))

    def _tile(self, key: Key) -> _Tile:
        i, j = key[0] * TILE - 1, key[1] * TILE - 1
        base = self.field.nodes(i, i + TILE + 3, j, j + TILE + 3, self.spacing)
        smooth = self._smooth(i, j, TILE + 3)
        relief = smooth + _TEXTURE * (base - smooth)
        return _Tile(key, base, base.copy(), relief, self.spacing, self.shade, self._tile_step)

    def _smooth(self, i: int, j: int, count: int) -> Floats:
        """Return the undisturbed heights as in patches, at count x count nodes from (i, j) on [m]."""
        step = self._step or 4
        first = (i // step, j // step)
        cells = count // step + 3
        coarse = self.field.coarse_nodes(first[0], first[0] + cells, first[1], first[1] + cells, self.spacing * step)
        shares = []
        for start, origin in zip((i, j), first, strict=True):
            at = (start + np.arange(count)) / step - origin
            low = np.floor(at).astype(np.int64)
            weights = np.zeros((count, cells))
            weights[np.arange(count), low], weights[np.arange(count), low + 1] = 1.0 - (at - low), at - low
            shares.append(weights)
        return np.asarray(shares[0] @ coarse @ shares[1].T)

    def _patch(self, key: Key) -> _Grid:
        step = self._step or 4
        cells = _CELLS // step
        return self._grid(f'near/{key[0]}_{key[1]}', key[0] * cells, key[1] * cells, cells, cells, self.spacing * step)

    def _far(self, patches: list[Key]) -> _Grid:
        """Return the site mesh around some patches."""
        west, east, south, north = (edge / self.side for edge in self._edges)
        first, last = np.min(patches, axis=0), np.max(patches, axis=0)
        reach = np.maximum((_MOST_PATCHES - (last - first)) // 2, 2)
        low = np.minimum(np.maximum(np.floor([west, south]), first - reach), first).astype(int)
        high = np.maximum(np.minimum(np.ceil([east, north]), last + 1 + reach), last + 1).astype(int)
        count = high - low
        per = max(1, self._cells // int(count.max()))
        (i, j), (ni, nj) = (low * per).tolist(), (count * per).tolist()
        grid = self._grid('site', i, j, ni, nj, self.side / per)
        grid.per = per
        return grid

    def _grid(self, name: str, i: int, j: int, ni: int, nj: int, spacing: float) -> _Grid:
        height = self.field.coarse_nodes(i - 1, i + ni + 2, j - 1, j + nj + 2, spacing)
        return _Grid(name, i, j, ni, nj, spacing, height, self.shade)

    def _without_tiles(self, key: Key) -> NDArray[np.bool_]:
        """Return which cells of a patch are drawn."""
        first = (key[0] * _PATCH, key[1] * _PATCH)
        among = range(_PATCH)
        keep = np.array([[(first[0] + a, first[1] + b) not in self._tiles for b in among] for a in among])
        per = self._patches[key].cells[0] // _PATCH
        return np.repeat(np.repeat(keep, per, axis=0), per, axis=1)

    def _without_patches(self) -> NDArray[np.bool_]:
        """Return which cells of the site are drawn."""
        site = self._site
        assert site is not None
        keep = np.ones(site.cells, dtype=bool)
        for i, j in self._patches:
            a, b = i * site.per - site.first[0], j * site.per - site.first[1]
            keep[a : a + site.per, b : b + site.per] = False
        return keep


class _Grid:
    """Undisturbed terrain at some spacing. Heights have one more node on every side."""

    def __init__(
        self, name: str, i: int, j: int, ni: int, nj: int, spacing: float, height: Floats, shade: TerrainShading
    ) -> None:
        self.name, self.first, self.cells = name, (i, j), (ni, nj)
        self.per = 1
        """For a site, the number of its cells along the side of a patch."""
        self._spacing = spacing
        self._height, self._shades = height[1:-1, 1:-1], shade.colors(height, spacing)[1:-1, 1:-1]
        self._join(self._height, self._shades)

    def _join(self, height: Floats, colors: NDArray[np.uint8]) -> None:
        self._drawn = height, colors
        self._vertices, self._colors = _skirted(*self.first, self._spacing, height, colors, _SKIRT_M)

    def join(self, weight: Floats, low: Floats, low_colors: Floats) -> None:
        """Blend into a coarser mesh.

        Args:
            weight: Weight of this mesh at its nodes, 0 to 1.
            low: Heights of the coarser mesh at these nodes [m].
            low_colors: Colors of the coarser mesh at these nodes.
        """
        self._join(low + weight * (self._height - low), _mixed(weight, self._shades, low_colors))

    def at(self, i: Floats, j: Floats) -> tuple[Floats, Floats]:
        """Return the drawn heights [m] and colors at positions, in nodes of this grid from the world origin.

        Args:
            i: Positions along x, shape (m,). Positions beyond the grid use its edge.
            j: Positions along y, shape (n,).
        """
        along, across = (_shares(at - f, c) for at, f, c in zip((i, j), self.first, self.cells, strict=True))
        height, colors = self._drawn
        # Multiplied in pairs, because a product of all three would need the product of all sizes.
        mixed = np.einsum('ai,ijc,bj->abc', along, colors.astype(np.float64), across, optimize=True)
        return along @ height @ across.T, mixed

    def holds_all(self, patches: Iterable[Key]) -> bool:
        """Return whether patches are inside this site."""
        low = [f // self.per for f in self.first]
        high = [f + c // self.per for f, c in zip(low, self.cells, strict=True)]
        return all(low[0] <= i < high[0] and low[1] <= j < high[1] for i, j in patches)

    def piece(self, keep: NDArray[np.bool_]) -> MeshPiece:
        """Return the mesh of the selected cells."""
        return MeshPiece(self.name, self._vertices, self._colors, triangles_of(*self.cells, keep))


@dataclass(eq=False)
class _Tile:
    """Changed terrain. Heights have one more node on every side."""

    key: Key
    base: Floats
    level: Floats
    relief: Floats
    """Undisturbed heights used for shading."""
    spacing: float
    shade: TerrainShading
    step: int
    """Grid nodes per cell of the mesh."""
    weight: Floats = field(default_factory=lambda: np.ones((TILE + 1, TILE + 1)))
    """Weight of this mesh at its nodes against the patch, 0 to 1."""
    low: Floats = field(default_factory=lambda: np.zeros((TILE + 1, TILE + 1)))
    """Heights of the patch at these nodes [m]."""
    low_colors: Floats = field(default_factory=lambda: np.zeros((TILE + 1, TILE + 1, 3)))

    @property
    def name(self) -> str:
        return f'soil/{self.key[0]}_{self.key[1]}'

    def join(self, weight: Floats, low: Floats, low_colors: Floats) -> None:
        """Blend into the patch, see :meth:`_Grid.join`."""
        self.weight, self.low, self.low_colors = weight, low, low_colors

    def take(self, i: NDArray[np.int32], j: NDArray[np.int32], level: Floats) -> bool:
        """Apply the changed nodes (i, j) in this tile, with their heights [m], and return whether there were any."""
        i, j = i - (self.key[0] * TILE - 1), j - (self.key[1] * TILE - 1)
        inside = (i >= 0) & (i < TILE + 3) & (j >= 0) & (j < TILE + 3)
        if not inside.any():
            return False
        self.level[i[inside], j[inside]] = level[inside]
        return True

    def piece(self, whole: bool) -> MeshPiece:
        """Return the mesh, without triangles if not ``whole``."""
        dug, step, cells = self.base - self.level, self.step, TILE // self.step
        colors = self.shade.colors(self.relief - dug, self.spacing, dug)
        own = colors[1:-1, 1:-1] if step == 1 else _blurred(colors)
        inner = dug[1:-1, 1:-1]
        drawn = _mixed(np.maximum(self.weight, np.minimum(np.abs(inner) / _TINTED_M, 1.0)), own, self.low_colors)
        height = self.low + self.weight * (self.base[1:-1, 1:-1] - self.low) - inner
        first = (self.key[0] * cells, self.key[1] * cells)
        parts = height[::step, ::step], drawn[::step, ::step]
        mesh = _skirted(*first, self.spacing * step, *parts, _TILE_SKIRT_M)
        return MeshPiece(self.name, *mesh, tile_triangles(cells) if whole else None)


def _moved(key: Key, by: Key) -> Key:
    return key[0] + by[0], key[1] + by[1]


def _neighbors(key: Key) -> list[Key]:
    return [_moved(key, by) for by in _AROUND]


def _weights(cells: int, missing: Iterable[Key]) -> Floats:
    """Return the weight of a mesh at its nodes: 0 at a missing neighbor, 1 from _BLEND cells on.

    Args:
        cells: Number of cells along the sides.
        missing: Directions of neighbors of the same type that are not shown.

    Returns:
        Weights, shape (cells + 1, cells + 1). Neighbors have equal weights on common nodes.
    """
    at = np.arange(cells + 1)
    distance = {-1: at, 0: np.zeros(cells + 1, dtype=at.dtype), 1: cells - at}
    least = np.full((cells + 1, cells + 1), _BLEND)
    for a, b in missing:
        least = np.minimum(least, np.maximum(distance[a][:, None], distance[b][None, :]))
    return least / _BLEND


def _shares(at: Floats, cells: int) -> Floats:
    """Return the matrix of linear interpolation between nodes 0 to ``cells`` at positions, shape (m, cells + 1)."""
    at = np.clip(at, 0.0, float(cells))
    low = np.minimum(np.floor(at).astype(np.int64), cells - 1)
    rows, out = np.arange(len(at)), np.zeros((len(at), cells + 1))
    out[rows, low], out[rows, low + 1] = 1.0 - (at - low), at - low
    return out


def _mixed(weight: Floats, own: NDArray[np.uint8], other: Floats) -> NDArray[np.uint8]:
    """Return weighted means of colors."""
    share = weight[..., None]
    return np.asarray(share * own + (1.0 - share) * other + 0.5).astype(np.uint8)


def _blurred(colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the means of nodes and their neighbors, without the outermost nodes."""
    window = np.lib.stride_tricks.sliding_window_view(colors, (3, 3), axis=(0, 1))
    return np.asarray(window.mean(axis=(-2, -1)) + 0.5).astype(np.uint8)


def _skirted(
    i: int, j: int, spacing: float, height: Floats, colors: NDArray[np.uint8], depth: float
) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Return vertices and colors of a grid of nodes, then of the skirt along its edge."""
    ni, nj = height.shape
    x, y = np.meshgrid((i + np.arange(ni)) * spacing, (j + np.arange(nj)) * spacing, indexing='ij')
    vertices = np.stack((x, y, height), axis=-1).reshape(-1, 3)
    edge = _edge(ni, nj)
    low = vertices[edge] - (0.0, 0.0, depth)
    flat = colors.reshape(-1, 3)
    return np.concatenate((vertices, low)).astype(np.float32), np.concatenate((flat, flat[edge]))


def _edge(ni: int, nj: int) -> NDArray[np.int64]:
    """Return the nodes along the edge of a grid, counterclockwise from above."""
    number = np.arange(ni * nj).reshape(ni, nj)
    return np.concatenate((number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]))


def triangles_of(ni: int, nj: int, keep: NDArray[np.bool_] | None = None) -> NDArray[np.uint32]:
    """Return the triangles of a grid of cells and its skirt.

    Args:
        ni: Number of cells along x.
        nj: Number of cells along y.
        keep: Which cells are drawn, shape (ni, nj), None for all.
    """
    i, j = np.nonzero(keep) if keep is not None else (a.ravel() for a in np.indices((ni, nj)))
    a = i * (nj + 1) + j
    b, c, d = a + nj + 1, a + nj + 2, a + 1
    inner = np.stack((a, b, c, a, c, d), axis=1).reshape(-1, 3)
    top = _edge(ni + 1, nj + 1)
    low = (ni + 1) * (nj + 1) + np.arange(len(top))
    after, low_after = np.roll(top, -1), np.roll(low, -1)
    skirt = np.stack((top, low, low_after, top, low_after, after), axis=1).reshape(-1, 3)
    return np.concatenate((inner, skirt)).astype(np.uint32)


@cache
def tile_triangles(cells: int = TILE) -> NDArray[np.uint32]:
    """Return the triangles of a tile with this number of cells along its sides."""
    return triangles_of(cells, cells)
