# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tasks of driving to a goal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from regolith_bringup.gym.task import POSTS, SCENARIOS, Draws, Floats, Observation, Task
from regolith_vehicles.agent import VehicleState
from regolith_vehicles.commands import DriveCommand
from regolith_world.cycle import BodyState
from regolith_world.numerics import rotation

SPEED_MPS, YAW_RATE_RADPS = 0.4, 0.4
"""Forward speed and yaw rate of the largest actions."""
REACHED_M = 0.5
"""Distance from the goal at which it is reached [m]."""
STEP_COST = 0.01
GOAL_REWARD = 10.0


class DriveToGoal(Task):
    """A VIPER drives to a point on procedural lunar terrain.

    Reward of a step: progress toward the goal [m], less 0.1 per kJ of the actuators, less 0.01; 10 at the goal. The
    episode ends at the goal, when the rover has rolled over, or when it is stuck.

    Options of ``reset``: ``position`` and ``goal``, x, y [m], and ``heading_deg``.
    """

    scenario = SCENARIOS / 'drive_to_goal.yaml'
    observed: ClassVar[Mapping[str, tuple[int, ...]]] = {'state': (22,), 'heights': (POSTS, POSTS)}
    action_names = ('speed', 'yaw_rate')
    energy_cost = 0.1
    start_half_width_m: ClassVar[float] = 5.0
    """Half side of the square of start positions [m]."""
    goal_range_m: ClassVar[tuple[float, float]] = (3.0, 7.0)
    """Smallest and largest distance of the goal from the start [m]."""

    def place(self, draws: Draws, options: Mapping[str, Any]) -> None:
        """Draw start pose and goal; the goal is in any direction."""
        half = self.start_half_width_m

        def pose(attempt: int) -> tuple[float, float, float]:
            x = self.center[0] + draws.uniform(f'start x {attempt}', -half, half)
            y = self.center[1] + draws.uniform(f'start y {attempt}', -half, half)
            return x, y, draws.uniform(f'heading {attempt}', -math.pi, math.pi)

        self.put(draws, options, pose)
        start = self.simulation.observe(self.name).base.position
        if 'goal' in options:
            goal = tuple(float(value) for value in options['goal'])
        else:
            distance, turn = draws.uniform('distance', *self.goal_range_m), draws.uniform('bearing', -math.pi, math.pi)
            goal = float(start[0]) + distance * math.cos(turn), float(start[1]) + distance * math.sin(turn)
        self.memory |= {'goal_x': goal[0], 'goal_y': goal[1]}

    def begin(self, state: VehicleState) -> None:
        """Store the distance to the goal."""
        self.memory['distance_m'] = math.hypot(*self.goal(state.base))

    def command(self, action: Floats) -> DriveCommand:
        """Return the twist of an action."""
        return DriveCommand(SPEED_MPS * float(action[0]), YAW_RATE_RADPS * float(action[1]))

    def goal(self, base: BodyState) -> tuple[float, float]:
        """Return the goal ahead and to the left of the base, along its heading [m]."""
        yaw = rotation.yaw(base.orientation)
        dx = self.memory['goal_x'] - float(base.position[0])
        dy = self.memory['goal_y'] - float(base.position[1])
        return math.cos(yaw) * dx + math.sin(yaw) * dy, -math.sin(yaw) * dx + math.cos(yaw) * dy

    def observe(self, state: VehicleState) -> Observation:
        """Return ``state`` (goal 2, roll, pitch, twist 6, wheels 12) and ``heights``; see :class:`Task`."""
        base = state.base
        values = (*self.goal(base), *self.attitude(base), *self.twist(base), *self.wheels(state))
        return {'state': np.array(values), 'heights': self.heights(base)}

    def evaluate(self, state: VehicleState) -> tuple[float, bool, bool]:
        """Return the progress, less the cost of a step, and the reward of the goal."""
        distance = math.hypot(*self.goal(state.base))
        progress, self.memory['distance_m'] = self.memory['distance_m'] - distance, distance
        reached = distance < REACHED_M
        return progress - STEP_COST + (GOAL_REWARD if reached else 0.0), reached, reached


class DriveToGoalCamera(DriveToGoal):
    """The same drive, observed by a camera.

    ``image`` is the gray image of the scenario's only camera. ``goal`` has the goal ahead and to the left [m], the
    forward speed [m/s], roll and pitch [rad].
    """

    scenario = SCENARIOS / 'drive_to_goal_camera.yaml'
    observed: ClassVar[Mapping[str, tuple[int, ...]]] = {'goal': (5,)}
    start_half_width_m = 2.0

    def observe(self, state: VehicleState) -> Observation:
        """Return ``goal``; the environment adds ``image``."""
        base = state.base
        return {'goal': np.array((*self.goal(base), self.twist(base)[0], *self.attitude(base)))}
