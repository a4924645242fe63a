# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Environment of Gymnasium: one task of one vehicle in one simulation in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.gym.requirement import load_gymnasium
from regolith_bringup.gym.task import BOUND, Draws, Observation, Task
from regolith_bringup.run.simulation import Simulation
from regolith_sensors.in_process import InProcessScene
from regolith_world.checkpoint import Checkpoint

if TYPE_CHECKING:
    import gymnasium
else:
    gymnasium = load_gymnasium()

VEHICLE = 'rover'
"""Name of the vehicle in the scenarios of the tasks."""


def spaces_of(task: type[Task], image: tuple[int, int] | None = None) -> tuple[Any, Any]:
    """Return the spaces of observations and actions of a task.

    Args:
        task: Type of the task.
        image: Height and width of the observed image [px]; None: there is none.
    """
    spaces: dict[str, gymnasium.spaces.Space[Any]] = {
        name: gymnasium.spaces.Box(-BOUND, BOUND, shape, np.float32) for name, shape in task.observed.items()
    }
    if image is not None:
        spaces['image'] = gymnasium.spaces.Box(0, 255, (*image, 1), np.uint8)
    return gymnasium.spaces.Dict(spaces), gymnasium.spaces.Box(-1.0, 1.0, (len(task.action_names),), np.float32)


@dataclass(frozen=True, slots=True)
class EnvCheckpoint:
    """State of an environment, for :meth:`RegolithEnv.restore`."""

    variant: int
    simulation: Checkpoint
    memory: Mapping[str, float]
    seed: int
    episode: int


