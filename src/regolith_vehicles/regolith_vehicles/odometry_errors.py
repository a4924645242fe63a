# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of wheel odometry: the covariance of dead reckoning with wheels that slip.

The estimate fits, by least squares, wheels that roll and do not skid (:mod:`regolith_vehicles.kinematics`); its error
is slip. Each wheel's contact lags by a share of the way it rolls, along its heading (slip ratio) and across it (slip
angle); a share has two parts:

* one common to all wheels, which stand on the same soil: constant over the run (a scale error, so that the error of the
  position grows with the distance);
* one of each wheel's own, from load, slope and relief under it: a first-order Gauss-Markov process over the way (so
  that the error grows with the root of the distance).

Besides, a rover that sets off turns its wheels a little further until the soil under them is sheared so far that it
bears the thrust: about the soil's shear displacement modulus (Janosi & Hanamoto 1961), which is lost once. A rover that
turns back loses it again; that is left out.

The covariance of pose and shares together follows by linear propagation (Martinelli & Siegwart 2003; Thrun, Burgard &
Fox 2005, section 5.4). Encoders add their resolution once, where they start counting. A pure function of the wheels'
motion; no truth enters.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_vehicles.kinematics import WheelLayout
from regolith_vehicles.model_config import OdometryConfig
from regolith_world.arithmetic import times

Vector = NDArray[np.float64]


def initial_covariance(layout: WheelLayout, config: OdometryConfig) -> Vector:
    """Return the joint covariance of pose and slip at the start, shape (3 + 2 n + 2,) squared for n wheels.

    Its order: x, y [m], yaw [rad] in the odom frame; common slip along and across; each wheel's own along and across.

    Source: martinelli2003; thrun2005, section 5.4.
    Checked by: test_odometry.py::test_a_start_is_uncertain_by_the_encoders_ticks.
    """
    count = len(layout.x)
    out = np.zeros((5 + 2 * count, 5 + 2 * count))
    still = np.zeros(count)
    step = 2.0 * math.pi / config.encoder_ticks * layout.radius / math.sqrt(12.0)
    weights = _weights(layout.x, layout.y, still, layout.steers)
    spread = weights * np.repeat(step, 2)
    out[:3, :3] = times(spread, spread.T)
    # Where the wheels stand tells nothing across a line of them.
    out[np.diag_indices(3)] += float(np.min(step)) ** 2
    out[[3, 4], [3, 4]] = config.common_slip**2
    own = np.arange(5, 5 + 2 * count)
    out[own, own] = config.own_slip**2
    return out


def propagate(
    covariance: Vector, layout: WheelLayout, config: OdometryConfig, rolled: Vector, angles: Vector, yaw: float,
    way: tuple[float, float],
) -> Vector:
    """Return the joint covariance after a cycle.

    :param rolled: way each rim went [m], shape (n,)
    :param angles: of the steering [rad], shape (n,)
    :param yaw: in the middle of the cycle [rad]
    :param way: of the base in the odom frame [m]

    Source: martinelli2003; thrun2005, section 5.4.
    Checked by: test_odometry.py::test_linear_propagation_agrees_with_drawn_slips,
    test_odometry.py::test_a_common_slip_is_a_scale_error.
    """
    weights = _weights(layout.x, layout.y, angles, layout.steers)
    out: Vector = _propagate(
        covariance, weights, rolled, yaw, way[0], way[1], config.own_slip, config.correlation_m
    )
    return out


def setting_off(config: OdometryConfig, before: float, after: float) -> float:
    """Return the variance [m^2] that setting off adds between two distances since the start [m].

    It approaches ``setting_off_m`` squared as shear stress approaches its limit: exponentially, over that very way.

    Source: janosi1961.
    Checked by: test_odometry.py::test_the_way_lost_when_setting_off_is_lost_once.
    """
    scale = config.setting_off_m
    if scale == 0.0:
        return 0.0
    return scale * scale * (math.exp(-2.0 * before / scale) - math.exp(-2.0 * after / scale))


def twist_covariance(
    layout: WheelLayout, config: OdometryConfig, speeds: Vector, angles: Vector, duration: float
) -> Vector:
    """Return the covariance of vx, vy [m/s] and yaw rate [rad/s] over a cycle, shape (3, 3).

    :param speeds: of the rims [m/s], shape (n,)
    :param angles: of the steering [rad], shape (n,)
    :param duration: of the cycle [s]

    Source: martinelli2003; thrun2005, section 5.4.
    Checked by: test_odometry.py::test_the_twists_covariance_adds_common_slip_own_slip_and_ticks.
    """
    tick = 2.0 * math.pi / config.encoder_ticks / math.sqrt(6.0) / duration
    weights = _weights(layout.x, layout.y, angles, layout.steers)
    out: Vector = _twist_covariance(weights, speeds, layout.radius, tick, config.common_slip, config.own_slip)
    return out


