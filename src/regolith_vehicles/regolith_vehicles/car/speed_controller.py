# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of a speed or twist to driver inputs: steering by the bicycle model, pedals by a PI controller."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

PROPORTIONAL, INTEGRAL = 0.25, 0.1
"""Throttle per speed deficit [s/m], and per integrated speed deficit [1/m]."""
BRAKING, BRAKING_INTEGRAL = 0.3, 0.3
"""Braking per excess speed [s/m], and per integrated excess speed [1/m]; without the latter a car rolls downhill."""
COASTING = 0.3
"""Excess speed up to which the controller only releases the throttle [m/s]."""
SPINNING, SPINNING_SHARE = 0.15, 0.15
"""Excess rim speed at which the throttle is reduced [m/s], and its increase with speed [-]; zero throttle at twice it.
"""
STANDING = 0.2
"""Speed below which the car can stop or change its direction [m/s]."""
_SLOW = 0.5
"""Minimum speed by which a yaw rate is divided [m/s]."""


class SpeedController(NamedTuple):
    """Command and state of a controller."""

    command: Vector
    """Steering (-1 to 1), throttle and braking (0 to 1), direction (1 or -1), shape (4,)."""
    integral: float
    """Integrated speed deficit; negative during braking: integrated excess speed [m]."""


def steered(linear: float, angular: float, speed: float, wheelbase: float, full_angle: float) -> float:
    """Return the steering (-1 to 1) for a twist, by the bicycle model.

    Args:
        linear: Target forward speed [m/s].
        angular: Yaw rate, positive to the left [rad/s].
        speed: Present forward speed [m/s].
        wheelbase: Wheelbase [m].
        full_angle: Angle of the wheels at full steering [rad].

    Source: rajamani2012, section 2.2.
    Checked by: test_car.py::test_twist_is_followed.
    """
    along = max(abs(linear), abs(speed), _SLOW) * (1.0 if linear >= 0.0 else -1.0)
    return math.atan(wheelbase * angular / along) / full_angle


def brakes(linear: float, lacking: float, integral: float) -> bool:
    """Return whether to brake: to stop, at a large excess speed, or while braking without a large speed deficit."""
    return linear == 0.0 or lacking < -COASTING or (integral < 0.0 and lacking < COASTING)


def slowed(lacking: float, integral: float, duration: float) -> tuple[float, float]:
    """Return the braking (0 to 1) and the new integral [m] during braking.

    Args:
        lacking: Speed deficit in the direction of motion [m/s].
        integral: Integrated speed deficit [m]; positive values, from driving, are ignored.
        duration: Duration of the cycle [s].
    """
    summed = min(0.0, min(0.0, integral) + lacking * duration)
    wanted = -BRAKING * lacking - BRAKING_INTEGRAL * summed
    braking = min(max(wanted, 0.0), 1.0)
    return braking, summed if wanted <= 1.0 else min(0.0, integral)


def traction_limit(spinning: float, speed: float) -> float:
    """Return the factor on the throttle (0 to 1) that limits wheel spin.

    Args:
        spinning: Speed of the fastest driven rim minus the car's speed [m/s].
        speed: Forward speed [m/s].

    Source: rajamani2012, section 3.3.
    Checked by: test_car.py::test_twist_does_not_spin_the_wheels.
    """
    borne = SPINNING + SPINNING_SHARE * abs(speed)
    return min(max(2.0 - spinning / borne, 0.0), 1.0)


def held_back(lacking: float, speed: float, integral: float, duration: float) -> float:
    """Return the new integral [m] while the car brakes because it moves in the wrong direction.

    If the car rolls back slowly, as at the foot of a slope, each release of the brake applies more throttle. At higher
    speed the integral is reset.
    """
    if abs(speed) > 2.5 * STANDING:
        return 0.0
    return min(max(0.0, integral) + lacking * duration, 1.0 / INTEGRAL)


def speed_control(linear: float, steering: float, speed: float, integral: float, duration: float) -> SpeedController:
    """Return a car's command for a forward speed.

    Args:
        linear: Target forward speed [m/s].
        steering: Steering; limited to -1 to 1.
        speed: Present forward speed [m/s].
        integral: Integral from the previous cycle, 0 at first [m].
        duration: Duration of the cycle [s].

    Source: rajamani2012, section 5.3.
    Checked by: test_car.py::test_twist_is_followed.
    """
    way = 1.0 if linear > 0.0 or (linear == 0.0 and speed >= 0.0) else -1.0  # to stop: the present direction
    steering = min(max(steering, -1.0), 1.0)
    if linear == 0.0 and abs(speed) < STANDING:
        return SpeedController(np.array([steering, 0.0, 1.0, way]), 0.0)
    lacking = (linear - speed) * way
    if speed * way < -STANDING:
        return SpeedController(np.array([steering, 0.0, 1.0, way]), held_back(lacking, speed, integral, duration))
    if brakes(linear, lacking, integral):
        braking, summed = slowed(lacking, integral, duration)
        return SpeedController(np.array([steering, 0.0, braking, way]), summed)
    summed = max(0.0, integral + lacking * duration)
    wanted = PROPORTIONAL * lacking + INTEGRAL * summed
    throttle = min(max(wanted, 0.0), 1.0)
    return SpeedController(np.array([steering, throttle, 0.0, way]), summed if wanted == throttle else integral)
