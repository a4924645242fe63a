# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""World and participants of a scenario in one process without ROS, connected by function calls.

The participants are the same objects as in the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from regolith_bringup.scenario.participant_sections import participant_context, sections
from regolith_bringup.scenario.schema import Scenario
from regolith_terrain import TerrainParticipant, build_height_field
from regolith_terrain.bodies import BodiesConfig
from regolith_terrain.updates import SoilDelta, SoilUpdate
from regolith_vehicles import VehicleEntry
from regolith_vehicles.agent import VehicleAgent, VehicleGroup, VehicleState
from regolith_world import AdmissionError, World
from regolith_world.cycle import Participant, ParticipantGroup
from regolith_world.numerics import rotation
from regolith_world.objects import make_objects


class InProcessSimulation:
    """World, terrain, vehicles and other participants of a scenario. The world is :attr:`world`.

    Args:
        scenario: Resolved scenario.
        threads: Number of threads that compute vehicles. The result does not depend on it.
        publish: Callback ``publish(name, snapshot)`` for every committed vehicle state.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        threads: int = 1,
        publish: Callable[[str, VehicleState], None] | None = None,
    ) -> None:
        self.scenario = scenario
        config = scenario.terrain
        field = build_height_field(config, scenario.seed)
        self.group = group = ParticipantGroup(threads)
        self.world = World(scenario.world, make_objects(scenario.objects, scenario.world.gravity_mps2), group)
        self.terrain = TerrainParticipant(
            config, field, group.receive, self._on_update, gravity_mps2=scenario.world.gravity_mps2
        )
        self.on_deltas: Callable[[list[SoilDelta]], None] = lambda deltas: None
        """Callback for the soil deltas of each attempt, in name order."""
        self.on_update: Callable[[SoilUpdate], None] = lambda update: None
        """Callback for every soil update."""
        self._take_in(self.terrain)
        self.start_heights: dict[str, float] = {}
        """Height of each vehicle at its start above its pose on the surface [m]: minus its static sinkage."""
        self.others: dict[str, Participant] = {}
        """Registered participants in name order."""
        registered = sections(scenario)
        self.vehicles = VehicleGroup(
            group,
            config,
            scenario.world,
            scenario.seed,
            send_deltas=self._hand_over,
            publish=publish,
            field=field,
            grid=self.terrain.grid,
            bodies=next((section for _, section in registered.values() if isinstance(section, BodiesConfig)), None),
            scenario=lambda: scenario.model_dump(mode='json'),
        )
        context = participant_context(scenario)
        for name, (kind, section) in registered.items():
            site = replace(context, ground=lambda: field, soil=partial(self.vehicles.ground_access, name))
            self.others[name] = kind.participant(name, section, site, group.receive)
            self._take_in(self.others[name])
        for name, entry in sorted(scenario.vehicles.items()):
            self.add_vehicle(name, entry)

    @property
    def agents(self) -> Mapping[str, VehicleAgent]:
        """Vehicle agents by name."""
        return self.vehicles.agents

    def add_vehicle(self, name: str, entry: VehicleEntry) -> VehicleAgent:
        """Add a vehicle in state HOLD and return it.

        Args:
            name: Name of the vehicle.
            entry: Section of the vehicle.

        Raises:
            regolith_world.world.AdmissionError: If it would intersect other objects.
            ValueError: If it cannot be built.
        """
        agent = self.vehicles.add(name, entry, self.world.epoch)
        if self.world.cycle:
            self.vehicles.load_terrain(name, self.terrain.save(), self.world.epoch)
            agent.start_on_terrain()
        try:
            self._take_in(agent)
        except AdmissionError:
            self.vehicles.remove(name)
            raise
        x, y, z = agent.start.position.tolist()
        surface, _ = agent.vehicle.pose_on_ground(x, y, rotation.yaw(agent.start.orientation))
        self.start_heights[name] = z - float(surface[2])
        return agent

    def discard_vehicle(self, name: str) -> None:
        """Remove a vehicle that is not in the simulation at present."""
        self.group.remove(name)
        self.vehicles.remove(name)

    def _take_in(self, participant: Participant) -> None:
        self.world.admit(participant.join_request())
        self.group.add(participant)

    @property
    def participants(self) -> dict[str, Participant]:
        """Participants of a cycle, by name."""
        return {self.terrain.name: self.terrain, **self.others, **self.agents}

    def _hand_over(self, deltas: list[SoilDelta]) -> None:
        self.on_deltas(deltas)
        for delta in deltas:
            self.terrain.on_delta(delta)

    def _on_update(self, update: SoilUpdate) -> None:
        self.on_update(update)
        self.vehicles.take_update(update)
