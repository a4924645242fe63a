# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Process of empty agents: ``python3 -m regolith_bringup.bench.empty_agent_node SCENARIO NAME...``.

Agents of one process share their soil copy and messages, like vehicles.
"""

from __future__ import annotations

import sys

from rclpy.node import Node
from regolith_msgs.msg import TerrainDeltaBatch, TerrainUpdate

from regolith_bringup.bench.empty_agent import EmptyAgent
from regolith_terrain import TerrainConfig, build_height_field
from regolith_terrain.grid import SoilGrid
from regolith_terrain.ros import protocol_codec
from regolith_terrain.updates import SoilCopy, SoilDelta
from regolith_world import ScenarioHead, WorldConfig, load_section
from regolith_world.ros import ParticipantHost, named_node, qos, run_participant


class EmptyAgentNode:
    """Empty agents with the topics and services of the vehicle protocol."""

    def __init__(self, scenario_file: str, names: list[str]) -> None:
        """Create the nodes. The agents join when the node runs."""
        world = load_section(scenario_file, 'world', WorldConfig)
        terrain = load_section(scenario_file, 'terrain', TerrainConfig)
        field = build_height_field(terrain, load_section(scenario_file, '', ScenarioHead).seed)
        node = Node('agent', namespace=names[0])
        self.shell = host = ParticipantHost(node, world, '/regolith')
        self._deltas = host.link.create_publisher(TerrainDeltaBatch, host.world('terrain/delta'), qos.PROTOCOL)
        host.watch([self._deltas])
        self._kept: list[SoilDelta] = []
        self._soil = SoilCopy(SoilGrid(field, terrain.spacing_m, terrain.law), node.get_name())
        host.group.terrain_copies.append(self._soil)
        host.group.on_evolved = self._send_deltas
        for name in names:
            send = host.group.receive, self._kept.append
            agent = EmptyAgent(name, terrain, field, world.gravity_mps2, *send, self._soil.grid)
            if name == names[0]:
                host.add(agent)
                continue
            own = named_node('agent', f'/{name}', start_parameter_services=False, enable_rosout=False)
            host.executor.add_node(own)
            host.nodes.append(own)
            host.add(agent, own)
        host.inbox.subscribe(TerrainUpdate, host.world('terrain/update'), self._on_update, qos.PROTOCOL, raw=True)

    def _on_update(self, message: bytes) -> None:
        self._soil.receive(protocol_codec.UPDATE.unpack(message))
        self.shell.group.retry_deferred()

    def _send_deltas(self) -> None:
        if self._kept:
            self.shell.send(self._deltas, protocol_codec.DELTAS.pack(self._kept, run_id=self.shell.run_id))
            self._kept.clear()


if __name__ == '__main__':
    run_participant(lambda: EmptyAgentNode(sys.argv[1], sys.argv[2:]))
