# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The terrain node: merges soil changes of the agents, publishes the result and serves terrain queries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rclpy.node import Node
from regolith_msgs.msg import TerrainDelta, TerrainDeltaBatch, TerrainUpdate
from regolith_msgs.srv import Join

from regolith_terrain.config import TerrainConfig
from regolith_terrain.grid.merge import SoilDelta, SoilUpdate
from regolith_terrain.height_field_builder import build_height_field
from regolith_terrain.ros import message_conversion, record_codec
from regolith_terrain.ros.map_topics import MapTopics
from regolith_terrain.ros.services import create_height_service, create_state_service
from regolith_terrain.terrain_participant import TerrainParticipant
from regolith_world import ScenarioHead, WorldConfig, load_section
from regolith_world.cycle import Cycle
from regolith_world.ros import ParticipantHost, cycle_record, declare_scenario, qos, run_participant


class TerrainNode:
    """ROS node around :class:`~regolith_terrain.terrain_participant.TerrainParticipant`."""

    def __init__(self) -> None:
        self.node = Node('terrain')
        node = self.node
        scenario_file = declare_scenario(node)
        head = load_section(scenario_file, '', ScenarioHead)
        config = load_section(scenario_file, 'terrain', TerrainConfig)
        world_config = load_section(scenario_file, 'world', WorldConfig)
        self.shell = ParticipantHost(node, world_config, lambda name: name)
        self._update = self.shell.link.create_publisher(TerrainUpdate, 'terrain/update', qos.PROTOCOL)
        self.authority = TerrainParticipant(
            config,
            build_height_field(config, head.seed),
            self.shell.send_result,
            self._send_update,
            name='terrain',
            gravity_mps2=world_config.gravity_mps2,
        )
        # In a world without vehicles no node publishes deltas. A vehicle that joins later waits for this subscription.
        for kind, topic, read in (
            (TerrainDelta, 'terrain/delta', lambda message: [record_codec.delta_record(message)]),
            (TerrainDeltaBatch, 'terrain/delta_batch', record_codec.delta_batch_records),
        ):
            self.shell.inbox.subscribe(
                kind,
                topic,
                partial(self._on_deltas, read),
                qos.PROTOCOL,
                optional=not head.vehicles,
                raw=True,
                one_of='deltas',
            )
        self.shell.attach(self.authority, self._restore, self._replay)
        self.shell.watch([self._update])
        create_height_service(node, self.authority.grid)
        create_state_service(node, self.authority, self.shell.run_id)
        self._map = MapTopics(node, self.authority.grid)
        self.authority.on_shown = self._show

    def _send_update(self, update: SoilUpdate) -> None:
        if not self.shell.muted:
            self.shell.send(self._update, record_codec.update_bytes(update, self.shell.run_id))

    def _on_deltas(self, read: Callable[[bytes], list[SoilDelta]], message: bytes) -> None:
        for delta in read(message):
            self.authority.on_delta(delta)

    def _show(self, cycle: Cycle) -> None:
        if not self.shell.muted:
            self._map.publish(cycle.t_ns, cycle.bodies)

    def _restore(self, state: bytes, soil: bytes, epoch: int) -> str:
        self.authority.restore(state, epoch)
        return self.authority.grid.soil_hash()

    def _replay(self, past: Join.Response) -> None:
        updates = {u.key: u for u in map(message_conversion.update_record, past.updates)}
        for cycle in map(cycle_record, past.cycles):
            self.authority.on_cycle(cycle)
            if cycle.key in updates:
                self.authority.accept_update(updates[cycle.key])


def main() -> None:
    """Run the terrain node."""
    run_participant(TerrainNode)


if __name__ == '__main__':
    main()
