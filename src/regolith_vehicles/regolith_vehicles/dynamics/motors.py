# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Wheel and steering motors: command ramps, limits, and integrators of the controllers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.dynamics.multibody import Multibody

Vector = NDArray[np.float64]


def _within(values: Vector, limit: Vector) -> Vector:
    """Return values clipped to -limit … limit; ``np.clip`` is five times slower for short arrays."""
    return np.minimum(np.maximum(values, -limit), limit)


class Motors:
    """Motors of all n wheels, and the steering of the m steered wheels."""

    def __init__(self, config: VehicleModelConfig, body: Multibody) -> None:
        self._drive = drive = config.wheel_drive
        n, m = len(config.wheels), int((body.steer_actuator >= 0).sum())
        angle, rate = math.radians(config.steering.max_angle_deg), math.radians(config.steering.max_rate_degps)
        self._most = np.repeat((drive.max_wheel_speed_radps, angle), (n, m))
        """Maximum commands in both directions [rad/s], [rad], shape (n + m,)."""
        self._fastest = np.repeat((drive.max_wheel_acceleration_radps2, rate), (n, m))
        """Maximum rates of the commands [rad/s^2], [rad/s], shape (n + m,)."""
        self._limit = body.bias_limit
        self.steered = np.nonzero(body.steer_actuator >= 0)[0]
        """Indices of the steered wheels, shape (m,)."""
        self.actuators = np.concatenate((body.wheel_actuator, body.steer_actuator[self.steered]))
        """Indices in MuJoCo's controls, shape (n + m,)."""
        self.command = np.zeros(len(self.actuators))
        """Commanded wheel speeds [rad/s], then steering angles [rad], shape (n + m,)."""
        self.bias = np.zeros(len(config.wheels))
        """Speeds that the controllers add to the wheels' commands to compensate load [rad/s], shape (n,)."""
        self.pace = np.ones(len(self.actuators))
        """Factors on the maximum rates [-], shape (n + m,); below 1 in case of a fault."""
        self.strayed = np.zeros(len(config.wheels) if self._drive.parking_brake_time_s is not None else 0)
        """Rotation of wheels since they were commanded to stop [rad], shape (n,); (0,) without a parking brake."""
        self.returning = np.zeros(len(self.strayed))
        """Speeds in this cycle that return stopped wheels [rad/s], same shape; set by :meth:`ramp`."""

    def reset(self) -> None:
        """Reset commands and integrators to zero."""
        self.command = np.zeros(len(self.command))
        self.bias = np.zeros(len(self.bias))
        self.strayed = self.returning = np.zeros(len(self.strayed))

    def ramp(self, speeds: Vector, angles: Vector, duration: float) -> tuple[Vector, Vector]:
        """Return the commands at the start and the end of a cycle within limits of value and rate.

        A wheel that has turned by d since it was commanded to stop returns with u = -d / T, so d decays as exp(-t /
        T). With the integrator of :meth:`correct_droop` this is a position servo without error under a constant load.
        Regolith's own controller, see ``test_parking_brake.py``.

        Args:
            speeds: Target speeds of the wheels [rad/s], shape (n,).
            angles: Target steering angles [rad], shape (n,).
            duration: Duration of the cycle [s].
        """
        target = _within(np.concatenate((speeds, angles[self.steered])), self._most)
        if (time := self._drive.parking_brake_time_s) is not None:
            back = (1.0 - math.exp(-duration / time)) / duration
            self.returning = _within(-back * self.strayed, self._limit)
        return self.command, self.command + _within(target - self.command, self._fastest * self.pace * duration)

    def controls(self, command: Vector) -> Vector:
        """Return the actuators' controls for a command: wheel speeds [rad/s], steering angles [rad], shape (n + m,)."""
        out = command.copy()
        out[: len(self.bias)] += self.bias
        out[: len(self.returning)] += self.returning
        return out

    def stand(self, turned: Vector, begin: Vector, end: Vector) -> None:
        """Integrate the rotation of wheels that are commanded to stop.

        Args:
            turned: Rotation of the wheels in a cycle [rad], shape (n,).
            begin: Command at the start of the cycle, as from :meth:`ramp`.
            end: Command at the end of the cycle.
        """
        n = len(self.strayed)
        if n:
            self.strayed = np.where((begin[:n] == 0.0) & (end[:n] == 0.0), self.strayed + turned, 0.0)

    def correct_droop(self, error: Vector, duration: float) -> None:
        """Integrate the wheels' mean speed error [rad/s] within the motors' force limits.

        db = e dt / T, exact for an error that decreases as the bias b compensates it. Regolith's own controller, see
        ``test_convergence_order.py``.

        Args:
            error: Mean speed error of the wheels in the cycle [rad/s], shape (n,).
            duration: Duration of the cycle [s].
        """
        time = self._drive.integral_time_s
        if time is not None:
            self.bias = _within(self.bias + (1.0 - math.exp(-duration / time)) * error, self._limit)
