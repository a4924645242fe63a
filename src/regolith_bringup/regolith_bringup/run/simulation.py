# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Complete scenario in one process without ROS.

A run here has the same state hash as the same scenario in many processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from regolith_bringup.run.environment_pinning import check_pinned
from regolith_bringup.scenario.in_process_simulation import InProcessSimulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.schema import Scenario
from regolith_terrain.scenario_bodies import BodiesParticipant
from regolith_vehicles.agent import DEEP_M, VehicleState
from regolith_vehicles.commands import DriveCommand
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

    def run(self, until_s: float, after_step: Callable[[], None] | None = None) -> str:
        """Step to a simulated time, hold there, and return the state hash.

        The last cycle ends at that time. Where cycles are shorter than ``world.max_step_s`` (contacts, ropes, cables,
        platforms), this adds an end of a cycle, so ``run(2)`` and then ``run(4)`` may give another state hash than
        ``run(4)``. Steps of ``simulation.world.step(end_ns)`` with the end of the whole run end no cycle early.

        Args:
            until_s: Simulated time [s].
            after_step: Function that is called after each step.
        """
        end_ns = round(until_s * 1e9)
        while self.world.t_ns < end_ns:
            self.world.step(end_ns)
            if after_step is not None:
                after_step()
        self.world.hold()
        return self.world.state_hash

    # -- vehicles from outside --------------------------------------------------------------------------

    def act(self, name: str, command: DriveCommand) -> None:
        """Give a vehicle the live input of its next cycle, as its command topics do.

        Args:
            name: Name of a vehicle with driver ``external``.
            command: Command of one command interface, and joint targets.

        Raises:
            ValueError: If the driver receives no commands, or the vehicle rejects the command or a joint target.
        """
        agent = self.agents[name]
        if not agent.driver.wants_live_input:
            driver = agent.entry.driver.type
            raise ValueError(f'vehicles.{name}.driver.type = {driver}: receives no commands; allowed: external')
        problem = agent.inputs.set_command(replace(command, joints={}))
        if command.joints and not problem:
            problem = agent.inputs.set_joint_targets(command.joints)
        if problem:
            raise ValueError(f'{name}: {problem}')
        self._branch()

    def _branch(self) -> None:
        """Discard what was computed after the present state before :meth:`go_to`: another future begins."""
        self.world.log.cut(self.world.cycle, self.world.acts)

    def observe(self, name: str) -> VehicleState:
        """Return the committed state of a vehicle. Call it after :meth:`run`."""
        return self.agents[name].vehicle_state(self.world.t_ns)

    def pose_on_ground(self, name: str, x: float, y: float, heading: float) -> BodyState:
        """Return the state in which a vehicle rests at a position, without a change of the simulation.

        Wheels are on the plane of best fit, as deep in the soil as at the start of the scenario, springs as now.

        Args:
            name: Name of the vehicle.
            x: Position of the base along x in the world frame [m].
            y: Position of the base along y in the world frame [m].
            heading: Heading of the base's x axis, from the world's x axis toward y [rad].
        """
        vehicle = self.agents[name].vehicle
        position, orientation = vehicle.pose_on_ground(x, y, heading)
        position[2] += self.start_heights[name]
        rest = np.zeros(3)
        return replace(
            vehicle.body_state(),
            position=position,
            orientation=orientation,
            linear_velocity=rest,
            angular_velocity=rest,
        )

    def move(self, name: str, body: BodyState, state: bytes | None = None) -> None:
        """Set pose and velocity of a vehicle between cycles, as service ``set_entity_state`` does.

        Args:
            name: Name of the vehicle.
            body: New pose and velocity.
            state: State that the vehicle has otherwise, from :attr:`Checkpoint.blobs`; None: wheels, joints, payloads,
                charge and driver stay as they are.

        Raises:
            ValueError: If the vehicle would intersect an object, a rock or an obstacle, or be below the ground. It is
                then where it was.
        """
        agent = self.agents[name]
        before = agent.save()
        self._branch()
        self.world.place(name, body)
        self.world.await_state(name)
        try:
            if state is not None:
                agent.restore(state, self.world.epoch)
            self.place(name, body)
            deep = agent.vehicle.depth_in_solids()
            if deep > DEEP_M:
                raise ValueError(f'{name}: penetrates an obstacle by {deep:.2g} m; allowed: up to {DEEP_M:g} m')
        except ValueError:
            agent.restore(before, self.world.epoch)
            raise
        finally:
            self.world.hold()  # sets its state

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
