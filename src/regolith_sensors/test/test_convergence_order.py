# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the convergence order of the inertial sensor models."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_sensors.inertial.drift import Drift
from regolith_sensors.inertial.motion_track import MotionTrack
from regolith_vehicles.dynamics.motion_samples import MotionSamples
from regolith_world.numerics.rotation import from_rotation_vector, matrix
from regolith_world.random.philox import stream_key

MOON = np.array([0.0, 0.0, -1.62])
SPIN = np.array([0.7, -1.2, 2.0])
ARM = np.array([0.4, -0.2, 0.3])


def felt(window_ns: int) -> np.ndarray:
    """Return the mean force over a window around 0.2 s, on a body that rotates and accelerates uniformly."""
    t_ns = np.arange(0, 401) * 1_000_000
    t = t_ns * 1e-9
    turns = np.array([from_rotation_vector(SPIN * s) for s in t])
    velocity = t[:, None] * np.array([0.3, 0.0, 0.1])
    track = MotionTrack()
    track.add(MotionSamples(t_ns, 0.5 * t[:, None] * velocity, turns, velocity, np.tile(SPIN, (len(t), 1))))
    middle = 200_000_000
    return track.ideal_readings(
        middle - window_ns // 2, middle + window_ns // 2, MOON, ARM, np.array([0.0, 0.0, 0.0, 1.0])
    )[0]


def exact(window_ns: int) -> np.ndarray:
    """Return the mean of R^T (a - g) + w x (w x r) over the window, by Gauss-Legendre quadrature to rounding."""
    points, weights = np.polynomial.legendre.leggauss(12)
    moments = 0.2 + 0.5e-9 * window_ns * points
    parts = [matrix(from_rotation_vector(SPIN * s)).T @ (np.array([0.3, 0.0, 0.1]) - MOON) for s in moments]
    return 0.5 * np.sum(weights[:, None] * np.array(parts), axis=0) + np.cross(SPIN, np.cross(SPIN, ARM))


def test_mean_force_of_a_window_is_of_second_order() -> None:
    """Half the window gives a quarter of the error: the rotation within it is the only approximation."""
    errors = [np.linalg.norm(felt(ns) - exact(ns)) for ns in (160_000_000, 80_000_000, 40_000_000)]
    assert errors[0] > 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02) and errors[1] / errors[2] == pytest.approx(
        4.0, rel=0.02
    )


@pytest.mark.parametrize('period', [0.01, 0.1, 1.0])
def test_drift_is_the_same_process_at_any_rate(period: float) -> None:
    """Gauss-Markov steps are exact: variance and correlation over a time are independent of the sample period.

    40 000 axes; the tolerance is four standard errors of variance and covariance.
    """
    axes, sigma, tau = 40_000, 0.3, 2.0
    drift = Drift(stream_key(3, 'imu', 'bias'), axes, period, sigma, tau)
    first, later = drift.at(0), drift.at(round(1.0 / period))
    spread = 4.0 / math.sqrt(axes)
    assert first.std() == pytest.approx(sigma, rel=spread) and later.std() == pytest.approx(sigma, rel=spread)
    assert np.mean(first * later) == pytest.approx(sigma**2 * math.exp(-0.5), abs=spread * sigma**2)


@pytest.mark.parametrize('period', [0.01, 0.5])
def test_a_random_walk_grows_with_the_root_of_time_at_any_rate(period: float) -> None:
    axes, walk = 40_000, 0.02
    drift = Drift(stream_key(4, 'imu', 'bias'), axes, period, 0.0, 1.0, walk)
    for seconds in (1.0, 4.0):
        grown = drift.at(round(seconds / period))
        assert grown.std() == pytest.approx(walk * math.sqrt(seconds), rel=4.0 / math.sqrt(axes))
    assert not drift.at(0).any(), 'going back starts over'
