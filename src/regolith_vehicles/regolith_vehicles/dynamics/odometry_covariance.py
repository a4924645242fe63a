# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of odometry: the covariance of dead reckoning with wheels or tracks that slip.

The estimate fits, by least squares, wheels that roll and do not skid (:mod:`regolith_vehicles.dynamics.kinematics`);
its error is slip. These shares of the path rolled are states of a joint covariance with the pose, so they stay
correlated:

* one common to all wheels, along and across their headings, from the soil: constant over the run (a scale error: the
  error of the position grows with the distance);
* one downhill, for each unit of slope: soil yields under the component of the weight, so a vehicle slips more uphill
  and less downhill, and drifts down a slope it crosses. The slope is that of the vehicle against gravity, as an
  inclinometer on board measures it. What accelerates the vehicle loads the soil in the same way: thrust of m a slips as
  on a slope of a / g (Wong 2008, section 3.1: one balance of thrust,
  weight along the surface and inertia), and in a turn the
  centripetal acceleration as on a slope that rises towards its center. It is that of the estimate, so a truck that sets
  off at 0.9 m/s^2 on the Moon is as uncertain as on a slope of 29 degrees. Wheels with servos give it back as they slow
  down. Those that an engine turns do not: they slow down as they stop to spin, which returns no way, and count again
  only beyond their highest speed since they stood. Slopes enter the covariance alone;
* one of the yaw rate, from what scrubs in a turn: unequal loads, friction that differs along and across, understeer. A
  first-order Gauss-Markov process over the angle turned: alike during a turn, another one in the next;
* two of the center of a turn, forward and to the left, from the same scrubbing: unequal loads draw the center towards
  the wheels that hold, by the same fraction of their mean distance from the base (Martinez et al. 2005 measure such
  centers of skid steering). Processes as the one before;
* one of the lag of a turn, a length times the change of curvature: the yaw angle by which a vehicle falls behind until
  the soil is sheared sideways and the body turns. A simplification: it is there at once, and does not depend on speed;
* two of wheels that do not steer, where one side rolls faster than the other: a share of the way and a share of the
  yaw rate, constant over the run, see :func:`unevenness`. Soil responds to the way a wheel slips over the way it rolls,
  so the slow side holds and the fast one slips: the vehicle gets less far and turns less than the balance of equal
  wheels (:func:`regolith_vehicles.dynamics.kinematics.twist_of_wheels`) has it, most where one side stands, not at all
  straight on or on the spot. The loss has one sign, but dead reckoning does not correct it: a vehicle that digs in
  loses twice as much, one on firm ground less. With them go two of the course, for what a linear propagation of the yaw
  error leaves out, as yaw rates may be lost by half: way along the heading by the cosine of the error, of second order,
  and way across by its sine less the error itself, of third;
* one of each wheel, along and across, from load and relief under it: a first-order Gauss-Markov process over the
  distance (the error grows with the root of the distance).

In addition, a rover that sets off turns its wheels a little further until the soil under them is sheared so far that it
carries the thrust: about the soil's shear displacement modulus (Janosi & Hanamoto 1961), which is lost once. A rover
that goes back loses it again; that is left out.

The covariance follows by linear propagation (Martinelli & Siegwart 2003; Thrun, Burgard & Fox 2005, section 5.4; for
skid steering Martinez et al. 2005, Mandow et al. 2007). Encoders add their resolution once, where they start counting.

The defaults are rounded maximum-likelihood values over 326 drives of all shipped vehicles, the rovers on smooth wheels;
the common slip in files of vehicles was chosen so that normalized errors of the same drives are as large as expected.
They are straight, arcs and spot turns both ways, eights, slopes of 10 deg up, down, across, on lunar soil, dry sand and
sandy loam, on relief and on rigid ground. The values claim nothing about other soils.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_vehicles.description.model_config import OdometryConfig
from regolith_vehicles.dynamics.kinematics import WheelLayout
from regolith_world.numerics.portable_math import times

Vector = NDArray[np.float64]

DOWNHILL, TURNING, CENTER, LAG, OWN = 5, 6, 7, 9, 10
"""Rows of the joint covariance: slip downhill, fraction of the yaw rate, first of two of the turn's center, lag of the
turn, first of each wheel's."""
UNEVEN = 4
"""Rows at its end where wheels skid: way and yaw angle lost by uneven slip, errors along and across the course."""
STEERED, SKIDDING, TRACKED = 0.06, 0.12, 0.3
"""Default of ``turn_slip``, by what scrubs in a turn."""


def turning_share(layout: WheelLayout, config: OdometryConfig) -> float:
    """Return the standard deviation of the share of the yaw rate that is lost or gained.

    Source: mandow2007.
    Checked by: test_odometry.py::test_odometry_covers_its_true_errors.
    """
    if config.turn_slip is not None:
        return config.turn_slip
    return TRACKED if layout.tracks else STEERED if layout.steers else SKIDDING


