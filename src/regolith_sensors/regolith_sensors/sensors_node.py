# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Node of all sensors of a run: an observer that follows the world and renders every frame.

It publishes ``regolith/sensors/ack`` (regolith_msgs/SensorsAck, latched): the time up to which all frames are done. The
world runs at most ``max_sensor_lag_s`` ahead of this time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped
from pydantic import BaseModel
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from regolith_msgs.msg import Cycle, PartPoses, SensorsAck
from regolith_msgs.msg import VisualDescription as VisualDescriptionMessage
from sensor_msgs.msg import PointCloud2
from tf2_msgs.msg import TFMessage

from regolith_sensors import warm_up
from regolith_sensors.config.dust import DustConfig
from regolith_sensors.config.lighting import LightConfig, SpotlightConfig
from regolith_sensors.config.sensors import ResolvedSensor, scenario_sensors
from regolith_sensors.dust.dust_cloud import DustCloud
from regolith_sensors.latency import DeliveryQueue
from regolith_sensors.render_cost import SensorCost, describe_sensor_costs
from regolith_sensors.ros.dust_states import DustStates, create_lens_services, sensor_lenses
from regolith_sensors.ros.sensor_topics import SensorContext, SensorTopics
from regolith_sensors.scene.sensor_scene import SensorScene
from regolith_sensors.schedule import Schedule, ScheduledImage
from regolith_terrain import TerrainConfig
from regolith_terrain.bodies import BodiesConfig
from regolith_terrain.contact import SURFEL_TOPIC, surfels_record
from regolith_terrain.ros import SoilFollower
from regolith_vehicles import VehicleEntry, load_vehicle_model, unpublished_topics
from regolith_vehicles.energy import part_nodes
from regolith_vehicles.visuals import VisualDescription, state_values, visuals_from_message
from regolith_world import WorldConfig, load_section
from regolith_world.cycle import Command
from regolith_world.objects import object_visuals
from regolith_world.ros import (
    Inbox,
    ShutdownRequest,
    StartupNotice,
    StartupTimeout,
    WorldMonitor,
    clock_offset,
    declare_parameter,
    declare_run_id,
    declare_scenario,
    freeze_garbage_collector,
    helper_node,
    named_node,
    qos,
    quaternion_message,
    root_namespace,
    run_process,
    vector3_message,
)

_FLUSH_S = 2.0
"""Maximum wait for the states of the last frames after STOP [wall s]."""


class _Scenario(BaseModel):
    """The sections of a scenario that sensors need."""

    seed: int
    duration_s: float
    world: WorldConfig
    terrain: TerrainConfig
    light: LightConfig
    dust: DustConfig | None = None
    objects: dict[str, dict[str, Any]] = {}
    bodies: BodiesConfig | None = None
    vehicles: dict[str, VehicleEntry]


