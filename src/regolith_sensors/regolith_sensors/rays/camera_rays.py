# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Cameras and lights as the kernels take them."""

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
    """Place of a camera and directions of its pixels."""

    rays: Singles
    """Unit directions in the optical frame (x right, y down, z ahead), shape (height, width, 3)."""
    rotation: Singles
    """Takes the optical frame to the world, shape (3, 3)."""
    position: Singles
    """From the scene's origin [m], shape (3,)."""
    pixel_angle: float
    """Width of a pixel [rad]."""


class Lights(NamedTuple):
    """Sun and lamps."""

    direction: Singles
    """To the sun's centre, shape (3,)."""
    across: Singles
    """Two unit vectors across it, shape (2, 3)."""
    irradiance: Singles
    """Irradiance of the bands [W/m^2], shape (3,)."""
    disc: float
    """Tangent of the sun's angular radius."""
    darkening: float
    """Limb darkening coefficient, 0 for an even disc."""
    lamps: Singles
    """Rows of :class:`Spotlight`, shape (n, 11)."""


def view(
    scene_origin: Floats, rays: NDArray[Any], rotation: ArrayLike, position: ArrayLike, focal_length_px: float
) -> CameraRays:
    """Return a view from a place in the world.

    Args:
        scene_origin: of the scene the view is for
        rays: from :func:`regolith_sensors.camera.lens.pixel_rays`
        rotation: takes the optical frame to the world, shape (3, 3)
        position: in the world [m], shape (3,)
        focal_length_px: [px]
    """
    return CameraRays(
        np.ascontiguousarray(rays, dtype=np.float32),
        np.ascontiguousarray(rotation, dtype=np.float32),
        (np.asarray(position, dtype=np.float64) - scene_origin).astype(np.float32),
        1.0 / focal_length_px,
    )


def lights(scene_origin: Floats, sun: Sun | None, lamps: Sequence[Spotlight] = ()) -> Lights:
    """Return lights as the kernels read them; without a sun it is night."""
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
    )