def center_shift(layout: WheelLayout, config: OdometryConfig) -> float:
    """Return the standard deviation of the shift of a turn's center, forward and to the left [m].

    Source: martinez2005.
    Checked by: test_odometry.py::test_center_of_a_turn_is_uncertain_by_its_fraction_of_the_wheels_distance.
    """
    return turning_share(layout, config) * layout.lever


def skids(layout: WheelLayout) -> bool:
    """Return whether it turns by wheels of both sides that roll unequally: then both uneven slips have a row.

    Source: mandow2007.
    Checked by: test_odometry_skidding.py::test_straight_drives_and_turns_on_the_spot_have_no_uneven_slip.
    """
    return not (layout.steers or layout.tracks) and bool(np.any(layout.y > 0.0) and np.any(layout.y < 0.0))


def uneven_share(layout: WheelLayout, config: OdometryConfig) -> float:
    """Return the standard deviation of the share of way and yaw rate that is lost where one side stands.

    Where forces are as the slip of each wheel over the way it rolls, four wheels at (+-x, +-y) whose sides roll
    v (1 +- r) turn about a center shifted by x^2 r / (y (1 - r^2)) to the slow side, and what scrubbing takes of the
    yaw rate grows by 1 / (1 - r^2). To second order in r, and held there as friction bounds forces, both cost
    r^2 x^2 / (x^2 + y^2), whose factor is the part of a turn that scrubbing takes.

    Source: martinez2005; mandow2007, section II; wong2008, section 6.1.
    Checked by: test_odometry_skidding.py::test_the_uneven_share_is_the_part_of_a_turn_that_scrubs.
    """
    if config.uneven_slip is not None:
        return config.uneven_slip
    along, across = layout.x - layout.x.mean(), layout.y - layout.y.mean()
    return float((along**2).sum() / ((along**2).sum() + (across**2).sum()))


def unevenness(layout: WheelLayout, rolled: Vector) -> tuple[float, float]:
    """Return way [m] and fraction of the yaw angle that count for uneven slips, both 0 straight and on the spot.

    With mean ways l and r of both sides and f = (|l| - |r|) / (|l| + |r|): |f (l - r)| / 2, with the sign of the way
    ahead, and f^2. While both sides roll the same way, the former is the mean way times f^2.

    Args:
        rolled: Way each rim went [m], shape (n,).

    Source: martinez2005, as :func:`uneven_share`.
    Checked by: test_odometry_skidding.py::test_straight_drives_and_turns_on_the_spot_have_no_uneven_slip.
    """
    left, right = float(rolled[layout.y > 0.0].mean()), float(rolled[layout.y < 0.0].mean())
    total = abs(left) + abs(right)
    if total == 0.0:
        return 0.0, 0.0
    fraction = (abs(left) - abs(right)) / total
    return math.copysign(0.5 * abs(fraction * (left - right)), left + right), fraction * fraction


def initial_covariance(layout: WheelLayout, config: OdometryConfig) -> Vector:
    """Return the joint covariance at the start, for n wheels: shape (10 + 2 n,) or (14 + 2 n,) squared.

    Its order: x, y [m], yaw [rad] in the odom frame; common slip along and across; slip downhill per unit of slope;
    fraction of the yaw rate; shift of a turn's center forward and left [m]; lag of a turn [m]; slip of each wheel along
    and across; where wheels skid, share of the way and of the yaw rate lost by uneven slip, and what is not linear in
    the yaw error along and across the course.

    Source: martinelli2003; thrun2005, section 5.4.
    Checked by: test_odometry.py::test_a_start_is_uncertain_by_the_encoders_ticks.
    """
    count = len(layout.x)
    size = OWN + 2 * count + (UNEVEN if skids(layout) else 0)
    out = np.zeros((size, size))
    still = np.zeros(count)
    step = 2.0 * math.pi / config.ticks_per_revolution * layout.radius / math.sqrt(12.0)
    weights = _weights(layout.x, layout.y, still)
    spread = weights * np.repeat(step, 2)
    out[:3, :3] = times(spread, spread.T)
    # Where the wheels stand tells nothing across a line of them.
    out[np.diag_indices(3)] += float(np.min(step)) ** 2
    out[[3, 4], [3, 4]] = config.common_slip_stddev**2
    out[DOWNHILL, DOWNHILL] = config.slope_slip**2
    out[TURNING, TURNING] = turning_share(layout, config) ** 2
    out[[CENTER, CENTER + 1], [CENTER, CENTER + 1]] = center_shift(layout, config) ** 2
    out[LAG, LAG] = config.turn_lag_m**2
    own = np.arange(OWN, OWN + 2 * count)
    out[own, own] = config.wheel_slip_stddev**2
    if size > OWN + 2 * count:
        share = uneven_share(layout, config) ** 2
        last = np.arange(size - UNEVEN, size)
        out[last, last] = share, share, 1.0, 1.0
    return out


