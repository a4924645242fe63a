# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact shapes of a vehicle's wheels for soil."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_terrain import contact
from regolith_vehicles.description.mesh_files import load_triangles
from regolith_vehicles.description.model_config import WheelConfig
from regolith_world.numerics import portable_math

Vector = NDArray[np.float64]


def wheel_shape(wheel: WheelConfig, folder: Path) -> contact.Shapes:
    """Return the shape of one wheel in its own frame: the body frame for a mesh, else a frame with the axle along y.

    Args:
        wheel: Configuration of the wheel.
        folder: Folder to which the mesh's path refers.

    Raises:
        ValueError: If the values do not define a shape, or the mesh cannot be read.
    """
    if wheel.mesh is not None:
        triangles = load_triangles(folder / wheel.mesh, wheel.mesh_scale)
        reach = math.sqrt(float((triangles * triangles).sum(axis=2).max()))
        expected = math.hypot(wheel.radius_m, 0.5 * wheel.width_m)
        if not 0.2 * expected <= reach <= 5.0 * expected:
            raise ValueError(
                f'{folder / wheel.mesh}: extends {reach:.4g} m from its origin, but radius_m and width_m imply '
                f'{expected:.4g}; allowed: 0.2 to 5 times this; fix: set mesh_scale, 0.001 for millimeters'
            )
        return contact.mesh(triangles)
    if wheel.grousers is not None:
        g = wheel.grousers
        make = contact.grousered_wheel if g.individual_contact else contact.cylinder
        return make(wheel.radius_m, wheel.width_m, g.count, g.height_m, g.thickness_m)
    return contact.cylinder(wheel.radius_m, wheel.width_m)


def axle_frame(axis: Vector) -> Vector:
    """Return the smallest rotation, shape (3, 3), from +y to a wheel's axle in its body frame."""
    y = np.array([0.0, 1.0, 0.0])
    a = np.asarray(axis, dtype=np.float64)
    a = a / portable_math.norm(a)
    if np.array_equal(a, y):
        return np.eye(3)
    quaternion, matrix = np.empty(4), np.empty(9)
    across = np.cross(y, a)
    sine = portable_math.norm(across)
    # Opposite axes: half a turn about x.
    direction = across / sine if sine > 1e-12 else np.array([1.0, 0.0, 0.0])
    mujoco.mju_axisAngle2Quat(quaternion, direction, math.atan2(sine, a[1]))
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)
