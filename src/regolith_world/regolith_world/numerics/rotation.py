# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotations as unit quaternions in ROS order (x, y, z, w)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_world.numerics.portable_math import each, norm

Vector = NDArray[np.float64]


def matrix(quaternion: Vector) -> Vector:
    """Return the rotation matrix from body axes to world axes, shape (3, 3)."""
    x, y, z, w = quaternion.tolist()
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def matrices(quaternions: Vector) -> Vector:
    """Return the rotation matrices of quaternions (n, 4), shape (n, 3, 3); see :func:`matrix`."""
    x, y, z, w = np.asarray(quaternions, dtype=np.float64).T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def product(a: Vector, b: Vector) -> Vector:
    """Return the Hamilton product a b: first rotation b, then a."""
    return np.array(_hamilton(a.tolist(), b.tolist()))


def products(a: Vector, b: Vector) -> Vector:
    """Return the Hamilton products of quaternions (n, 4), row by row; see :func:`product`."""
    return np.stack(_hamilton(np.asarray(a, dtype=np.float64).T, np.asarray(b, dtype=np.float64).T), axis=1)


def _hamilton(a: Any, b: Any) -> Any:
    """Return the four components of a Hamilton product, of numbers or of arrays."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def from_rotation_vector(vector: Vector) -> Vector:
    """Return the quaternion of a rotation by |vector| radians about ``vector``."""
    angle = norm(vector)
    if angle < 1e-300:
        return np.array([0.0, 0.0, 0.0, 1.0])
    return np.concatenate([vector * (math.sin(angle / 2.0) / angle), [math.cos(angle / 2.0)]])


def rotation_vector(quaternion: Vector) -> Vector:
    """Return the rotation of at most pi of a quaternion, as axis times angle [rad].

    It is the inverse of :func:`from_rotation_vector`.
    """
    turn = quaternion if quaternion[3] >= 0.0 else -quaternion
    sine = norm(turn[:3])
    factor = 2.0 if sine < 1e-12 else 2.0 * math.atan2(sine, float(turn[3])) / sine
    return np.asarray(turn[:3] * factor)


def from_matrix(rotation: Vector) -> Vector:
    """Return one of the two quaternions of a rotation matrix, shape (3, 3).

    Source: shepperd1978, from the largest of the four components.
    Checked by: test_rotation.py::test_from_matrix_undoes_matrix_whichever_component_is_largest.
    """
    r = rotation
    four = [
        1.0 + r[0, 0] - r[1, 1] - r[2, 2],
        1.0 - r[0, 0] + r[1, 1] - r[2, 2],
        1.0 - r[0, 0] - r[1, 1] + r[2, 2],
        1.0 + r[0, 0] + r[1, 1] + r[2, 2],
    ]
    k = int(np.argmax(four))
    d = [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]
    if k == 3:
        q = [d[0], d[1], d[2], four[3]]
    else:
        q = [r[k, m] + r[m, k] for m in range(3)]
        q[k] = four[k]
        q.append(d[k])
    vector = np.array(q)
    return np.asarray(vector / norm(vector))


def slerp(first: Vector, last: Vector, share: Vector | float) -> Vector:
    """Return quaternions on the shorter great arc between two quaternions, shape (..., 4).

    Args:
        first: Start, shape (..., 4).
        last: End, shape (..., 4).
        share: Fraction of the arc from ``first`` to ``last``, 0 to 1, shape (..., 1) or a number.

    Source: shoemake1985.
    Checked by: test_rotation.py::test_slerp_turns_evenly_on_the_shorter_arc.
    """
    cosine = np.sum(first * last, axis=-1, keepdims=True)
    last = np.where(cosine < 0.0, -last, last)
    angle = each(math.acos, np.minimum(np.abs(cosine), 1.0))
    sine = each(math.sin, angle)
    straight = sine < 1e-6
    safe = np.where(straight, 1.0, sine)
    a = np.where(straight, 1.0 - share, each(math.sin, (1.0 - share) * angle) / safe)
    b = np.where(straight, share, each(math.sin, share * angle) / safe)
    out = a * first + b * last
    return np.asarray(out / np.linalg.norm(out, axis=-1, keepdims=True))


def from_rpy_deg(rpy_deg: Sequence[float]) -> Vector:
    """Return the quaternion of roll, pitch and yaw [deg]: first yaw, then pitch, then roll (REP 103)."""
    half = np.deg2rad(rpy_deg) / 2.0
    turns = [np.array([*(math.sin(h) * np.eye(3)[axis]), math.cos(h)]) for axis, h in enumerate(half)]
    return product(turns[2], product(turns[1], turns[0]))


def to_rpy(rotation: Vector) -> tuple[float, float, float]:
    """Return roll, pitch and yaw of a rotation matrix [rad], the inverse of :func:`from_rpy_deg`; yaw is 0 at the pole.

    Args:
        rotation: Rotation matrix, shape (3, 3).
    """
    pitch = math.asin(min(max(-float(rotation[2, 0]), -1.0), 1.0))
    if abs(float(rotation[2, 0])) < 1.0 - 1e-12:
        return math.atan2(rotation[2, 1], rotation[2, 2]), pitch, math.atan2(rotation[1, 0], rotation[0, 0])
    return math.atan2(-rotation[1, 2], rotation[1, 1]), pitch, 0.0


def from_yaw(yaw: float) -> Vector:
    """Return the quaternion of a rotation by ``yaw`` [rad] about +z."""
    return np.array([0.0, 0.0, math.sin(yaw / 2.0), math.cos(yaw / 2.0)])


def yaw(quaternion: Vector) -> float:
    """Return the heading of the body's x axis in the world's x-y plane [rad]."""
    x, y, z, w = quaternion.tolist()
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
