# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames: quaternions as messages have them, and where a sensor is on the rover."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Vector = NDArray[np.float64]


def matrix(q: Vector) -> Vector:
    """Return the rotation of a unit quaternion (x, y, z, w), shape (3, 3)."""
    out: Vector = Rotation.from_quat(q).as_matrix()
    return out


def quaternion(rotation: Vector) -> Vector:
    """Return the unit quaternion (x, y, z, w) of a rotation, w not negative, shape (4,)."""
    q: Vector = Rotation.from_matrix(rotation).as_quat()
    return q if q[3] >= 0.0 else -q


def to_base(fixed: Mapping[str, tuple[str, Vector, Vector]], frame: str, base: str) -> tuple[Vector, Vector] | None:
    """Return the place of a frame in the base and the rotation from it; None: it hangs on nothing known.

    Args:
        fixed: child frame -> its parent, its place in the parent, the rotation from child to parent
    """
    place, rotation = np.zeros(3), np.eye(3)
    while frame != base:
        if frame not in fixed:
            return None
        frame, shift, turn = fixed[frame]
        place, rotation = turn @ place + shift, turn @ rotation
    return place, rotation
