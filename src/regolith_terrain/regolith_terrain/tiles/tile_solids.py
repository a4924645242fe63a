# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Walls, roofs and raised floors of a tiled world as static obstacles."""

from __future__ import annotations

from functools import cache

import numpy as np

from regolith_terrain.solids.config import ObstacleConfig
from regolith_terrain.solids.obstacles import Obstacle
from regolith_terrain.solids.polyhedron import Polyhedron, convex_hull
from regolith_terrain.tiles.tunnels import CLEAR_HEIGHT_M, HALF_WIDTH_M, OUTER_M, WALL_M, Passage, Tunnel, Tunnels

_FOUNDATION_M = 0.5
"""Depth of walls below the floor [m]."""
_SLAB_M = 0.4
"""Thickness of a raised floor [m]."""

Span = tuple[float, float]


def tile_obstacles(tunnels: Tunnels) -> list[Obstacle]:
    """Return one obstacle per tile with its walls, its roof and, above another tile, its floor."""
    return [_obstacle(piece) for piece in tunnels.pieces if piece.walled or piece.raised]


def _obstacle(piece: Tunnel) -> Obstacle:
    walls: list[Polyhedron] = []
    roofs: list[Polyhedron] = []
    if piece.walled:
        for passage in piece.passages:
            walls += [_block(passage, passage.ends, side, _WALL) for side in _SIDES]
            roofs.append(_block(passage, passage.ends, (-OUTER_M, OUTER_M), _ROOF))
        if piece.hub:
            walls += _hub_walls(piece)
            roofs.append(_block(_HUB, _HUB.ends, (-OUTER_M, OUTER_M), _ROOF))
        walls += [_end_wall(piece, axis, at) for axis, at in piece.closed]
    if piece.raised:
        walls += [
            _block(passage, passage.ends, (-passage.half_width, passage.half_width), _SLAB)
            for passage in piece.passages
        ]
        if piece.hub:
            walls.append(_block(_HUB, _HUB.ends, (-OUTER_M, OUTER_M), _SLAB))
    hulls = (*walls, *roofs)
    triangles = np.concatenate([hull.vertices[hull.triangles] for hull in hulls])
    size = np.ptp(triangles.reshape(-1, 3), axis=0)
    x, y, _ = piece.tile.position.tolist()
    config = ObstacleConfig(
        type='box',
        position=(x, y),
        heading_deg=90.0 * piece.quarters,
        size=(float(size[0]), float(size[1]), float(size[2])),
        material='concrete',
    )
    overhead = tuple(range(len(walls), len(hulls)))
    return Obstacle(f'tiles/{piece.tile.name}', config, piece.tile.position, piece.turn, hulls, triangles, overhead)


_WALL = (-_FOUNDATION_M, CLEAR_HEIGHT_M)
_ROOF = (CLEAR_HEIGHT_M, CLEAR_HEIGHT_M + WALL_M)
_SLAB = (-_SLAB_M, 0.0)
_SIDES = ((-OUTER_M, -HALF_WIDTH_M), (HALF_WIDTH_M, OUTER_M))
_HUB = Passage(0, (-OUTER_M, OUTER_M), (0.0, 0.0), OUTER_M)


@cache
def _block(passage: Passage, along: Span, across: Span, heights: Span) -> Polyhedron:
    """Return a block that follows the floor of a passage.

    Args:
        passage: Passage in the frame of its tile.
        along: Coordinates of both ends along the passage [m].
        across: Coordinates of both sides [m].
        heights: Heights of the lower and the upper face above the floor [m].
    """
    points = []
    for s in along:
        level = float(np.interp(s, passage.ends, passage.levels))
        for t in across:
            for height in heights:
                plan = (s, t) if passage.along == 0 else (t, s)
                points.append((*plan, level + height))
    return convex_hull(points)


def _hub_walls(piece: Tunnel) -> list[Polyhedron]:
    """Return the posts at the corners of the square where passages meet, and the walls of its sides without passage."""
    walls = [_block(_HUB, x, y, _WALL) for x in _SIDES for y in _SIDES]
    inner = (-HALF_WIDTH_M, HALF_WIDTH_M)
    leads = {(passage.along, passage.ends[1] > 0.0) for passage in piece.passages}
    for upper, side in enumerate(_SIDES):
        if (0, bool(upper)) not in leads:
            walls.append(_block(_HUB, side, inner, _WALL))
        if (1, bool(upper)) not in leads:
            walls.append(_block(_HUB, inner, side, _WALL))
    return walls


def _end_wall(piece: Tunnel, axis: int, at: float) -> Polyhedron:
    """Return the wall that closes the end of a passage."""
    passage = next(part for part in piece.passages if part.along == axis and at in part.ends)
    inward = at - WALL_M if at == passage.ends[1] else at + WALL_M
    along: Span = (inward, at) if inward < at else (at, inward)
    return _block(passage, along, (-HALF_WIDTH_M, HALF_WIDTH_M), _WALL)
