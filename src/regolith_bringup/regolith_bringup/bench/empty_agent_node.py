# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""An empty agent as a node: ``python3 -m regolith_bringup.bench.empty_agent_node SCENARIO NAME``."""

from __future__ import annotations

import sys

from rclpy.node import Node
from regolith_msgs.msg import TerrainDelta, TerrainUpdate

from regolith_bringup.bench.empty_agent import EmptyAgent
from regolith_terrain.config import TerrainConfig
from regolith_terrain.height_field import build_height_field
from regolith_terrain.ros import convert
from regolith_terrain.soil_copy import SoilCopy
from regolith_terrain.soil_grid import SoilGrid
from regolith_world.config import Head, WorldConfig, load_section
from regolith_world.ros import qos
from regolith_world.ros.participant_shell import ParticipantShell, run_participant


class EmptyAgentNode:
    """An empty agent with the topics and services of a vehicle's protocol."""

    def __init__(self, scenario_file: str, name: str) -> None:
        """Make the node, which joins in its run."""
        world = load_section(scenario_file, 'world', WorldConfig)
        terrain = load_section(scenario_file, 'terrain', TerrainConfig)
        field = build_height_field(terrain, load_section(scenario_file, '', Head).seed)
        node = Node('agent', namespace=name)
        self.shell = ParticipantShell(node, world, lambda topic: f'/regolith/{topic}')
        deltas = self.shell.link.create_publisher(TerrainDelta, '/regolith/terrain/delta', qos.PROTOCOL)
        agent = EmptyAgent(
            name, terrain, field, world.gravity_mps2, self.shell.send_evolved,
            lambda delta: deltas.publish(convert.delta_message(delta)),
            SoilCopy(SoilGrid(field, terrain.spacing_m, terrain.law), name),
        )
        self.shell.inbox.subscribe(
            TerrainUpdate, '/regolith/terrain/update', lambda m: agent.on_update(convert.update_record(m)), qos.PROTOCOL
        )
        self.shell.attach(agent, lambda state, soil, epoch: '', lambda past: None)
        self.shell.watch([deltas])


if __name__ == '__main__':
    run_participant(lambda: EmptyAgentNode(*sys.argv[1:3]))
