# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the odometry covariance of skid steering."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_vehicles.description.model_config import OdometryConfig
from regolith_vehicles.dynamics import odometry_covariance
from regolith_vehicles.dynamics.kinematics import WheelLayout
from regolith_vehicles.dynamics.odometry import Odometry

STEP_S = 0.1


def _square(steered: bool = False, tracks: bool = False) -> WheelLayout:
    """Return four wheels at the corners of a rectangle of 1.2 m by 1 m about the base."""
    x, y = np.array([0.6, 0.6, -0.6, -0.6]), np.array([0.5, -0.5, 0.5, -0.5])
    return WheelLayout(x, y, np.full(4, 0.25), np.full(4, steered), 0.6, 4.0, tracks=tracks)


def _config(uneven: float | None = None) -> OdometryConfig:
    """Return an error model of uneven slip only."""
    return OdometryConfig(
        common_slip_stddev=0.0,
        wheel_slip_stddev=0.0,
        start_slip_stddev_m=0.0,
        slope_slip=0.0,
        turn_slip=0.0,
        turn_lag_m=0.0,
        ticks_per_revolution=2**31,
        uneven_slip=uneven,
    )


def test_uneven_slip_default_is_the_scrubbing_fraction() -> None:
    """0.36 / (0.36 + 0.25) for wheels at (0.6, 0.5); a value in the file overrides it; zero for steering and tracks."""
    assert odometry_covariance.uneven_share(_square(), _config()) == pytest.approx(0.36 / 0.61)
    assert odometry_covariance.uneven_share(_square(), _config(0.8)) == 0.8
    for layout in (_square(steered=True), _square(tracks=True)):
        assert len(odometry_covariance.initial_covariance(layout, _config())) == odometry_covariance.OWN + 8
    assert (
        len(odometry_covariance.initial_covariance(_square(), _config()))
        == odometry_covariance.OWN + 8 + odometry_covariance.UNEVEN
    )


def test_straight_drive_and_rotation_in_place_have_no_uneven_slip() -> None:
    """None at rest either. Sides at 3 and 1: a quarter of the mean travel; one side at rest: all, with its sign."""

    def of(left: float, right: float) -> tuple[float, float]:
        return odometry_covariance.unevenness(_square(), np.array([left, right, left, right]))

    for even in ((0.3, 0.3), (-0.3, -0.3), (-0.3, 0.3), (0.0, 0.0)):
        assert of(*even) == (0.0, 0.0)
    for left, right in ((0.3, 0.1), (0.1, 0.3)):
        assert of(left, right) == pytest.approx((0.05, 0.25))
        assert of(-left, -right) == pytest.approx((-0.05, 0.25))
    assert of(0.2, 0.0) == pytest.approx((0.1, 1.0)) and of(0.0, -0.2) == pytest.approx((-0.1, 1.0))
    # Sides that roll in opposite directions: travel decreases to 0 with their sum, as for rotation in place.
    assert of(0.3, -0.1) == pytest.approx((0.1, 0.25))


@pytest.mark.parametrize('back', [False, True])
@pytest.mark.parametrize('left', [False, True])
def test_uneven_sides_increase_distance_and_yaw_deviation(back: bool, left: bool) -> None:
    """A small arc, sides of 3 to 1, share of 0.8: 0.2 of the distance along and of the yaw angle; none straight ahead."""
    layout, config = _square(), _config(0.8)
    speeds = (
        (-1.0 if back else 1.0) * (np.array([0.1, 0.3, 0.1, 0.3]) if left else np.array([0.3, 0.1, 0.3, 0.1])) * 0.1
    )
    odometry = Odometry.start(layout, config)
    odometry.advance(layout, config, speeds / layout.radius, np.zeros(4), STEP_S)
    along, across, turn = np.sqrt(np.diag(odometry.errors)[:3])
    # The arc is of 8 mm rad: the lateral error is at most that much of it.
    assert along == pytest.approx(0.2 * 0.02, rel=1e-3) and across < 0.01 * along
    assert turn == pytest.approx(0.2 * abs(odometry.yaw), rel=1e-3)
    twist = odometry.twist_errors
    assert math.sqrt(twist[0, 0]) == pytest.approx(0.2 * 0.2, rel=1e-3)
    assert math.sqrt(twist[2, 2]) == pytest.approx(0.2 * abs(odometry.angular), rel=1e-3)
    straight = Odometry.start(layout, config)
    straight.advance(layout, config, np.full(4, 0.08), np.zeros(4), STEP_S)
    assert np.diag(straight.errors)[:3] == pytest.approx([0.0] * 3, abs=1e-14)
    again = Odometry.start(layout, config)
    again.load(odometry.save())
    assert again == odometry and again.save() == odometry.save()


@pytest.mark.parametrize('deviation', [0.1, 0.5, 1.4])
def test_large_yaw_error_reduces_distance_along_the_course(deviation: float) -> None:
    """Straight ahead with a Gaussian yaw error: as drawn along, no less across; linear propagation for small errors."""
    layout, config, steps = _square(), _config(), 20
    odometry = Odometry.start(layout, config)
    odometry.errors[2, 2] = deviation**2
    for _ in range(steps):
        odometry.advance(layout, config, np.full(4, 0.4 * STEP_S / 0.25), np.zeros(4), STEP_S)
    way = 0.4 * STEP_S * steps
    drawn = deviation * np.random.default_rng(3).normal(size=200_000)
    along, across = np.sqrt(np.diag(odometry.errors)[:2]) / way
    # A deviation of n draws is off by less than 1 %; that of a cosine near 1, which has a long tail, by 2 %.
    assert along == pytest.approx(np.cos(drawn).std(), rel=0.02)
    assert np.sin(drawn).std() < across
    assert across == pytest.approx(math.hypot(deviation, (drawn - np.sin(drawn)).std()), rel=0.02)
    if deviation < 0.2:
        assert across == pytest.approx(deviation, rel=1e-3)
