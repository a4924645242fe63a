# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tunnels of a tiled world, as simple shapes in place of the meshes of the SubT simulator.

A tunnel tile consists of passages of rectangular cross-section along the axes of the tile. A passage rises linearly
between its ends. Tiles with a bend or an intersection have a level square where their passages meet. A staging area is
an open level rectangle without walls. Bends within a tile, rough walls, arched roofs and obstacles on the floor are
not modeled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from regolith_files import InputError
from regolith_terrain.grid.node_records import Floats
from regolith_world.tiles import Tile, TileList, find_connections, known_tile_types, read_tile_list

HALF_WIDTH_M, CLEAR_HEIGHT_M = 3.0, 3.0
"""Half width and height of the free cross-section [m].

With walls and roof the tiles fill their boxes in the world grids of SubT, which end 3 to 4 m from the axis.
"""
WALL_M = 0.5
"""Thickness of walls and roofs [m]."""
OUTER_M = HALF_WIDTH_M + WALL_M
"""Half width with walls [m]."""
_STAGING = 'subt_tunnel_staging_area'
_ROUND_RAD = 1e-3
"""Tolerance of angles, which files state to a microradian [rad]."""
_ROUND_M = 1e-6
_OVERLAP_M = 0.01
"""Width from which on two floors overlap [m]."""
_ABOVE_M = 0.5
"""Height above another tile's floor from which on a tile has a floor of its own [m]."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A straight piece of a tunnel, in the frame of its tile."""

    along: int
    """Axis along which it leads: 0 for x, 1 for y."""
    ends: tuple[float, float]
    """Coordinates of its ends along that axis [m], ascending."""
    levels: tuple[float, float]
    """Heights of the floor at both ends [m]."""
    half_width: float
    """Half width with walls [m]."""

    def corners(self) -> Floats:
        """Return the corners of its floor [m], shape (4, 3): at both sides of the first end, then of the other."""
        out = np.zeros((4, 3))
        out[:, self.along] = np.repeat(self.ends, 2)
        out[:, 1 - self.along] = [-self.half_width, self.half_width] * 2
        out[:, 2] = np.repeat(self.levels, 2)
        return out


@dataclass(frozen=True, slots=True)
class Tunnel:
    """A tile as a tunnel, with its pose in the world."""

    tile: Tile
    quarters: int
    """Yaw of the tile in right angles, 0 to 3."""
    passages: tuple[Passage, ...]
    hub: bool
    """Whether the passages meet in a level square about the tile's origin."""
    closed: tuple[tuple[int, float], ...]
    """Ends that lead to no other tile: axis, and signed coordinate [m]."""
    raised: bool = False
    """Whether another tile passes below, so that the floor is a slab."""

    @property
    def walled(self) -> bool:
        """Whether the tile has walls and a roof."""
        return self.tile.type.name != _STAGING

    @property
    def turn(self) -> Floats:
        """Axes of the tile in the world as columns, without rounding errors, shape (3, 3)."""
        c, s = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[self.quarters]
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def floors(self) -> list[Floats]:
        """Return the corners of its level or inclined floors in the world [m], shape (4, 3) each."""
        pieces = [passage.corners() for passage in self.passages]
        if self.hub:
            pieces.append(Passage(0, (-OUTER_M, OUTER_M), (0.0, 0.0), OUTER_M).corners())
        # Signed permutations of the coordinates, so the products are exact.
        return [np.sum(piece[:, None] * self.turn, axis=2) + self.tile.position for piece in pieces]


@dataclass(frozen=True, slots=True)
class Tunnels:
    """All tunnels of a tiled world."""

    tiles: TileList
    pieces: tuple[Tunnel, ...]
    """Tunnels in the order of their ids."""


def read_tunnels(path: str | Path) -> Tunnels:
    """Return the tunnels of a tile list.

    Args:
        path: Tile list, see :func:`regolith_world.tiles.read_tile_list`.

    Raises:
        InputError: If the list is invalid, or a tile has no shape here; names file, line, key, value and what is
            allowed.
    """
    path = Path(path)
    stat = path.stat() if path.is_file() else None
    return _read(str(path), 0 if stat is None else stat.st_mtime_ns, 0 if stat is None else stat.st_size)