class SensorsNode:
    """The sensors node: follows cycles, terrain and vehicles, and renders frames."""

    def __init__(self) -> None:
        """Build the scenes and compile the kernels."""
        self.node = Node('sensors')
        scenario_file = declare_scenario(self.node)
        self._run_id = declare_run_id(self.node)
        self._returning = False
        """Whether a rewind is in progress."""
        self._dust: DustStates | None = None
        self._early: list[tuple[int, Callable[[], None]]] = []
        """States of epochs that have not begun in this process, as pairs of epoch and handler."""
        self._root = root = root_namespace(self.node)
        recorded = declare_parameter(
            self.node, 'recorded_topics', [''], 'topics that a recorder subscribes to, including the root of the run'
        )
        self._recorded = {f'{root}{topic}' for topic in recorded if topic}
        scenario = load_section(scenario_file, '', _Scenario)
        self._world_config = scenario.world
        sensors = scenario_sensors(scenario)
        link = helper_node(self.node, 'link')
        self.nodes = [self.node, link]
        self.inbox = Inbox(link, self._run_id)
        self._starting = StartupNotice(link, 'starting')
        self._ack = link.create_publisher(SensorsAck, 'sensors/ack', qos.LATCHED)
        self._emissivity: dict[str, list[float]] = {}
        """Emissivities of the parts of vehicles with thermal nodes, complete once their descriptions are known."""
        self.topics = self._make_topics(sensors, scenario)
        self._deliveries = DeliveryQueue()
        for topics in self.topics:
            topics.delay(self._deliveries)
        spans = [topics.span_ns for topics in self.topics]
        kept_ns = 2_000_000_000 + 2 * max(before + after for before, after in spans)
        self._leaving = ShutdownRequest()
        warm_up.main(scenario.light.ray_backend)
        looks = self._await_looks(sorted(scenario.vehicles))
        for name, entry in scenario.vehicles.items():
            config, _ = load_vehicle_model(entry.model)
            if config.thermal is not None:
                self._emissivity[name] = part_nodes(config, [part.name for part in looks[name].parts])[1]
        objects = object_visuals(scenario.objects, scenario.world.gravity_mps2)
        terrain, seed = scenario.terrain, scenario.seed
        dust = self._make_dust(scenario, sensors, looks)
        self.world = SensorScene(terrain, scenario.light, seed, looks, kept_ns, objects, scenario.bodies, dust)
        self.states = self.world.states
        self._views = self.world.views(topics.sensor.vehicle for topics in self.topics)
        self._seeing = {topics.sensor.vehicle for topics in self.topics if topics.sees}
        for name in sorted(self._seeing):
            # Tiles take seconds; built here, they do not delay a cycle.
            x, y = scenario.vehicles[name].position
            self._views[name].center_on((x, y, float(self.states.ground.grid.levels(x, y))))
        self._schedule = Schedule([t.sensor.frame_ns for t in self.topics], [span[1] for span in spans])
        self._costs: dict[str, SensorCost | None] | None = {}
        """Costs of the sensors that have rendered a frame; None: already logged."""
        self._acknowledged = (-1, -1)
        self._stopped = False
        self.inbox.subscribe(Cycle, 'cycle', self._on_cycle, qos.HISTORY)
        self._watch = WorldMonitor(self.node, 'starting')
        self._watch.follow(self.inbox, 'status')
        self._soil = SoilFollower(self.node, self.inbox, self.states.ground.soil, run=self._run_id, root=root)
        for name in sorted(looks):
            self._follow(name)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._static = self.node.create_publisher(TFMessage, f'{root}/tf_static', qos.LATCHED)
        frames = [t for s in sensors for t in static_transforms(s, looks[s.vehicle].parts[0].frame)]
        self._static.publish(TFMessage(transforms=frames))

    def _make_dust(
        self, scenario: _Scenario, sensors: tuple[ResolvedSensor, ...], looks: dict[str, VisualDescription]
    ) -> DustCloud | None:
        """Return the dust of the scenario, None if there is none."""
        run_dir = declare_parameter(self.node, 'run_dir', '', 'Folder of the run; empty: no files.')
        restore_from = declare_parameter(
            self.node, 'restore_from', '', 'Folder of the checkpoint to start from; empty: t = 0.'
        )
        if scenario.dust is None:
            return None
        gravity, lenses = scenario.world.gravity_mps2, sensor_lenses(sensors)
        cloud = DustCloud(scenario.dust, scenario.seed, gravity, looks, lenses)
        self._dust = DustStates(cloud, run_dir, restore_from)
        create_lens_services(self.node, self._root, cloud)
        return cloud

    def _await_looks(self, vehicles: list[str]) -> dict[str, VisualDescription]:
        """Return the visual descriptions that the vehicles publish.

        Raises:
            TimeoutError: If a description is missing.
        """
        looks: dict[str, VisualDescription] = {}

        def take(message: VisualDescriptionMessage) -> None:
            looks.setdefault(message.name, visuals_from_message(message))

        for name in vehicles:
            self.inbox.subscribe(VisualDescriptionMessage, f'{self._root}/{name}/visual_description', take, qos.LATCHED)
        self._starting.done()  # waiting for other nodes from here on
        max_exposure_s = self._world_config.start_timeout_s
        patience = StartupTimeout(self.node, 'starting', max_exposure_s)
        while len(looks) < len(vehicles):
            if self._leaving.requested:
                raise KeyboardInterrupt
            if patience.left() < 0.0:
                missing = ', '.join(name for name in vehicles if name not in looks)
                raise TimeoutError(f'sensors: no description of {missing} within {max_exposure_s} s')
            self.inbox.wait(0.02)
        self._starting = StartupNotice(self.nodes[1], 'starting')
        return looks

    def _make_topics(self, sensors: tuple[ResolvedSensor, ...], scenario: _Scenario) -> list[SensorTopics]:
        lamps = {
            name: {lamp: SpotlightConfig.model_validate(values) for lamp, values in sorted(entry.spotlights.items())}
            for name, entry in sorted(scenario.vehicles.items())
        }
        wheeled = frozenset(
            name
            for name, entry in scenario.vehicles.items()
            if 'wheel_states' not in unpublished_topics(*load_vehicle_model(entry.model))
        )
        made: list[SensorTopics] = []
        for sensor in sensors:
            node = named_node(
                sensor.name, f'{self._root}/{sensor.vehicle}', start_parameter_services=False, enable_rosout=False
            )
            self.nodes.append(node)
            context = SensorContext(
                node,
                self.inbox,
                scenario.seed,
                scenario.world.gravity_mps2,
                scenario.light,
                lamps,
                wheeled,
                scenario.duration_s,
                self._in_epoch,
                lambda: self.world.ground_temperatures(scenario.duration_s),
                self._emissivity,
                far_sun_at=lambda t_ns: self.world.sun_at(t_ns),
            )
            made.append(sensor.make_topics(context))
        return made

    # -- input --------------------------------------------------------------------------------------------------

    def _follow(self, vehicle: str) -> None:
        track = self.states.tracks[vehicle]

        def take(message: bytes) -> None:
            shown_ns, epoch, poses, temperatures = state_values(message)
            if len(poses) != len(track.parts):
                raise ValueError(f'{vehicle}: a state of {len(poses)} parts; its description has {len(track.parts)}')
            if len(temperatures):
                poses = np.column_stack((poses, temperatures))
            self._in_epoch(epoch, lambda: track.add(clock_offset.simulated_ns(shown_ns), poses))

        self.inbox.subscribe(PartPoses, f'{self._root}/{vehicle}/part_poses', take, qos.HISTORY, raw=True)
        if vehicle in self.states.particles:
            moving = self.states.particles[vehicle]

            def stir(message: PointCloud2) -> None:
                shown_ns, discs = surfels_record(message)
                moving.add(clock_offset.simulated_ns(shown_ns), discs)

            self.inbox.subscribe(PointCloud2, f'{self._root}/{vehicle}/{SURFEL_TOPIC}', stir, qos.HISTORY)

    def _in_epoch(self, epoch: int, take: Callable[[], None]) -> None:
        """Handle a state, at once or when its epoch begins in this process; states of past epochs are ignored."""
        if epoch == self.states.ground.epoch:
            take()
        elif epoch > self.states.ground.epoch:
            self._early.append((epoch, take))

    def _on_cycle(self, message: Cycle) -> None:
        ground, epoch = self.states.ground, int(message.key.epoch)
        if epoch < ground.epoch:
            return
        clock_offset.set_offset(message.clock_offset_ns)
        rewound = epoch != ground.epoch
        ground.on_cycle(epoch, message.t_ns)
        self.states.objects.add(message)
        self.states.participants = frozenset(message.participants)
        self._stopped = self._stopped or message.command == Command.STOP
        self._returning = self._returning or rewound
        if self._returning:
            # States before the rewind target remain valid.
            self._schedule.start(message.t_ns)
        if self._returning and not message.resimulating:
            self._returning = False
            self.states.discard_after(message.t_ns)
            if self._dust is not None and not self._dust.return_to(message.t_ns):
                lost = 'the dust in the air is not known: no state of this time is saved'
                self.node.get_logger().warning(f'{lost} ({message.t_ns * 1e-9:.3f} s)')
            for topics in self.topics:
                topics.discard_after(message.t_ns)
        if self._dust is not None and message.command == Command.HOLD and not message.resimulating:
            self._dust.hold(message.t_ns)
        if rewound:
            self._deliveries.clear()
            early, self._early = self._early, []
            for begins, take in early:
                self._in_epoch(begins, take)

    def _follow_dust(self) -> None:
        """Advance the dust up to the next frame, save it where the world holds, and serve requests to clean lenses."""
        if self._dust is None or self._returning:
            return
        committed_ns, due = self.states.ground.committed_ns, self._schedule.next()
        self.states.follow_dust(committed_ns if due is None else min(committed_ns, due.end_ns))
        if text := self._dust.left_out_text():
            self.node.get_logger().warning(text)
        self._dust.poll()
        self._executor.spin_once(timeout_sec=0.0)

    def _find_ground(self) -> None:
        """Request the complete soil after a missed change or a rewind."""
        if self.states.ground.lost:
            self._soil.poll()
            self._executor.spin_once(timeout_sec=0.02)

    # -- the loop -----------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Render frames until the world stops.

        Raises:
            TimeoutError: If there is no world.
        """
        self._wait_for_all()
        freeze_garbage_collector()
        self._ack.publish(SensorsAck(run_id=self._run_id, epoch=0, t_ns=-1))
        until = 0.0
        while not self._leaving.overdue:
            self.inbox.wait(0.02)
            self._watch.check()
            self._find_ground()
            self._follow_dust()
            self._make_frames()
            self._deliver()
            self._acknowledge()
            if self._stopped:
                until = until or time.monotonic() + _FLUSH_S
                if self._complete or time.monotonic() > until:
                    break
        if self._dust is not None:
            self._follow_dust()
            self._dust.write_summary()

    def _wait_for_all(self) -> None:
        self._starting.done()
        patience = StartupTimeout(self.node, 'starting', self._world_config.start_timeout_s)
        while not self._connected() or self.states.ground.lost:
            if self._leaving.requested:
                raise KeyboardInterrupt
            if patience.left() < 0.0:
                raise TimeoutError(f'sensors: connections incomplete after {self._world_config.start_timeout_s} s')
            self.inbox.wait(0.02)
            self._soil.poll()
            self._executor.spin_once(timeout_sec=0.0)

    def _connected(self) -> bool:
        if self.inbox.publishers() == 0 or self._ack.get_subscription_count() == 0:
            return False
        for topics in self.topics:
            for publisher in topics.publishers.values():
                if publisher.topic_name in self._recorded and publisher.get_subscription_count() == 0:
                    return False
        return True

    @property
    def _complete(self) -> bool:
        """Whether no further frame is possible."""
        due = self._schedule.next()
        return due is None or not self._possible(due)

    def _possible(self, due: ScheduledImage) -> bool:
        # Frames belong to the half-open interval from the start to the end of a run.
        return due.end_ns <= self.states.ground.committed_ns and due.t_ns < self.states.ground.committed_ns

    def _make_frames(self) -> None:
        """Render all frames whose states and terrain are available."""
        while (due := self._schedule.next()) is not None and self._possible(due):
            topics = self.topics[due.sensor]
            first_ns = due.t_ns - topics.span_ns[0]
            ground = self.states.ground
            if not ground.lost and max(first_ns, 0) < ground.valid_from_ns:
                # The required terrain is older than this process or than the checkpoint.
                self._schedule.done()
                continue
            if topics.sensor.vehicle not in self.states.participants:
                self._schedule.done()
                continue
            if not self.states.covers(first_ns, due.end_ns) or (topics.wanted and not topics.ready(due.t_ns)):
                return
            self.states.advance(due.end_ns)
            if ground.lost:
                return
            self._show_ground()
            if topics.wanted and topics.begin(due.n, due.t_ns):
                begin = time.perf_counter()
                topics.publish(due.n, due.t_ns, self._views[topics.sensor.vehicle])
                self._note_cost(topics, time.perf_counter() - begin)
            self._schedule.done()
            self._acknowledge()

    def _deliver(self) -> None:
        """Publish the delayed messages that no message of a frame to be rendered can precede."""
        committed_ns, due = self.states.ground.committed_ns, self._schedule.next()
        if due is not None and self._possible(due):
            committed_ns = min(committed_ns, due.end_ns - 1)
        self._deliveries.deliver(committed_ns)

    def _note_cost(self, topics: SensorTopics, seconds: float) -> None:
        """Log the frame cost once, after the second frame of every camera and lidar, because the first fills caches.

        Args:
            topics: Topics of the sensor.
            seconds: Wall time of the frame [s].
        """
        if self._costs is None or not topics.sees:
            return
        name = topics.sensor.full_name
        if name not in self._costs:
            self._costs[name] = None
            return
        self._costs[name] = self._costs[name] or SensorCost(name, seconds, 1e9 / topics.sensor.frame_ns(1))
        costs = [cost for cost in self._costs.values() if cost is not None]
        if len(costs) == sum(each.sees and each.wanted for each in self.topics):
            self.node.get_logger().info(describe_sensor_costs(costs))
            self._costs = None

    def _show_ground(self) -> None:
        changed, self.states.ground.changed = self.states.ground.changed, []
        if changed:
            for vehicle in sorted(self._seeing):
                self._views[vehicle].update_terrain(changed)

    def _acknowledge(self) -> None:
        """Publish the time up to which all possible frames are done."""
        ground, due = self.states.ground, self._schedule.next()
        if ground.epoch < 0 or ground.lost:
            return
        # A frame that ends in the future must not block the world.
        done = ground.committed_ns
        if due is not None and self._possible(due):
            done = min(done, due.t_ns)
        if (ground.epoch, done) != self._acknowledged:
            self._acknowledged = (ground.epoch, done)
            self._ack.publish(SensorsAck(run_id=self._run_id, epoch=ground.epoch, t_ns=done))


def static_transforms(sensor: ResolvedSensor, base_frame: str) -> list[TransformStamped]:
    """Return the transforms of a sensor's frames, parents first, the first one in the base frame of its vehicle.

    Args:
        sensor: Sensor of the scenario.
        base_frame: Name of the base frame in the vehicle file.
    """
    found = []
    for frame in sensor.frames:
        transform = TransformStamped(child_frame_id=sensor.frame(frame.suffix))
        parent = sensor.frame(frame.parent) if frame.parent else f'{sensor.frame_prefix}{base_frame}'
        transform.header.frame_id = parent
        transform.transform.translation = vector3_message(np.array(frame.position))
        transform.transform.rotation = quaternion_message(np.array(frame.orientation))
        found.append(transform)
    return found


def main() -> None:
    """Run the sensors node."""
    run_process(SensorsNode, SensorsNode.run, lambda made: made.nodes)


if __name__ == '__main__':
    main()
