# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Node of one vehicle."""

from __future__ import annotations

from rclpy.node import Node
from regolith_msgs.msg import TerrainDelta, TerrainUpdate
from regolith_msgs.srv import Join

from regolith_terrain import TerrainParticipant
from regolith_terrain.grid import SoilDelta
from regolith_terrain.ros import create_height_service, message_conversion, record_codec
from regolith_vehicles.agent.agent_factory import AgentFactory
from regolith_vehicles.agent.state_streams import STREAMS
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.ros.state_service import create_state_service
from regolith_vehicles.ros.vehicle_topics import VehicleTopics
from regolith_world.ros import (
    ParticipantHost,
    StartupError,
    cycle_record,
    cycle_result_record,
    declare_parameter,
    declare_scenario,
    qos,
    root_namespace,
    run_participant,
)


class AgentNode:
    """Node with topics, services and parameters of :class:`~regolith_vehicles.agent.agent.VehicleAgent`."""

    def __init__(self) -> None:
        self.node = Node('agent')
        node = self.node
        scenario_file = declare_scenario(node)
        name = declare_parameter(node, 'vehicle', '', 'Name of the vehicle in the scenario.')
        below = f'{root_namespace(node)}/regolith'
        world_namespace = declare_parameter(node, 'world_namespace', below, 'Namespace of the world node.')
        followed = declare_parameter(
            node,
            'lossless_streams',
            [''],
            f'Streams of which subscribers must receive every message, of {", ".join(STREAMS)}.',
        )
        site = AgentFactory(scenario_file)
        if name not in site.head.vehicles:
            known = ', '.join(sorted(site.head.vehicles)) or 'none, the scenario has no vehicles'
            raise StartupError(f'agent: parameter vehicle is {name!r}; allowed: {known} (of {scenario_file})')
        self.shell = ParticipantHost(node, site.world, lambda topic: f'{world_namespace}/{topic}')
        self._delta = self.shell.link.create_publisher(TerrainDelta, self.shell.world('terrain/delta'), qos.PROTOCOL)
        self.agent = site.agent(name, self.shell.send_result, self._send_delta, self._publish)
        self.agent.warm_up()
        self.topics = VehicleTopics(node, self.agent, site.head.seed)
        self.topics.listen(self.shell.inbox, self.shell.link)
        self.shell.inbox.subscribe(
            TerrainUpdate, self.shell.world('terrain/update'), self._on_update, qos.PROTOCOL, raw=True
        )
        endpoint = self.shell.attach(self.agent, self._restore, self._replay, self._adopt)
        self.shell.watch([self._delta, *self.topics.followed(filter(None, followed))])
        assert self.agent.grid is not None
        create_height_service(node, self.agent.grid)
        create_state_service(node, self.agent, endpoint, self.shell.run_id)

    def _publish(self, snapshot: VehicleState) -> None:
        if not self.shell.muted:
            self.topics.publish(snapshot)

    def _send_delta(self, delta: SoilDelta) -> None:
        if not self.shell.muted:
            self.shell.send(self._delta, record_codec.delta_bytes(delta, self.shell.run_id))

    def _on_update(self, message: bytes) -> None:
        self.agent.on_update(record_codec.update_record(message))

    def _adopt(self, soil: bytes) -> None:
        assert self.agent.soil is not None
        soil_seq, ground = TerrainParticipant.unpack(soil)
        self.agent.soil.load(ground, soil_seq)
        self.agent.place_at_start()

    def _restore(self, state: bytes, soil: bytes, epoch: int) -> str:
        assert self.agent.soil is not None
        soil_seq, ground = TerrainParticipant.unpack(soil)
        self.agent.soil.load(ground, soil_seq)
        self.agent.restore(state, epoch)
        return self.agent.soil_hash()

    def _replay(self, past: Join.Response) -> None:
        self.agent.replay_inputs = {a.key.cycle: bytes(a.live_inputs) for a in map(cycle_result_record, past.results)}
        for update in map(message_conversion.update_record, past.updates):
            self.agent.on_update(update)
        for cycle in map(cycle_record, past.cycles):
            self.agent.on_cycle(cycle)
        self.agent.replay_inputs = {}


def main() -> None:
    """Run the agent node."""
    run_participant(AgentNode)


if __name__ == '__main__':
    main()
