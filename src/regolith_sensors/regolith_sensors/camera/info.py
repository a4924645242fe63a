# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The contents of CameraInfo, true to the pixel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.camera.config import CameraConfig
from regolith_sensors.camera.lens import camera_matrix, padded

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CameraInfo:
    """The fields of sensor_msgs/CameraInfo that describe the camera; pixel centres have integer coordinates."""

    width: int
    height: int
    distortion_model: str
    d: Floats
    """Coefficients in the model's order."""
    k: Floats
    """Camera matrix, shape (3, 3)."""
    r: Floats
    """Rectification, shape (3, 3)."""
    p: Floats
    """Projection of the rectified image, shape (3, 4); P[0, 3] = -fx B for the second camera of a stereo pair."""


def camera_info(config: CameraConfig, baseline: float = 0.0) -> CameraInfo:
    """Return the CameraInfo of a camera.

    Rectified images keep the camera matrix: R is the unit matrix, P its copy. The cameras of a stereo pair are parallel
    and equal, the second B to the right of the first.

    Args:
        config: the camera
        baseline: B [m], 0 for the first camera of a pair and for single ones
    """
    k = camera_matrix(config.width, config.height, config.focal_length_px)
    p = np.zeros((3, 4))
    p[:, :3] = k
    p[0, 3] = -k[0, 0] * baseline
    model = config.distortion.model
    d = padded(model, config.distortion.coefficients if config.stages.distortion else ())
    return CameraInfo(config.width, config.height, model, d, k, np.eye(3), p)
