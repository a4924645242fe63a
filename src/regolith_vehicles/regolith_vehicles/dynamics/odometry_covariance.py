# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Covariance of the odometry of wheels or tracks that slip.

The estimate is a least-squares fit of wheels that roll and do not skid (:mod:`regolith_vehicles.dynamics.kinematics`).
Its error is slip. The following fractions of the rolled distance are states of a joint covariance with the pose, so
their correlation is kept:

* Common slip of all wheels, along and across their headings, from the soil. It is constant over the run: a scale
  error, so the position error grows with the distance.
* Downhill slip per unit of slope. Soil yields under the weight component along the slope, so a vehicle slips more
  uphill and less downhill, and drifts down a slope that it crosses. The slope is that of the vehicle against gravity,
  as an onboard inclinometer measures it. Acceleration loads the soil in the same way: thrust of m a slips as on a
  slope of a / g. Wong 2008, section 3.1, has one balance of thrust, weight along the surface and inertia. In a turn
  the centripetal acceleration acts as a slope that rises toward the turn's center. The acceleration is that of the
  estimate. A truck that starts at 0.9 m/s^2 on the Moon is as uncertain as on a slope of 29 degrees. Wheels with
  servos recover this slip when they slow down. Wheels driven by an engine do not: they slow down as they stop to spin,
  which returns no distance. For them, acceleration counts again only above their maximum speed since standstill.
  Slopes enter only the covariance.
* Yaw rate error from scrubbing in a turn: unequal loads, different longitudinal and lateral friction, understeer. A
  first-order Gauss-Markov process over the turned angle: nearly constant during one turn, different in the next.
* Shift of a turn's center, forward and to the left, from the same scrubbing. Unequal loads shift the center toward the
  wheels with more grip, by the same fraction of their mean distance from the base. Martinez et al. 2005 measure such
  centers of skid steering. Two processes like the previous one.
* Turn lag, a length times the change of curvature: the yaw angle by which a vehicle lags until the soil is sheared
  sideways and the body turns. Simplification: it acts at once and does not depend on speed.
* Uneven slip of unsteered wheels when one side rolls faster than the other (see :func:`unevenness`). It is a fraction
  of the distance and a fraction of the yaw rate, constant over the run. Soil responds to slip distance per rolled
  distance, so the slow side has grip and the fast side slips. The vehicle moves and turns less than in the balance of
  equal wheels (:func:`regolith_vehicles.dynamics.kinematics.twist_of_wheels`). The loss is largest if one side is
  stopped, and zero in straight motion or rotation in place. The loss has one sign, but odometry does not correct it: a
  vehicle with large sinkage loses twice as much, one on firm ground less. Two more states describe the course, since
  linear propagation of the yaw error is not sufficient where half of the yaw rate can be lost. One is the distance
  along the heading by the cosine of the error (second order). The other is the distance across by the sine of the
  error less the error itself (third order).
* Individual slip of each wheel, along and across, from its load and the relief under it. It is a first-order
  Gauss-Markov process over the distance, so the error grows with the square root of the distance.

In addition, a rover that starts to drive turns its wheels further until the soil under them is sheared enough to
transmit the thrust. This distance is about the soil's shear displacement modulus (Janosi & Hanamoto 1961) and is lost
once. A rover that reverses loses it again, which is neglected.

The covariance follows by linear propagation (Martinelli & Siegwart 2003; Thrun, Burgard & Fox 2005, section 5.4; for
skid steering Martinez et al. 2005, Mandow et al. 2007). Encoders add their resolution once, where they start counting.

The defaults are rounded maximum-likelihood values over 326 drives of all shipped vehicles, the rovers with smooth
wheels. The common slip in vehicle files was selected so that normalized errors of the same drives have the expected
size. The drives are straight lines, arcs and rotations in place in both directions, eights, and slopes of 10 deg up,
down and across. They are on lunar soil, dry sand and sandy loam, on relief and on rigid ground. The values do not
apply to other soils.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.description.model_config import OdometryConfig
from regolith_vehicles.dynamics.kinematics import WheelLayout
from regolith_world.numerics import kernel, portable_math

Vector = NDArray[np.float64]

DOWNHILL, TURNING, CENTER, LAG, OWN = 5, 6, 7, 9, 10
"""Rows of the joint covariance, or the first one of several.

Downhill slip, fraction of the yaw rate, center of the turn (two rows), turn lag, slips of individual wheels.
"""
UNEVEN = 4
"""Rows at the end, for skid steering: distance and yaw angle lost by uneven slip, errors along and across the course.
"""
STEERED, SKIDDING, TRACKED = 0.06, 0.12, 0.3
"""Defaults of ``turn_slip`` by the type of steering."""


