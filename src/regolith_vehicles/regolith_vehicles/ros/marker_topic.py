# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Marker topic for parts without a frame, such as track shoes, for viewers of ``robot_description`` and ``/tf``.

Shoes have no frames: 127 shoes at 50 Hz would be 6000 transforms per second for every subscriber of ``/tf``. They are
published as markers in the base frame, which move with it between two messages.
"""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from rclpy.node import Node
from visualization_msgs.msg import Marker, MarkerArray

from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.visuals.visual_description import BodyVisuals, Visual
from regolith_world.cycle import Vector
from regolith_world.numerics import rotation
from regolith_world.ros import MessageTemplate, declare_parameter, pose_fields, qos

TOPIC = 'markers'
_SCREEN = 1.0 / 2.2
"""Approximate exponent of a screen's gamma curve."""
_KINDS = {
    'box': Marker.CUBE,
    'sphere': Marker.SPHERE,
    'ellipsoid': Marker.SPHERE,
    'cylinder': Marker.CYLINDER,
    'capsule': Marker.CYLINDER,
    'grouser_wheel': Marker.CYLINDER,
    '': Marker.TRIANGLE_LIST,
}


class MarkerTopic:
    """Publisher of ``markers``: shapes of moving parts without a frame; without such parts there is no topic.

    Args:
        node: Node in the vehicle's namespace.
        name: Name of the vehicle.
        looks: Visual description of the vehicle.
        base_frame: Frame id of the base with its prefix.
    """

    def __init__(self, node: Node, name: str, looks: BodyVisuals, base_frame: str) -> None:
        first = len(looks.bodies)
        pairs = [(row, v) for row, part in enumerate(looks.parts) if row >= first for v in part.visuals]
        self.publisher = None
        if not pairs:
            return
        rate_hz = declare_parameter(node, 'marker_rate_hz', 10.0, 'Rate of markers in simulated time [Hz].')
        self._period_ns = round(1e9 / rate_hz)
        self._last_slot = -1
        self._name, self._frame, self._visuals = name, base_frame, [visual for _, visual in pairs]
        self._rows: NDArray[np.int64] = np.array([row for row, _ in pairs])
        self._place = np.array([visual.position for visual in self._visuals])
        self._turn = np.array([visual.orientation for visual in self._visuals])
        # Made for the first subscriber, since locating its numbers among 100 000 bytes is slow.
        self._template: MessageTemplate | None = None
        self.publisher = node.create_publisher(MarkerArray, TOPIC, qos.STATE, qos_overriding_options=qos.OVERRIDABLE)

    @property
    def wanted(self) -> bool:
        """Whether there are subscribers."""
        return self.publisher is not None and bool(self.publisher.get_subscription_count())

    def publish(self, snapshot: VehicleState) -> None:
        """Publish the markers of a committed state, once per period."""
        if self.publisher is None or snapshot.poses is None or not self.wanted:
            return
        slot = snapshot.t_ns // self._period_ns
        if slot == self._last_slot:
            return
        self._last_slot = slot
        if self._template is None:
            self._template = self._made()
        self.publisher.publish(self._template.fill(snapshot.t_ns, self._poses(snapshot.poses).ravel()))

    def _poses(self, poses: Vector) -> Vector:
        """Return the poses of all shapes in the base frame, shape (n, 7).

        Args:
            poses: Poses of all parts in the world frame, the base first, shape (parts, 7).
        """
        home = rotation.matrices(poses[:1, 3:])[0]
        back = poses[0, 3:] * (-1.0, -1.0, -1.0, 1.0)
        parts = poses[self._rows]
        place = (parts[:, :3] - poses[0, :3]) @ home
        turn = rotation.products(np.broadcast_to(back, (len(parts), 4)), parts[:, 3:])
        place = place + np.einsum('nij,nj->ni', rotation.matrices(turn), self._place)
        return np.concatenate((place, rotation.products(turn, self._turn)), axis=1)

    def _made(self) -> MessageTemplate:
        array = MarkerArray(markers=[_marker(k, self._name, visual) for k, visual in enumerate(self._visuals)])
        for marker in array.markers:
            marker.header.frame_id = self._frame
        numbers = [field for marker in array.markers for field in pose_fields(marker.pose)]
        return MessageTemplate(array, numbers, [marker.header.stamp for marker in array.markers])


def _marker(number: int, name: str, visual: Visual) -> Marker:
    """Return the marker of a shape."""
    made = Marker(ns=name, id=number, type=_KINDS[visual.shape], action=Marker.ADD, frame_locked=True)
    size = visual.size
    if visual.shape in ('box', 'ellipsoid'):
        half = size
    elif visual.shape == 'sphere':
        half = (size[0],) * 3
    elif visual.shape:  # a radius and half a length; the ends of a capsule are flat
        half = (size[0], size[0], size[1] + (size[0] if visual.shape == 'capsule' else 0.0))
    else:
        half = (0.5,) * 3
        assert visual.mesh is not None
        for corner in visual.mesh.vertices[visual.mesh.triangles.ravel()].tolist():
            made.points.append(Point(x=corner[0], y=corner[1], z=corner[2]))
    made.scale.x, made.scale.y, made.scale.z = (2.0 * h for h in half)
    made.color.r, made.color.g, made.color.b = (c**_SCREEN for c in visual.paint.color)
    made.color.a = 1.0
    return made
