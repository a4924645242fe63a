# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Coordinate frames: quaternions of messages, and poses of sensors on the rover."""

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
    """Return the position of a frame in the base frame and the rotation from it; None: its parent is unknown.

    Args:
        fixed: Parent, position in the parent and rotation from child to parent, by child frame.
        frame: Name of the frame.
        base: Name of the base frame.
    """
    place, rotation = np.zeros(3), np.eye(3)
    while frame != base:
        if frame not in fixed:
            return None
        frame, shift, turn = fixed[frame]
        place, rotation = turn @ place + shift, turn @ rotation
    return place, rotation
