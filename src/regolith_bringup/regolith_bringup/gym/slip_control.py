# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Task of climbing a slope with little slip."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from regolith_bringup.gym.task import SCENARIOS, Draws, Floats, Observation, Task
from regolith_vehicles.agent import VehicleState
from regolith_vehicles.commands import DriveCommand

SPEED_MPS = 0.2
"""Commanded forward speed [m/s]."""
LOWEST = 0.2
"""Factor of the smallest action."""


class SlipControl(Task):
    """A VIPER climbs a slope of 15 deg; the actions scale the speeds of its four wheels by 0.2 to 1.

    Reward of a step: distance uphill [m], less 1 per kJ of the actuators. The episode is truncated after 30 s.
    """

    scenario = SCENARIOS / 'slip_control.yaml'
    observed: ClassVar[Mapping[str, tuple[int, ...]]] = {'state': (24,)}
    action_names = ('front_left', 'front_right', 'rear_left', 'rear_right')
    energy_cost = 1.0

    def place(self, draws: Draws, options: Mapping[str, Any]) -> None:
        """Draw the position on the slope; the heading is up to 10 deg off the slope."""

        def pose(attempt: int) -> tuple[float, float, float]:
            x, y = (draws.uniform(f'start {axis} {attempt}', -3.0, 3.0) for axis in 'xy')
            return x, y, draws.uniform(f'heading {attempt}', -0.17, 0.17)

        self.put(draws, options, pose)

    def begin(self, state: VehicleState) -> None:
        """Store the position along the slope."""
        self.memory['x_m'] = float(state.base.position[0])

    def command(self, action: Floats) -> DriveCommand:
        """Return the twist with the factors of an action."""
        factors = LOWEST + 0.5 * (action + 1.0) * (1.0 - LOWEST)
        return DriveCommand(SPEED_MPS, wheels=dict(zip(self.action_names, factors.tolist(), strict=True)))

    def observe(self, state: VehicleState) -> Observation:
        """Return ``state``: wheels 12, angular speeds 4 [rad/s], roll, pitch, twist 6."""
        column = state.parts.columns.index('angular_speed')
        base = state.base
        values = (*self.wheels(state), *state.parts.table[:, column], *self.attitude(base), *self.twist(base))
        return {'state': np.array(values)}

    def evaluate(self, state: VehicleState) -> tuple[float, bool, bool]:
        """Return the distance along x, which points uphill [m]; 3 m are a success."""
        x = float(state.base.position[0])
        way, self.memory['x_m'] = x - self.memory['x_m'], x
        self.memory['way_m'] = self.memory.get('way_m', 0.0) + way
        return way, False, self.memory['way_m'] >= 3.0
