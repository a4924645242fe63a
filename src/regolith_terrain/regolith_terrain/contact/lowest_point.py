# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowest point of a shape."""

from __future__ import annotations

import math

from regolith_terrain.contact.constants import (
    SHAPE_CAPSULE,
    SHAPE_CYLINDER,
    SHAPE_GROUSERED,
    SHAPE_MESH,
    SHAPE_SPHERE,
)
from regolith_terrain.grid.node_records import Floats
from regolith_world.numerics import kernel


@kernel(views_only=True)
def lowest(kind: int, size: Floats, center: Floats, rotation: Floats) -> float:
    """Return a lower bound of the height of a round shape, a box, or the box of a mesh [m]."""
    low: float = center[2]
    if kind in (SHAPE_CYLINDER, SHAPE_GROUSERED):
        tilt = rotation[2, 1]
        radius = size[0] + (size[3] if kind == SHAPE_GROUSERED else 0.0)
        low -= radius * math.sqrt(max(0.0, 1.0 - tilt * tilt)) + size[1] * abs(tilt)
        return low
    if kind in (SHAPE_SPHERE, SHAPE_CAPSULE):
        low -= size[0] + size[1] * abs(rotation[2, 1])  # a sphere has no length
        return low
    for k in range(3):
        low -= size[k] * abs(rotation[2, k])
        if kind == SHAPE_MESH:
            low += size[3 + k] * rotation[2, k]
    return low
