# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Node that publishes terrain, ruts and layers of packages as markers, and the frame ``world`` above ``odom``.

It serves RViz, Foxglove and other viewers of ``visualization_msgs`` and ``/tf``. The node is started if
``view.markers`` of the scenario is true. It processes messages a few times per second and creates no markers without
subscribers. New subscribers first receive everything.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from numpy.typing import NDArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from regolith_msgs.msg import Cycle, WorldStatus
from rosgraph_msgs.msg import Clock
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from regolith_bringup.run.process_priority import lower_priority_in_new_session
from regolith_bringup.scenario.schema import Scenario
from regolith_bringup.view.layers import Layers
from regolith_bringup.view.markers import GROUND_TOPIC, LAYERS_TOPIC, Markers
from regolith_bringup.view.message import ViewMessage
from regolith_bringup.view.object_markers import ObjectMarkers
from regolith_bringup.view.terrain_mesh import MeshPiece, TerrainMesh, tile_triangles
from regolith_bringup.view.terrain_shading import TerrainShading
from regolith_files import ViewMarks
from regolith_terrain import build_height_field
from regolith_terrain.ros import SoilFollower
from regolith_world import load_section
from regolith_world.numerics import rotation
from regolith_world.ros import (
    Inbox,
    ShutdownRequest,
    declare_parameter,
    declare_run_id,
    declare_scenario,
    helper_node,
    qos,
    quaternion_message,
    root_namespace,
    run_process,
    vector3_message,
)

Floats = NDArray[np.float64]

_POLL_S = 0.05
"""Period of processing received messages [wall s]."""
_AHEAD_NS = 500_000_000
"""Time by which the stamps of ``world`` are ahead [ns]. The frame moves against ``odom`` as slowly as a vehicle slips,
so that no viewer has to wait for it."""
_STEP, _CELLS = 16, 48
"""Grid nodes per cell of the terrain around vehicles, and number of cells of the site. Every vertex is transmitted."""


