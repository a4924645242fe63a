# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of positions, orientations and arrays. :mod:`regolith_world.ros.message_codec` converts whole records."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from numpy.typing import NDArray

from regolith_world.cycle.records import Vector


def vector3_message(v: Vector) -> Vector3:
    """Return a Vector3 of the components of ``v``."""
    return Vector3(x=float(v[0]), y=float(v[1]), z=float(v[2]))


def point_message(v: Vector) -> Point:
    """Return a Point of the components of ``v``."""
    return Point(x=float(v[0]), y=float(v[1]), z=float(v[2]))


def quaternion_message(q: Vector) -> Quaternion:
    """Return a Quaternion of (x, y, z, w)."""
    return Quaternion(x=float(q[0]), y=float(q[1]), z=float(q[2]), w=float(q[3]))


def pose_message(position: Vector, orientation: Vector) -> Pose:
    """Return a Pose of a position [m], shape (3,), and a quaternion (x, y, z, w), shape (4,)."""
    return Pose(position=point_message(position), orientation=quaternion_message(orientation))


def byte_array(data: bytes) -> array.array[int]:
    """Return ``data`` as the array type that a uint8[] field accepts without copying element by element."""
    return array.array('B', data)


def typed_array(code: str, values: NDArray[Any]) -> array.array[Any]:
    """Return a message array of ``values`` with one copy (NumPy arrays are checked element by element)."""
    out: array.array[Any] = array.array(code)
    out.frombytes(np.ascontiguousarray(values).tobytes())
    return out
