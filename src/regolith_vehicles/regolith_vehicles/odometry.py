# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dead reckoning from what the wheels' encoders see."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.kinematics import WheelLayout, twist_of_wheels

_FORMAT = struct.Struct('<7d')


@dataclass(slots=True)
class Odometry:
    """Planar pose in the odom frame, which lies where the base frame was at the start. Wheel slip makes it drift."""

    x: float = 0.0
    """[m]."""
    y: float = 0.0
    yaw: float = 0.0
    """[rad], in (-pi, pi]."""
    linear_x: float = 0.0
    """Of the base, in the base frame, over the last cycle [m/s]."""
    linear_y: float = 0.0
    angular: float = 0.0
    """[rad/s]."""
    distance: float = 0.0
    """Length of the reckoned path [m]."""

    def advance(
        self, layout: WheelLayout, turned: NDArray[np.float64], angles: NDArray[np.float64], duration: float
    ) -> None:
        """Move by one cycle along the arc of a constant twist.

        :param turned: angle each wheel turned in the cycle [rad], shape (n,)
        :param angles: mean steering angles of the cycle [rad], shape (n,)
        :param duration: of the cycle [s], > 0
        """
        vx, vy, rate = twist_of_wheels(layout, turned / duration, angles)
        dx, dy, turn = vx * duration, vy * duration, rate * duration
        if abs(turn) < 1e-9:
            sine, versine = 1.0, 0.5 * turn
        else:
            sine, versine = math.sin(turn) / turn, (1.0 - math.cos(turn)) / turn
        along, across = sine * dx - versine * dy, versine * dx + sine * dy
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        self.x += c * along - s * across
        self.y += s * along + c * across
        self.yaw = math.remainder(self.yaw + turn, 2.0 * math.pi)
        self.linear_x, self.linear_y, self.angular = vx, vy, rate
        self.distance += math.hypot(dx, dy)

    def save(self) -> bytes:
        """Return the exact state."""
        return _FORMAT.pack(self.x, self.y, self.yaw, self.linear_x, self.linear_y, self.angular, self.distance)

    @staticmethod
    def load(blob: bytes) -> Odometry:
        """Return what :meth:`save` described."""
        return Odometry(*_FORMAT.unpack(blob))
