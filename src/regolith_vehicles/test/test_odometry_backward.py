# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of acceleration terms of the odometry covariance for all directions."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_vehicles.description.model_config import OdometryConfig
from regolith_vehicles.dynamics.kinematics import WheelLayout, wheel_commands
from regolith_vehicles.dynamics.odometry import Odometry

STEP_S, G = 0.1, 1.62


@pytest.mark.parametrize('speed', [0.3, -0.3])
@pytest.mark.parametrize('rate', [0.1, -0.1])
def test_turn_counts_as_lateral_slope_in_both_directions(speed: float, rate: float) -> None:
    """The acceleration v w acts as the lateral slope v w / g: same covariance of position and slip, up to the start.

    A slow step before lets both start alike.
    """
    x, y = np.array([0.6, 0.6, -0.6, -0.6]), np.array([0.5, -0.5, 0.5, -0.5])
    layout = WheelLayout(x, y, np.full(4, 0.25), np.ones(4, dtype=bool), 0.6, 4.0)
    config = OdometryConfig(
        common_slip_stddev=0.0,
        wheel_slip_stddev=0.0,
        start_slip_stddev_m=0.0,
        turn_slip=0.0,
        ticks_per_revolution=2**31,
        slope_slip=0.8,
    )

    def run(slope: float, gravity: float) -> Odometry:
        odometry = Odometry.start(layout, config)
        for each in [1e-6] + [speed] * 20:
            wheels, angles = wheel_commands(layout, each, rate)
            odometry.advance(layout, config, wheels * STEP_S, angles, STEP_S, (0.0, slope), gravity)
        return odometry

    turning, sloping = run(0.0, G), run(speed * rate / G, 0.0)
    across = sloping.errors[1, 5]
    assert abs(across) > 1e-4 and turning.errors[1, 5] == pytest.approx(across, rel=0.05)
    # Acceleration from rest counts along, with the sign of the speed.
    off = 0.8 * speed * abs(speed) / (2.0 * G)
    assert turning.errors[0, 5] - sloping.errors[0, 5] == pytest.approx(0.8 * off, rel=0.1)
