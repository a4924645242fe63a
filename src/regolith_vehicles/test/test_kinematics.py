# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of steering kinematics and odometry."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from regolith_vehicles.description.model_config import OdometryConfig
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.dynamics.kinematics import WheelLayout, twist_of_wheels, wheel_commands
from regolith_vehicles.dynamics.multibody import compile_vehicle
from regolith_vehicles.dynamics.odometry import Odometry


def _layout(model: str = 'viper') -> WheelLayout:
    config, mjcf = load_vehicle_model(model)
    return compile_vehicle(config, mjcf, (0.0, 0.0, -1.62)).layout


@pytest.mark.parametrize(('linear', 'angular'), [(0.3, 0.0), (0.3, 0.12), (-0.2, 0.05), (0.25, -0.14), (0.002, 0.001)])
def test_round_trip(linear: float, angular: float) -> None:
    """Within the limits the inverse returns the same twist; 1e-12 is rounding."""
    layout = _layout()
    vx, vy, rate = twist_of_wheels(layout, *wheel_commands(layout, linear, angular))
    assert (vx, vy, rate) == pytest.approx((linear, 0.0, angular), abs=1e-12)


def test_double_ackermann() -> None:
    """All axles meet in the turning center, rear angles oppose front ones, and the inner wheels are slower."""
    layout = _layout()
    speeds, angles = wheel_commands(layout, 0.3, 0.1)
    assert np.allclose(np.tan(angles), layout.x / (3.0 - layout.y), rtol=1e-12)
    assert angles[0] == -angles[2] and angles[0] > angles[1] > 0.0
    assert speeds[0] < speeds[1]


def test_steering_limit_widens_the_curve() -> None:
    """A curve too tight for the steering is driven at its limit, with the speed kept."""
    layout = _layout()
    speeds, angles = wheel_commands(layout, 0.3, 1.0)
    assert np.max(np.abs(angles)) == pytest.approx(layout.max_steer, abs=1e-12)
    vx, _, rate = twist_of_wheels(layout, speeds, angles)
    assert vx == pytest.approx(0.3, abs=1e-12) and rate == pytest.approx(0.3 * layout.max_curvature(), abs=1e-12)


def test_speed_limit_keeps_the_path() -> None:
    """A command that is too fast is reduced equally on all wheels, so that the curvature stays."""
    layout = _layout()
    speeds, angles = wheel_commands(layout, 5.0, 1.5)
    assert np.max(np.abs(speeds)) == pytest.approx(layout.max_speed)
    vx, _, rate = twist_of_wheels(layout, speeds, angles)
    assert rate / vx == pytest.approx(0.3, abs=1e-12)


_MAGNITUDES = (0.0, 5e-324, 1e-9, 0.3, 7.0, 1e4, 1e200, 1.7976931348623157e308)


@pytest.mark.parametrize('model', ['viper', 'viper_locked'])
def test_commands_out_of_range_are_limited_first(model: str) -> None:
    """For every finite twist, wheels and steering get values within their limits, without inf or NaN in between."""
    layout = _layout(model)
    with np.errstate(all='raise', under='ignore'):
        for linear, angular in itertools.product(_MAGNITUDES, repeat=2):
            for a, b in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)):
                speeds, angles = wheel_commands(layout, a * linear, b * angular)
                assert np.abs(speeds).max() <= layout.max_speed * (1.0 + 1e-12), (linear, angular)
                assert np.abs(angles).max() <= layout.max_steer, (linear, angular)


def test_speed_out_of_range_means_maximum_speed() -> None:
    """1e308 in both gives the tightest curve at the maximum speed, as 1e3 does."""
    layout = _layout()
    assert np.allclose(wheel_commands(layout, 1e308, 1e308), wheel_commands(layout, 1e3, 1e3), rtol=1e-12)
    assert np.abs(wheel_commands(layout, 1e308, 1e308)[0]).max() == pytest.approx(layout.max_speed, rel=1e-12)


