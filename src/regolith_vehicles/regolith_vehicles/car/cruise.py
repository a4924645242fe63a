# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A twist turned into what a driver does: steering by the bicycle model, throttle and brake by a PI controller."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

PROPORTIONAL, INTEGRAL = 0.25, 0.1
"""Throttle for each m/s that is lacking, and for each m/s and second."""
BRAKING = 0.3
"""Brake for each m/s too much."""
COASTING = 0.3
"""Speed too much up to which it only takes its foot off the throttle [m/s]."""
STANDING = 0.2
"""Speed below which it may stop for good, or change its direction [m/s]."""
_SLOW = 0.5
"""Least speed that a yaw rate is divided by [m/s]."""


class Cruise(NamedTuple):
    """Command and memory of a controller."""

    command: Vector
    """Steering (-1 to 1), throttle and braking (0 to 1), direction (1 or -1), shape (4,)."""
    integral: float
    """Lacking speed, integrated [m]."""


def cruise(
    linear: float, angular: float, speed: float, integral: float, duration: float, wheelbase: float, full_angle: float
) -> Cruise:
    """Return a car's command for a twist.

    :param linear: forward speed to reach [m/s]; ``angular``: yaw rate, left positive [rad/s]
    :param speed: forward speed now [m/s]
    :param integral: as returned for the cycle before, 0 at first [m]
    :param duration: of the cycle [s]
    :param wheelbase: [m]
    :param full_angle: of the wheels at full steering [rad]

    Source: rajamani2012, sections 2.2 and 5.3.
    Checked by: test_car.py::test_a_twist_is_driven.
    """
    way = 1.0 if linear >= 0.0 else -1.0
    along = max(abs(linear), abs(speed), _SLOW) * way
    steering = min(max(math.atan(wheelbase * angular / along) / full_angle, -1.0), 1.0)
    if (linear == 0.0 and abs(speed) < STANDING) or speed * way < -STANDING:
        return Cruise(np.array([steering, 0.0, 1.0, way]), 0.0)
    lacking = (linear - speed) * way
    if lacking < -COASTING or linear == 0.0:
        return Cruise(np.array([steering, 0.0, min(1.0, -BRAKING * lacking), way]), 0.0)
    summed = max(0.0, integral + lacking * duration)
    wanted = PROPORTIONAL * lacking + INTEGRAL * summed
    throttle = min(max(wanted, 0.0), 1.0)
    return Cruise(np.array([steering, throttle, 0.0, way]), summed if wanted == throttle else integral)
