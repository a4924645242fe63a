# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Process of empty agents: ``python3 -m regolith_bringup.bench.empty_agent_node SCENARIO NAME...``.

A single agent has its own soil copy and messages, like a vehicle in a separate process. Several agents share them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from rclpy.node import Node
from regolith_msgs.msg import TerrainDelta, TerrainDeltaBatch, TerrainUpdate

from regolith_bringup.bench.empty_agent import EmptyAgent
from regolith_terrain import TerrainConfig, build_height_field
from regolith_terrain.grid import SharedSoilCopy, SoilCopy, SoilDelta, SoilGrid
from regolith_terrain.ros import record_codec
from regolith_world import ScenarioHead, WorldConfig, load_section
from regolith_world.cycle import CycleResult, ParticipantGroup
from regolith_world.ros import ParticipantHost, named_node, qos, run_participant


class EmptyAgentNode:
    """Empty agents with the topics and services of the vehicle protocol."""

    def __init__(self, scenario_file: str, names: list[str]) -> None:
        """Create the nodes. The agents join when the node runs."""
        world = load_section(scenario_file, 'world', WorldConfig)
        terrain = load_section(scenario_file, 'terrain', TerrainConfig)
        field = build_height_field(terrain, load_section(scenario_file, '', ScenarioHead).seed)
        grid = SoilGrid(field, terrain.spacing_m, terrain.law)
        alone = len(names) == 1
        node = Node('agent', namespace=names[0]) if alone else Node(f'fleet_{names[0]}', namespace='regolith')
        self.shell = shell = ParticipantHost(node, world, lambda topic: f'/regolith/{topic}', group=not alone)
        kind, topic = (TerrainDelta, 'terrain/delta') if alone else (TerrainDeltaBatch, 'terrain/delta_batch')
        self._deltas = shell.link.create_publisher(kind, shell.world(topic), qos.PROTOCOL)
        shell.watch([self._deltas])
        self._kept: list[SoilDelta] = []
        made = partial(EmptyAgent, terrain=terrain, field=field, gravity_mps2=world.gravity_mps2)
        if alone:
            soil = SoilCopy(grid, names[0])
            agent = made(names[0], send_result=shell.send_result, send_delta=self._send_delta, soil=soil)
            self._subscribe(lambda message: agent.on_update(record_codec.update_record(message)))
            shell.attach(agent, lambda state, terrain_state, epoch: '', lambda past: None)
            return
        shared = SharedSoilCopy(grid, node.get_name())
        group = ParticipantGroup(self._send, shared)

        def follow(message: bytes) -> None:
            shared.receive(record_codec.update_record(message))
            group.retry_stashed()

        self._subscribe(follow)
        endpoints = []
        for name in names:
            agent = made(name, send_result=group.receive, send_delta=self._kept.append, grid=grid)
            group.add(agent)
            own = named_node('agent', f'/{name}', start_parameter_services=False, enable_rosout=False)
            shell.executor.add_node(own)
            shell.nodes.append(own)
            endpoints.append(
                shell.make_endpoint(own, agent, lambda state, terrain_state, epoch: '', lambda terrain_state: None)
            )
        shell.attach_group(group, endpoints, lambda pasts: None)

    def _subscribe(self, on_update: Callable[[bytes], None]) -> None:
        shell = self.shell
        shell.inbox.subscribe(TerrainUpdate, shell.world('terrain/update'), on_update, qos.PROTOCOL, raw=True)

    def _send_delta(self, delta: SoilDelta) -> None:
        self.shell.send(self._deltas, record_codec.delta_bytes(delta, self.shell.run_id))

    def _send(self, results: list[CycleResult]) -> None:
        if self._kept:
            self.shell.send(self._deltas, record_codec.delta_batch_bytes(self._kept, self.shell.run_id))
            self._kept.clear()
        self.shell.send_batch(results)


if __name__ == '__main__':
    run_participant(lambda: EmptyAgentNode(sys.argv[1], sys.argv[2:]))
