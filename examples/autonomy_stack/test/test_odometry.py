# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of attitude, odometry and frames with motions in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autonomy_stack.attitude import Attitude, turn
from autonomy_stack.frames import matrix, quaternion, to_base
from autonomy_stack.odometry import Odometry

G = 1.62


def felt(attitude: np.ndarray) -> np.ndarray:
    """Return the specific force at rest in a base that has this rotation to a level frame [m/s^2]."""
    return attitude.T @ np.array([0.0, 0.0, G])


def test_attitude_at_rest_finds_tilt_and_bias() -> None:
    """Roll 5 and pitch -8 degrees, biases of 1e-3 rad/s under white noise: to 0.05 degrees, and 3 sigma of the mean."""
    rng = np.random.default_rng(1)
    true = turn(np.array([0.0, math.radians(-8.0), 0.0])) @ turn(np.array([math.radians(5.0), 0.0, 0.0]))
    bias = np.array([1e-3, -5e-4, 8e-4])
    attitude = Attitude()
    for _ in range(200):
        attitude.stand(bias + 1e-3 * rng.normal(size=3), felt(true) + 5e-3 * rng.normal(size=3))
    assert np.abs(attitude.bias - bias).max() < 3.0 * 1e-3 / math.sqrt(200)
    assert math.acos(min(1.0, (np.trace(attitude.rotation.T @ true) - 1.0) / 2.0)) < math.radians(0.05)
    assert attitude.heading == pytest.approx(0.0, abs=1e-3)


def test_a_turn_on_a_slope_is_a_turn_about_its_normal() -> None:
    """After half a turn about the base's own z on a slope of 10 degrees, x points down the slope instead of up."""
    tilted = turn(np.array([0.0, math.radians(-10.0), 0.0]))
    attitude = Attitude()
    attitude.stand(np.zeros(3), felt(tilted))
    for k in range(1000):
        now = tilted @ turn(np.array([0.0, 0.0, math.pi * (k + 0.5) / 1000]))
        attitude.move(np.array([0.0, 0.0, math.pi / 10.0]), felt(now), 0.01)
    nose = attitude.rotation[:, 0]
    assert nose == pytest.approx([-math.cos(math.radians(10.0)), 0.0, -math.sin(math.radians(10.0))], abs=2e-3)
    assert np.allclose(attitude.rotation @ attitude.rotation.T, np.eye(3), atol=1e-12)


def test_gravity_corrects_roll_and_pitch_but_not_heading() -> None:
    """After a bias change of 1e-3 rad/s, the tilt error stays within rate times time constant, and the heading drifts."""
    attitude = Attitude()
    attitude.stand(np.zeros(3), felt(np.eye(3)))
    for _ in range(4_000):
        attitude.move(np.full(3, 1e-3), felt(np.eye(3)), 0.05)
    assert attitude.tilt < math.sqrt(2.0) * 1e-3 * Attitude.PLUMB_S * 1.05
    assert attitude.tilt > 0.5e-3 * Attitude.PLUMB_S, 'the time constant equals its setting'
    assert attitude.heading == pytest.approx(0.2, rel=0.05)


def test_shock_does_not_correct_attitude() -> None:
    attitude = Attitude()
    attitude.stand(np.zeros(3), felt(np.eye(3)))
    attitude.move(np.zeros(3), np.array([3.0, 0.0, G]), 0.01)
    assert attitude.tilt == 0.0


def test_wheels_on_a_slope_climb() -> None:
    odometry = Odometry()
    odometry.attitude.rotation = turn(np.array([0.0, -math.radians(12.0), 0.0]))
    for k in range(100):
        odometry.roll(k * 20_000_000, 0.01, 0.0)
    up = math.radians(12.0)
    assert odometry.place == pytest.approx([math.cos(up), 0.0, math.sin(up)])
    past = odometry.at(50 * 20_000_000)
    assert past is not None and past.place == pytest.approx(0.51 * odometry.place)
    assert odometry.at(100 * 20_000_000) is None


def test_slip_is_estimated_from_corrections() -> None:
    """With 12 % slip and two corrections per second, slip and distance are known to 0.01 after 15 m."""
    odometry, true = Odometry(), 0.0
    for k in range(1, 1876):
        odometry.roll(k * 20_000_000, 0.008, 0.0)
        true += 0.008 * 0.88
        if k % 25 == 0:
            odometry.correct(np.array([true, 0.0, 0.0]) - odometry.place, np.zeros(3))
    assert odometry.slip == pytest.approx(0.12, abs=0.01)
    before = odometry.place[0]
    for k in range(1876, 2126):
        odometry.roll(k * 20_000_000, 0.008, 0.0)
    assert odometry.place[0] - before == pytest.approx(2.0 * 0.88, abs=0.02)


def test_corrections_apply_to_stored_poses() -> None:
    """A late cloud gets the corrected pose of its time."""
    odometry = Odometry()
    for k in range(10):
        odometry.roll(k * 20_000_000, 0.01, 0.0)
    before = odometry.at(80_000_000)
    rotation = np.array([0.01, -0.02, 0.03])
    odometry.correct(np.array([0.1, 0.2, 0.3]), rotation)
    after = odometry.at(80_000_000)
    assert before is not None and after is not None
    assert after.place - before.place == pytest.approx([0.1, 0.2, 0.3])
    assert after.rotation == pytest.approx(turn(rotation))
    assert odometry.attitude.rotation == pytest.approx(turn(rotation))


def test_quaternions_and_matrices_are_each_others_inverse() -> None:
    rng = np.random.default_rng(2)
    for axis in (*rng.normal(size=(50, 3)), *(math.pi * np.eye(3))):
        rotation = turn(axis)
        assert matrix(quaternion(rotation)) == pytest.approx(rotation, abs=1e-12)


def test_a_sensor_on_a_mast_on_the_base() -> None:
    fixed = {
        'mast': ('base', np.array([0.5, 0.0, 1.0]), turn(np.array([0.0, 0.0, math.pi / 2]))),
        'eye': ('mast', np.array([0.1, 0.0, 0.2]), turn(np.array([0.0, 0.3, 0.0]))),
    }
    place, rotation = to_base(fixed, 'eye', 'base')  # type: ignore[misc]
    assert place == pytest.approx([0.5, 0.1, 1.2])
    # The view, 0.3 rad down, is to the left of the base, the direction of the mast.
    assert rotation @ [1.0, 0.0, 0.0] == pytest.approx([0.0, math.cos(0.3), -math.sin(0.3)], abs=1e-12)
    assert to_base(fixed, 'other', 'base') is None
