# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Several vehicles in one process: each with its own node, topics and services, all with one copy of the soil.

They receive each cycle in one message and respond with one. Their soil changes are sent to terrain in one message.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from rclpy.node import Node
from regolith_msgs.msg import TerrainDeltaBatch, TerrainUpdate
from regolith_msgs.srv import Join

from regolith_terrain import TerrainParticipant
from regolith_terrain.grid import SharedSoilCopy, SoilDelta, SoilUpdate
from regolith_terrain.ros import create_height_service, message_conversion, record_codec
from regolith_vehicles.agent.agent import VehicleAgent
from regolith_vehicles.agent.agent_factory import AgentFactory
from regolith_vehicles.agent.state_streams import STREAMS
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.ros.state_service import create_state_service
from regolith_vehicles.ros.vehicle_topics import VehicleTopics
from regolith_world.cycle import CycleResult, ParticipantGroup
from regolith_world.ros import (
    ParticipantEndpoint,
    ParticipantHost,
    StartupError,
    cycle_record,
    cycle_result_record,
    declare_parameter,
    declare_scenario,
    helper_node,
    named_node,
    qos,
    root_namespace,
    run_participant,
)


class FleetNode:
    """Process with the nodes of several vehicles."""

    def __init__(self) -> None:
        self.node = node = Node('fleet', namespace='regolith')
        scenario_file = declare_scenario(node)
        names = sorted(
            filter(None, declare_parameter(node, 'vehicles', [''], 'Names of the vehicles in the scenario.'))
        )
        threads = declare_parameter(node, 'threads', 1, 'Number of threads for the compiled loops of the vehicles.')
        followed = declare_parameter(
            node,
            'lossless_streams',
            [''],
            f'Streams VEHICLE/STREAM of which subscribers must receive every message, of {", ".join(STREAMS)}.',
        )
        site = AgentFactory(scenario_file)
        unknown = [name for name in names if name not in site.head.vehicles]
        if unknown or not names:
            known = ', '.join(sorted(site.head.vehicles)) or 'none, the scenario has no vehicles'
            raise StartupError(
                f'fleet: parameter vehicles is {unknown or names}; allowed: {known} (of {scenario_file})'
            )
        self.shell = shell = ParticipantHost(node, site.world, lambda topic: topic, group=True)
        self._delta = shell.link.create_publisher(TerrainDeltaBatch, shell.world('terrain/delta_batch'), qos.PROTOCOL)
        shell.watch([self._delta])
        # Without compaction transfer every vehicle has different soil and needs its own copy.
        self._soil = SharedSoilCopy(site.grid(), node.get_name()) if site.terrain.merge_compaction else None
        self.group = ParticipantGroup(self._send, self._soil, threads)
        self.agents: dict[str, VehicleAgent] = {}
        self.topics: dict[str, VehicleTopics] = {}
        self._deltas: list[SoilDelta] = []
        self._snapshots: list[tuple[str, VehicleState]] = []
        streams = [stream.partition('/')[::2] for stream in followed if stream]
        endpoints = [
            self._make_endpoint(site, name, [s for vehicle, s in streams if vehicle == name]) for name in names
        ]
        shell.inbox.subscribe(TerrainUpdate, shell.world('terrain/update'), self._on_update, qos.PROTOCOL, raw=True)
        shell.attach_group(self.group, endpoints, self._replay)

    def _make_endpoint(self, site: AgentFactory, name: str, followed: list[str]) -> ParticipantEndpoint:
        """Make the endpoint of a vehicle with its node."""
        shell = self.shell
        node = named_node('agent', f'{root_namespace(self.node)}/{name}')
        link = helper_node(node, 'link')
        grid = None if self._soil is None else self._soil.grid
        agent = site.agent(name, self.group.receive, self._keep_delta, partial(self._keep, name), grid)
        agent.warm_up()
        self.agents[name] = agent
        self.topics[name] = VehicleTopics(node, agent, site.head.seed)
        self.topics[name].listen(shell.inbox, link)
        shell.watch(self.topics[name].followed(followed))
        assert agent.grid is not None
        create_height_service(node, agent.grid)
        shell.executor.add_node(node)
        shell.nodes += [node, link]
        self.group.add(agent)
        endpoint = shell.make_endpoint(node, agent, partial(self._restore, agent), partial(self._adopt, agent))
        create_state_service(node, agent, endpoint, shell.run_id)
        return endpoint

    # -- output ---------------------------------------------------------------------------------------------------

    def _keep_delta(self, delta: SoilDelta) -> None:
        self._deltas.append(delta)

    def _keep(self, name: str, snapshot: VehicleState) -> None:
        self._snapshots.append((name, snapshot))

    def _send(self, results: list[CycleResult]) -> None:
        """Send the results for one record, then publish the states that it committed."""
        deltas, self._deltas = sorted(self._deltas, key=lambda delta: delta.agent), []
        snapshots, self._snapshots = self._snapshots, []
        if self.shell.muted:
            return
        if deltas:
            self.shell.send(self._delta, record_codec.delta_batch_bytes(deltas, self.shell.run_id))
        self.shell.send_batch(results)
        for name, snapshot in snapshots:
            self.topics[name].publish(snapshot)

    # -- input ----------------------------------------------------------------------------------------------------

    def _on_update(self, message: bytes) -> None:
        self._take(record_codec.update_record(message))
        self.group.retry_stashed()

    def _take(self, update: SoilUpdate) -> None:
        if self._soil is not None:
            self._soil.receive(update)
        if self._soil is None or update.grants:
            for agent in self.agents.values():
                agent.on_update(update)

    def _adopt(self, agent: VehicleAgent, soil: bytes) -> None:
        self._load(agent, soil, agent.epoch)
        agent.place_at_start()

    def _restore(self, agent: VehicleAgent, state: bytes, soil: bytes, epoch: int) -> str:
        self._load(agent, soil, epoch)
        agent.restore(state, epoch)
        return agent.soil_hash()

    def _load(self, agent: VehicleAgent, soil: bytes, epoch: int) -> None:
        soil_seq, ground = TerrainParticipant.unpack(soil)
        if self._soil is not None:
            self._soil.load(soil_seq, ground, epoch)
        elif agent.soil is not None:
            agent.soil.load(ground, soil_seq)

    def _replay(self, pasts: Mapping[str, Join.Response]) -> None:
        for name, past in pasts.items():
            results = map(cycle_result_record, past.results)
            self.agents[name].replay_inputs = {a.key.cycle: bytes(a.live_inputs) for a in results}
        longest = max(pasts.values(), key=lambda past: len(past.cycles))
        for update in map(message_conversion.update_record, longest.updates):
            self._take(update)
        for cycle in map(cycle_record, longest.cycles):
            self.group.on_cycle(cycle)
        for name in pasts:
            self.agents[name].replay_inputs = {}


def main() -> None:
    """Run the process of the vehicles."""
    run_participant(FleetNode)


if __name__ == '__main__':
    main()