def test_rotation_in_place() -> None:
    """Without forward speed the wheels turn towards their tangents and the sides rotate in opposite directions."""
    layout = _layout()
    speeds, angles = wheel_commands(layout, 0.0, 0.2)
    assert np.allclose(angles, layout.max_steer * np.array([-1.0, 1.0, 1.0, -1.0]))
    assert (speeds[[0, 2]] < 0.0).all() and (speeds[[1, 3]] > 0.0).all()
    assert twist_of_wheels(layout, speeds, angles)[2] > 0.0


def test_skid_steering_scrubs_off_a_part_of_the_turn() -> None:
    """Without steering, the yaw rate is that of least scrubbing: y^2 / (x^2 + y^2) for a rectangle.

    Independent check: friction of equal size against the slip of each wheel has no net moment at that rate.
    """
    layout = _layout('viper_locked')
    speeds, angles = wheel_commands(layout, 0.2, 0.3)
    assert not angles.any()
    vx, vy, rate = twist_of_wheels(layout, speeds, angles)
    x, y = layout.x, layout.y
    part = float(y[0] ** 2 / (x[0] ** 2 + y[0] ** 2))
    assert (vx, vy, rate) == pytest.approx((0.2, 0.0, 0.3 * part), abs=1e-12)
    slip = np.column_stack((vx - rate * y - speeds * layout.radius, vy + rate * x))
    force = -slip / np.linalg.norm(slip, axis=1)[:, None]
    assert force.sum(axis=0) == pytest.approx([0.0, 0.0], abs=1e-9)
    assert float((x * force[:, 1] - y * force[:, 0]).sum()) == pytest.approx(0.0, abs=1e-9)


def test_inconsistent_wheels_are_fitted_by_least_squares() -> None:
    """Compared with least squares of NumPy over the wheel travel along and across the heading; 1e-10 is rounding."""
    layout, generator = _layout(), np.random.default_rng(2)
    for _ in range(5):
        speeds, angles = generator.normal(size=4), generator.uniform(-0.8, 0.8, 4)
        c, s = np.cos(angles), np.sin(angles)
        along = np.column_stack((c, s, s * layout.x - c * layout.y))
        across = np.column_stack((-s, c, c * layout.x + s * layout.y))
        wanted = np.concatenate((speeds * layout.radius, np.zeros(4)))
        best = np.linalg.lstsq(np.concatenate((along, across)), wanted, rcond=None)[0]
        assert twist_of_wheels(layout, speeds, angles) == pytest.approx(best, abs=1e-10)


def test_odometry_closes_a_circle() -> None:
    """One full circle of radius 2 m ends where it began; arcs are exact, so 1e-9 is rounding."""
    layout = _layout()
    speeds, angles = wheel_commands(layout, 0.4, 0.2)
    config = OdometryConfig()
    odometry = Odometry.start(layout, config)
    steps = 500
    duration = 2.0 * math.pi / 0.2 / steps
    for k in range(steps):
        odometry.advance(layout, config, speeds * duration, angles, duration)
        if k == steps // 2 - 1:
            assert (odometry.x, odometry.y) == pytest.approx((0.0, 4.0), abs=1e-9)
    assert (odometry.x, odometry.y, odometry.yaw) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert odometry.distance == pytest.approx(4.0 * math.pi, abs=1e-9)
    again = Odometry.start(layout, config)
    again.load(odometry.save())
    assert again == odometry and again.save() == odometry.save()


def test_maximum_curvature_is_that_of_the_farther_wheel() -> None:
    """Wheels 0.2 m to one side and 0.6 m to the other: the same limit, mirrored, from the farther wheel."""
    limits = []
    for sign in (1.0, -1.0):
        x, y = np.array([0.7, 0.7, -0.5, -0.5]), sign * np.array([0.6, -0.2, 0.6, -0.2])
        layout = WheelLayout(x, y, np.full(4, 0.25), np.array([True, True, False, False]), 0.5, 4.0)
        limits.append(layout.tightest)
    # A curve to that side: tan(a) = k x / (1 - k y) at x = 0.7, y = 0.6.
    assert limits == pytest.approx([1.0 / (0.7 / math.tan(0.5) + 0.6)] * 2)
