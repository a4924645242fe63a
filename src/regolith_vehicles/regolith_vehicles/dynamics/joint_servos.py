# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Servos of commanded joints: arms, drums, masts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.dynamics.multibody import Multibody

Vector = NDArray[np.float64]


class JointServos:
    """Actuators of a vehicle's ``joints`` section in order of their names; k of them, none for most vehicles."""

    def __init__(self, config: VehicleModelConfig, body: Multibody) -> None:
        self.names = tuple(sorted(config.joints))
        """Names of the joints."""
        self.actuators = body.joint_actuator
        """Indices in MuJoCo's controls, shape (k,)."""
        given = [config.joints[name] for name in self.names]
        self._low = np.array([joint.limits[0] for joint in given])
        self._high = np.array([joint.limits[1] for joint in given])
        self._rate = np.array([joint.rate for joint in given])
        self._holds = np.array([joint.on_timeout == 'hold' for joint in given], dtype=np.bool_)
        self.pace = np.ones(len(given))
        """Factors on the maximum rates [-], shape (k,); below 1 in case of a fault."""
        self.goal = np.zeros(len(given))
        """Present targets in the units of the actuators, shape (k,)."""
        self.command = np.zeros(len(given))
        """Present commands on their way to the targets, shape (k,)."""

    def reset(self) -> None:
        """Set all targets and commands to zero."""
        self.goal, self.command = np.zeros(len(self.names)), np.zeros(len(self.names))

    def goals(self, given: Mapping[str, float]) -> Vector:
        """Return the targets of all joints, shape (k,): given ones, else the previous ones or zero (``on_timeout``).

        Args:
            given: Targets by name, for joints in :attr:`names`.
        """
        kept = np.where(self._holds, self.goal, 0.0)
        return np.array([given.get(name, old) for name, old in zip(self.names, kept.tolist(), strict=True)])

    def ramp(self, goal: Vector, duration: float) -> tuple[Vector, Vector]:
        """Return the commands at the start and the end of a cycle [s] within limits of value and rate."""
        change = self._rate * self.pace * duration
        wanted = np.clip(goal, self._low, self._high)
        return self.command, self.command + np.clip(wanted - self.command, -change, change)
