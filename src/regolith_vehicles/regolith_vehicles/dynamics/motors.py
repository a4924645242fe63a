# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""From commands to actuators: ramps, limits, and the controllers' integrators."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.dynamics.multibody import Multibody

Vector = NDArray[np.float64]


def _within(values: Vector, limit: Vector) -> Vector:
    """Return values cut to -limit … limit; ``np.clip`` takes five times as long for a few."""
    return np.minimum(np.maximum(values, -limit), limit)


class Motors:
    """The drives of all wheels and the steering of those that steer; n wheels, m of which steer."""

    def __init__(self, config: VehicleModelConfig, body: Multibody) -> None:
        self._drive = drive = config.wheel_drive
        n, m = len(config.wheels), int((body.steer_actuator >= 0).sum())
        angle, rate = math.radians(config.steering.max_angle_deg), math.radians(config.steering.max_rate_degps)
        self._most = np.repeat((drive.max_wheel_speed_radps, angle), (n, m))
        """Largest commands either way [rad/s], [rad], shape (n + m,)."""
        self._fastest = np.repeat((drive.max_wheel_acceleration_radps2, rate), (n, m))
        """Their largest changes in time, shape (n + m,)."""
        self._limit = body.bias_limit
        self.steered = np.nonzero(body.steer_actuator >= 0)[0]
        """Indices of the wheels that steer, shape (m,)."""
        self.actuators = np.concatenate((body.wheel_actuator, body.steer_actuator[self.steered]))
        """Indices in MuJoCo's controls, shape (n + m,)."""
        self.command = np.zeros(len(self.actuators))
        """Wheel speeds [rad/s], then steering angles [rad], shape (n + m,)."""
        self.bias = np.zeros(len(config.wheels))
        """Speeds that the controllers add to the wheels' commands against their loads [rad/s], shape (n,)."""
        self.strayed = np.zeros(len(config.wheels) if self._drive.parking_brake_time_s is not None else 0)
        """Angles by which wheels have turned since they are to stand [rad], shape (n,); (0,) without a hold."""
        self.returning = np.zeros(len(self.strayed))
        """Speeds of this cycle that bring them back [rad/s], of the same shape; :meth:`ramp` sets them."""

    def reset(self) -> None:
        """Command nothing and forget all loads."""
        self.command = np.zeros(len(self.command))
        self.bias = np.zeros(len(self.bias))
        self.strayed = self.returning = np.zeros(len(self.strayed))

    def ramp(self, speeds: Vector, angles: Vector, duration: float) -> tuple[Vector, Vector]:
        """Return the commands at the start and at the end of a cycle, as limits of value and rate allow.

        A wheel that has turned by d since it is to stand returns by u = -d / T, so that d fades as exp(-t / T): with
        the integrator of :meth:`correct_droop` a position servo without error under a constant load. Regolith's own
        controller, see ``test_parking_brake.py``.

        Args:
            speeds: Wanted of the wheels [rad/s], shape (n,).
            angles: Of the steering [rad], shape (n,).
            duration: Of the cycle [s].
        """
        target = _within(np.concatenate((speeds, angles[self.steered])), self._most)
        if (time := self._drive.parking_brake_time_s) is not None:
            back = (1.0 - math.exp(-duration / time)) / duration
            self.returning = _within(-back * self.strayed, self._limit)
        return self.command, self.command + _within(target - self.command, self._fastest * duration)

    def controls(self, command: Vector) -> Vector:
        """Return the actuators' controls for a command: wheel speeds [rad/s], steering angles [rad], shape (n + m,)."""
        out = command.copy()
        out[: len(self.bias)] += self.bias
        out[: len(self.returning)] += self.returning
        return out

    def stand(self, turned: Vector, begin: Vector, end: Vector) -> None:
        """Count how far wheels turn that are commanded to stand.

        Args:
            turned: Angles by which they turned in a cycle [rad], shape (n,).
            begin: Command at its start, as of :meth:`ramp`.
            end: At its end.
        """
        n = len(self.strayed)
        if n:
            self.strayed = np.where((begin[:n] == 0.0) & (end[:n] == 0.0), self.strayed + turned, 0.0)

    def correct_droop(self, error: Vector, duration: float) -> None:
        """Integrate the wheels' mean speed error [rad/s], no further than the motors' force allows.

        db = e dt / T, exactly for an error that shrinks as the bias b makes up for it; Regolith's own controller, see
        ``test_convergence_order.py``.
        """
        time = self._drive.integral_time_s
        if time is not None:
            self.bias = _within(self.bias + (1.0 - math.exp(-duration / time)) * error, self._limit)
