# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Traction control: factors on the speeds of wheels that slip."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.contact.wheel_state import SLIP, SPIN
from regolith_vehicles.traction.config import TractionConfig
from regolith_world.cycle import Saved, StateLayout, state_fields

Vector = NDArray[np.float64]

LOWEST = 0.2
"""Smallest factor on the speed of a wheel [-]: a vehicle whose wheels all slip still moves."""


class TractionControl(Saved):
    """Traction control of one vehicle, from the true slip ratios at the start of a cycle.

    With e = s - slip for a slip ratio s, the factor of a wheel is 1 - kp max(0, e) - ki I, from LOWEST to 1. I is the
    integral of e over time, from 0 to the value at which the factor is LOWEST, so it does not wind up. A wheel with
    e > 0 also turns at most with v / (1 - slip) / R for the mean speed v of all wheel centers. While wheels accelerate
    to a new command, their slip does not count. Regolith's own controller, see ``test_traction.py``.
    """

    STATE = StateLayout('traction control', *state_fields('<f8', 'integral', 'command', 'ramp_s'))

    def __init__(self, config: TractionConfig, radius: Vector, acceleration: float) -> None:
        """Begin without slip.

        Args:
            config: Configuration.
            radius: Radii of the wheels [m], shape (n,).
            acceleration: Rate at which the wheels approach a command [rad/s^2].
        """
        self._config, self._radius, self._acceleration = config, radius, acceleration
        self.integral = np.zeros(len(radius))
        """Integral of the slip error of each wheel [s], shape (n,)."""
        self.command = np.zeros(len(radius))
        """Last command [rad/s], shape (n,)."""
        self.ramp_s = np.zeros(1)
        """Time until the wheels have approached it [s], shape (1,)."""

    def reset(self) -> None:
        """Return to the state before the first command."""
        self.integral, self.command = np.zeros(len(self.integral)), np.zeros(len(self.integral))
        self.ramp_s = np.zeros(1)

    def limited(self, speeds: Vector, table: Vector, duration: float) -> Vector:
        """Return the target speeds of the wheels in a cycle [rad/s], shape (n,).

        Args:
            speeds: Target speeds of the command [rad/s], shape (n,).
            table: States of the wheels by the columns of :mod:`regolith_vehicles.contact.wheel_state`.
            duration: Duration of the cycle [s].
        """
        change = float(np.abs(speeds - self.command).max()) / self._acceleration
        self.command, self.ramp_s = speeds.copy(), np.maximum(self.ramp_s - duration, change)
        if self.ramp_s[0] > 0.0:
            return speeds
        c, slip = self._config, table[:, SLIP]
        error = slip - c.slip
        most = (1.0 - LOWEST) / c.ki if c.ki > 0.0 else 0.0
        self.integral = np.clip(self.integral + error * duration, 0.0, most)
        factor = np.clip(1.0 - c.kp * np.maximum(error, 0.0) - c.ki * self.integral, LOWEST, 1.0)
        found = speeds * factor
        if (error > 0.0).any():
            speed = float(np.abs(table[:, SPIN] * self._radius * (1.0 - slip)).mean())
            limit = np.maximum(speed / (1.0 - c.slip) / self._radius, LOWEST * np.abs(speeds))
            found = np.where(error > 0.0, np.clip(found, -limit, limit), found)
        return np.asarray(found)
