# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Process of a participant that writes soil, such as rigid bodies: it has a copy of the soil like a vehicle."""

from __future__ import annotations

from dataclasses import replace

from rclpy.node import Node
from regolith_msgs.msg import TerrainDeltaBatch, TerrainUpdate

from regolith_terrain import TerrainConfig
from regolith_terrain.ros import protocol_codec
from regolith_terrain.scenario_bodies import BodiesParticipant
from regolith_terrain.updates import SoilDelta
from regolith_vehicles.agent.vehicle_group import VehicleGroup
from regolith_vehicles.ros.state_service import create_place_service
from regolith_world import ScenarioHead, WorldConfig, load_section
from regolith_world.cycle import participant_types
from regolith_world.ros import (
    ParticipantHost,
    declare_parameter,
    declare_scenario,
    qos,
    run_participant,
)


class BodiesNode:
    """Node of the participant that its parameter names."""

    def __init__(self) -> None:
        self.node = node = Node('bodies')
        scenario_file = declare_scenario(node)
        name = declare_parameter(
            node, 'participant', 'bodies', 'Name of the participant and of its section in the scenario.'
        )
        head = load_section(scenario_file, '', ScenarioHead)
        world = load_section(scenario_file, 'world', WorldConfig)
        terrain = load_section(scenario_file, 'terrain', TerrainConfig)
        kind = participant_types()[name]
        self.shell = host = ParticipantHost(node, world)
        self._deltas = host.link.create_publisher(TerrainDeltaBatch, host.world('terrain/delta'), qos.PROTOCOL)
        host.watch([self._deltas])
        section = load_section(scenario_file, name, kind.section)
        self._ground = VehicleGroup(
            host.group, terrain, world, head.seed, send_deltas=self._send_deltas, bodies=section
        )
        sections = {'world': world, 'terrain': terrain, 'objects': head.objects}
        site = replace(head.site(), sections=sections, soil=lambda: self._ground.ground_access(name))
        participant = kind.participant(name, section, site, host.group.receive)
        participant.warm_up()
        host.add(participant)
        if isinstance(participant, BodiesParticipant):
            create_place_service(node, participant, host.run_id)
        host.load_terrain = self._ground.load_terrain
        host.take_update = lambda update: self._ground.take_update(protocol_codec.UPDATE.from_message(update))
        host.inbox.subscribe(TerrainUpdate, host.world('terrain/update'), self._on_update, qos.PROTOCOL, raw=True)

    def _on_update(self, message: bytes) -> None:
        self._ground.take_update(protocol_codec.UPDATE.unpack(message))

    def _send_deltas(self, deltas: list[SoilDelta]) -> None:
        self.shell.send(self._deltas, protocol_codec.DELTAS.pack(deltas, run_id=self.shell.run_id))


def main() -> None:
    """Run the process of the participant."""
    run_participant(BodiesNode)


if __name__ == '__main__':
    main()
