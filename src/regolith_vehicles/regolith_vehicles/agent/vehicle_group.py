# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicles of one process: they share the data of the scenario, the copy of the soil and the messages to terrain.

Other participants that write soil, such as bodies, use the same copy and the same messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

from regolith_terrain import HeightField, TerrainConfig, TerrainParticipant, build_height_field
from regolith_terrain.bodies import BodiesConfig
from regolith_terrain.grid import SoilGrid
from regolith_terrain.scenario_bodies import GroundAccess
from regolith_terrain.solids import Solids
from regolith_terrain.updates import SoilCopy, SoilDelta, SoilUpdate
from regolith_vehicles.agent.agent import VehicleAgent
from regolith_vehicles.agent.energy_use import surroundings_of
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.contact.static_obstacles import build_solids
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.energy.vehicle_energy import Surroundings
from regolith_world import WorldConfig
from regolith_world.cycle import ParticipantGroup


class VehicleGroup:
    """Vehicle agents of one process, with their soil and their soil changes.

    Args:
        participants: Participants of the process, to which the vehicles belong.
        terrain: Section ``terrain`` of the scenario.
        world: Section ``world`` of the scenario.
        seed: Seed of the scenario.
        send_deltas: Sends the soil changes of all vehicles in one attempt to terrain, in name order.
        publish: ``publish(name, state)`` is called with every committed state of a vehicle; None: no states are made.
        field: Height field of the undisturbed terrain; None: it is built.
        grid: Committed soil of a terrain participant in this process; None: the vehicles follow the updates of terrain.
        bodies: Section ``bodies`` of the scenario; None: it has no rigid bodies on the ground.
        scenario: Function that returns the root keys of the resolved scenario, for vehicles with energy.
    """

    def __init__(
        self,
        participants: ParticipantGroup,
        terrain: TerrainConfig,
        world: WorldConfig,
        seed: int,
        *,
        send_deltas: Callable[[list[SoilDelta]], None],
        publish: Callable[[str, VehicleState], None] | None = None,
        field: HeightField | None = None,
        grid: SoilGrid | None = None,
        bodies: BodiesConfig | None = None,
        scenario: Callable[[], Mapping[str, Any]] = lambda: {'vehicles': {}},
    ) -> None:
        self.agents: dict[str, VehicleAgent] = {}
        """Agents by name, in the order of :meth:`add`."""
        self.field = build_height_field(terrain, seed) if field is None else field
        """Height field of the undisturbed terrain."""
        self._participants, self._terrain, self._world, self._seed = participants, terrain, world, seed
        self._send_deltas, self._publish = send_deltas, publish
        self._deltas: dict[str, SoilDelta] = {}
        self._grid, self._bodies, self._scenario = grid, bodies, scenario
        # Without compaction transfer every vehicle has different soil and needs its own copy.
        self._copies: dict[str, SoilCopy] = {}
        participants.on_evolved = self._hand_over

    @cached_property
    def solids(self) -> Solids | None:
        """Static obstacles; None: none exist."""
        return build_solids(self._terrain, self._seed, self.field, self._bodies)

    @cached_property
    def _surroundings(self) -> Surroundings:
        """Surroundings of the vehicles with panels, loads or thermal nodes."""
        return surroundings_of(self._scenario, self.solids)

    def add(self, name: str, entry: VehicleEntry, epoch: int = 0) -> VehicleAgent:
        """Make the agent of a vehicle and return it. The caller adds it to the participants.

        Args:
            name: Name of the vehicle in the scenario.
            entry: Section of the vehicle in the scenario.
            epoch: Initial epoch of the protocol.

        Raises:
            ValueError: If the vehicle cannot be built.
        """
        model, mjcf_path = load_vehicle_model(entry.model)
        copy = self._copy_for(name, epoch)
        grid = self._grid if copy is None else copy.grid
        assert grid is not None
        agent = VehicleAgent(
            name,
            entry,
            model,
            mjcf_path,
            self._terrain,
            self.field,
            self._world.gravity_mps2,
            self._participants.receive,
            self._take_delta,
            grid=grid,
            soil_hash=None if copy is None else copy.soil_hash,
            publish=None if self._publish is None else partial(self._publish, name),
            epoch=epoch,
            solids=self.solids,
            bodies=self._bodies,
        )
        if agent.vehicle.energy is not None:
            agent.vehicle.energy.show(agent.looks)
            agent.vehicle.energy.surroundings = self._surroundings
        self.agents[name] = agent
        return agent

    def ground_access(self, name: str, epoch: int = 0) -> GroundAccess:
        """Return the ground for another participant of the process that writes soil.

        Args:
            name: Name of the participant.
            epoch: Initial epoch of the protocol.
        """
        copy = self._copy_for(name, epoch)
        grid = self._grid if copy is None else copy.grid
        assert grid is not None
        return GroundAccess(
            self._terrain,
            grid,
            grid.soil_hash if copy is None else copy.soil_hash,
            self._world.gravity_mps2,
            self.solids,
            self._take_delta,
        )

    def remove(self, name: str) -> None:
        """Remove a vehicle that left the run."""
        del self.agents[name]
        if not self._terrain.merge_compaction:
            self._participants.terrain_copies.remove(self._copies.pop(name))

    def _copy_for(self, name: str, epoch: int) -> SoilCopy | None:
        """Return the copy of the soil for a vehicle from an epoch on; None: it uses that of the terrain participant."""
        merged = self._terrain.merge_compaction
        if merged and self._grid is not None:
            return None
        owner = '' if merged else name
        if owner not in self._copies:
            grid = SoilGrid(self.field, self._terrain.spacing_m, self._terrain.law)
            self._copies[owner] = SoilCopy(grid, name, merged, epoch)
            self._participants.terrain_copies.append(self._copies[owner])
        return self._copies[owner]

    def take_update(self, update: SoilUpdate) -> None:
        """Process terrain's merge of an attempt; it can arrive before or after the verdict."""
        for copy in self._copies.values():
            copy.receive(update)
        if update.grants:
            for agent in self.agents.values():
                agent.on_update(update)
        if self._copies:
            self._participants.retry_deferred()

    def load_terrain(self, name: str, terrain_state: bytes, epoch: int) -> None:
        """Load a saved state of terrain for a vehicle.

        Args:
            name: Name of the vehicle.
            terrain_state: Bytes of :meth:`regolith_terrain.TerrainParticipant.save`.
            epoch: Epoch of the records that follow.
        """
        copy = self._copy_for(name, epoch)
        if copy is not None:
            copy.load(*TerrainParticipant.unpack(terrain_state), epoch)

    def _take_delta(self, delta: SoilDelta) -> None:
        self._deltas[delta.agent] = delta

    def _hand_over(self) -> None:
        deltas, self._deltas = self._deltas, {}
        if deltas:
            self._send_deltas([deltas[name] for name in sorted(deltas)])
