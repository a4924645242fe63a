# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact points of a rigid body in the world, and the setting of its contacts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.bodies.shapes import ContactPoints
from regolith_terrain.contact.arrays import Shapes
from regolith_terrain.contact.constants import SHAPE_CYLINDER
from regolith_terrain.contact.ground_contact import ContactSetting, PartPose
from regolith_terrain.grid.node_records import Floats
from regolith_world.numerics import kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class BodySetting(ContactSetting):
    """Setting of the ground contact of n rigid bodies; each is a part."""

    points: ContactPoints
    """Contact points of all bodies."""
    mass: Floats
    """Masses [kg], shape (n,)."""
    mobility: Floats
    """Inverse mass and inertia of each body, world axes, shape (n, 6, 6); changes with the bodies."""
    footprint: Floats
    """Half of the smaller side of the face on which each body rests [m], shape (n,)."""
    damping_ratio: Floats
    """Damping ratio of a fast impact, shape (n,): :func:`~regolith_terrain.solids.point_force.damping_ratio`."""
    ploughs: NDArray[np.bool_]
    """Whether soil resists the advancing face of each body, shape (n,)."""


@kernel(views_only=True)
def write_point(
    shapes: Shapes, points: ContactPoints, b: int, k: int, pose: PartPose, nx: float, ny: float, nz: float, out: Floats
) -> None:
    """Write a contact point of a body [m]: the lowest point of its sphere, or of the rim of a cylinder.

    Args:
        shapes: Shapes of the bodies.
        points: Contact points of the bodies.
        b: Index of the body.
        k: Index of the point.
        pose: Pose of the body's shape.
        nx: Unit normal of the terrain, x component.
        ny: Unit normal of the terrain, y component.
        nz: Unit normal of the terrain, z component.
        out: Output: position in the world [m], shape (3,).
    """
    center, turn = pose.center, pose.rotation
    if shapes.kind[b] != SHAPE_CYLINDER:
        x, y, z, radius = points.place[k, 0], points.place[k, 1], points.place[k, 2], points.radius[k]
        if radius > 0.0:  # of a sphere or a capsule, whose axis is y of the contact shape
            x, y, z = 0.0, z, 0.0
        out[0] = center[0] + turn[0, 0] * x + turn[0, 1] * y + turn[0, 2] * z - radius * nx
        out[1] = center[1] + turn[1, 0] * x + turn[1, 1] * y + turn[1, 2] * z - radius * ny
        out[2] = center[2] + turn[2, 0] * x + turn[2, 1] * y + turn[2, 2] * z - radius * nz
        return
    ax, ay, az = turn[0, 1], turn[1, 1], turn[2, 1]
    along = ax * nx + ay * ny + az * nz
    dx, dy, dz = along * ax - nx, along * ay - ny, along * az - nz
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length < 1e-9:  # upright: any direction
        dx, dy, dz = turn[0, 0], turn[1, 0], turn[2, 0]
    else:
        dx, dy, dz = dx / length, dy / length, dz / length
    of_rim = k - points.first[b]
    quarter = of_rim >> 1
    if quarter % 2 == 1:
        dx, dy, dz = ay * dz - az * dy, az * dx - ax * dz, ax * dy - ay * dx
    radius = -shapes.size[b, 0] if quarter >= 2 else shapes.size[b, 0]
    half = shapes.size[b, 1] if of_rim % 2 else -shapes.size[b, 1]
    out[0] = center[0] + half * ax + radius * dx
    out[1] = center[1] + half * ay + radius * dy
    out[2] = center[2] + half * az + radius * dz
