# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinematics of wheels: a twist of the base to wheel speeds and steering angles, and the inverse.

Planar kinematics of n wheels at given positions, any of which can be steered (all: double Ackermann; none: skid
steering). Base frame: x forward, y left; angles are about +z, positive to the left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from regolith_world.numerics import kernel

Vector = NDArray[np.float64]

SPOT_SPEED = 1e-3
"""Forward speed below which a yaw rate means rotation in place, not a curve [m/s]."""


@dataclass(frozen=True, slots=True)
class WheelLayout:
    """Positions, sizes and limits of the wheels."""

    x: Vector
    """Positions of the wheel centers along x in the base frame [m], shape (n,)."""
    y: Vector
    """Positions of the wheel centers along y in the base frame [m], shape (n,)."""
    radius: Vector
    """Radii of the wheels [m], shape (n,)."""
    steered: NDArray[np.bool_]
    """Whether each wheel is steered, shape (n,)."""
    max_steer: float
    """Maximum steering angle in both directions [rad], in (0, pi/2)."""
    max_speed: float
    """Maximum speed of any wheel in both directions [rad/s]."""
    tracks: bool = False
    """Whether the wheels represent the ground contact of tracks."""
    engine: bool = False
    """Whether an engine drives the wheels: they also slow down when they stop to spin, at constant vehicle speed."""
    steers: bool = field(init=False)
    """Whether any wheel is steered."""
    top_speed: float = field(init=False)
    """Speed at which the largest wheel rolls at its maximum speed [m/s]; 0 without wheels."""
    top_yaw_rate: float = field(init=False)
    """Yaw rate at which the wheel nearest to the base frame moves with the top speed [rad/s]."""
    lever: float = field(init=False)
    """Mean distance of the wheels from the base frame [m]; 0 without wheels."""
    tightest: float = field(init=False)
    """Result of :meth:`max_curvature`."""

    def __post_init__(self) -> None:
        levers = np.hypot(self.x, self.y)
        object.__setattr__(self, 'steers', bool(self.steered.any()))
        object.__setattr__(self, 'top_speed', self.max_speed * float(np.max(self.radius, initial=0.0)))
        yaw_rate = self.top_speed / float(np.min(levers[levers > 0.0], initial=math.inf))
        object.__setattr__(self, 'top_yaw_rate', yaw_rate)
        object.__setattr__(self, 'lever', math.fsum(levers.tolist()) / max(len(levers), 1))
        object.__setattr__(self, 'tightest', self.max_curvature())

    def max_curvature(self) -> float:
        """Return the maximum curvature that all steered wheels can follow without slip angle [1/m].

        A wheel at (x, y) on a curve of curvature k steers by atan(k x / (1 - k y)). The result is inf without steered
        wheels.

        Source: siegwart2011, section 3.2.3, the sliding constraint.
        Checked by: test_kinematics.py::test_steering_limit_widens_the_curve.
        """
        tan = math.tan(self.max_steer)
        tightest = math.inf
        for x, y, steered in zip(self.x.tolist(), self.y.tolist(), self.steered.tolist(), strict=True):
            if steered and x != 0.0:
                tightest = min(tightest, tan / (abs(x) + abs(y) * tan))
        return tightest


def wheel_commands(layout: WheelLayout, linear: float, angular: float) -> tuple[Vector, Vector]:
    """Return wheel speeds [rad/s] and steering angles [rad], shape (n,) each, for a twist of the base.

    The forward speed has priority: a curve tighter than the steering allows is widened. A yaw rate without forward
    speed rotates the vehicle in place. Wheels steer toward their tangent as far as they can and roll with the velocity
    component along their heading. An unsteered wheel always skids. If a wheel would exceed its maximum speed, all are
    slowed by the same factor, so the path stays. Commands out of range are limited first. The forward speed is limited
    to the top speed, the yaw rate in proportion, then both to the limits of steering and wheels.

    Args:
        layout: Positions and limits of the wheels.
        linear: Forward speed [m/s], finite.
        angular: Yaw rate [rad/s], finite.

    Source: siegwart2011, section 3.2.3, rolling and sliding constraints.
    Checked by: test_kinematics.py::test_double_ackermann, test_kinematics.py::test_round_trip,
    test_kinematics.py::test_skid_steering_scrubs_off_a_part_of_the_turn.
    """
    top = layout.top_speed
    if abs(linear) > top:
        angular *= top / abs(linear)
        linear = math.copysign(top, linear)
    limit = layout.top_yaw_rate
    if abs(linear) >= SPOT_SPEED:
        limit = min(limit, layout.tightest * abs(linear))
    angular = min(max(angular, -limit), limit)
    speeds = np.zeros(len(layout.x))
    angles = np.zeros(len(layout.x))
    _commands(layout.x, layout.y, layout.radius, layout.steered, layout.max_steer, linear, angular, speeds, angles)
    fastest = float(np.max(np.abs(speeds), initial=0.0))
    if fastest > layout.max_speed:
        speeds *= layout.max_speed / fastest
    return speeds, angles


