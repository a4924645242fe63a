# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A twist turned into what a driver of a tracked vehicle does: PI controllers of speed and of yaw rate."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.car.speed_controller import INTEGRAL, PROPORTIONAL, STANDING, brakes, held_back, slowed

Vector = NDArray[np.float64]

SPEED, YAW_RATE, SPEED_SUM, YAW_SUM = range(4)
"""Columns of the controllers' memory."""
TURNING, TURNING_INTEGRAL = 0.5, 0.8
"""Steering for each rad/s of yaw rate that is lacking, and for each rad/s and second."""


def speed_control(twist: Vector, memory: Vector, duration: float, gauge: float, pivots: bool) -> Vector:
    """Return steering, throttle, braking, direction and pivot for a twist, shape (5,).

    Args:
        twist: Forward speed to reach [m/s], yaw rate, left positive [rad/s].
        memory: in/out: speed [m/s] and yaw rate [rad/s] now, integrals [m], [rad]; shape (4,).
        duration: Of the cycle [s].
        gauge: Distance of the tracks [m].
        pivots: Whether it can turn on the spot.

    Source: wong2008, section 6.1.
    Checked by: test_tracks.py::test_a_twist_is_driven.
    """
    linear, angular = (float(v) for v in twist)
    speed, rate = float(memory[SPEED]), float(memory[YAW_RATE])
    way = 1.0 if linear > 0.0 or (linear == 0.0 and speed >= 0.0) else -1.0  # to stop: the way it goes
    if linear == 0.0 and angular == 0.0 and abs(speed) < STANDING:
        memory[SPEED_SUM] = memory[YAW_SUM] = 0.0
        return np.array([0.0, 0.0, 1.0, way, 0.0])
    if speed * way < -STANDING and linear != 0.0:
        memory[SPEED_SUM] = held_back((linear - speed) * way, speed, float(memory[SPEED_SUM]), duration)
        memory[YAW_SUM] = 0.0
        return np.array([0.0, 0.0, 1.0, way, 0.0])
    pivot = pivots and abs(linear) < 0.5 * gauge * abs(angular) and angular != 0.0
    side = math.copysign(1.0, angular) if angular != 0.0 else 0.0
    if pivot:
        lacking = side * (angular - rate)
        summed = max(0.0, memory[YAW_SUM] + lacking * duration)
        wanted = TURNING * lacking + TURNING_INTEGRAL * summed
        throttle = min(max(wanted, 0.0), 1.0)
        memory[YAW_SUM] = summed if wanted == throttle else memory[YAW_SUM]
        memory[SPEED_SUM] = 0.0
        return np.array([side, throttle, 0.0, 1.0, 1.0])
    lacking = angular - rate
    summed = memory[YAW_SUM] + lacking * duration
    wanted = TURNING * lacking + TURNING_INTEGRAL * summed
    steering = min(max(wanted, -1.0), 1.0)
    memory[YAW_SUM] = summed if wanted == steering else memory[YAW_SUM]
    steering *= way  # the brake of the other side, going back
    lacking = (linear - speed) * way
    if brakes(linear, lacking, float(memory[SPEED_SUM])):
        braking, memory[SPEED_SUM] = slowed(lacking, float(memory[SPEED_SUM]), duration)
        return np.array([steering, 0.0, braking, way, 0.0])
    total = max(0.0, memory[SPEED_SUM] + lacking * duration)
    wanted = PROPORTIONAL * lacking + INTEGRAL * total
    throttle = min(max(wanted, 0.0), 1.0)
    memory[SPEED_SUM] = total if wanted == throttle else memory[SPEED_SUM]
    return np.array([steering, throttle, 0.0, way, 0.0])
