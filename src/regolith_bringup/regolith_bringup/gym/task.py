# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Interface of tasks: what a vehicle observes, which actions it has, and what is rewarded."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.run.simulation import Simulation
from regolith_vehicles.agent import VehicleState
from regolith_vehicles.commands import DriveCommand
from regolith_world.cycle import BodyState
from regolith_world.numerics import rotation
from regolith_world.random import generator

Floats = NDArray[np.float64]
Observation = dict[str, NDArray[Any]]

SCENARIOS = Path(__file__).parent / 'scenarios'
"""Folder of the scenarios of the tasks."""
BOUND = 1e3
"""Bound of observed values: larger ones are clipped to it."""
WINDOW, POSTS = 4.0, 16
"""Side of the square of observed heights [m], and number of heights along it."""
_FINAL = ('rolled_over', 'stuck')
"""Kinds of events that end an episode."""
_PLACES = 100
"""Number of start poses that are drawn before an episode is refused."""


class Draws:
    """Random numbers of an episode: pure functions of seed, vehicle, episode and quantity.

    Args:
        seed: Seed of the environment.
        vehicle: Name of the vehicle.
        episode: Number of the episode since the seed was set.
    """

    def __init__(self, seed: int, vehicle: str, episode: int) -> None:
        self._key = seed, vehicle, episode

    def uniform(self, quantity: str, low: float, high: float) -> float:
        """Return the number of a quantity, uniform from low to high."""
        seed, vehicle, episode = self._key
        return float(generator(seed, f'gym/{vehicle}', quantity, episode).uniform(low, high))

    def integer(self, quantity: str, count: int) -> int:
        """Return the number of a quantity, from 0 to count - 1."""
        seed, vehicle, episode = self._key
        return int(generator(seed, f'gym/{vehicle}', quantity, episode).integers(count))


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one step of an episode."""

    reward: float
    terminated: bool = False
    info: dict[str, Any] = field(default_factory=dict)


class Task(ABC):
    """Task of one vehicle in a simulation. Everything that evolves in an episode is in :attr:`memory`.

    Args:
        simulation: Simulation with the vehicle.
        name: Name of the vehicle.
        center: Center of the area in which episodes begin, x, y in the world frame [m].
    """

    scenario: ClassVar[Path]
    """Scenario of the environment, with one vehicle ``rover``."""
    observed: ClassVar[Mapping[str, tuple[int, ...]]]
    """Shapes of the observed arrays by name."""
    action_names: ClassVar[tuple[str, ...]]
    """Names of the actions, each in [-1, 1]."""

    def __init__(self, simulation: Simulation, name: str, center: tuple[float, float] = (0.0, 0.0)) -> None:
        self.simulation, self.name, self.center = simulation, name, center
        self.memory: dict[str, float] = {}
        self.fresh: bytes | None = None
        """State of the vehicle at the start of an episode, without pose; None: the simulation is reset before."""
        vehicle = simulation.agents[name].vehicle
        gravity = simulation.scenario.world.gravity_mps2
        self._wheel_weight = vehicle.body.mass * gravity / max(1, len(vehicle.config.wheels))

    # -- to implement ---------------------------------------------------------------------------------------------

    @abstractmethod
    def command(self, action: Floats) -> DriveCommand:
        """Return the command of an action, each component in [-1, 1]."""

    @abstractmethod
    def observe(self, state: VehicleState) -> Observation:
        """Return the observation in a state, arrays by the names and shapes of :attr:`observed`."""

    @abstractmethod
    def evaluate(self, state: VehicleState) -> tuple[float, bool, bool]:
        """Return reward without the cost of energy, whether the episode is over, and whether it succeeded."""

    def place(self, draws: Draws, options: Mapping[str, Any]) -> None:  # noqa: B027  some tasks begin there
        """Choose start and goal of an episode; the default leaves the vehicle at the start of the scenario.

        Args:
            draws: Random numbers of the episode.
            options: Options of ``reset``.
        """

    @abstractmethod
    def begin(self, state: VehicleState) -> None:
        """Store in :attr:`memory` what :meth:`evaluate` compares with later; called after :meth:`place`."""

    energy_cost: ClassVar[float] = 0.0
    """Cost of the energy of the actuators in the reward [1/kJ]."""

    # -- episode --------------------------------------------------------------------------------------------------

    def start(self, draws: Draws, options: Mapping[str, Any]) -> None:
        """Begin an episode.

        Args:
            draws: Random numbers of the episode.
            options: Options of ``reset``.

        Raises:
            ValueError: If an option is invalid, or no free place was found.
        """
        self.memory = {
            'energy_j': 0.0,
            'paid_j': 0.0,
            'at_ns': float(self.simulation.world.t_ns),
            'events': float(len(self._events())),
        }
        self.place(draws, options)
        self.begin(self.simulation.observe(self.name))

    def act(self, action: Any) -> None:
        """Give the vehicle the command of an action.

        Raises:
            ValueError: If the action has another shape or is not finite.
        """
        values = np.asarray(action, dtype=np.float64)
        if values.shape != (len(self.action_names),) or not np.isfinite(values).all():
            raise ValueError(f'action {action!r}: is not valid; allowed: {len(self.action_names)} finite numbers')
        self.simulation.act(self.name, self.command(np.clip(values, -1.0, 1.0)))

    def after_step(self) -> None:
        """Add the energy of the actuators in the step of the simulation that just ended."""
        data = self.simulation.agents[self.name].vehicle.data
        power = float(np.maximum(data.actuator_force * data.actuator_velocity, 0.0).sum())
        at_ns = float(self.simulation.world.t_ns)
        self.memory['energy_j'] += power * (at_ns - self.memory['at_ns']) * 1e-9
        self.memory['at_ns'] = at_ns

    def finish_step(self) -> tuple[Observation, Outcome]:
        """Return observation and outcome after the simulation advanced by one step of the environment."""
        state = self.simulation.observe(self.name)
        reward, over, success = self.evaluate(state)
        energy, before = self.memory['energy_j'], self.memory['paid_j']
        self.memory['paid_j'] = energy
        event = next((kind for kind in self._events()[round(self.memory['events']) :] if kind in _FINAL), '')
        info = {
            'time_s': state.t_ns * 1e-9,
            'energy_kj': 1e-3 * energy,
            'is_success': success,
            'event': event,
        }
        reward -= self.energy_cost * 1e-3 * (energy - before)
        return self.observation(state), Outcome(reward - self._penalty(event), over or bool(event), info)

    def _penalty(self, event: str) -> float:
        return 20.0 if event == 'rolled_over' else 0.0

    def observation(self, state: VehicleState) -> Observation:
        """Return the observation with values within the bounds, in the types of the space."""
        found = self.observe(state)
        return {
            name: values if values.dtype == np.uint8 else np.clip(values, -BOUND, BOUND).astype(np.float32)
            for name, values in found.items()
        }

    def _events(self) -> list[str]:
        events = self.simulation.agents[self.name].summary()['events']
        assert isinstance(events, list)
        return [str(event['kind']) for event in events]

    # -- parts of observations --------------------------------------------------------------------------------------

    def attitude(self, base: BodyState) -> tuple[float, float]:
        """Return roll and pitch of the base [rad]; pitch is positive with the nose down."""
        roll, pitch, _ = rotation.to_rpy(rotation.matrix(base.orientation))
        return roll, pitch

    def twist(self, base: BodyState) -> Floats:
        """Return linear [m/s] and angular velocity [rad/s] in the base frame, shape (6,)."""
        turn = rotation.matrix(base.orientation)
        return np.concatenate((turn.T @ base.linear_velocity, turn.T @ base.angular_velocity))

    def wheels(self, state: VehicleState) -> Floats:
        """Return slip ratios [-], sinkages [m] and loads by the static load [-] of all wheels, shape (3 n,)."""
        columns = [state.parts.columns.index(name) for name in ('slip_ratio', 'sinkage_total', 'normal_load')]
        slip, sinkage, load = state.parts.table[:, columns].T
        return np.concatenate((slip, sinkage, load / self._wheel_weight))

    def heights(self, base: BodyState) -> Floats:
        """Return heights of the surface ahead relative to the base [m], shape (POSTS, POSTS).

        Rows are 0 to WINDOW ahead of the base, columns from the right to the left of it, along its heading.
        """
        yaw = rotation.yaw(base.orientation)
        ahead = np.linspace(0.0, WINDOW, POSTS)[:, None]
        left = np.linspace(-0.5 * WINDOW, 0.5 * WINDOW, POSTS)[None, :]
        x = base.position[0] + math.cos(yaw) * ahead - math.sin(yaw) * left
        y = base.position[1] + math.sin(yaw) * ahead + math.cos(yaw) * left
        return np.asarray(self.simulation.terrain.grid.levels(x, y), dtype=np.float64) - float(base.position[2])

    def put(self, draws: Draws, options: Mapping[str, Any], pose: Callable[[int], tuple[float, float, float]]) -> None:
        """Place the vehicle at rest, at the pose of the options or at the first free one of those drawn.

        Args:
            draws: Random numbers of the episode.
            options: Options of ``reset``: ``position`` x, y [m] and ``heading_deg``.
            pose: Function that returns x, y [m] and heading [rad] of a number of attempts.

        Raises:
            ValueError: If the given pose, or all drawn ones, are not free.
        """
        simulation, problem = self.simulation, ''
        given = 'position' in options
        for attempt in range(1 if given else _PLACES):
            x, y, heading = pose(attempt)
            if given:
                x, y = (float(value) for value in options['position'])
            if 'heading_deg' in options:
                heading = math.radians(float(options['heading_deg']))
            try:
                simulation.move(self.name, simulation.pose_on_ground(self.name, x, y, heading), self.fresh)
                return
            except ValueError as error:
                problem = str(error)
        raise ValueError(f'reset: no free start: {problem}')
