# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rocks of a terrain as rigid bodies: their selection, shapes and poses.

The shape of a movable rock is the convex hull of the shape that sensors show, with at most 64 triangles. The hull has
the volume of the full one.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.bodies import shapes
from regolith_terrain.bodies.config import MovableRocksConfig
from regolith_terrain.bodies.description import BodyDescription
from regolith_terrain.bodies.mass_properties import reduced_hull
from regolith_terrain.bodies.shapes import BodyShape
from regolith_terrain.config import TerrainConfig
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.height_field_builder import build_rocks
from regolith_terrain.lunar import Rocks
from regolith_terrain.solids import rock_shapes
from regolith_world.cycle import ObjectVisual
from regolith_world.numerics import portable_math, rotation
from regolith_world.objects import hull_shape

RESTITUTION = 0.2
"""Coefficient of restitution of rocks on rigid terrain [-]."""
_GAP_M = 0.01
"""Smallest gap between a movable rock and another rock [m]."""


class MovableRock(NamedTuple):
    """A rock of the terrain as a rigid body at its initial pose."""

    number: int
    """Number of the rock in :func:`regolith_terrain.solids.rock_shapes.site_rocks`."""
    description: BodyDescription
    position: Floats
    """Center of mass [m], shape (3,)."""
    orientation: Floats
    """Quaternion (x, y, z, w)."""
    center: Floats
    """Center of mass in the frame of the shown rock, whose half widths are ``halves`` [m], shape (3,)."""
    halves: Floats
    """Half widths of the shown rock along its axes [m], shape (3,)."""

    @property
    def visual(self) -> ObjectVisual:
        """Visible shape for observers that do not draw the rocks of the terrain."""
        return ObjectVisual(
            self.description.name, shapes=(hull_shape(self.description.shape.points.place),), material='rock'
        )


def movable_numbers(terrain: TerrainConfig, seed: int, config: MovableRocksConfig | None) -> NDArray[np.int64]:
    """Return the numbers of the rocks of a terrain that are movable, ascending.

    Args:
        terrain: Section ``terrain``.
        seed: Seed of the scenario.
        config: Key ``bodies.movable_rocks``; none: no rock is.
    """
    field = build_rocks(terrain, seed) if config is not None and terrain.rock_collision else None
    if config is None or field is None:
        return np.zeros(0, dtype=np.int64)
    rocks = rock_shapes.site_rocks(field, terrain.map_size_m)
    middles, halves = rock_shapes.placed(rocks)
    reach = np.hypot(halves[:, 0], halves[:, 1])
    size = (rocks.diameter >= config.least_m) & (rocks.diameter <= config.most_m)
    chosen = np.flatnonzero(size & (np.abs(middles[:, :2]).max(axis=1) <= config.half_side_m))
    solid = np.flatnonzero(rocks.diameter > rock_shapes.CONTACT_M)
    free = []
    for k in chosen.tolist():
        gap = np.hypot(*(middles[solid, :2] - middles[k, :2]).T) - reach[solid] - reach[k]
        close = solid[(gap < _GAP_M) & (solid != k)].tolist()
        if all(_apart(_placed(rocks, k, halves, middles), _placed(rocks, n, halves, middles)) for n in close):
            free.append(k)
    return np.array(free, dtype=np.int64)


def _placed(rocks: Rocks, k: int, halves: Floats, middles: Floats) -> tuple[Floats, Floats]:
    """Return vertices [m], shape (v, 3), and the planes of the facets of a rock, shape (m, 4)."""
    solid = rock_shapes.rock_hulls()[int(rocks.shape[k]) % rock_shapes.SHAPES]
    turn = rotation.matrix(rotation.from_yaw(float(rocks.yaw[k])))
    vertices = portable_math.times(solid.vertices * halves[k], turn.T) + middles[k]
    a, b, c = (vertices[solid.triangles[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.sqrt(np.sum(np.square(normals), axis=1))[:, None]
    return vertices, np.column_stack((normals, np.sum(normals * a, axis=1)))


def _apart(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> bool:
    """Return whether a facet of one of two convex solids separates them by at least _GAP_M."""
    for (_, planes), (vertices, _) in ((one, other), (other, one)):
        over = portable_math.times(planes[:, :3], vertices.T) - planes[:, 3:]
        if (over.min(axis=1) >= _GAP_M).any():
            return True
    return False


def movable_rocks(terrain: TerrainConfig, seed: int, config: MovableRocksConfig | None) -> list[MovableRock]:
    """Return the movable rocks of a terrain in the order of their numbers; arguments of :func:`movable_numbers`."""
    numbers = movable_numbers(terrain, seed, config)
    field = build_rocks(terrain, seed) if len(numbers) else None
    if config is None or field is None:
        return []
    rocks = rock_shapes.site_rocks(field, terrain.map_size_m)
    middles, halves = rock_shapes.placed(rocks)
    made = []
    for k in numbers.tolist():
        shape = _rock_shape(int(rocks.shape[k]) % rock_shapes.SHAPES, *halves[k].tolist())
        mass = config.density_kgpm3 * shape.properties.volume
        orientation = rotation.from_yaw(float(rocks.yaw[k]))
        center = middles[k] + portable_math.times(rotation.matrix(orientation), shape.properties.center)
        about = BodyDescription(f'rock_{k}', shape, mass, RESTITUTION, friction=terrain.rock_friction)
        made.append(MovableRock(k, about, center, orientation, shape.properties.center, halves[k]))
    return made


@lru_cache(maxsize=4096)
def _rock_shape(kind: int, x: float, y: float, z: float) -> BodyShape:
    """Return the shape of a rock of a kind with these half widths [m]. A check and a run need it several times."""
    return shapes.hull(_reduced_hulls()[kind] * (x, y, z))


@cache
def _reduced_hulls() -> tuple[Floats, ...]:
    """Return the vertices of :func:`rock_shapes.rock_hulls` with at most 64 triangles.

    Scaling along the axes of a rock keeps the ratio of volumes, so a rock has the volume of its full hull.
    """
    return tuple(reduced_hull(solid.vertices).vertices for solid in rock_shapes.rock_hulls())
