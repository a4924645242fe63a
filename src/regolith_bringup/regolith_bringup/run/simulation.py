# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Complete scenario in one process without ROS.

A run here has the same state hash as the same scenario in many processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from regolith_bringup.run.environment_pinning import check_pinned
from regolith_bringup.scenario.in_process_simulation import InProcessSimulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.schema import Scenario
from regolith_terrain.scenario_bodies import BodiesParticipant
from regolith_vehicles.agent import VehicleState
from regolith_world.checkpoint import WORLD_BLOB, Checkpoint, InputHistory
from regolith_world.cycle import TERRAIN_NAME, BodyState, SpawnedObject
from regolith_world.numerics import announce_compilation


class Simulation(InProcessSimulation):
    """Scenario with all participants that can be run and saved. Arguments as in :class:`InProcessSimulation`.

    Raises:
        InputError: If ``cross_machine`` is guaranteed and this process is not pinned.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        threads: int = 1,
        publish: Callable[[str, VehicleState], None] | None = None,
    ) -> None:
        check_pinned(scenario)
        super().__init__(scenario, threads=threads, publish=publish)

    @classmethod
    def load(
        cls, path_or_name: str | Path, overrides: Iterable[str] = (), *, seed: int | None = None, threads: int = 1
    ) -> Simulation:
        """Return the checked simulation of a scenario given by file or name.

        Args:
            path_or_name: Path of a YAML file, or name of a scenario.
            overrides: Settings ``a.b=value`` with the value in YAML.
            seed: Seed that replaces the one of the file.
            threads: Number of threads that compute vehicles. The result does not depend on it.

        Raises:
            InputError: If the scenario is not valid.
        """
        scenario = load_scenario(path_or_name, overrides, seed=seed).scenario
        with announce_compilation():
            return cls(scenario, threads=threads)

    def run(self, until_s: float) -> str:
        """Step to a simulated time, hold there, and return the state hash.

        The last cycle ends at that time. Where cycles are shorter than ``world.max_step_s`` (contacts, ropes, cables,
        platforms), this adds an end of a cycle, so ``run(2)`` and then ``run(4)`` may give another state hash than
        ``run(4)``. Steps of ``simulation.world.step(end_ns)`` with the end of the whole run end no cycle early.

        Args:
            until_s: Simulated time [s].
        """
        end_ns = round(until_s * 1e9)
        while self.world.t_ns < end_ns:
            self.world.step(end_ns)
        self.world.hold()
        return self.world.state_hash

    # -- checkpoints (implements Populace of regolith_world.timeline) -----------------------------------

    def save(self, names: tuple[str, ...]) -> dict[str, bytes]:
        """Return the serialized state of each participant."""
        participants = self.participants
        return {name: participants[name].save() for name in names}

    def restore(self, blobs: Mapping[str, bytes], epoch: int, inputs: Mapping[str, bytes]) -> None:
        """Set the states of these participants, terrain first."""
        participants = self.participants
        for name in (n for n in participants if n in blobs):
            if name not in self.agents:
                participants[name].restore(blobs[name], epoch)
            else:
                self._restore_agent(name, blobs[name], blobs[TERRAIN_NAME], epoch)
            participants[name].replay_inputs = InputHistory.decode(inputs[name]) if name in inputs else {}

    def revive(self, name: str, blob: bytes, terrain_state: bytes, epoch: int, inputs: bytes) -> None:
        """Set the state of a vehicle that was not in the simulation."""
        self._restore_agent(name, blob, terrain_state, epoch)
        self.agents[name].replay_inputs = InputHistory.decode(inputs) if inputs else {}

    def _restore_agent(self, name: str, blob: bytes, terrain_state: bytes, epoch: int) -> None:
        self.vehicles.load_terrain(name, terrain_state, epoch)
        self.agents[name].restore(blob, epoch)

    def place(self, name: str, body: BodyState) -> None:
        """Set pose and velocity of a vehicle.

        Args:
            name: Name of the vehicle.
            body: New pose and velocity.

        Raises:
            ValueError: If the vehicle cannot be there.
        """
        self.agents[name].set_state(body)

    def check_place(self, name: str, body: SpawnedObject) -> None:
        """Check that a rigid body can begin at a state.

        Args:
            name: Name of the participant of rigid bodies.
            body: The body at this state.

        Raises:
            ValueError: If it would begin in the ground or in a solid.
        """
        participant = self.others[name]
        if isinstance(participant, BodiesParticipant):
            participant.check_place(body)

    def checkpoint(self) -> Checkpoint:
        """Return the committed state of all participants. Call it after :meth:`run`."""
        blobs = self.save(tuple(sorted(self.world.participants)))
        return Checkpoint(self.world.t_ns, self.world.state_hash, {WORLD_BLOB: self.world.save(), **blobs})

    def go_to(self, saved: Checkpoint) -> None:
        """Continue from a checkpoint of this simulation, or of a run in many processes."""
        self.world.load(saved.blobs[WORLD_BLOB])
        self.restore({n: b for n, b in saved.blobs.items() if n != WORLD_BLOB}, self.world.epoch, {})