class RegolithEnv(gymnasium.Env[Observation, NDArray[Any]]):
    """Environment with one task. Resets restore a checkpoint of t = 0 that is kept in memory.

    ``reset(seed=s)`` begins with episode 0 of seed s, further resets without a seed begin episodes 1, 2 and so
    on. Equal seeds and actions give bit-identical observations. Options of ``reset``: those of the task, and
    ``variant``.
    """

    metadata: dict[str, Any] = {'render_modes': ['rgb_array'], 'render_fps': 10}  # noqa: RUF012  as in the base class

    def __init__(
        self,
        task: type[Task],
        *,
        scenario: str | Path | None = None,
        variants: Sequence[Sequence[str]] = ((),),
        control_s: float = 0.1,
        camera: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Load the first variant.

        Args:
            task: Type of the task.
            scenario: Path or name of a scenario with a vehicle ``rover`` of driver ``external``; None: that of the
                task.
            variants: Settings ``a.b=value`` of each variant of the scenario, such as another soil or terrain seed. The
                seed selects the variant of an episode. Each is loaded when it is first selected, which takes about a
                second.
            control_s: Simulated time of a step of the environment [s].
            camera: Name of the camera of the vehicle that is observed as ``image``; None: no camera.
            render_mode: ``rgb_array``, or None.

        Raises:
            ImportError: If Gymnasium is not installed.
            InputError: If the scenario is not valid.
            ValueError: If another argument is not valid.
        """
        if render_mode not in (None, *self.metadata['render_modes']):
            raise ValueError(f'render_mode = {render_mode!r}: is unknown; allowed: rgb_array, None')
        if not 0.0 < control_s <= 10.0:
            raise ValueError(f'control_s = {control_s!r}: is out of range; allowed: above 0, up to 10')
        if not variants:
            raise ValueError('variants: is empty; allowed: at least one list of settings')
        self.render_mode = render_mode
        self._task_type, self._path = task, task.scenario if scenario is None else scenario
        self._variants, self._control_s, self._camera = tuple(map(tuple, variants)), control_s, camera
        self._loaded: dict[int, tuple[Task, Checkpoint]] = {}
        self._scenes: dict[int, InProcessScene] = {}
        self._variant, self._episode, self._seed = 0, -1, 0
        self._task, _ = self._load(0)
        image = None if camera is None else self._scene.image_size(camera)
        self.observation_space, self.action_space = spaces_of(task, image)

    def _load(self, variant: int) -> tuple[Task, Checkpoint]:
        """Return task and initial state of a variant."""
        if variant not in self._loaded:
            simulation = Simulation.load(self._path, self._variants[variant])
            if VEHICLE not in simulation.agents:
                names = ', '.join(simulation.agents) or 'none'
                raise ValueError(f'scenario {self._path}: vehicles are {names}; allowed: one named {VEHICLE}')
            simulation.world.hold()
            self._loaded[variant] = self._task_type(simulation, VEHICLE), simulation.checkpoint()
        return self._loaded[variant]

    @property
    def task(self) -> Task:
        """Task of the present variant."""
        return self._task

    @property
    def simulation(self) -> Simulation:
        """Simulation of the present variant."""
        return self._task.simulation

    @property
    def _scene(self) -> InProcessScene:
        """Scene of the present variant, built on first use."""
        if self._variant not in self._scenes:
            simulation = self.simulation
            self._scenes[self._variant] = InProcessScene(
                simulation.scenario, simulation.agents, simulation.terrain, simulation.world
            )
        return self._scenes[self._variant]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; see Gymnasium and the class.

        Raises:
            ValueError: If an option is invalid.
        """
        super().reset(seed=seed)
        begins = seed is not None or self._episode < 0
        self._episode = 0 if begins else self._episode + 1
        if begins:
            self._seed = int(self.np_random_seed)
        draws, given = Draws(self._seed, VEHICLE, self._episode), options or {}
        variant = int(given['variant']) if 'variant' in given else draws.integer('variant', len(self._variants))
        if not 0 <= variant < len(self._variants):
            raise ValueError(f'reset: variant = {variant}: is unknown; allowed: 0 to {len(self._variants) - 1}')
        self._enter(variant, None)
        self._task.start(draws, given)
        return self._observation(), {'variant': variant, 'seed': self._seed, 'episode': self._episode}

    def _enter(self, variant: int, saved: Checkpoint | None) -> None:
        """Restore a state of a variant; None: the initial state."""
        self._variant = variant
        self._task, start = self._load(variant)
        self.simulation.go_to(start if saved is None else saved)
        if variant in self._scenes:
            self._scenes[variant].rewind(self.simulation.world.t_ns)

    def _observation(self) -> Observation:
        state = self.simulation.observe(VEHICLE)
        return self._with_image(self._task.observation(state))

    def _with_image(self, found: Observation) -> Observation:
        if self._camera is None:
            return found
        self._scene.update(self.simulation.world.t_ns)
        return {**found, 'image': self._scene.image(self._camera)}

    def step(self, action: NDArray[Any]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Advance by one step of the environment; see Gymnasium. A time limit is that of the registration."""
        task, world = self._task, self.simulation.world
        task.act(action)
        self.simulation.run(world.t_ns * 1e-9 + self._control_s, task.after_step)
        observation, outcome = task.finish_step()
        return self._with_image(observation), outcome.reward, outcome.terminated, False, outcome.info

    def render(self) -> NDArray[np.uint8] | None:  # type: ignore[override]
        """Return an image of the vehicle from its side, shape (rows, columns, 3); None without a render mode."""
        if self.render_mode is None:
            return None
        self._scene.update(self.simulation.world.t_ns)
        return self._scene.side_view(VEHICLE)

    @property
    def state_hash(self) -> str:
        """State hash of the simulation after its last step."""
        return self.simulation.world.state_hash

    def checkpoint(self) -> EnvCheckpoint:
        """Return the state, for search methods. The elapsed time of a wrapper ``TimeLimit`` is not in it."""
        return EnvCheckpoint(
            self._variant, self.simulation.checkpoint(), dict(self._task.memory), self._seed, self._episode
        )

    def restore(self, saved: EnvCheckpoint) -> Observation:
        """Continue from a checkpoint of this environment or of an equal one; return the observation there."""
        self._enter(saved.variant, saved.simulation)
        self._task.memory = dict(saved.memory)
        self._seed, self._episode = saved.seed, saved.episode
        return self._observation()
