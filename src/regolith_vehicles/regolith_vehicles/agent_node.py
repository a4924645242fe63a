# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""One vehicle as a node."""

from __future__ import annotations

from rclpy.node import Node
from regolith_msgs.msg import TerrainDelta, TerrainUpdate
from regolith_msgs.srv import Join

from regolith_terrain.authority import TerrainAuthority
from regolith_terrain.merge import SoilDelta
from regolith_terrain.ros import convert, wire
from regolith_terrain.ros.services import offer_heights
from regolith_vehicles.ros.placing import offer_placing
from regolith_vehicles.ros.vehicle_topics import VehicleTopics
from regolith_vehicles.site import Site
from regolith_vehicles.snapshot import Snapshot
from regolith_vehicles.streams import STREAMS
from regolith_world.ros import qos
from regolith_world.ros.convert import cycle_record, evolved_record
from regolith_world.ros.leaving import BadStart
from regolith_world.ros.naming import root_of
from regolith_world.ros.parameters import declare, declare_scenario
from regolith_world.ros.participant_shell import ParticipantShell, run_participant


class AgentNode:
    """Topics, services and parameters around :class:`~regolith_vehicles.agent.VehicleAgent`."""

    def __init__(self) -> None:
        self.node = Node('agent')
        node = self.node
        scenario_file = declare_scenario(node)
        name = declare(node, 'vehicle', '', 'name of the vehicle in the scenario')
        below = f'{root_of(node)}/regolith'
        world_namespace = declare(node, 'world_namespace', below, 'where the topics of the world are')
        followed = declare(node, 'followed', [''], f'streams that sensors must not miss, of {", ".join(STREAMS)}')
        site = Site(scenario_file)
        if name not in site.head.vehicles:
            known = ', '.join(sorted(site.head.vehicles)) or 'none, the scenario has no vehicles'
            raise BadStart(f'agent: parameter vehicle is {name!r}; allowed: {known} (of {scenario_file})')
        self.shell = ParticipantShell(node, site.world, lambda topic: f'{world_namespace}/{topic}')
        self._delta = self.shell.link.create_publisher(TerrainDelta, self.shell.world('terrain/delta'), qos.PROTOCOL)
        self.agent = site.agent(name, self.shell.send_evolved, self._send_delta, self._publish)
        self.agent.warm_up()
        self.topics = VehicleTopics(node, self.agent, site.head.seed)
        self.topics.listen(self.shell.inbox, self.shell.link)
        self.shell.inbox.subscribe(
            TerrainUpdate, self.shell.world('terrain/update'), self._on_update, qos.PROTOCOL, raw=True
        )
        seat = self.shell.attach(self.agent, self._restore, self._replay, self._adopt)
        self.shell.watch([self._delta, *self.topics.followed(filter(None, followed))])
        assert self.agent.grid is not None
        offer_heights(node, self.agent.grid)
        offer_placing(node, self.agent, seat, self.shell.run_id)

    def _publish(self, snapshot: Snapshot) -> None:
        if not self.shell.muted:
            self.topics.publish(snapshot)

    def _send_delta(self, delta: SoilDelta) -> None:
        if not self.shell.muted:
            self.shell.send(self._delta, wire.delta_bytes(delta, self.shell.run_id))

    def _on_update(self, message: bytes) -> None:
        self.agent.on_update(wire.update_record(message))

    def _adopt(self, soil: bytes) -> None:
        assert self.agent.soil is not None
        soil_seq, ground = TerrainAuthority.unpack(soil)
        self.agent.soil.load(ground, soil_seq)
        self.agent.stand()

    def _restore(self, state: bytes, soil: bytes, epoch: int) -> str:
        assert self.agent.soil is not None
        soil_seq, ground = TerrainAuthority.unpack(soil)
        self.agent.soil.load(ground, soil_seq)
        self.agent.restore(state, epoch)
        return self.agent.soil_hash()

    def _replay(self, past: Join.Response) -> None:
        self.agent.replay_inputs = {a.key.cycle: bytes(a.live_inputs) for a in map(evolved_record, past.answers)}
        for update in map(convert.update_record, past.updates):
            self.agent.on_update(update)
        for cycle in map(cycle_record, past.cycles):
            self.agent.on_cycle(cycle)
        self.agent.replay_inputs = {}


def main() -> None:
    """Run the agent node."""
    run_participant(AgentNode)


if __name__ == '__main__':
    main()
