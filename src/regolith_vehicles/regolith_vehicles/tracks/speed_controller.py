# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of a twist to driver inputs of a tracked vehicle: PI controllers of speed and yaw rate."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.car.speed_controller import INTEGRAL, PROPORTIONAL, STANDING, brakes, held_back, slowed

Vector = NDArray[np.float64]

SPEED, YAW_RATE, SPEED_SUM, YAW_SUM = range(4)
"""Columns of the controllers' memory."""
TURNING, TURNING_INTEGRAL = 0.5, 0.8
"""Steering per yaw rate error [s/rad], and per integrated yaw rate error [1/rad]."""


def speed_control(twist: Vector, memory: Vector, duration: float, gauge: float, pivots: bool) -> Vector:
    """Return steering, throttle, braking, direction and pivot for a twist, shape (5,).

    Args:
        twist: Target forward speed [m/s] and yaw rate, positive to the left [rad/s].
        memory: In/out: present speed [m/s] and yaw rate [rad/s], integrals [m], [rad]; shape (4,).
        duration: Duration of the cycle [s].
        gauge: Distance of the tracks [m].
        pivots: Whether the vehicle can rotate in place.

    Source: wong2008, section 6.1.
    Checked by: test_tracks.py::test_twist_is_followed.
    """
    linear, angular = (float(v) for v in twist)
    speed, rate = float(memory[SPEED]), float(memory[YAW_RATE])
    way = 1.0 if linear > 0.0 or (linear == 0.0 and speed >= 0.0) else -1.0  # to stop: the present direction
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
    steering *= way  # reverse: brake of the other side
    lacking = (linear - speed) * way
    if brakes(linear, lacking, float(memory[SPEED_SUM])):
        braking, memory[SPEED_SUM] = slowed(lacking, float(memory[SPEED_SUM]), duration)
        return np.array([steering, 0.0, braking, way, 0.0])
    total = max(0.0, memory[SPEED_SUM] + lacking * duration)
    wanted = PROPORTIONAL * lacking + INTEGRAL * total
    throttle = min(max(wanted, 0.0), 1.0)
    memory[SPEED_SUM] = total if wanted == throttle else memory[SPEED_SUM]
    return np.array([steering, throttle, 0.0, way, 0.0])
