# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Unit quaternions in ROS order (x, y, z, w)."""

from __future__ import annotations

import numpy as np

from regolith_world.records import Vector


def matrix(quaternion: Vector) -> Vector:
    """Return the rotation matrix, shape (3, 3), that takes body axes to world axes."""
    x, y, z, w = quaternion.tolist()
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def product(a: Vector, b: Vector) -> Vector:
    """Return the Hamilton product a b: first b, then a."""
    ax, ay, az, aw = a.tolist()
    bx, by, bz, bw = b.tolist()
    return np.array(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    )


def from_rotation_vector(vector: Vector) -> Vector:
    """Return the quaternion of a turn by |vector| radians about ``vector``."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-300:
        return np.array([0.0, 0.0, 0.0, 1.0])
    return np.concatenate([vector * (np.sin(angle / 2.0) / angle), [np.cos(angle / 2.0)]])


def from_yaw(yaw: float) -> Vector:
    """Return the quaternion of a turn by ``yaw`` radians about +z."""
    return np.array([0.0, 0.0, np.sin(yaw / 2.0), np.cos(yaw / 2.0)])


def yaw(quaternion: Vector) -> float:
    """Return the heading of the body's x axis in the world's x-y plane [rad]."""
    x, y, z, w = quaternion.tolist()
    return float(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
