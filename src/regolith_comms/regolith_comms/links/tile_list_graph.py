# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tile graph and world grid of a list of tiles, by the rules of the SubT simulator.

Two tiles are neighbors if a connection point of one is within 1.5 m of a connection point of the other, along each
axis. The cost between neighbors depends on the classes of their types: straight, or with a turn.

A point of the metric lattice belongs to a tile whose box contains it. Where boxes overlap, SubT takes the tile whose
mesh is nearest. Here it is the tile whose passages are nearest, and of equally near ones that with the lowest id.

Source: subt2022, ConnectionHelper.cc.
Checked by: test_tile_graph.py::test_graph_equals_the_given_one,
test_tile_graph.py::test_grid_agrees_with_the_given_one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from regolith_comms.links.dot_file import Edge, GraphTile
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import RECORD, WorldGrid
from regolith_comms.radio import Floats
from regolith_files import InputError, Problem
from regolith_world.tiles import MEET_M, Tile, TileList, find_connections

_STRAIGHT, _ONE_TURN, _TWO_TURNS = 1.0, 3.0, 6.0
_ONE_TURN_FINALS, _TWO_TURNS_FINALS = 2.0, 3.0
_STARTS = ('Cave Starting Area Type B', 'Urban Starting Area')
"""Starting areas, whose edges cost as little as those of straight tiles."""
_LATER_START = 'Finals Staging Area'
"""Starting area that counts only if it follows its neighbor in the file."""
BASE_NAME = 'staging_area'
"""Name of the tile that graph files call ``BaseStation``."""
_BASE_TYPES = ('subt_tunnel_staging_area', *_STARTS, _LATER_START)
_MESHES = {f'Tunnel Tile {number}': f'tunnel_tile_{number}' for number in range(1, 8)}
"""Types that graph files name after their meshes; all others have the names of the models."""
_EDGE_M = 1e-3
"""Tolerance of boxes [m]: poses in files are rounded to a micrometer or a microradian."""
MOST_POINTS = 20_000_000
"""Largest number of lattice points of a world grid; its file has 400 MB."""


def graph_of_tiles(tiles: TileList, *, finals: bool = False, connected: bool = True) -> TileGraph:
    """Return the graph of a list of tiles.

    Args:
        tiles: Tiles of the world.
        finals: Whether turns of tunnel tiles cost less, as in graphs of the SubT finals.
        connected: Whether tiles that cannot be reached from the base station are refused.

    Raises:
        InputError: If there is no base station, or a tile cannot be reached from it.
    """
    base = _base_station(tiles)
    pairs = find_connections(tiles.tiles).neighbors
    edges = [Edge(min(a.id, b.id), max(a.id, b.id), _cost(a, b, finals)) for a, b in pairs]
    if connected:
        _check_connected(tiles, base, pairs)
    vertices = [
        GraphTile(tile.id, 'base_station', 'BaseStation')
        if tile is base
        else GraphTile(tile.id, _MESHES.get(tile.type.name, tile.type.name), tile.name)
        for tile in tiles.tiles
    ]
    edges.sort(key=lambda edge: (edge.a, edge.b))
    return TileGraph(vertices, edges, f'Visibility graph of {tiles.path.name}')


def grid_of_tiles(tiles: TileList) -> WorldGrid:
    """Return the points of the metric lattice in the boxes of tiles, sorted by x, y and z.

    Raises:
        InputError: If the tiles contain too many points.
    """
    parts: list[Floats] = []
    owners, gaps = [], []
    total = 0
    for tile in tiles.tiles:
        low, high = _box(tile)
        first, last = np.ceil(low - _EDGE_M), np.floor(high + _EDGE_M)
        total += math.prod(int(side) for side in np.maximum(last - first + 1.0, 0.0))
        if total > MOST_POINTS:
            raise InputError(Problem(str(tiles.path), '', 'is too large for a grid', f'up to {MOST_POINTS} points'))
        axes = [np.arange(first[k], last[k] + 1.0) for k in range(3)]
        points = np.stack(np.meshgrid(*axes, indexing='ij'), axis=-1).reshape(-1, 3)
        parts.append(points)
        owners.append(np.full(len(points), tile.id, dtype=np.uint64))
        gaps.append(np.round(_distance(points, tile.in_world(tile.type.passages())) / _EDGE_M))
    points, owner, gap = np.concatenate(parts), np.concatenate(owners), np.concatenate(gaps)
    order = np.lexsort((owner, gap, points[:, 2], points[:, 1], points[:, 0]))
    points, owner = points[order], owner[order]
    kept = np.ones(len(points), dtype=np.bool_)
    kept[1:] = np.abs(np.diff(points, axis=0)).max(axis=1, initial=0.0) > 0.0
    records = np.zeros(int(kept.sum()), dtype=RECORD)
    for k, axis in enumerate('xyz'):
        records[axis] = points[kept, k]
    records['id'] = owner[kept]
    return WorldGrid(records)


