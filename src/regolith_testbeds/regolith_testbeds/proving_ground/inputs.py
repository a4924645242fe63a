# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Steering, throttle and braking of a proving ground run over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_testbeds.proving_ground.settings import Settings

Floats = NDArray[np.float64]


def ramp(time: float, start: float, length: float) -> float:
    """Return 0 before ``start``, 1 after another ``length`` [s], and a linear ramp in between."""
    if length <= 0.0:
        return 1.0 if time >= start else 0.0
    return min(1.0, max(0.0, (time - start) / length))


def inputs(s: Settings, time: float, speed: float) -> Floats:
    """Return steering, throttle and braking at a time [s] and a forward speed [m/s], shape (3,)."""
    steering = s.steering * ramp(time, s.steer_start_s, s.steer_ramp_s)
    braking = s.braking * ramp(time, s.brake_start_s, s.brake_ramp_s)
    if s.hold_speed:
        wanted = s.speed_mps + s.speed_rate_mps2 * max(0.0, time - s.speed_rate_start_s)
        throttle = min(1.0, max(0.0, s.way * (s.hold_gain * (wanted - speed) + s.hold_feedforward * wanted)))
        throttle *= time < s.hold_until_s
    else:
        throttle = s.throttle * ramp(time, s.throttle_start_s, s.throttle_ramp_s) * (time < s.throttle_until_s)
    return np.array([steering, throttle, braking])
