# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Attitude of the rover from gyroscopes, with roll and pitch corrected by gravity."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Vector = NDArray[np.float64]


def turn(vector: Vector) -> Vector:
    """Return the rotation matrix about a vector by its length [rad], shape (3, 3)."""
    out: Vector = Rotation.from_rotvec(vector).as_matrix()
    return out


class Attitude:
    """Rotation from the base frame to a level frame with the initial heading of the base.

    At rest the filter estimates the gyroscope bias and the vertical. In motion it integrates the gyroscopes. Where the
    specific force is close to gravity at rest, it slowly corrects roll and pitch. Shocks on rough ground are excluded,
    because their specific force is larger. The heading is corrected by the bias at rest only. A bias of the
    accelerometers tilts this vertical. :mod:`autonomy_stack.matching` corrects the rotation by the map.
    """

    PLUMB_S = 20.0
    """Time constant with which roll and pitch are corrected by gravity [s]."""
    QUIET = 0.1
    """Maximum relative difference from gravity of a specific force that is used as vertical [-]."""

    def __init__(self) -> None:
        self.rotation: Vector = np.eye(3)
        self.bias: Vector = np.zeros(3)
        self._sums = np.zeros((2, 3))
        self._samples = 0
        self._gravity = 0.0

    @property
    def heading(self) -> float:
        """Angle of the base's x axis in the level frame [rad]."""
        return math.atan2(self.rotation[1, 0], self.rotation[0, 0])

    @property
    def tilt(self) -> float:
        """Angle between the base's z axis and the vertical [rad]."""
        return math.acos(min(max(float(self.rotation[2, 2]), -1.0), 1.0))

    def stand(self, rate: Vector, force: Vector) -> None:
        """Process a sample of the rover at rest: rate [rad/s] and specific force [m/s^2] in the base frame."""
        self._sums += (rate, force)
        self._samples += 1
        self.bias, mean = self._sums / self._samples
        self._gravity = math.sqrt(float(mean @ mean))
        up = mean / self._gravity
        roll, pitch = math.atan2(up[1], up[2]), -math.asin(min(max(float(up[0]), -1.0), 1.0))
        self.rotation = turn(np.array([0.0, pitch, 0.0])) @ turn(np.array([roll, 0.0, 0.0]))

    def move(self, rate: Vector, force: Vector, seconds: float) -> None:
        """Process the sample of a period [s] in motion."""
        felt = math.sqrt(float(force @ force))
        correction = np.zeros(3)
        if self._gravity > 0.0 and abs(felt / self._gravity - 1.0) < self.QUIET:
            # Rotate the measured vertical towards that of the frame, about a horizontal axis.
            correction = np.cross(force / felt, self.rotation[2]) / self.PLUMB_S
        self.rotation = self.rotation @ turn((rate - self.bias + correction) * seconds)
        # Rounding errors would accumulate.
        x, y = self.rotation[:, 0], self.rotation[:, 1]
        x = x / math.sqrt(float(x @ x))
        y = y - float(x @ y) * x
        y = y / math.sqrt(float(y @ y))
        self.rotation = np.stack([x, y, np.cross(x, y)], axis=1)