@kernel
def _commands(
    x: Vector,
    y: Vector,
    radius: Vector,
    steered: NDArray[np.bool_],
    max_steer: float,
    linear: float,
    angular: float,
    speeds: Vector,
    angles: Vector,
) -> None:
    """Write speeds [rad/s] and angles [rad] of wheels that head along their centers' velocity within the limits."""
    for k in range(x.shape[0]):
        vx = linear - angular * y[k]
        vy = angular * x[k]
        if steered[k] and (vx != 0.0 or vy != 0.0):
            # An axle is symmetric: angles beyond a quarter turn are reached by rolling backward.
            angle = math.atan2(vy, vx) if vx >= 0.0 else math.atan2(-vy, -vx)
            angles[k] = min(max(angle, -max_steer), max_steer)
        speeds[k] = (vx * math.cos(angles[k]) + vy * math.sin(angles[k])) / radius[k]


def twist_of_wheels(layout: WheelLayout, speeds: Vector, angles: Vector) -> tuple[float, float, float]:
    """Return the base twist (vx, vy [m/s], yaw rate [rad/s]) that fits wheel speeds and angles best.

    Least squares over two conditions: each wheel rolls at its speed along its heading, and does not move across it.
    Without steering, wheels must skid sideways in a turn. The fit then equals the balance of forces of equally loaded
    wheels with equal longitudinal and lateral friction. Four wheels at (+-x, +-y) turn at y^2 / (x^2 + y^2) of the
    rate at which their sides would turn the base without skid, about the middle of all contacts. Scrubbing takes the
    rest.

    Args:
        layout: Positions of the wheels.
        speeds: Speeds of the wheels [rad/s], shape (n,).
        angles: Steering angles [rad], shape (n,).

    Source: siegwart2011, section 3.2.3, rolling and sliding constraints; wong2008, section 6.1, moment of turning
    resistance; mandow2007, section II.
    Checked by: test_kinematics.py::test_round_trip,
    test_kinematics.py::test_skid_steering_scrubs_off_a_part_of_the_turn,
    test_kinematics.py::test_inconsistent_wheels_are_fitted_by_least_squares.
    """
    twist = np.zeros(3)
    _fit(layout.x, layout.y, layout.radius, np.asarray(speeds, float), np.asarray(angles, float), twist)
    return float(twist[0]), float(twist[1]), float(twist[2])


@kernel
def _fit(x: Vector, y: Vector, radius: Vector, speeds: Vector, angles: Vector, twist: Vector) -> None:
    """Write the least-squares twist (vx, vy, yaw rate), shape (3,), if the wheels determine it.

    Cramer's rule on the normal equations gives the same bits for any installed BLAS.
    """
    a = np.zeros((3, 3))
    b = np.zeros(3)
    row = np.zeros(3)
    for k in range(x.shape[0]):
        c, s = math.cos(angles[k]), math.sin(angles[k])
        for across in range(2):
            if across == 0:
                row[0], row[1], row[2] = c, s, s * x[k] - c * y[k]
                value = speeds[k] * radius[k]
            else:
                row[0], row[1], row[2] = -s, c, c * x[k] + s * y[k]
                value = 0.0
            for m in range(3):
                b[m] += row[m] * value
                for n in range(3):
                    a[m, n] += row[m] * row[n]
    c0 = a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1]
    c1 = a[1, 2] * a[2, 0] - a[1, 0] * a[2, 2]
    c2 = a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0]
    det = a[0, 0] * c0 + a[0, 1] * c1 + a[0, 2] * c2
    if det == 0.0 or abs(det) < 1e-12 * abs(a[0, 0] * a[1, 1] * a[2, 2]):
        return
    twist[0] = (
        b[0] * c0 + a[0, 1] * (a[1, 2] * b[2] - b[1] * a[2, 2]) + a[0, 2] * (b[1] * a[2, 1] - a[1, 1] * b[2])
    ) / det
    twist[1] = (
        a[0, 0] * (b[1] * a[2, 2] - a[1, 2] * b[2]) + b[0] * c1 + a[0, 2] * (a[1, 0] * b[2] - b[1] * a[2, 0])
    ) / det
    twist[2] = (
        a[0, 0] * (a[1, 1] * b[2] - b[1] * a[2, 1]) + a[0, 1] * (b[1] * a[2, 0] - a[1, 0] * b[2]) + b[0] * c2
    ) / det
