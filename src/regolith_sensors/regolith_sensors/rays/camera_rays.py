# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Cameras and lights in the form that the kernels use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_sensors.light import LAMP_COLUMNS, LIMB_DARKENING, Spotlight, Sun

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]


class CameraRays(NamedTuple):
    """Position of a camera and directions of its pixels."""

    rays: Singles
    """Unit directions in the optical frame (x right, y down, z ahead), shape (height, width, 3)."""
    rotation: Singles
    """Rotation from the optical frame to the world frame, shape (3, 3)."""
    position: Singles
    """Position relative to the scene origin [m], shape (3,)."""
    pixel_angle: float
    """Angular width of a pixel [rad]."""


class Lights(NamedTuple):
    """Sun and lamps as arrays."""

    direction: Singles
    """Unit vector toward the center of the sun, shape (3,)."""
    across: Singles
    """Two unit vectors normal to that direction, shape (2, 3)."""
    irradiance: Singles
    """Irradiance of the bands [W/m^2], shape (3,)."""
    disc: float
    """Tangent of the sun's angular radius [-]."""
    darkening: float
    """Limb darkening coefficient, 0 for a uniform disc."""
    lamps: Singles
    """Rows of :class:`Spotlight`, shape (n, 11)."""
    far: Singles
    """Visible part of the sun's disc above terrain that is too far for rays. Row 0: x and y of the first post relative
    to the scene origin [m], and 1 / spacing [1/m]. Row 1 + i: posts i along x, shape (n + 1, m), n >= 2, m >= 3. Shape
    (0, 0): no such terrain."""


def view(
    scene_origin: Floats, rays: NDArray[Any], rotation: ArrayLike, position: ArrayLike, focal_length_px: float
) -> CameraRays:
    """Return the view of a camera at a position in the world.

    Args:
        scene_origin: Origin of the scene in the world frame [m], shape (3,).
        rays: Directions from :func:`regolith_sensors.numerics.lens.pixel_rays`.
        rotation: Rotation from the optical frame to the world frame, shape (3, 3).
        position: Position in the world frame [m], shape (3,).
        focal_length_px: Focal length [px].
    """
    return CameraRays(
        np.ascontiguousarray(rays, dtype=np.float32),
        np.ascontiguousarray(rotation, dtype=np.float32),
        (np.asarray(position, dtype=np.float64) - scene_origin).astype(np.float32),
        1.0 / focal_length_px,
    )


DEEPEST_LIGHT = -math.sin(math.radians(7.0))
"""Sine of the lowest elevation of the sun that lights anything: on the Moon's highest mountain, 10.8 km above the mean
radius, a level horizon is 6.4 deg below the horizontal."""


def lights(scene_origin: Floats, sun: Sun | None, lamps: Sequence[Spotlight] = ()) -> Lights:
    """Return sun and lamps in the form that the kernels use; a missing sun means night.

    So does one that is deeper below the horizontal than the horizon of any mountain: nothing would stop its light below
    the ground, and it would reach undersides of rocks.
    """
    if sun is not None and sun.direction[2] < DEEPEST_LIGHT:
        sun = None
    direction = np.array([0.0, 0.0, 1.0]) if sun is None else sun.direction
    helper = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = np.cross(direction, helper)
    first /= np.linalg.norm(first)
    rows = [lamp.row(scene_origin) for lamp in lamps]
    return Lights(
        direction.astype(np.float32),
        np.stack([first, np.cross(direction, first)]).astype(np.float32),
        (np.zeros(3) if sun is None else sun.irradiance).astype(np.float32),
        0.0 if sun is None else math.tan(sun.angular_radius),
        LIMB_DARKENING if sun is not None and sun.limb_darkening else 0.0,
        np.array(rows, dtype=np.float32).reshape(-1, LAMP_COLUMNS),
        np.zeros((0, 0), np.float32) if sun is None or sun.far is None else sun.far.table(scene_origin),
    )
