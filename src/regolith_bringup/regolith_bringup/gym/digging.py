# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tasks of excavation with a RASSOR-like digger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from regolith_bringup.gym.task import POSTS, SCENARIOS, Floats, Observation, Task
from regolith_vehicles.agent import VehicleState
from regolith_vehicles.commands import DriveCommand

SPEED_MPS = 0.25
"""Forward speed of the largest action [m/s]."""
BERM_M = (2.8, 4.6)
"""First and last x of the profile along the x axis [m]."""
BERM_HEIGHT_M = 0.10
BERM_POSTS = 37


class Dig(Task):
    """A digger fills its two drums.

    Reward of a step: soil dug [kg], less 0.05 per kJ of the actuators; -20 when it rolls over. Actions: forward speed,
    and the targets of both arms and both drums over their ranges.
    """

    scenario = SCENARIOS / 'dig.yaml'
    observed: ClassVar[Mapping[str, tuple[int, ...]]] = {'state': (9,), 'heights': (POSTS, POSTS)}
    action_names = ('speed', 'arm_front', 'arm_rear', 'drum_front', 'drum_rear')
    energy_cost = 0.05

    def begin(self, state: VehicleState) -> None:
        """Store the mass of the soil dug before."""
        self.memory['excavated_kg'] = self._excavated()

    def _excavated(self) -> float:
        return self.simulation.agents[self.name].vehicle.tools.mass_balance()['excavated_kg']

    def command(self, action: Floats) -> DriveCommand:
        """Return speed and joint targets of an action."""
        limits = self.simulation.agents[self.name].vehicle.gear.joint_limits
        joints = {}
        for name, value in zip(self.action_names[1:], action[1:].tolist(), strict=True):
            low, high = limits[name]
            joints[name] = low + 0.5 * (value + 1.0) * (high - low)
        return DriveCommand(SPEED_MPS * float(action[0]), 0.0, joints)

    def observe(self, state: VehicleState) -> Observation:
        """Return ``state`` (fill 2, arm angles 2, cutting forces 2 [N], roll, pitch, speed) and ``heights``."""
        base, vehicle = state.base, self.simulation.agents[self.name].vehicle
        positions = dict(zip(state.joint_names, state.joint_positions.tolist(), strict=True))
        tools = vehicle.tools
        forces = tools.telemetry()[2 * len(tools.names) :]
        values = (
            *tools.levels().values(),
            positions['arm_front'],
            positions['arm_rear'],
            *forces,
            *self.attitude(base),
            self.twist(base)[0],
        )
        return {'state': np.array(values), 'heights': self.heights(base)}

    def evaluate(self, state: VehicleState) -> tuple[float, bool, bool]:
        """Return the mass dug in the step [kg]; the task succeeds with both drums 95 % full."""
        excavated = self._excavated()
        dug, self.memory['excavated_kg'] = excavated - self.memory['excavated_kg'], excavated
        full = min(self.simulation.agents[self.name].vehicle.tools.levels().values()) >= 0.95
        return dug, False, full


class Berm(Dig):
    """A digger builds a berm across its line of travel: 0.1 m high, 1.2 m wide, 3.7 m ahead of the start.

    Reward of a step: decrease of the mean distance between the profile and that of the berm [mm], less 0.05 per kJ;
    -20 when it rolls over. ``profile`` is the height less that of the berm [m].
    """

    observed: ClassVar[Mapping[str, tuple[int, ...]]] = {**Dig.observed, 'profile': (BERM_POSTS,)}

    def _error(self) -> Floats:
        x = np.linspace(*BERM_M, BERM_POSTS)
        wished = BERM_HEIGHT_M * np.maximum(0.0, 1.0 - np.abs(x - sum(BERM_M) / 2.0) / 0.6)
        return np.asarray(self.simulation.terrain.grid.levels(x, np.zeros_like(x)), dtype=np.float64) - wished

    def begin(self, state: VehicleState) -> None:
        """Store the distance of the profile from the berm."""
        super().begin(state)
        self.memory['error_m'] = float(np.abs(self._error()).mean())

    def observe(self, state: VehicleState) -> Observation:
        """Return the observation of :class:`Dig` and ``profile``."""
        return {**super().observe(state), 'profile': self._error()}

    def evaluate(self, state: VehicleState) -> tuple[float, bool, bool]:
        """Return the decrease of the error [mm]; the task succeeds below a mean of 1 cm."""
        error = float(np.abs(self._error()).mean())
        less, self.memory['error_m'] = self.memory['error_m'] - error, error
        return 1e3 * less, error < 0.01, error < 0.01