def propagate(
    covariance: Vector,
    layout: WheelLayout,
    config: OdometryConfig,
    rolled: Vector,
    angles: Vector,
    yaw: float,
    way: tuple[float, float],
    turned: float,
    slope: tuple[float, float],
    speeding: tuple[float, float] = (0.0, 0.0),
    bent: float = 0.0,
) -> Vector:
    """Return the joint covariance after a cycle.

    Args:
        rolled: Way each rim went [m], shape (n,).
        angles: Of the steering [rad], shape (n,).
        yaw: In the middle of the cycle [rad].
        way: Of the base in the odom frame [m].
        turned: Yaw angle of the cycle [rad].
        slope: Rise of the base's forward and left axis over their level length.
        speeding: Integral of acceleration over gravity, forward and to the left, along the way [m].
        bent: Change of the curvature [rad/m].

    Source: martinelli2003; thrun2005, section 5.4.
    Checked by: test_odometry.py::test_linear_propagation_agrees_with_drawn_slips,
    test_odometry.py::test_acceleration_counts_as_a_slope,
    test_odometry.py::test_a_common_slip_is_a_scale_error.
    """
    weights = _weights(layout.x, layout.y, angles)
    uneven = unevenness(layout, rolled) if skids(layout) else (0.0, 0.0)
    out: Vector = _propagate(
        covariance,
        weights,
        rolled,
        yaw,
        way[0],
        way[1],
        config.wheel_slip_stddev,
        config.slip_correlation_length_m,
        turned,
        slope[0],
        slope[1],
        speeding[0],
        speeding[1],
        turning_share(layout, config),
        center_shift(layout, config),
        config.turn_correlation_rad,
        bent,
        uneven[0],
        uneven[1] * turned,
    )
    return out


def start_variance(config: OdometryConfig, before: float, after: float) -> float:
    """Return the variance [m^2] that setting off adds between two distances since the start [m].

    It approaches ``start_slip_stddev_m`` squared as shear stress approaches its limit: exponentially, over that very
    way.

    Source: janosi1961.
    Checked by: test_odometry.py::test_the_way_lost_when_setting_off_is_lost_once.
    """
    scale = config.start_slip_stddev_m
    if scale == 0.0:
        return 0.0
    return scale * scale * (math.exp(-2.0 * before / scale) - math.exp(-2.0 * after / scale))


def twist_covariance(
    layout: WheelLayout,
    config: OdometryConfig,
    speeds: Vector,
    angles: Vector,
    duration: float,
    rate: float = 0.0,
    slope: tuple[float, float] = (0.0, 0.0),
) -> Vector:
    """Return the covariance of vx, vy [m/s] and yaw rate [rad/s] over a cycle, shape (3, 3).

    Args:
        speeds: Of the rims [m/s], shape (n,).
        angles: Of the steering [rad], shape (n,).
        duration: Of the cycle [s].
        rate: Yaw rate [rad/s].
        slope: Rise of the base's forward and left axis over their level length, acceleration over gravity added.

    Source: martinelli2003; thrun2005, section 5.4.
    Checked by: test_odometry.py::test_the_twists_covariance_adds_common_slip_own_slip_and_ticks.
    """
    tick = 2.0 * math.pi / config.ticks_per_revolution / math.sqrt(6.0) / duration
    weights = _weights(layout.x, layout.y, angles)
    out: Vector = _twist_covariance(
        weights, speeds, layout.radius, tick, config.common_slip_stddev, config.wheel_slip_stddev
    )
    down = config.slope_slip * float(np.abs(speeds).mean())
    for m in range(2):
        for n in range(2):
            out[m, n] += down * down * slope[m] * slope[n]
    out[2, 2] += (turning_share(layout, config) * rate) ** 2
    aside = (center_shift(layout, config) * rate) ** 2
    out[0, 0] += aside
    out[1, 1] += aside
    if skids(layout):
        way, fraction = unevenness(layout, speeds)
        share = uneven_share(layout, config)
        out[0, 0] += (share * way) ** 2
        out[2, 2] += (share * fraction * rate) ** 2
    return out


