# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact polygons: the common areas of faces in contact, from contact points."""

from __future__ import annotations

import math

import numpy as np

from regolith_world.cycle.records import Vector
from regolith_world.numerics.portable_math import each, times

SAME_FACE = 1.0 - 1e-6
"""Cosine of the angle between normals (1.4 mrad) up to which points belong to one face."""


def contact_polygons(points: Vector, normals: Vector) -> list[Vector]:
    """Return the polygons of contact points: at least three points of one normal, in order around it.

    Args:
        points: Contact points in the world frame [m], shape (n, 3).
        normals: Unit vectors, shape (n, 3).
    """
    left, found = np.arange(len(points)), []
    while len(left) >= 3:
        n = normals[left[0]]
        same = times(normals[left], n) > SAME_FACE
        corners, left = points[left[same]], left[~same]
        if len(corners) < 3:
            continue
        helper = np.zeros(3)
        helper[np.argmin(np.abs(n))] = 1.0
        x = np.cross(helper, n)
        spread = corners - corners.mean(axis=0)
        around = each(math.atan2, times(spread, np.cross(n, x)), times(spread, x))
        found.append(corners[np.argsort(around, kind='stable')])
    return found
