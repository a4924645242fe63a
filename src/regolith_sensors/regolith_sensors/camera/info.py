# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of CameraInfo, exact for the rendered pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.numerics.lens import camera_matrix, padded

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CameraInfo:
    """Fields of sensor_msgs/CameraInfo that describe the camera. Pixel centers have integer coordinates."""

    width: int
    height: int
    distortion_model: str
    d: Floats
    """Distortion coefficients in the order of the model."""
    k: Floats
    """Camera matrix, shape (3, 3)."""
    r: Floats
    """Rectification matrix, shape (3, 3)."""
    p: Floats
    """Projection matrix of the rectified image, shape (3, 4); P[0, 3] = -fx B for the second camera of a pair."""


def camera_info(config: CameraConfig, baseline: float = 0.0) -> CameraInfo:
    """Return the CameraInfo of a camera.

    Rectified images keep the camera matrix: R is the identity, and P has K. The cameras of a stereo pair are parallel
    and equal, the second one at the distance B to the right of the first.

    Args:
        config: Model of the camera.
        baseline: Baseline B [m]; 0 for the first camera of a pair and for single cameras.
    """
    k = camera_matrix(config.width, config.height, config.focal_length_px)
    p = np.zeros((3, 4))
    p[:, :3] = k
    p[0, 3] = -k[0, 0] * baseline
    model = config.distortion.model
    d = padded(model, config.distortion.coefficients if config.stages.distortion else ())
    return CameraInfo(config.width, config.height, model, d, k, np.eye(3), p)
