# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Lift of what stands on raised ground: an edit from outside raises nodes at once, and their loads with them.

Without a lift, a part would begin a cycle deep in the ground, whose springs would throw it. A lift keeps velocities and
the depth of each part. It adds the potential energy of the height only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from regolith_terrain.bodies.body_set import RigidBodies
from regolith_terrain.bodies.ground_depth import underside_of_part
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.solids.polyhedron import Polyhedron
from regolith_world.numerics import portable_math, rotation


def lift_height(parts: Iterable[tuple[Polyhedron, Floats, Floats]], grid: SoilGrid) -> float:
    """Return the height by which the raised nodes of the last commit lift rigidly connected convex parts [m].

    At each node below a part, this is the rise of the node, or the depth of the part below it if that is less.

    Args:
        parts: Shape, position in the world [m], shape (3,), and rotation matrix of each part.
        grid: The ground after the commit.

    Regolith's own; checked by ``test_lift.py``.
    """
    raised, height = grid.raised, 0.0
    if not len(raised):
        return 0.0
    x, y = raised['i'] * grid.spacing, raised['j'] * grid.spacing
    for solid, position, turn in parts:
        points = portable_math.times(solid.vertices, turn.T) + position
        low, high = points.min(axis=0) - grid.spacing, points.max(axis=0) + grid.spacing
        near = np.flatnonzero((x >= low[0]) & (x <= high[0]) & (y >= low[1]) & (y <= high[1]))
        if not len(near):
            continue
        bottom = underside_of_part(solid, position, turn, x[near], y[near])
        lowest = points[np.argmin(points[:, 2])]  # a small part may have no node below it
        away = np.maximum(np.abs(x[near] - lowest[0]), np.abs(y[near] - lowest[1]))
        nearest = away <= 0.5 * grid.spacing
        bottom = np.where(nearest, np.minimum(bottom, lowest[2]), bottom)
        amounts = np.minimum(raised['rise'][near], grid.levels(x[near], y[near]) - bottom)
        height = max(height, float(np.max(amounts, initial=0.0)))
    return height


def lift_bodies(bodies: RigidBodies, members: Sequence[int]) -> None:
    """Lift some bodies with the ground that the last commit raised, and those on them.

    A body is on another one if their bounding spheres meet, and its center is above that of the other one by more than
    half of their horizontal distance. They wake, and their contacts are reset.
    """
    grid = bodies.ground.grid
    if not len(grid.raised):
        return
    heights: dict[int, float] = {}
    for n in sorted(members, key=lambda n: (float(bodies.position[n, 2]), n)):
        part = bodies.bodies[n].shape.solid, bodies.position[n], rotation.matrix(bodies.orientation[n])
        away = bodies.position[list(heights)] - bodies.position[n]
        gaps = np.sqrt(np.square(away).sum(axis=1)) - bodies.reach[list(heights)] - bodies.reach[n]
        on = (gaps < 0.0) & (-away[:, 2] > 0.5 * np.sqrt(np.square(away[:, :2]).sum(axis=1)))
        below = (height for height, carries in zip(heights.values(), on.tolist(), strict=True) if carries)
        heights[n] = max([lift_height([part], grid), *below])
    for n, height in heights.items():
        if height > 0.0:
            bodies.lift(n, height)
