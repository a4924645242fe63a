# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Shapes and wrenches as named tuples of arrays; Numba passes them without copying."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regolith_terrain.contact.constants import STAT_COUNT
from regolith_terrain.grid.node_records import Floats, Indices
from regolith_world.numerics import kernel


class Shapes(NamedTuple):
    """Contact shapes of parts; the axle of a wheel, or the axis of a capsule, is the y axis of its frame."""

    kind: Indices
    """CYLINDER, GROUSERED, BOX, MESH, SPHERE or CAPSULE, shape (n,)."""
    size: Floats
    """Sizes [m], shape (n, 7). Cylinder: radius, half width; number, height and thickness of grousers within that
    radius; number and first column of its points in ``profile``, 0: rigid. Grousered wheel: radius of the drum, half
    width; the same of grousers on the drum. Box: half lengths.
    Mesh: half lengths and center of its box; radius of the sphere of a cap, else 0. Sphere: radius. Capsule: radius,
    half length of its straight part."""
    clusters: Indices
    """First and end cluster of a mesh, shape (n, 2)."""
    sphere: Floats
    """Center and radius of the bounding sphere of each cluster [m], shape (m, 4)."""
    triangles: Indices
    """First and end triangle of each cluster, shape (m, 2)."""
    corners: Floats
    """Corners of the triangles [m], shape (k, 9)."""
    profile: Floats
    """In/out: deflection toward the axle [m] and its rate [m/s] of the points of flexible cylinders, shape (2, p).

    Point k of n is at the angle 2 pi k / n from the x axis of its shape toward the z axis. The owner of the shape sets
    them before each contact."""


class Wrench(NamedTuple):
    """Force, torque and statistics of one body's contact."""

    force: Floats
    """Force on the body, world axes [N], shape (3,)."""
    torque: Floats
    """Torque about the center of the shape, world axes [N m], shape (3,)."""
    stats: Floats
    """Statistics of the contact by the STAT columns, shape (STAT_COUNT,)."""


@kernel(views_only=True, forceinline=True)
def push_at(wrench: Wrench, rx: float, ry: float, rz: float, fx: float, fy: float, fz: float) -> None:
    """Add a force and its torque to a wrench.

    Args:
        wrench: Wrench to change.
        rx: Point of action from the center of the shape, world x [m].
        ry: Point of action from the center of the shape, world y [m].
        rz: Point of action from the center of the shape, world z [m].
        fx: Force along world x [N].
        fy: Force along world y [N].
        fz: Force along world z [N].
    """
    wrench.force[0] += fx
    wrench.force[1] += fy
    wrench.force[2] += fz
    wrench.torque[0] += ry * fz - rz * fy
    wrench.torque[1] += rz * fx - rx * fz
    wrench.torque[2] += rx * fy - ry * fx


def make_wrench() -> Wrench:
    """Return a zero wrench."""
    return Wrench(np.zeros(3), np.zeros(3), np.zeros(STAT_COUNT))