@lru_cache(maxsize=4)
def _read(path: str, changed_ns: int, size: int) -> Tunnels:
    """Return the tunnels of a file; the other arguments distinguish its versions."""
    tiles = read_tile_list(path)
    unmet = find_connections(tiles.tiles).open_points
    pieces = [_tunnel(tile, tiles, unmet[tile.id]) for tile in sorted(tiles.tiles, key=lambda tile: tile.id)]
    raised = _raised([piece.floors() for piece in pieces])
    return Tunnels(tiles, tuple(replace(piece, raised=above) for piece, above in zip(pieces, raised, strict=True)))


def has_shape(name: str) -> bool:
    """Return whether a tile type has a shape here: tunnels with passages along the axes, and the staging area."""
    kind = known_tile_types()[name]
    if name == _STAGING:
        return True
    ends = kind.passages()
    along = np.abs(ends[:, 1] - ends[:, 0])
    straight = ((along[:, :2] < _ROUND_M).sum(axis=1) == 1).all()
    level = len(ends) == 1 or float(along[:, 2].max()) < _ROUND_M
    reach = float(along[:, :2].max(initial=0.0)) > OUTER_M and len(kind.points) > 1
    on_axis = bool((np.abs(ends[:, :, :2]).min(axis=2) < _ROUND_M).all())
    return bool(kind.circuit == 'TUNNEL' and straight and level and reach and on_axis)


def _tunnel(tile: Tile, tiles: TileList, unmet: tuple[int, ...]) -> Tunnel:
    if not has_shape(tile.type.name):
        names = [name for name in known_tile_types() if has_shape(name)]
        problem = 'has no shape for driving'
        raise InputError(tiles.problem(tile, 'tile_type', problem, ', '.join(names), tile.type.name))
    roll, pitch, yaw = tile.rpy
    for key, angle in (('roll_rad', roll), ('pitch_rad', pitch)):
        if abs(angle) > _ROUND_RAD:
            raise InputError(tiles.problem(tile, key, 'inclines a tile for driving', '0', angle))
    quarters = round(yaw / (0.5 * math.pi))
    if abs(yaw - quarters * 0.5 * math.pi) > _ROUND_RAD:
        allowed = 'a multiple of a right angle, 1.570796'
        raise InputError(tiles.problem(tile, 'yaw_rad', 'turns a tile for driving', allowed, yaw))
    if tile.type.name == _STAGING:
        low, high = tile.type.box()  # symmetric in y
        floor = Passage(0, (float(low[0]), float(high[0])), (0.0, 0.0), float(high[1]))
        return Tunnel(tile, quarters % 4, (floor,), False, ())
    ends = tile.type.passages()
    hub = len(ends) > 1
    passages = tuple(_passage(start, end, hub) for start, end in ends)
    closed = []
    for number in unmet:
        point = tile.type.points[number]
        axis = int(np.argmax(np.abs(ends[number if hub else 0, 1] - ends[number if hub else 0, 0])[:2]))
        closed.append((axis, float(point[axis])))
    return Tunnel(tile, quarters % 4, passages, hub, tuple(closed))


def _passage(start: Floats, end: Floats, hub: bool) -> Passage:
    axis = int(np.argmax(np.abs(end - start)[:2]))
    first, last = (float(start[axis]), float(start[2])), (float(end[axis]), float(end[2]))
    if hub:
        first = (math.copysign(OUTER_M, last[0]), 0.0)
    (a, low), (b, high) = sorted((first, last))
    return Passage(axis, (a, b), (low, high), OUTER_M)


def _raised(tiles: list[list[Floats]]) -> list[bool]:
    """Return whether any floor of a tile is above a floor of another one that it covers in part.

    Args:
        tiles: Corners of the floors of each tile [m], shape (4, 3).
    """
    owner = np.repeat(np.arange(len(tiles)), [len(floors) for floors in tiles])
    corners = np.array([floor for floors in tiles for floor in floors])
    low, high, level = corners[:, :, :2].min(axis=1), corners[:, :, :2].max(axis=1), corners[:, :, 2].mean(axis=1)
    out = np.zeros(len(tiles), dtype=np.bool_)
    for number in range(len(corners)):
        shared = np.minimum(high, high[number]) - np.maximum(low, low[number])
        below = (shared.min(axis=1) > _OVERLAP_M) & (level + _ABOVE_M < level[number]) & (owner != owner[number])
        out[owner[number]] |= below.any()
    return [bool(above) for above in out]
