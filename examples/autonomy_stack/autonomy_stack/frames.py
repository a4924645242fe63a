# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames: quaternions as messages have them, and where a sensor is on the rover."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def matrix(q: Vector) -> Vector:
    """Return the rotation of a unit quaternion (x, y, z, w), shape (3, 3)."""
    x, y, z, w = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def quaternion(rotation: Vector) -> Vector:
    """Return the unit quaternion (x, y, z, w) of a rotation, w not negative, shape (4,)."""
    m = rotation
    # The largest of the four is found first: dividing by a small one would lose digits.
    squares = np.array([
        1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2],
        1 + m[0, 0] + m[1, 1] + m[2, 2],
    ])
    k = int(np.argmax(squares))
    big = 0.5 * math.sqrt(float(squares[k]))
    products = {
        0: (4 * big * big, m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]),
        1: (m[0, 1] + m[1, 0], 4 * big * big, m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]),
        2: (m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 4 * big * big, m[1, 0] - m[0, 1]),
        3: (m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 4 * big * big),
    }[k]
    q = np.array(products) / (4 * big)
    return q if q[3] >= 0.0 else -q


def to_base(
    fixed: Mapping[str, tuple[str, Vector, Vector]], frame: str, base: str
) -> tuple[Vector, Vector] | None:
    """Return the place of a frame in the base and the rotation from it; None: it hangs on nothing known.

    :param fixed: child frame -> its parent, its place in the parent, the rotation from child to parent
    """
    place, rotation = np.zeros(3), np.eye(3)
    while frame != base:
        if frame not in fixed:
            return None
        frame, shift, turn = fixed[frame]
        place, rotation = turn @ place + shift, turn @ rotation
    return place, rotation