def _base_station(tiles: TileList) -> Tile:
    """Return the tile with the base station: that of this name, or the first starting area."""
    named = [tile for tile in tiles.tiles if tile.name == BASE_NAME]
    found = named or [tile for tile in tiles.tiles if tile.type.name in _BASE_TYPES]
    if not found:
        allowed = f'a tile named {BASE_NAME}, or one of type {", ".join(_BASE_TYPES)}'
        raise InputError(Problem(str(tiles.path), 'name', 'no tile has the base station', allowed))
    return found[0]


def _cost(first: Tile, later: Tile, finals: bool) -> float:
    """Return the cost between neighbors, given in the order of the file."""
    turns = int(first.type.turn) + int(later.type.turn)
    if not turns or first.type.name in _STARTS or later.type.name in (*_STARTS, _LATER_START):
        return _STRAIGHT
    cheap = finals and first.type.circuit == later.type.circuit == 'TUNNEL'
    if turns == 1:
        return _ONE_TURN_FINALS if cheap else _ONE_TURN
    return _TWO_TURNS_FINALS if cheap else _TWO_TURNS


def _check_connected(tiles: TileList, base: Tile, pairs: Sequence[tuple[Tile, Tile]]) -> None:
    """Refuse tiles that cannot be reached from the base station."""
    beside: dict[int, list[Tile]] = {}
    for a, b in pairs:
        beside.setdefault(a.id, []).append(b)
        beside.setdefault(b.id, []).append(a)
    reached, waiting = {base.id}, [base]
    while waiting:
        for tile in beside.get(waiting.pop().id, ()):
            if tile.id not in reached:
                reached.add(tile.id)
                waiting.append(tile)
    apart = [tile for tile in tiles.tiles if tile.id not in reached]
    if apart:
        tile = apart[0]
        meets = 'meets no tile' if tile.id not in beside else 'meets tiles, but none that leads to the base station'
        more = f' (and {len(apart) - 1} more tiles)' if len(apart) > 1 else ''
        allowed = f'a pose at which a connection point is within {MEET_M} m of one of another tile, along each axis'
        pose = [*tile.position.tolist(), *tile.rpy]
        raise InputError(tiles.problem(tile, f'{tile.name} pose', f'{meets}{more}', allowed, pose))


def _box(tile: Tile) -> tuple[Floats, Floats]:
    """Return the smallest and the largest coordinates of a tile in the world [m], shape (3,)."""
    corners = np.stack(np.meshgrid(*zip(*tile.type.box(), strict=True), indexing='ij'), axis=-1).reshape(-1, 3)
    placed = tile.in_world(corners)
    return placed.min(axis=0), placed.max(axis=0)


def _distance(points: Floats, passages: Floats) -> Floats:
    """Return the distances of points from the nearest of some passages [m], shape (n,).

    Args:
        points: Points [m], shape (n, 3).
        passages: Ends of the passages [m], shape (k, 2, 3).
    """
    nearest = np.full(len(points), np.inf)
    for start, end in passages:
        along = end - start
        square = float((along**2).sum())
        part = ((points - start) * along).sum(axis=1) / square if square > 0.0 else np.zeros(len(points))
        gaps = points - start - part.clip(0.0, 1.0)[:, None] * along
        nearest = np.minimum(nearest, np.sqrt((gaps**2).sum(axis=1)))
    return nearest
