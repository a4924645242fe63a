# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Process of one or more vehicles: each with its own node, topics and services, all with one copy of the soil.

They receive each cycle in one message and respond with one. Their soil changes are sent to terrain in one message.
"""

from __future__ import annotations

from rclpy.node import Node
from regolith_msgs.msg import TerrainDeltaBatch, TerrainUpdate

from regolith_terrain import TerrainConfig
from regolith_terrain.bodies import BodiesConfig
from regolith_terrain.ros import protocol_codec
from regolith_terrain.updates import SoilDelta
from regolith_vehicles.agent.state_streams import STREAMS
from regolith_vehicles.agent.vehicle_group import VehicleGroup
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.ros.state_service import create_state_service
from regolith_vehicles.ros.vehicle_topics import VehicleTopics
from regolith_world import ScenarioHead, WorldConfig, load_section
from regolith_world.ros import (
    ParticipantHost,
    StartupError,
    declare_parameter,
    declare_scenario,
    named_node,
    qos,
    root_namespace,
    run_participant,
)


class VehicleNode:
    """Node of the process. A single vehicle has no other node; several have further nodes ``/NAME/agent``."""

    def __init__(self) -> None:
        self.node = node = Node('agent')
        scenario_file = declare_scenario(node)
        given = declare_parameter(node, 'vehicles', [''], 'Names of the vehicles in the scenario.')
        names = sorted(filter(None, given))
        root = root_namespace(node)
        below = f'{root}/regolith'
        world_namespace = declare_parameter(node, 'world_namespace', below, 'Namespace of the world node.')
        threads = declare_parameter(node, 'threads', 1, 'Number of threads for the compiled loops of the vehicles.')
        lossless = declare_parameter(
            node,
            'lossless_streams',
            [''],
            f'Streams VEHICLE/STREAM of which subscribers must receive every message, of {", ".join(STREAMS)}.',
        )
        head = load_section(scenario_file, '', ScenarioHead)
        unknown = [name for name in names if name not in head.vehicles]
        if unknown or not names:
            known = ', '.join(sorted(head.vehicles)) or 'none, the scenario has no vehicles'
            raise StartupError(
                f'agent: parameter vehicles is {unknown or names}; allowed: {known} (of {scenario_file})'
            )
        world = load_section(scenario_file, 'world', WorldConfig)
        self.shell = host = ParticipantHost(node, world, world_namespace, threads)
        self._deltas = host.link.create_publisher(TerrainDeltaBatch, host.world('terrain/delta'), qos.PROTOCOL)
        host.watch([self._deltas])
        self.vehicles = VehicleGroup(
            host.group,
            load_section(scenario_file, 'terrain', TerrainConfig),
            world,
            head.seed,
            send_deltas=self._send_deltas,
            publish=self._keep,
            bodies=load_section(scenario_file, 'bodies', BodiesConfig) if 'bodies' in head.sections else None,
            scenario=lambda: {**head.sections, 'seed': head.seed, 'vehicles': head.vehicles},
        )
        self.topics: dict[str, VehicleTopics] = {}
        self._states: list[tuple[str, VehicleState]] = []
        for name in names:
            agent = self.vehicles.add(name, load_section(scenario_file, f'vehicles.{name}', VehicleEntry))
            agent.warm_up()
            own = node if len(names) == 1 else named_node('agent', f'{root}/{name}')
            topics = VehicleTopics(own, agent, head.seed, host.inbox, host.link if own is node else None)
            self.topics[name] = topics
            host.watch(topics.followed(s.removeprefix(f'{name}/') for s in lossless if s.startswith(f'{name}/')))
            if own is not node:
                host.executor.add_node(own)
                host.nodes += topics.nodes
            create_state_service(own, agent, host.add(agent, own), host.run_id)
        host.load_terrain = self.vehicles.load_terrain
        host.take_update = lambda update: self.vehicles.take_update(protocol_codec.UPDATE.from_message(update))
        host.on_sent = self._publish
        host.inbox.subscribe(TerrainUpdate, host.world('terrain/update'), self._on_update, qos.PROTOCOL, raw=True)

    def _on_update(self, message: bytes) -> None:
        self.vehicles.take_update(protocol_codec.UPDATE.unpack(message))

    def _send_deltas(self, deltas: list[SoilDelta]) -> None:
        self.shell.send(self._deltas, protocol_codec.DELTAS.pack(deltas, run_id=self.shell.run_id))

    def _keep(self, name: str, state: VehicleState) -> None:
        self._states.append((name, state))

    def _publish(self) -> None:
        """Publish the states that the last record committed."""
        states, self._states = self._states, []
        if not self.shell.muted:
            for name, state in states:
                self.topics[name].publish(state)


def main() -> None:
    """Run the process of the vehicles."""
    run_participant(VehicleNode)


if __name__ == '__main__':
    main()