@njit(cache=True, nogil=True, error_model='numpy')
def _twist_covariance(
    weights: Vector, speeds: Vector, radius: Vector, tick: float, common_slip_stddev: float, wheel_slip_stddev: float
) -> Vector:
    """Return the sum of what common slip, slip of each wheel's own, and ticks [rad/s] do to the twist, shape (3, 3).

    Args:
        weights: See :func:`_weights`.
    """
    out, along, across = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    for k in range(speeds.shape[0]):
        speed, ticks = speeds[k], tick * radius[k]
        own = wheel_slip_stddev * wheel_slip_stddev * speed * speed + ticks * ticks
        for m in range(3):
            along[m] += weights[m, 2 * k] * common_slip_stddev * speed
            across[m] += weights[m, 2 * k + 1] * common_slip_stddev * abs(speed)
            for n in range(3):
                both = weights[m, 2 * k] * weights[n, 2 * k] + weights[m, 2 * k + 1] * weights[n, 2 * k + 1]
                out[m, n] += own * both
    for m in range(3):
        for n in range(3):
            out[m, n] += along[m] * along[n] + across[m] * across[n]
    return out


@njit(cache=True, nogil=True, error_model='numpy')
def _weights(x: Vector, y: Vector, angles: Vector) -> Vector:
    """Return the weights of each wheel's way along and across its heading in the base's twist, shape (3, 2 n).

    As :func:`regolith_vehicles.dynamics.kinematics.twist_of_wheels` has it.
    """
    count = x.shape[0]
    rows = np.empty((2 * count, 3))
    for k in range(count):
        c, s = math.cos(angles[k]), math.sin(angles[k])
        rows[2 * k, 0], rows[2 * k, 1], rows[2 * k, 2] = c, s, s * x[k] - c * y[k]
        rows[2 * k + 1, 0], rows[2 * k + 1, 1], rows[2 * k + 1, 2] = -s, c, c * x[k] + s * y[k]
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
    covariance: Vector,
    weights: Vector,
    rolled: Vector,
    yaw: float,
    dx: float,
    dy: float,
    wheel_slip_stddev: float,
    length: float,
    turned: float,
    ahead: float,
    left: float,
    faster: float,
    inwards: float,
    turn_slip: float,
    shift: float,
    angle: float,
    bent: float,
    uneven: float,
    slower: float,
) -> Vector:
    """Return F P F^T + Q: F moves the pose by the slips and fades those that change, Q renews these.

    Each wheel's fades over ``length`` [m], those of turns over ``angle`` [rad].

    Args:
        weights: See :func:`_weights`.
        dx: Way of the base in the odom frame [m]; so is ``dy``.
        turned: Yaw angle of the cycle [rad].
        ahead: Slope along the base's forward axis, ``left``: along its left one.
        faster: Way times acceleration over gravity along the forward axis [m], ``inwards``: along the left one.
        bent: Change of the curvature [rad/m].
        uneven: Way ahead [m] that counts for uneven slip, ``slower``: yaw angle [rad].
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
            for column in (3 + side, OWN + 2 * k + side):
                pose[0, column] += wx * share
                pose[1, column] += wy * share
                pose[2, column] += turn * share
    path = 0.0
    for k in range(count):
        path += abs(rolled[k]) / count
    down, aside = path * ahead + faster, path * left + inwards
    pose[0, DOWNHILL], pose[1, DOWNHILL] = c * down - s * aside, s * down + c * aside
    pose[2, TURNING], pose[2, LAG] = turned, -bent
    # The base goes around a center at (a, b) by turned (b, -a), in its own axes.
    pose[0, CENTER], pose[1, CENTER] = s * turned, -c * turned
    pose[0, CENTER + 1], pose[1, CENTER + 1] = c * turned, s * turned
    if size > OWN + 2 * count:
        # Lost along the mean heading, and of the turn.
        first, yawing = OWN + 2 * count, covariance[2, 2]
        pose[0, first], pose[1, first], pose[2, first + 1] = -c * uneven, -s * uneven, -slower
        # Deviations of the cosine of a Gaussian yaw error, and of its sine less the error.
        fade_2 = math.exp(-yawing)
        cosine = math.sqrt(0.5) * (1.0 - fade_2)
        bent_off = yawing * (1.0 - 2.0 * math.sqrt(fade_2)) + 0.5 * (1.0 - fade_2 * fade_2)
        sine = math.sqrt(max(0.0, bent_off))
        pose[0, first + 2], pose[1, first + 2] = cosine * dx, cosine * dy
        pose[0, first + 3], pose[1, first + 3] = -sine * dy, sine * dx
    fade = np.ones(size)
    fade[TURNING] = fade[CENTER] = fade[CENTER + 1] = math.exp(-abs(turned) / angle)
    for k in range(count):
        fade[OWN + 2 * k] = fade[OWN + 1 + 2 * k] = math.exp(-abs(rolled[k]) / length)
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
        if a >= TURNING and a != LAG and a < OWN + 2 * count:
            renewed = turn_slip if a == TURNING else shift if a < LAG else wheel_slip_stddev
            out[a, a] += renewed * renewed * (1.0 - fade[a] * fade[a])
    return out
