# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Obstacles as solids: their corners and poses on the terrain."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regolith_terrain.grid.node_records import Floats
from regolith_terrain.height_field import HeightField
from regolith_terrain.solids.config import ObstacleConfig
from regolith_terrain.solids.polyhedron import Polyhedron, convex_hull, pieces

_FOUNDATION_M = 0.5
"""Depth of the part of an obstacle below the surface [m]."""
SMALLEST_M, LARGEST_M = 0.03, 1e4
"""Limits of the side lengths of convex pieces of a mesh [m]."""
MOST_CORNERS = 1000
"""Largest number of corners of a convex piece of a mesh; a wheel checks all of them."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An obstacle with its pose and shape."""

    name: str
    config: ObstacleConfig
    middle: Floats
    """Position of the origin in the world [m], shape (3,)."""
    turn: Floats
    """Axes in the world as columns, shape (3, 3)."""
    hulls: tuple[Polyhedron, ...]
    """Collision shape in the obstacle's frame."""
    triangles: Floats
    """Visual shape, corners in the obstacle's frame [m], shape (k, 3, 3)."""
    overhead: tuple[int, ...] = ()
    """Numbers of the hulls under which vehicles stand, such as roofs."""

    def without_roofs(self) -> Floats:
        """Return the visual shape without what is overhead, for views from above [m], shape (k, 3, 3)."""
        if not self.overhead:
            return self.triangles
        kept = [hull for number, hull in enumerate(self.hulls) if number not in self.overhead]
        return np.concatenate([hull.vertices[hull.triangles] for hull in kept])


def corners(config: ObstacleConfig) -> Floats:
    """Return the corners of a ramp, wall, step or box in its own frame [m], shape (n, 3)."""
    assert config.size is not None
    length, width, height = config.size
    foot = 0.0 if len(config.position) == 3 else -_FOUNDATION_M
    back = -0.5 * length if config.type in ('box', 'wall') else 0.0
    front = back + length
    rises = [(front, height)] if config.type == 'ramp' else [(back, height), (front, height)]
    if config.type == 'ramp' and foot < 0.0:
        rises.append((back, 0.0))
    profile = [(back, foot), (front, foot), *rises]
    return np.array([(x, side * 0.5 * width, z) for x, z in profile for side in (-1.0, 1.0)])


def make_obstacle(
    name: str, config: ObstacleConfig, ground: HeightField, read: Callable[[Path, float], Floats]
) -> Obstacle:
    """Return an obstacle on the undisturbed surface.

    Args:
        name: Name of the obstacle.
        config: Settings of the obstacle.
        ground: Height field of the surface.
        read: Function of a mesh file and its unit [m] that returns the corners of its triangles [m], shape (k, 3, 3).

    Raises:
        ValueError: If a mesh cannot be read, or is not a solid of a usable size.
    """
    x, y = float(config.position[0]), float(config.position[1])
    lift = float(config.position[2]) if len(config.position) == 3 else 0.0
    level = float(ground.heights(np.array([x]), np.array([y]))[0])
    c, s = math.cos(math.radians(config.heading_deg)), math.sin(math.radians(config.heading_deg))
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    if config.path is not None:
        triangles = read(Path(config.path), config.scale)
        hulls = tuple(convex_hull(piece) for piece in pieces(triangles))
        most = max(len(piece.vertices) for piece in hulls)
        if most > MOST_CORNERS:
            raise ValueError(f'a convex piece of the mesh has {most} corners; allowed: up to {MOST_CORNERS}')
        sides = [float(np.ptp(piece.vertices, axis=0).max()) for piece in hulls]
        if min(sides) < SMALLEST_M or max(sides) > LARGEST_M:
            side = min(sides) if min(sides) < SMALLEST_M else max(sides)
            raise ValueError(
                f'a piece of the mesh is {side:.3g} m wide; allowed: {SMALLEST_M:g} to {LARGEST_M:g} m; fix: set '
                'scale, the unit of the file in meters (0.001 for millimeters, 1 for meters)'
            )
    else:
        hulls = (convex_hull(corners(config)),)
        triangles = hulls[0].vertices[hulls[0].triangles]
    return Obstacle(name, config, np.array([x, y, level + lift]), turn, hulls, triangles)
