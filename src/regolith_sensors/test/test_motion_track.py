# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of ideal inertial readings from samples of a motion known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_sensors.inertial.motion_track import MotionTrack
from regolith_vehicles.dynamics.motion_samples import MotionSamples
from regolith_world.numerics.rotation import from_rotation_vector, matrix, product

MOON = np.array([0.0, 0.0, -1.62])
LEVEL = np.array([0.0, 0.0, 0.0, 1.0])
SPIN = np.array([0.1, -0.2, 0.8])
"""Angular velocity in the body frame [rad/s]."""


def samples(first: int, last: int, spin: np.ndarray = SPIN) -> MotionSamples:
    """Return samples every ms of a body that rotates uniformly and accelerates uniformly by (0.3, 0, 0.1)."""
    t_ns = np.arange(first, last + 1) * 1_000_000
    t = t_ns * 1e-9
    turns = np.array([from_rotation_vector(spin * s) for s in t])
    velocity = t[:, None] * np.array([0.3, 0.0, 0.1])
    return MotionSamples(t_ns, 0.5 * t[:, None] * velocity, turns, velocity, np.tile(spin, (len(t), 1)))


def track(spin: np.ndarray = SPIN) -> MotionTrack:
    made = MotionTrack()
    for k in range(25):
        made.add(samples(20 * k + 1, 20 * k + 20, spin) if k else samples(0, 20, spin))
    return made


def test_imu_at_rest_measures_upward_gravity() -> None:
    still = MotionTrack()
    still.add(MotionSamples(np.array([0]), np.zeros((1, 3)), LEVEL[None], np.zeros((1, 3)), np.zeros((1, 3))))
    force, rate = still.ideal_readings(-10_000_000, 0, MOON, np.array([0.4, 0.0, 0.5]), LEVEL)
    np.testing.assert_allclose(force, [0.0, 0.0, 1.62])
    np.testing.assert_allclose(rate, 0.0)
    # A sensor mounted on its left side has gravity along y.
    force, _ = still.ideal_readings(
        -10_000_000, 0, MOON, np.zeros(3), from_rotation_vector(np.array([np.pi / 2, 0.0, 0.0]))
    )
    np.testing.assert_allclose(force, [0.0, 1.62, 0.0], atol=1e-15)


def test_imu_with_lever_arm_on_a_rotating_body() -> None:
    """Specific force R^T (a - g) + w x (w x r) in the body frame, rotated into the sensor frame."""
    arm, mount = np.array([0.7, -0.2, 1.1]), from_rotation_vector(np.array([0.2, -0.3, 1.4]))
    moving = track()
    for t1 in (100_000_000, 313_700_000):  # the second window ends between samples
        t0 = t1 - 10_000_000
        force, rate = moving.ideal_readings(t0, t1, MOON, arm, mount)
        middle = matrix(from_rotation_vector(SPIN * 0.5e-9 * (t0 + t1)))
        expected = middle.T @ (np.array([0.3, 0.0, 0.1]) - MOON) + np.cross(SPIN, np.cross(SPIN, arm))
        # A window of 10 ms at 0.83 rad/s: second order in 8 mrad.
        np.testing.assert_allclose(force, matrix(mount).T @ expected, atol=2e-5)
        np.testing.assert_allclose(rate, matrix(mount).T @ SPIN, atol=1e-9)
    without, _ = moving.ideal_readings(90_000_000, 100_000_000, MOON, np.zeros(3), LEVEL)
    # The lever arm contributes 0.39 m/s^2 here.
    with_arm, _ = moving.ideal_readings(90_000_000, 100_000_000, MOON, arm, LEVEL)
    np.testing.assert_allclose(with_arm - without, np.cross(SPIN, np.cross(SPIN, arm)), atol=2e-5)
    assert np.linalg.norm(with_arm - without) > 0.3


def test_motion_track_rewind_replaces_later_samples() -> None:
    moving = track()
    assert moving.last_ns == 500_000_000
    # The start is repeated, as after a restore, followed by another motion.
    moving.add(samples(200, 200))
    moving.add(samples(201, 220, 2.0 * SPIN))
    assert moving.last_ns == 220_000_000
    _, rate = moving.ideal_readings(210_000_000, 220_000_000, MOON, np.zeros(3), LEVEL)
    np.testing.assert_allclose(rate, 2.0 * SPIN, atol=1e-9)


def test_motion_track_discards_old_samples_and_fails_without() -> None:
    short = MotionTrack(kept_ns=100_000_000)
    with pytest.raises(LookupError, match='no motion'):
        short.ideal_readings(0, 1, MOON, np.zeros(3), LEVEL)
    for k in range(50):
        short.add(samples(20 * k + 1, 20 * k + 20))
    assert len(short._cycles) <= 8
    _, rate = short.ideal_readings(890_000_000, 900_000_000, MOON, np.zeros(3), LEVEL)
    np.testing.assert_allclose(rate, SPIN, atol=1e-9)


def test_rotation_is_exact_for_any_axis() -> None:
    """Windows add up: the product of the rotations is the total rotation, including rates of long windows."""
    moving = track()
    turn = LEVEL
    for k in range(50):
        _, rate = moving.ideal_readings(k * 10_000_000, (k + 1) * 10_000_000, MOON, np.zeros(3), LEVEL)
        turn = product(turn, from_rotation_vector(rate * 0.01))
    np.testing.assert_allclose(turn, from_rotation_vector(SPIN * 0.5), atol=1e-12)
