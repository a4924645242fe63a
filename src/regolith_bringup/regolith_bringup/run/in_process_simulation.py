# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""World and participants of a scenario in one process without ROS, connected by function calls.

The participants are the same objects as in the nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from regolith_bringup.run.environment_pinning import check_pinned
from regolith_bringup.scenario.participant_sections import participant_context, sections
from regolith_bringup.scenario.schema import Scenario
from regolith_terrain import TerrainParticipant, build_height_field
from regolith_terrain.grid import SoilCopy, SoilDelta, SoilGrid, SoilUpdate
from regolith_vehicles import VehicleEntry, load_vehicle_model
from regolith_vehicles.agent import VehicleAgent, VehicleState
from regolith_vehicles.contact import build_solids
from regolith_world import World
from regolith_world.cycle import LocalTransport, Participant
from regolith_world.objects import make_objects


class InProcessSimulation:
    """World, terrain, vehicles and other participants of a scenario. The world is :attr:`world`.

    Args:
        scenario: Resolved scenario.
        threads: Number of threads that compute vehicles. The result does not depend on it.
        publish: Callback ``publish(name, snapshot)`` for every committed vehicle state.

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
        self.scenario, self._publish = scenario, publish
        config = scenario.terrain
        field = build_height_field(config, scenario.seed)
        self.bus = LocalTransport(threads)
        self.world = World(scenario.world, make_objects(scenario.objects, scenario.world.gravity_mps2), self.bus)
        self.terrain = TerrainParticipant(
            config, field, self.bus.receive, self._on_update, gravity_mps2=scenario.world.gravity_mps2
        )
        self.agents: dict[str, VehicleAgent] = {}
        self.on_delta: Callable[[SoilDelta], None] = lambda delta: None
        """Callback for every soil delta, in name order."""
        self.on_update: Callable[[SoilUpdate], None] = lambda update: None
        """Callback for every soil update."""
        self._deltas: dict[str, SoilDelta] = {}
        self._take_in(self.terrain)
        self.others: dict[str, Participant] = {}
        """Registered participants in name order."""
        site = replace(participant_context(scenario), ground=lambda: field)
        for name, (kind, section) in sections(scenario).items():
            self.others[name] = kind.participant(name, section, site, self.bus.receive)
            self._take_in(self.others[name])
        self._field = field
        self._solids = build_solids(config, scenario.seed, field) if scenario.vehicles else None
        for name, entry in sorted(scenario.vehicles.items()):
            self.add_vehicle(name, entry)
        self.bus.between(self._hand_over)

    def add_vehicle(self, name: str, entry: VehicleEntry) -> VehicleAgent:
        """Add a vehicle in state HOLD and return it.

        Args:
            name: Name of the vehicle.
            entry: Section of the vehicle.

        Raises:
            regolith_world.world.AdmissionError: If it would intersect other objects.
            ValueError: If it cannot be built.
        """
        scenario, config = self.scenario, self.scenario.terrain
        model, mjcf_path = load_vehicle_model(entry.model)
        if self._solids is None:
            self._solids = build_solids(config, scenario.seed, self._field)
        # Without compaction transfer, soil states differ between vehicles, so each vehicle needs its own copy.
        own = not config.merge_compaction
        agent = VehicleAgent(
            name,
            entry,
            model,
            mjcf_path,
            config,
            self._field,
            scenario.world.gravity_mps2,
            self.bus.receive,
            self._take_delta,
            soil=SoilCopy(SoilGrid(self._field, config.spacing_m, config.law), name, False) if own else None,
            grid=None if own else self.terrain.grid,
            publish=None if self._publish is None else partial(self._publish, name),
            solids=self._solids,
            epoch=self.world.epoch,
        )
        if agent.soil is not None and self.world.cycle:
            soil_seq, terrain_state = TerrainParticipant.unpack(self.terrain.save())
            agent.soil.load(terrain_state, soil_seq)
            agent.place_at_start()
        self._take_in(agent)
        self.agents[name] = agent
        return agent

    def discard_vehicle(self, name: str) -> None:
        """Remove a vehicle that is not in the simulation at present."""
        self.bus.disconnect(name)
        del self.agents[name]

    def _take_in(self, participant: Participant) -> None:
        request = participant.join_request()
        self.world.admit(request)
        self.bus.connect(participant, request.roles)

    @property
    def participants(self) -> dict[str, Participant]:
        """Participants of a cycle, by name."""
        return {self.terrain.name: self.terrain, **self.others, **self.agents}

    def _take_delta(self, delta: SoilDelta) -> None:
        self._deltas[delta.agent] = delta

    def _hand_over(self) -> None:
        deltas, self._deltas = self._deltas, {}
        for name in sorted(deltas):
            self.on_delta(deltas[name])
            self.terrain.on_delta(deltas[name])

    def _on_update(self, update: SoilUpdate) -> None:
        self.on_update(update)
        for name in sorted(self.agents):
            self.agents[name].on_update(update)
