# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Odometry from the encoders of wheels or tracks."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.description.model_config import OdometryConfig
from regolith_vehicles.dynamics import odometry_covariance
from regolith_vehicles.dynamics.kinematics import WheelLayout, twist_of_wheels
from regolith_world.cycle import OptionalNumber, Saved, StateField, StateLayout, state_fields
from regolith_world.numerics import portable_math

Vector = NDArray[np.float64]

_CYCLE_S = 0.02
"""Duration over which the first twist counts ticks: the default maximum step size [s]."""
_STILL = 1e-3
"""Speed of the wheels below which a vehicle has no curvature [m/s]."""
STEEPEST = 1.0
"""Maximum slope of an inclinometer's reading; no vehicle climbs a steeper one."""


def slope_of(turn: Vector, gravity: Vector) -> tuple[float, float]:
    """Return the slope of the base's forward and left axis against gravity, as an onboard inclinometer measures it.

    Simplification: the reading has no noise and no influence of the vehicle's acceleration. The estimated acceleration
    is added in :meth:`Odometry.advance`.

    Args:
        turn: Axes of the base in the world frame as columns, shape (3, 3).
        gravity: Gravitational acceleration in the world frame [m/s^2], shape (3,).
    """
    ahead, left, up = (float(portable_math.dot(turn[:, k], gravity)) for k in range(3))
    level = max(-up, 1e-9)
    return tuple(min(max(-each / level, -STEEPEST), STEEPEST) for each in (ahead, left))  # type: ignore[return-value]


@dataclass(slots=True)
class Odometry(Saved):
    """Planar pose in the odom frame, which is the base frame at the start. Wheel slip makes it drift."""

    x: float = 0.0
    """Position along x in the odom frame [m]."""
    y: float = 0.0
    """Position along y in the odom frame [m]."""
    yaw: float = 0.0
    """Yaw angle [rad], in (-pi, pi]."""
    linear_x: float = 0.0
    """Forward velocity of the base over the last cycle, in the base frame [m/s]."""
    linear_y: float = 0.0
    """Velocity of the base to its left over the last cycle [m/s]."""
    angular: float = 0.0
    """Yaw rate over the last cycle [rad/s]."""
    distance: float = 0.0
    """Length of the computed path [m]."""
    curvature: float = 0.0
    """Yaw angle per rolled distance in the last motion [rad/m]."""
    errors: Vector = field(default_factory=lambda: np.zeros((3, 3)), compare=False)
    """Joint covariance of pose and slip (:mod:`regolith_vehicles.dynamics.odometry_covariance`); x, y, yaw come first.
    """
    twist_errors: Vector = field(default_factory=lambda: np.zeros((3, 3)), compare=False)
    """Covariance of the twist over the last cycle, shape (3, 3)."""
    fastest: float | None = field(default=None, compare=False)
    """Maximum speed since standstill of wheels driven by an engine [m/s]; None for other wheels."""
    STATE: ClassVar[StateLayout] = StateLayout(
        'odometry',
        *state_fields('d', 'x', 'y', 'yaw', 'linear_x', 'linear_y', 'angular', 'distance', 'curvature'),
        *state_fields('<f8', 'twist_errors', 'errors'),
        StateField('fastest', OptionalNumber('d')),
    )

    @staticmethod
    def start(layout: WheelLayout, config: OdometryConfig) -> Odometry:
        """Return odometry that starts at the present pose."""
        still = np.zeros(len(layout.x))
        return Odometry(
            errors=odometry_covariance.initial_covariance(layout, config),
            twist_errors=odometry_covariance.twist_covariance(layout, config, still, still, _CYCLE_S),
            fastest=0.0 if layout.engine else None,
        )

    def advance(
        self,
        layout: WheelLayout,
        config: OdometryConfig,
        turned: Vector,
        angles: Vector,
        duration: float,
        slope: tuple[float, float] = (0.0, 0.0),
        gravity: float = 0.0,
    ) -> None:
        """Advance by one cycle along the arc of a constant twist.

        Args:
            layout: Positions and sizes of the wheels.
            config: Error model.
            turned: Rotation of each wheel in the cycle [rad], shape (n,).
            angles: Mean steering angles in the cycle [rad], shape (n,).
            duration: Duration of the cycle [s], > 0.
            slope: Slope of the base's forward and left axis [-]; see :func:`slope_of`.
            gravity: Magnitude of gravity, to which accelerations are compared [m/s^2]; 0: accelerations are ignored.

        Source: thrun2005, section 5.3.
        Checked by: test_vehicle_state.py::test_odometry_is_exact_on_arcs_and_second_order_on_spirals,
        test_kinematics.py::test_odometry_closes_a_circle, test_vehicle_state.py::test_odometry_of_crab_motion_is_exact.
        """
        vx, vy, rate = twist_of_wheels(layout, turned / duration, angles)
        dx, dy, turn = vx * duration, vy * duration, rate * duration
        if abs(turn) < 1e-9:
            sine, versine = 1.0, 0.5 * turn
        else:
            sine, versine = math.sin(turn) / turn, (1.0 - math.cos(turn)) / turn
        along, across = sine * dx - versine * dy, versine * dx + sine * dy
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        way = c * along - s * across, s * along + c * across
        rolled = turned * layout.radius
        middle = self.yaw + 0.5 * turn
        speeding, loaded = (0.0, 0.0), slope
        if gravity > 0.0:
            # Integrals of a |v| dt over the cycle; the forward one is exact for any change of speed.
            faster = (vx * abs(vx) - self.linear_x * abs(self.linear_x)) / (2.0 * gravity)
            if layout.engine:
                moved = vx * self.linear_x > 0.0 and abs(self.linear_x) > _STILL
                before = (self.fastest or 0.0) if moved else 0.0
                self.fastest = max(before, abs(vx))
                faster = math.copysign((self.fastest**2 - before**2) / (2.0 * gravity), vx)
            speeding = faster, abs(vx) * duration * vx * rate / gravity
            pulls = (vx - self.linear_x) / (duration * gravity), vx * rate / gravity
            loaded = tuple(min(max(a + b, -STEEPEST), STEEPEST) for a, b in zip(slope, pulls))  # type: ignore[assignment]
        # Speed of a wheel at the mean distance from the base, so a turn in place has a curvature, too.
        speed = math.hypot(vx, vy, rate * layout.lever)
        curvature = rate / speed if speed > _STILL else self.curvature
        self.errors = odometry_covariance.propagate(
            self.errors, layout, config, rolled, angles, middle, way, turn, slope, speeding, curvature - self.curvature
        )
        length = math.hypot(dx, dy)
        c, s = math.cos(middle), math.sin(middle)
        lost = odometry_covariance.start_variance(config, self.distance, self.distance + length)
        self.errors[:2, :2] += ((lost * c * c, lost * c * s), (lost * c * s, lost * s * s))
        self.twist_errors = odometry_covariance.twist_covariance(
            layout, config, rolled / duration, angles, duration, rate, loaded
        )
        self.x += way[0]
        self.y += way[1]
        self.yaw = math.remainder(self.yaw + turn, 2.0 * math.pi)
        self.linear_x, self.linear_y, self.angular = vx, vy, rate
        self.distance += length
        self.curvature = curvature