def turning_share(layout: WheelLayout, config: OdometryConfig) -> float:
    """Return the standard deviation of the fraction of the yaw rate that is lost or gained.

    Source: mandow2007.
    Checked by: test_odometry.py::test_odometry_covers_its_true_errors.
    """
    if config.turn_slip is not None:
        return config.turn_slip
    return TRACKED if layout.tracks else STEERED if layout.steers else SKIDDING


def center_shift(layout: WheelLayout, config: OdometryConfig) -> float:
    """Return the standard deviation of the shift of a turn's center, forward and to the left [m].

    Source: martinez2005.
    Checked by: test_odometry.py::test_turn_center_deviation_is_a_fraction_of_wheel_distance.
    """
    return turning_share(layout, config) * layout.lever


def skids(layout: WheelLayout) -> bool:
    """Return whether the vehicle turns by unequal speeds of its sides; both uneven slips then have a row.

    Source: mandow2007.
    Checked by: test_odometry_skidding.py::test_straight_drive_and_rotation_in_place_have_no_uneven_slip.
    """
    return not (layout.steers or layout.tracks) and bool(np.any(layout.y > 0.0) and np.any(layout.y < 0.0))


def uneven_share(layout: WheelLayout, config: OdometryConfig) -> float:
    """Return the standard deviation of the fraction of distance and yaw rate lost when one side is stopped.

    Forces are assumed to follow the slip of each wheel per rolled distance. Four wheels at (+-x, +-y) whose sides roll
    at v (1 +- r) then turn about a center shifted by x^2 r / (y (1 - r^2)) to the slow side. The fraction of the yaw
    rate that scrubbing takes grows by 1 / (1 - r^2). To second order in r, both cost r^2 x^2 / (x^2 + y^2). The factor
    is the fraction of a turn that scrubbing takes. Higher orders are dropped: friction bounds forces.

    Source: martinez2005; mandow2007, section II; wong2008, section 6.1.
    Checked by: test_odometry_skidding.py::test_uneven_slip_default_is_the_scrubbing_fraction.
    """
    if config.uneven_slip is not None:
        return config.uneven_slip
    along, across = layout.x - layout.x.mean(), layout.y - layout.y.mean()
    return float((along**2).sum() / ((along**2).sum() + (across**2).sum()))


def unevenness(layout: WheelLayout, rolled: Vector) -> tuple[float, float]:
    """Return distance [m] and fraction of the yaw angle that count for uneven slips; both 0 straight and in place.

    With mean distances l and r of both sides and f = (|l| - |r|) / (|l| + |r|): |f (l - r)| / 2, with the sign of the
    forward distance, and f^2. While both sides roll in the same direction, the former is the mean distance times f^2.

    Args:
        layout: Positions of the wheels.
        rolled: Rolled distance of each rim [m], shape (n,).

    Source: martinez2005, as :func:`uneven_share`.
    Checked by: test_odometry_skidding.py::test_straight_drive_and_rotation_in_place_have_no_uneven_slip.
    """
    left, right = float(rolled[layout.y > 0.0].mean()), float(rolled[layout.y < 0.0].mean())
    total = abs(left) + abs(right)
    if total == 0.0:
        return 0.0, 0.0
    fraction = (abs(left) - abs(right)) / total
    return math.copysign(0.5 * abs(fraction * (left - right)), left + right), fraction * fraction