class MarkersNode:
    """Node, subscriptions and main loop."""

    def __init__(self) -> None:
        self._leaving = ShutdownRequest()
        self.node = Node('markers', namespace='regolith')
        scenario = load_section(declare_scenario(self.node), '', Scenario)
        run = declare_run_id(self.node)
        self._period_s = 1.0 / declare_parameter(
            self.node, 'rate_hz', 2.0, 'publication rate of markers per wall second [Hz]'
        )
        link = helper_node(self.node, 'link')
        self.nodes = [self.node, link]
        self._root = root_namespace(self.node)
        self._inbox = Inbox(link, run)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._t_ns = 0
        self._over = False
        self._inbox.subscribe(Clock, f'{self._root}/clock', self._on_clock, QoSProfile(depth=1), optional=True)
        self._inbox.subscribe(WorldStatus, 'status', self._on_status, qos.LATCHED, optional=True)
        terrain = scenario.terrain
        field = build_height_field(terrain, scenario.seed)
        shade = TerrainShading.of(scenario.light.sun_at(0))
        self._pieces = TerrainMesh(field, terrain.spacing_m, terrain.map_size_m, shade, _STEP, _CELLS)
        places = [entry.position[:2] for _, entry in sorted(scenario.vehicles.items())] or [(0.0, 0.0)]
        self._pieces.show(self._pieces.patches_around(np.array(places, dtype=np.float64)))
        self._soil = SoilFollower(self.node, self._inbox, run=run, root=self._root)
        self._ground = self.node.create_publisher(MarkerArray, GROUND_TOPIC, qos.STATE)
        self._marks = self.node.create_publisher(MarkerArray, LAYERS_TOPIC, qos.LATCHED)
        self._listeners = 0
        self._layers = Layers(scenario)
        self._shown: dict[str, list[ViewMarks]] = {}
        self._bodies = 0
        """Number of objects in the last message."""
        self._objects = ObjectMarkers(scenario)
        self._inbox.subscribe(Cycle, 'cycle', self._objects.take, qos.HISTORY, optional=True)
        self._subscribe_to_layers()
        self._tf = self.node.create_publisher(TFMessage, f'{self._root}/tf', qos.TF)
        self._odometry: dict[tuple[str, str], Odometry] = {}
        self._adrift = [name for name, entry in sorted(scenario.vehicles.items()) if not entry.publish_world_to_odom]
        for name in self._adrift:
            for topic in ('odom', 'ground_truth/odom'):
                take = partial(self._on_odometry, name, topic)
                self._inbox.subscribe(
                    Odometry, f'{self._root}/{name}/{topic}', take, QoSProfile(depth=1), optional=True
                )

    def _subscribe_to_layers(self) -> None:
        types = {topic: kind for layer in self._layers.known.values() for topic, kind in layer.topics.items()}
        for topic, kind in sorted(types.items()):
            package, _, name = kind.partition('/msg/')
            try:
                message_type = getattr(import_module(f'{package}.msg'), name)
            except (ImportError, AttributeError):
                continue  # the message package of a layer is not installed
            take: Callable[[Any], None] = partial(self._on_layer, topic)
            self._inbox.subscribe(message_type, f'{self._root}{topic}', take, QoSProfile(depth=1), optional=True)

    # -- input --------------------------------------------------------------------------------------------------

    def _on_clock(self, clock: Clock) -> None:
        self._t_ns = int(clock.clock.sec) * 10**9 + int(clock.clock.nanosec)

    def _on_status(self, status: WorldStatus) -> None:
        self._over = status.state == WorldStatus.STOPPED

    def _on_layer(self, topic: str, message: Any) -> None:
        self._layers.take(ViewMessage(topic, self._t_ns, b'', lambda raw: message))

    def _on_odometry(self, name: str, topic: str, message: Odometry) -> None:
        self._odometry[name, topic] = message

    # -- output -------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Publish until the world stops."""
        lower_priority_in_new_session()
        next_time = 0.0
        while not (self._over or self._leaving.overdue):
            began = time.monotonic()
            self._inbox.deliver()
            self._executor.spin_once(timeout_sec=0.0)
            self._tell_frames()
            self._soil.poll()
            if began >= next_time:
                next_time = began + self._period_s
                self._show_ground()
                self._show_layers()
            time.sleep(max(0.0, began + _POLL_S - time.monotonic()))

    def _show_ground(self) -> None:
        complete, changes = self._soil.soil.changes()
        if complete:
            self._pieces.restart()
            self._listeners = 0  # publish everything again
        changed = self._pieces.take(changes) if changes else []
        listeners = self._ground.get_subscription_count()
        if listeners > self._listeners:
            changed = self._pieces.shown()
        self._listeners = listeners
        if listeners and changed:
            self._ground.publish(self._in_bytes(changed))

    def _in_bytes(self, pieces: list[MeshPiece]) -> bytes:
        markers = Markers(self._t_ns)
        for piece in pieces:
            markers.mesh(piece, piece.triangles if piece.triangles is not None else tile_triangles())
        return markers.serialized()

    def _show_layers(self) -> None:
        fresh, moved = self._layers.marks(self._t_ns), self._objects.fresh
        if not fresh and not moved:
            return
        self._shown |= fresh
        bodies = self._objects.corners()
        if not fresh and not bodies and not self._bodies:
            return
        self._bodies = len(bodies)
        markers = Markers(self._t_ns, clear=True)
        for name, marks in sorted(self._shown.items()):
            markers.marks(name, marks)
        for name, corners in bodies.items():
            markers.body(name, corners)
        self._marks.publish(markers.serialized())

    def _tell_frames(self) -> None:
        """Publish the pose of ``odom`` of each vehicle in ``world``, so that ``base_link`` is at its true pose."""
        transforms = []
        for name in self._adrift:
            odometry_pose, true = self._odometry.get((name, 'odom')), self._odometry.get((name, 'ground_truth/odom'))
            if odometry_pose is None or true is None or odometry_pose.header.stamp != true.header.stamp:
                continue
            place, turn = publish_world_to_odom(_pose(true), _pose(odometry_pose))
            found = TransformStamped(child_frame_id=odometry_pose.header.frame_id)
            found.header.frame_id = true.header.frame_id
            ahead_ns = int(true.header.stamp.sec) * 10**9 + int(true.header.stamp.nanosec) + _AHEAD_NS
            found.header.stamp.sec, found.header.stamp.nanosec = divmod(ahead_ns, 10**9)
            found.transform.translation, found.transform.rotation = vector3_message(place), quaternion_message(turn)
            transforms.append(found)
            del self._odometry[name, 'odom']
        if transforms:
            self._tf.publish(TFMessage(transforms=transforms))


def publish_world_to_odom(true: tuple[Floats, Floats], odometry_pose: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return position [m] and orientation of the odometry frame of a vehicle in the world.

    Args:
        true: Pose of the vehicle base in the world: position and quaternion (x, y, z, w).
        odometry_pose: Pose of the vehicle base in the odometry frame.
    """
    turn = rotation.matrix(true[1]) @ rotation.matrix(odometry_pose[1]).T
    return true[0] - turn @ odometry_pose[0], rotation.from_matrix(turn)


def _pose(message: Odometry) -> tuple[Floats, Floats]:
    p, q = message.pose.pose.position, message.pose.pose.orientation
    return np.array([p.x, p.y, p.z]), np.array([q.x, q.y, q.z, q.w])


def main() -> None:
    """Run the markers node."""
    run_process(MarkersNode, MarkersNode.run, lambda made: made.nodes)


if __name__ == '__main__':
    main()
