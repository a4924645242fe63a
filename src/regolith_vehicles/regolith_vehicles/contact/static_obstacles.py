# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Static obstacles of a scenario: its obstacles, then the rocks of its terrain, identical in every process.

:func:`build_solids` returns all of them, for moving bodies. :func:`build_obstacle_map` returns the large ones, for
electromagnetic waves.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain import HeightField, TerrainConfig, build_rocks
from regolith_terrain.bodies import BodiesConfig
from regolith_terrain.grid import Floats
from regolith_terrain.scenario_bodies import movable_numbers
from regolith_terrain.solids import (
    Obstacle,
    ObstacleHeightMap,
    Polyhedron,
    Solid,
    Solids,
    make_obstacle,
    rock_shapes,
)
from regolith_terrain.tiles import read_tunnels, tile_obstacles
from regolith_vehicles.description.mesh_files import load_triangles
from regolith_world.numerics import portable_math

HIGH_M, WIDE_M = 0.75, 1.5
"""Minimum height above the ground and minimum width of obstacles [m]: one and two wavelengths at 400 MHz.

Waves are diffracted around smaller obstacles as if these did not exist.
"""


def build_obstacles(terrain: TerrainConfig, ground: HeightField) -> list[Obstacle]:
    """Return the obstacles of a scenario in order of their names, then the walls and roofs of its tiles.

    Args:
        terrain: Section ``terrain`` of the scenario.
        ground: Height field that the section defines.

    Raises:
        ValueError: If a mesh or a tile list cannot be used.
    """
    made = [make_obstacle(name, config, ground, load_triangles) for name, config in sorted(terrain.obstacles.items())]
    return made + (tile_obstacles(read_tunnels(terrain.source)) if terrain.has_tiles else [])


def build_solids(
    terrain: TerrainConfig, scenario_seed: int, ground: HeightField, bodies: BodiesConfig | None = None
) -> Solids | None:
    """Return the static solids with which vehicles can collide; None if there are none.

    Args:
        terrain: Section ``terrain`` of the scenario.
        scenario_seed: Seed of the scenario.
        ground: Height field that the section defines.
        bodies: Section ``bodies``, whose movable rocks are no static solids; None: there is no such section.

    Raises:
        ValueError: If a mesh cannot be used.
    """
    shapes: list[Polyhedron] = []
    solids: list[Solid] = []
    for thing in build_obstacles(terrain, ground):
        for number, piece in enumerate(thing.hulls):
            overhead = number in thing.overhead
            solids.append(Solid(len(shapes), thing.middle, thing.turn, thing.config.friction, overhead))
            shapes.append(piece)
    field = build_rocks(terrain, scenario_seed) if terrain.rock_collision else None
    if field is not None:
        rocks = rock_shapes.site_rocks(field, terrain.map_size_m)
        middles, halves = rock_shapes.placed(rocks)
        first = len(shapes)
        movable = movable_numbers(terrain, scenario_seed, None if bodies is None else bodies.movable_rocks)
        for k in np.setdiff1d(np.flatnonzero(rocks.diameter > rock_shapes.CONTACT_M), movable).tolist():
            shape = first + int(rocks.shape[k]) % rock_shapes.SHAPES
            solids.append(Solid(shape, middles[k], _axes(rocks.yaw[k], halves[k]), terrain.rock_friction))
        shapes += rock_shapes.rock_hulls()
    return Solids(shapes, solids) if solids else None


def build_obstacle_map(terrain: TerrainConfig, scenario_seed: int, ground: HeightField) -> ObstacleHeightMap | None:
    """Return the obstacles and rocks of at least :data:`HIGH_M` height and :data:`WIDE_M` width; None if none exist.

    Rocks count whether or not vehicles collide with them.

    Args:
        terrain: Section ``terrain`` of the scenario.
        scenario_seed: Seed of the scenario.
        ground: Height field that the section defines.

    Raises:
        ValueError: If a mesh cannot be used.
    """
    standing: list[tuple[Polyhedron, Floats, Floats]] = []
    for thing in build_obstacles(terrain, ground):
        points = (
            portable_math.times(np.concatenate([piece.vertices for piece in thing.hulls]), thing.turn.T) + thing.middle
        )
        level = float(ground.heights(thing.middle[:1], thing.middle[1:2])[0])
        if points[:, 2].max() - level >= HIGH_M and np.ptp(points[:, :2], axis=0).max() >= WIDE_M:
            standing += [(piece, thing.middle, thing.turn) for piece in thing.hulls]
    field = build_rocks(terrain, scenario_seed)
    if field is not None:
        half = 0.5 * terrain.map_size_m
        rocks = field.rocks_in(-half, half, -half, half, WIDE_M)
        middles, halves = rock_shapes.placed(rocks)
        shapes = rock_shapes.rock_hulls()
        for k in np.lexsort((rocks.y, rocks.x)).tolist():
            if rocks.height[k] >= HIGH_M:
                standing.append(
                    (shapes[int(rocks.shape[k]) % rock_shapes.SHAPES], middles[k], _axes(rocks.yaw[k], halves[k]))
                )
    return ObstacleHeightMap(standing) if standing else None


def _axes(yaw: float, half: Floats) -> Floats:
    """Return the axes of a rock as columns, with the length of its half widths [m]."""
    c, s = math.cos(yaw), math.sin(yaw)
    axes: Floats = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) * half
    return axes
