# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Vector environment of several vehicles far apart in one world."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regolith_bringup import gym
from regolith_bringup.gym.environment import VEHICLE, spaces_of
from regolith_bringup.gym.registration import CONTROL_S
from regolith_bringup.gym.requirement import load_gymnasium
from regolith_bringup.gym.task import Draws, Observation, Task
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario

if TYPE_CHECKING:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
else:
    gymnasium = load_gymnasium()
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

PITCH_M = 30.0
"""Distance of the centers of the vehicles' areas [m]: they do not reach each other."""


class SharedWorldVectorEnv(VectorEnv[Observation, NDArray[Any], NDArray[Any]]):
    """Vector environment whose vehicles share one simulation, and so its process and its ground.

    An episode that ended begins again at the next step (``NEXT_STEP``): the vehicle is placed at a new start, and its
    action is ignored. The soil keeps all ruts until :meth:`reset`, which restores the state of t = 0 for all.
    """

    metadata: dict[str, Any] = {'render_modes': [], 'autoreset_mode': AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 4,
        task: str = 'DriveToGoal',
        *,
        scenario: str | Path | None = None,
        control_s: float = CONTROL_S,
        max_episode_steps: int = 600,
        threads: int = 1,
    ) -> None:
        """Load the world.

        Args:
            num_envs: Number of vehicles.
            task: Name of a task without a camera.
            scenario: Path or name of a scenario with one vehicle ``rover``, which is copied; None: that of the task.
            control_s: Simulated time of a step of the environment [s].
            max_episode_steps: Number of steps after which an episode is truncated.
            threads: Number of threads that compute vehicles. The result does not depend on it.

        Raises:
            InputError: If the scenario is not valid.
        """
        kind: type[Task] = getattr(gym, task)
        path = kind.scenario if scenario is None else scenario
        entry = load_scenario(path).scenario.vehicles[VEHICLE].model_dump(mode='json', exclude_unset=True)
        side = math.ceil(math.sqrt(num_envs))
        centers = [(PITCH_M * (k % side), PITCH_M * (k // side)) for k in range(num_envs)]
        names = [f'{VEHICLE}_{k:02d}' for k in range(num_envs)]
        fleet = {name: {**entry, 'position': list(center)} for name, center in zip(names, centers, strict=True)}
        size = 2.0 * PITCH_M * (side + 1)
        self.simulation = Simulation.load(
            path, [f'vehicles={json.dumps(fleet)}', f'terrain.map_size_m={size}'], threads=threads
        )
        self._tasks = [kind(self.simulation, name, center) for name, center in zip(names, centers, strict=True)]
        self.simulation.world.hold()
        self._start = self.simulation.checkpoint()
        for each in self._tasks:
            each.fresh = self._start.blobs[each.name]
        self.num_envs, self._control_s, self._limit = num_envs, control_s, max_episode_steps
        self.single_observation_space, self.single_action_space = spaces_of(kind)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seed = 0
        self._episodes, self._steps = [0] * num_envs, [0] * num_envs
        self._ended = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode of every vehicle on undisturbed soil; see Gymnasium.

        Args:
            seed: Seed of all vehicles, whose draws differ by their names; None: the next episodes of the last seed.
            options: Options of the task, without those of a pose.

        Raises:
            ValueError: If ``seed`` is a list, or an option would place all vehicles at one pose.
        """
        if isinstance(seed, list):
            raise ValueError('reset: seed is a list; allowed: one number, as the vehicles share one world')
        for key in ('position', 'goal', 'reset_mask'):
            if key in (options or {}):
                raise ValueError(f'reset: option {key}: is not for a shared world; allowed: heading_deg')
        super().reset(seed=seed)
        if seed is not None:
            self._seed, self._episodes = seed, [0] * self.num_envs
        else:
            self._episodes = [episode + 1 for episode in self._episodes]
        self.simulation.go_to(self._start)
        self._ended[:] = False
        self._steps = [0] * self.num_envs
        for k in range(self.num_envs):
            self._begin(k, options)
        return self._stack([task.observation(self.simulation.observe(task.name)) for task in self._tasks]), {}

    def _begin(self, k: int, options: dict[str, Any] | None = None) -> None:
        task = self._tasks[k]
        task.start(Draws(self._seed, task.name, self._episodes[k]), options or {})

    def _stack(self, found: list[Observation]) -> Observation:
        return {name: np.stack([each[name] for each in found]) for name in self._tasks[0].observed}

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Advance all vehicles by one step of the environment; see Gymnasium."""
        begins = self._ended.copy()
        for k, task in enumerate(self._tasks):
            if begins[k]:
                self._episodes[k], self._steps[k] = self._episodes[k] + 1, 0
                self._begin(k)
            else:
                self._steps[k] += 1
                task.act(actions[k])
        self.simulation.run(self.simulation.world.t_ns * 1e-9 + self._control_s, self._after_step)
        rewards, terminated = np.zeros(self.num_envs), np.zeros(self.num_envs, bool)
        observations: list[Observation] = []
        infos: dict[str, Any] = {}
        for k, task in enumerate(self._tasks):
            if begins[k]:
                state = self.simulation.observe(task.name)
                task.begin(state)
                observations.append(task.observation(state))
                continue
            observation, outcome = task.finish_step()
            observations.append(observation)
            rewards[k], terminated[k] = outcome.reward, outcome.terminated
            infos = self._add_info(infos, outcome.info, k)
        truncated = ~terminated & (np.array(self._steps) >= self._limit)
        self._ended = terminated | truncated
        return self._stack(observations), rewards, terminated, truncated, infos

    def _after_step(self) -> None:
        for task in self._tasks:
            task.after_step()

    @property
    def state_hash(self) -> str:
        """State hash of the simulation after its last step."""
        return self.simulation.world.state_hash