def initial_covariance(layout: WheelLayout, config: OdometryConfig) -> Vector:
    """Return the joint covariance at the start, for n wheels: shape (10 + 2 n,) or (14 + 2 n,) squared.

    Its order: x, y [m], yaw [rad] in the odom frame; common slip along and across; downhill slip per unit of slope;
    fraction of the yaw rate; shift of a turn's center forward and left [m]; turn lag [m]; slip of each wheel along and
    across. For skid steering: fraction of the distance and of the yaw rate lost by uneven slip, and the nonlinear
    effects of the yaw error along and across the course.

    Source: martinelli2003; thrun2005, section 5.4.
    Checked by: test_odometry.py::test_initial_covariance_follows_from_encoder_ticks.
    """
    count = len(layout.x)
    size = OWN + 2 * count + (UNEVEN if skids(layout) else 0)
    out = np.zeros((size, size))
    still = np.zeros(count)
    step = 2.0 * math.pi / config.ticks_per_revolution * layout.radius / math.sqrt(12.0)
    weights = _weights(layout.x, layout.y, still)
    spread = weights * np.repeat(step, 2)
    out[:3, :3] = portable_math.times(spread, spread.T)
    # Wheels on one line do not determine the position across it.
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
        covariance: Joint covariance before the cycle.
        layout: Positions of the wheels.
        config: Error model.
        rolled: Rolled distance of each rim [m], shape (n,).
        angles: Steering angles [rad], shape (n,).
        yaw: Yaw angle in the middle of the cycle [rad].
        way: Displacement of the base in the odom frame [m].
        turned: Change of the yaw angle in the cycle [rad].
        slope: Slope of the base's forward and left axis [-].
        speeding: Integral of acceleration over gravity along the path, forward and to the left [m].
        bent: Change of the curvature [rad/m].

    Source: martinelli2003; thrun2005, section 5.4.
    Checked by: test_odometry.py::test_linear_propagation_agrees_with_random_slips,
    test_odometry.py::test_acceleration_counts_as_a_slope,
    test_odometry.py::test_common_slip_is_a_scale_error.
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
    """Return the variance [m^2] that starting to drive adds between two distances since the start [m].

    It approaches ``start_slip_stddev_m`` squared as shear stress approaches its limit: exponentially, over that
    distance.

    Args:
        config: Error model.
        before: Distance since the start at the beginning of the cycle [m].
        after: Distance since the start at the end of the cycle [m].

    Source: janosi1961.
    Checked by: test_odometry.py::test_start_slip_is_added_once.
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
        layout: Positions of the wheels.
        config: Error model.
        speeds: Rim speeds [m/s], shape (n,).
        angles: Steering angles [rad], shape (n,).
        duration: Duration of the cycle [s].
        rate: Yaw rate [rad/s].
        slope: Slope of the base's forward and left axis plus acceleration over gravity [-].

    Source: martinelli2003; thrun2005, section 5.4.
    Checked by: test_odometry.py::test_twist_covariance_adds_common_slip_wheel_slip_and_ticks.
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


@kernel
def _twist_covariance(
    weights: Vector, speeds: Vector, radius: Vector, tick: float, common_slip_stddev: float, wheel_slip_stddev: float
) -> Vector:
    """Return the covariance of the twist by common slip, individual wheel slip and ticks, shape (3, 3).

    Args:
        weights: Weights from :func:`_weights`.
        speeds: Rim speeds [m/s], shape (n,).
        radius: Radii of the wheels [m], shape (n,).
        tick: Standard deviation of the wheel speed by ticks [rad/s].
        common_slip_stddev: Standard deviation of the common slip [-].
        wheel_slip_stddev: Standard deviation of the individual wheel slip [-].
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


@kernel
def _weights(x: Vector, y: Vector, angles: Vector) -> Vector:
    """Return the weights of each wheel's motion along and across its heading in the base's twist, shape (3, 2 n).

    They are those of :func:`regolith_vehicles.dynamics.kinematics.twist_of_wheels`.
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


@kernel
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
    """Return F P F^T + Q: F moves the pose by the slips and decays the varying ones, Q renews these.

    Individual slip decays over ``length``, errors of turns over ``angle``.

    Args:
        covariance: Joint covariance P before the cycle.
        weights: Weights from :func:`_weights`.
        rolled: Rolled distance of each rim [m], shape (n,).
        yaw: Yaw angle in the middle of the cycle [rad].
        dx: Displacement of the base along x in the odom frame [m].
        dy: Displacement of the base along y in the odom frame [m].
        wheel_slip_stddev: Standard deviation of the individual wheel slip [-].
        length: Correlation length of the individual wheel slip [m].
        turned: Change of the yaw angle in the cycle [rad].
        ahead: Slope along the base's forward axis [-].
        left: Slope along the base's left axis [-].
        faster: Path integral of acceleration over gravity along the forward axis [m].
        inwards: Path integral of acceleration over gravity along the left axis [m].
        turn_slip: Standard deviation of the fraction of the yaw rate [-].
        shift: Standard deviation of the shift of a turn's center [m].
        angle: Correlation angle of the errors of turns [rad].
        bent: Change of the curvature [rad/m].
        uneven: Forward distance that counts for uneven slip [m].
        slower: Yaw angle that counts for uneven slip [rad].
    """
    count = rolled.shape[0]
    size = covariance.shape[0]
    # Rows of the transition matrix that differ from the identity: those of the pose.
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
    # A rotation by ``turned`` about a center at (a, b) moves the base by turned (b, -a), in its own axes.
    pose[0, CENTER], pose[1, CENTER] = s * turned, -c * turned
    pose[0, CENTER + 1], pose[1, CENTER + 1] = c * turned, s * turned
    if size > OWN + 2 * count:
        # Losses along the mean heading, and of the turn.
        first, yawing = OWN + 2 * count, covariance[2, 2]
        pose[0, first], pose[1, first], pose[2, first + 1] = -c * uneven, -s * uneven, -slower
        # Standard deviations of the cosine of a Gaussian yaw error, and of its sine less the error.
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
