# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""World, terrain, vehicles and participants in one process, with the same topics and services as in many processes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from regolith_msgs.msg import Cycle, CycleResultBatch, TerrainCommitted, TerrainDeltaBatch, TerrainUpdate

from regolith_bringup.run.process_allocation import usable_cores
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.participant_sections import sections
from regolith_bringup.scenario.schema import Scenario
from regolith_sensors.config import lossless_streams, scenario_sensors
from regolith_terrain.ros import MapTopics, create_edit_service, create_height_service, create_state_service
from regolith_terrain.ros import protocol_codec as soil_codec
from regolith_vehicles import VehicleEntry, topics_without_values
from regolith_vehicles.agent import VehicleAgent, VehicleState
from regolith_vehicles.ros import VehicleTopics
from regolith_world import (
    MAX_SENSOR_LAG_DESCRIPTION,
    REMOTE_NODES_DESCRIPTION,
    WAIT_FOR_RECORDER_DESCRIPTION,
    AdmissionError,
    load_section,
    watchdog,
)
from regolith_world.cycle import CycleResult as CycleResultRecord
from regolith_world.cycle import Participant, ParticipantType
from regolith_world.ros import (
    WAIT_REPORT_S,
    Announcement,
    CheckpointServices,
    EntityServices,
    Inbox,
    MessageCodec,
    PoseServices,
    RemoteNodes,
    Runner,
    SimulationServices,
    StartupNotice,
    StartupTimeout,
    declare_parameter,
    declare_run_id,
    declare_scenario,
    helper_node,
    named_node,
    protocol_codec,
    qos,
    root_namespace,
    run_process,
)


