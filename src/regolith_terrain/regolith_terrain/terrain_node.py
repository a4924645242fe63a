# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The terrain node: merges soil changes of the agents, publishes the result and serves terrain queries."""

from __future__ import annotations

from rclpy.node import Node
from regolith_msgs.msg import TerrainCommitted, TerrainDeltaBatch, TerrainUpdate

from regolith_terrain.config import TerrainConfig
from regolith_terrain.height_field_builder import build_height_field
from regolith_terrain.ros import protocol_codec
from regolith_terrain.ros.map_topics import MapTopics
from regolith_terrain.ros.services import create_edit_service, create_height_service, create_state_service
from regolith_terrain.terrain_participant import TerrainParticipant
from regolith_terrain.updates.committed_soil import SoilCommit
from regolith_terrain.updates.merge import SoilUpdate
from regolith_world import ScenarioHead, WorldConfig, load_section
from regolith_world.cycle import Cycle
from regolith_world.ros import ParticipantHost, declare_scenario, qos, run_participant


class TerrainNode:
    """ROS node around :class:`~regolith_terrain.terrain_participant.TerrainParticipant`."""

    def __init__(self) -> None:
        self.node = Node('terrain')
        node = self.node
        scenario_file = declare_scenario(node)
        head = load_section(scenario_file, '', ScenarioHead)
        config = load_section(scenario_file, 'terrain', TerrainConfig)
        world_config = load_section(scenario_file, 'world', WorldConfig)
        self.shell = host = ParticipantHost(node, world_config)
        self._update = host.link.create_publisher(TerrainUpdate, 'terrain/update', qos.PROTOCOL)
        self._committed = host.link.create_publisher(TerrainCommitted, 'terrain/committed', qos.PROTOCOL)
        self.authority = TerrainParticipant(
            config,
            build_height_field(config, head.seed),
            host.group.receive,
            self._send_update,
            name='terrain',
            gravity_mps2=world_config.gravity_mps2,
        )
        # In a world without vehicles no node publishes deltas. A vehicle that joins later waits for this subscription.
        host.inbox.subscribe(
            TerrainDeltaBatch, 'terrain/delta', self._on_deltas, qos.PROTOCOL, optional=not head.vehicles, raw=True
        )
        host.take_update = lambda update: self.authority.replay_update(protocol_codec.UPDATE.from_message(update))
        host.add(self.authority)
        host.watch([self._update])
        create_height_service(node, self.authority.grid)
        create_state_service(node, self.authority, host.run_id)
        create_edit_service(node, self.authority)
        self._map = MapTopics(node, self.authority.grid)
        self.authority.on_shown = self._show
        self.authority.on_committed = self._send_committed

    def _send_update(self, update: SoilUpdate) -> None:
        self.shell.send(self._update, protocol_codec.UPDATE.pack(update, run_id=self.shell.run_id))

    def _send_committed(self, commit: SoilCommit) -> None:
        if self._committed.get_subscription_count():
            self.shell.send(self._committed, protocol_codec.COMMITTED.pack(commit, run_id=self.shell.run_id))

    def _on_deltas(self, message: bytes) -> None:
        for delta in protocol_codec.DELTAS.unpack(message):
            self.authority.on_delta(delta)

    def _show(self, cycle: Cycle) -> None:
        if not self.shell.muted:
            self._map.publish(cycle.t_ns, cycle.bodies)


def main() -> None:
    """Run the terrain node."""
    run_participant(TerrainNode)


if __name__ == '__main__':
    main()
