# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A speed or a twist turned into what a driver does: steering by the bicycle model, pedals by a PI controller."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

PROPORTIONAL, INTEGRAL = 0.25, 0.1
"""Throttle for each m/s that is lacking, and for each m/s and second."""
BRAKING, BRAKING_INTEGRAL = 0.3, 0.3
"""Brake for each m/s too much, and for each m/s and second: downhill the first alone would let it roll on."""
COASTING = 0.3
"""Speed too much up to which it only takes its foot off the throttle [m/s]."""
SPINNING, SPINNING_SHARE = 0.15, 0.15
"""Speed of rims beyond the car's that a driver minds [m/s], and its growth with speed; at twice that it shuts it."""
STANDING = 0.2
"""Speed below which it may stop for good, or change its direction [m/s]."""
_SLOW = 0.5
"""Least speed that a yaw rate is divided by [m/s]."""


class SpeedController(NamedTuple):
    """Command and memory of a controller."""

    command: Vector
    """Steering (-1 to 1), throttle and braking (0 to 1), direction (1 or -1), shape (4,)."""
    integral: float
    """Lacking speed, integrated; below 0: what is too much, while it brakes [m]."""


def steered(linear: float, angular: float, speed: float, wheelbase: float, full_angle: float) -> float:
    """Return the steering (-1 to 1) for a twist, by the bicycle model.

    Args:
        linear: Forward speed to reach [m/s].
        angular: Yaw rate, left positive [rad/s].
        speed: Forward speed now [m/s].
        wheelbase: [m].
        full_angle: Of the wheels at full steering [rad].

    Source: rajamani2012, section 2.2.
    Checked by: test_car.py::test_a_twist_is_driven.
    """
    along = max(abs(linear), abs(speed), _SLOW) * (1.0 if linear >= 0.0 else -1.0)
    return math.atan(wheelbase * angular / along) / full_angle


def brakes(linear: float, lacking: float, integral: float) -> bool:
    """Return whether a driver brakes: to stop, much too fast, or braking already and not much too slow."""
    return linear == 0.0 or lacking < -COASTING or (integral < 0.0 and lacking < COASTING)


def slowed(lacking: float, integral: float, duration: float) -> tuple[float, float]:
    """Return the brake (0 to 1) and the new integral [m] of a driver who brakes.

    Args:
        lacking: Speed to reach less that of now, both along the way [m/s].
        integral: Of that [m]; above 0, from driving on, it counts for nothing.
        duration: Of the cycle [s].
    """
    summed = min(0.0, min(0.0, integral) + lacking * duration)
    wanted = -BRAKING * lacking - BRAKING_INTEGRAL * summed
    braking = min(max(wanted, 0.0), 1.0)
    return braking, summed if wanted <= 1.0 else min(0.0, integral)


def traction_limit(spinning: float, speed: float) -> float:
    """Return the share of the throttle (0 to 1) that a driver leaves whose wheels spin.

    Args:
        spinning: Speed of the quickest driven rim beyond the car's [m/s].
        speed: Forward speed [m/s].

    Source: rajamani2012, section 3.3.
    Checked by: test_car.py::test_a_twist_does_not_spin_the_wheels.
    """
    borne = SPINNING + SPINNING_SHARE * abs(speed)
    return min(max(2.0 - spinning / borne, 0.0), 1.0)


def held_back(lacking: float, speed: float, integral: float, duration: float) -> float:
    """Return the new integral [m] of a driver who brakes as it goes the wrong way.

    Rolling back a little, as at the foot of a slope, it gives more throttle each time that it lets go; else it forgets.
    """
    if abs(speed) > 2.5 * STANDING:
        return 0.0
    return min(max(0.0, integral) + lacking * duration, 1.0 / INTEGRAL)


def speed_control(linear: float, steering: float, speed: float, integral: float, duration: float) -> SpeedController:
    """Return a car's command for a forward speed.

    Args:
        linear: Forward speed to reach [m/s].
        steering: -1 to 1; cut to that.
        speed: Forward speed now [m/s].
        integral: As returned for the cycle before, 0 at first [m].
        duration: Of the cycle [s].

    Source: rajamani2012, section 5.3.
    Checked by: test_car.py::test_a_twist_is_driven.
    """
    way = 1.0 if linear > 0.0 or (linear == 0.0 and speed >= 0.0) else -1.0  # to stop: the way it goes
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