class SingleProcessNode:
    """Publishers and run loop of a :class:`~regolith_bringup.run.simulation.Simulation`."""

    def __init__(self) -> None:
        node = Node('world', namespace='regolith')
        self._run_id = declare_run_id(node)
        scenario_file = declare_scenario(node)
        run_dir = declare_parameter(node, 'run_dir', '', 'run folder; empty: write no files')
        alive = watchdog.Alive(Path(run_dir) / watchdog.FILE) if run_dir else None
        self._restore_from = declare_parameter(
            node, 'restore_from', '', 'checkpoint folder to continue from; empty: start at t = 0'
        )
        recorded = declare_parameter(node, 'wait_for_recorder', False, WAIT_FOR_RECORDER_DESCRIPTION)
        lag_s = declare_parameter(node, 'max_sensor_lag_s', -1.0, MAX_SENSOR_LAG_DESCRIPTION)
        self._followed: list[Any] = []
        scenario = load_section(scenario_file, '', Scenario)
        namespace = node.get_namespace()
        link = helper_node(node, 'link')
        remote_nodes = declare_parameter(node, 'remote_nodes', [''], REMOTE_NODES_DESCRIPTION)
        self._remote = RemoteNodes(link, remote_nodes, scenario_file, run_dir)
        self._announcement = Announcement(node, link, self._run_id, scenario.name, self._remote)
        self._timeout_s = scenario.world.start_timeout_s
        self._starting = StartupNotice(link, 'starting')
        # One thread publishes while others compute, even with few vehicles. More threads than cores disturb each other.
        threads = max(2, min(len(scenario.vehicles), usable_cores()))
        self.simulation = simulation = Simulation(scenario, threads=threads, publish=self._publish)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(node)
        self.inbox = Inbox(link, self._run_id)
        self._cycle = link.create_publisher(Cycle, 'cycle', qos.PROTOCOL)
        self._results = link.create_publisher(CycleResultBatch, 'cycle_result', qos.PROTOCOL)
        self._deltas = link.create_publisher(TerrainDeltaBatch, 'terrain/delta', qos.PROTOCOL)
        self._update = link.create_publisher(TerrainUpdate, 'terrain/update', qos.PROTOCOL)
        self._committed = link.create_publisher(TerrainCommitted, 'terrain/committed', qos.PROTOCOL)
        simulation.group.on_record = lambda c: self._publish_record(self._cycle, protocol_codec.CYCLE, c)
        simulation.group.on_results = self._collect
        simulation.group.meanwhile = self._publish_kept
        simulation.on_deltas = lambda d: self._publish_record(self._deltas, soil_codec.DELTAS, d)
        simulation.on_update = lambda u: self._publish_record(self._update, soil_codec.UPDATE, u)
        simulation.terrain.on_committed = lambda c: self._publish_record(self._committed, soil_codec.COMMITTED, c)
        terrain_node = named_node('terrain', namespace)
        create_height_service(terrain_node, simulation.terrain.grid)
        create_state_service(terrain_node, simulation.terrain, self._run_id)
        create_edit_service(terrain_node, simulation.terrain)
        terrain_map = MapTopics(terrain_node, simulation.terrain.grid)
        simulation.terrain.on_shown = lambda cycle: terrain_map.publish(cycle.t_ns, cycle.bodies)
        self.executor.add_node(terrain_node)
        self.nodes = [node, link, terrain_node]
        self._news: list[Callable[[], None]] = []
        self._kept: list[tuple[Any, MessageCodec, Any]] = []
        self._snapshots: list[tuple[str, VehicleState]] = []
        self._ready: list[tuple[str, VehicleState]] = []
        self._topics: dict[str, VehicleTopics] = {}
        sensors = scenario_sensors(scenario) if lag_s >= 0.0 else ()
        particles = {region.vehicle for region in scenario.terrain.owned_regions()}
        absent = {name: topics_without_values(agent.vehicle.gear) for name, agent in simulation.agents.items()}
        wheeled = {name for name, topics in absent.items() if 'wheel_states' not in topics}
        followed = lossless_streams(sensors, simulation.agents, particles, wheeled)
        for name, agent in simulation.agents.items():
            agent.warm_up()
            self._show(name, agent, followed[name])
        for name, (kind, _) in sections(scenario).items():
            self._open(name, kind, namespace)
        self.runner = Runner(
            node,
            self.executor,
            simulation.world,
            simulation,
            run_dir=Path(run_dir) if run_dir else None,
            alive=alive,
            scenario=scenario.name,
            processes='one',
            duration_s=declare_parameter(
                node, 'duration_s', 0.0, 'simulated time at which the run ends [s]; 0: no end'
            ),
            inbox=self.inbox,
            recorded=recorded,
            max_sensor_lag_s=lag_s,
            observers=self._cycle.get_subscription_count,
            at_standstill=self._publish_kept,
        )
        self.runner.on_release = self._release
        self.services = SimulationServices(node, self.runner, simulation.world, scenario.name)
        self.entities = EntityServices(node, self.runner, simulation.world, self._start_vehicle)
        self.past = CheckpointServices(node, self.runner, simulation.world)
        self.poses = PoseServices(node, scenario.named_poses)
        self.runner.paused = declare_parameter(node, 'start_paused', False, 'whether the world starts paused')

    def _show(self, name: str, agent: VehicleAgent, followed: Iterable[str]) -> None:
        """Create the node and topics of a vehicle."""
        vehicle = named_node('agent', f'{root_namespace(self.nodes[0])}/{name}')
        self._topics[name] = topics = VehicleTopics(vehicle, agent, self.simulation.scenario.seed, self.inbox)
        self._followed += topics.followed(followed)
        self.executor.add_node(vehicle)
        self.nodes += topics.nodes

    def _release(self, name: str) -> None:
        """Discard a vehicle that can no longer be restored, with its nodes, so that its name can be used again."""
        self.simulation.discard_vehicle(name)
        vehicle, link = self._topics.pop(name).nodes
        self.inbox.discard(link)
        self.executor.remove_node(vehicle)
        for node in (vehicle, link):
            self.nodes.remove(node)
            node.destroy_node()

    def _start_vehicle(self, name: str, entry: Mapping[str, Any]) -> Future:
        """Add a vehicle to the paused world, see :data:`regolith_world.ros.entity_services.StartVehicle`."""
        agent = self.simulation.add_vehicle(name, VehicleEntry.model_validate(dict(entry)))
        agent.warm_up()
        self._show(name, agent, ())
        come = Future()
        self.runner.on_joined(name, lambda: come.set_result(''))
        return come

    def _open(self, name: str, kind: ParticipantType[Any, Any], namespace: str) -> None:
        """Create the node and topics of a registered participant."""
        participant = self.simulation.others[name]
        participant.warm_up()
        node = named_node(name, namespace)
        kind.open_topics(node, self.inbox, participant, lambda action: self._tell_news(participant, action))
        self.executor.add_node(node)
        self.nodes.append(node)

    def _tell_news(self, participant: Participant, publish: Callable[[], None]) -> None:
        if not participant.silent:
            self._news.append(publish)

    def _publish_record(self, publisher: Any, codec: MessageCodec, record: Any) -> None:
        """Hold a protocol record back until the compiled loops of the vehicles leave the interpreter idle."""
        # Conversion is skipped without subscribers.
        if publisher.get_subscription_count():
            self._kept.append((publisher, codec, record))

    def _publish(self, name: str, snapshot: VehicleState) -> None:
        # Called from the thread that computes the vehicle.
        self._snapshots.append((name, snapshot))

    def _publish_kept(self) -> None:
        """Publish all held-back records in order."""
        kept, self._kept = self._kept, []
        for publisher, codec, record in kept:
            publisher.publish(codec.pack(record, run_id=self._run_id))
        news, self._news = self._news, []
        for publish in news:
            publish()
        for name, snapshot in sorted(self._ready, key=lambda item: (item[1].t_ns, item[0])):
            self._topics[name].publish(snapshot)
        self._ready = []

    def _collect(self, results: list[CycleResultRecord]) -> None:
        """Collect the snapshots of all threads at their end."""
        self._publish_record(self._results, protocol_codec.RESULTS, results)
        self._ready += self._snapshots
        self._snapshots = []

    def run(self) -> int:
        """Wait for recorder and sensors, run, and return the exit code."""
        self._starting.done()
        patience = StartupTimeout(self.nodes[0], 'starting', self._timeout_s)
        missing = self.runner.followers.missing
        next_word = time.monotonic() + WAIT_REPORT_S
        while (
            not self._announcement.alone()
            or missing()
            or not all(publisher.get_subscription_count() for publisher in self._followed)
        ):
            if self.runner.leaving.requested:
                return 0
            if (hint := self._remote.wait_for(missing())) and time.monotonic() > next_word:
                next_word = time.monotonic() + WAIT_REPORT_S
                self.nodes[0].get_logger().info(f'waiting for {", ".join(missing())}{hint}')
            if patience.left() < 0.0:
                print(f'{missing() or ["sensors"]} did not join within {self._timeout_s} s', file=sys.stderr)
                return 3
            self.executor.spin_once(timeout_sec=0.02)
            self.inbox.deliver()
        return self.runner.run(Path(self._restore_from) if self._restore_from else None)


def main() -> None:
    """Run all nodes in one process."""
    run_process(
        SingleProcessNode,
        SingleProcessNode.run,
        lambda made: made.nodes,
        refusals=(TimeoutError, AdmissionError),
        failed=3,
    )


if __name__ == '__main__':
    main()