@njit(cache=True, nogil=True, error_model='numpy')
def _twist_covariance(
    weights: Vector, speeds: Vector, radius: Vector, tick: float, common_slip: float, own_slip: float
) -> Vector:
    """Return the sum of what common slip, slip of each wheel's own, and ticks [rad/s] do to the twist, shape (3, 3).

    :param weights: see :func:`_weights`
    """
    out, along, across = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    for k in range(speeds.shape[0]):
        speed, ticks = speeds[k], tick * radius[k]
        own = own_slip * own_slip * speed * speed + ticks * ticks
        for m in range(3):
            along[m] += weights[m, 2 * k] * common_slip * speed
            across[m] += weights[m, 2 * k + 1] * common_slip * abs(speed)
            for n in range(3):
                both = weights[m, 2 * k] * weights[n, 2 * k] + weights[m, 2 * k + 1] * weights[n, 2 * k + 1]
                out[m, n] += own * both
    for m in range(3):
        for n in range(3):
            out[m, n] += along[m] * along[n] + across[m] * across[n]
    return out


@njit(cache=True, nogil=True, error_model='numpy')
def _weights(x: Vector, y: Vector, angles: Vector, steers: bool) -> Vector:
    """Return the weights of each wheel's way along and across its heading in the base's twist, shape (3, 2 n).

    As :func:`regolith_vehicles.kinematics.twist_of_wheels` has it; where nothing steers the lateral speed is the mean.
    """
    count = x.shape[0]
    rows = np.empty((2 * count, 3))
    for k in range(count):
        c, s = math.cos(angles[k]), math.sin(angles[k])
        rows[2 * k, 0], rows[2 * k, 1], rows[2 * k, 2] = c, s, s * x[k] - c * y[k]
        rows[2 * k + 1, 0], rows[2 * k + 1, 1], rows[2 * k + 1, 2] = -s, c, c * x[k] + s * y[k]
        if not steers:
            rows[2 * k, 1] = 0.0
            rows[2 * k + 1, 0] = rows[2 * k + 1, 2] = 0.0
    a = np.zeros((3, 3))
    for k in range(2 * count):
        for m in range(3):
            for n in range(3):
                a[m, n] += rows[k, m] * rows[k, n]
    inverse = np.empty((3, 3))
    for m in range(3):
        for n in range(3):
            p, q, r, t = (m + 1) % 3, (m + 2) % 3, (n + 1) % 3, (n + 2) % 3
            inverse[n, m] = a[p, r] * a[q, t] - a[p, t] * a[q, r]
    det = a[0, 0] * inverse[0, 0] + a[0, 1] * inverse[1, 0] + a[0, 2] * inverse[2, 0]
    out = np.zeros((3, 2 * count))
    if det == 0.0 or abs(det) < 1e-12 * abs(a[0, 0] * a[1, 1] * a[2, 2]):
        return out
    for k in range(2 * count):
        for m in range(3):
            for n in range(3):
                out[m, k] += inverse[m, n] * rows[k, n] / det
    return out


@njit(cache=True, nogil=True, error_model='numpy')
def _propagate(
    covariance: Vector, weights: Vector, rolled: Vector, yaw: float, dx: float, dy: float, own_slip: float,
    length: float,
) -> Vector:
    """Return F P F^T + Q: F moves the pose by the slips and fades each wheel's own over ``length`` [m], Q renews it.

    :param weights: see :func:`_weights`
    :param dx: way of the base in the odom frame [m]; so is ``dy``
    """
    count = rolled.shape[0]
    size = covariance.shape[0]
    # Rows of the transition that are not the identity: those of the pose.
    pose = np.zeros((3, size))
    pose[0, 0] = pose[1, 1] = pose[2, 2] = 1.0
    pose[0, 2], pose[1, 2] = -dy, dx
    c, s = math.cos(yaw), math.sin(yaw)
    for k in range(count):
        for side in range(2):
            share = rolled[k] if side == 0 else abs(rolled[k])
            bx, by, turn = weights[0, 2 * k + side], weights[1, 2 * k + side], weights[2, 2 * k + side]
            wx, wy = c * bx - s * by, s * bx + c * by
            for column in (3 + side, 5 + 2 * k + side):
                pose[0, column] += wx * share
                pose[1, column] += wy * share
                pose[2, column] += turn * share
    fade = np.ones(size)
    for k in range(count):
        fade[5 + 2 * k] = fade[6 + 2 * k] = math.exp(-abs(rolled[k]) / length)
    out = np.empty((size, size))
    half = np.zeros((3, size))
    for a in range(3):
        for b in range(size):
            for k in range(size):
                half[a, b] += pose[a, k] * covariance[k, b]
    for a in range(3):
        for b in range(a, 3):
            total = 0.0
            for k in range(size):
                total += half[a, k] * pose[b, k]
            out[a, b] = out[b, a] = total
        for b in range(3, size):
            out[a, b] = out[b, a] = half[a, b] * fade[b]
    for a in range(3, size):
        for b in range(3, size):
            out[a, b] = covariance[a, b] * fade[a] * fade[b]
        if a >= 5:
            out[a, a] += own_slip * own_slip * (1.0 - fade[a] * fade[a])
    return out
