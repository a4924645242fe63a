# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The soil that moves in a vehicle's regions of particles, on a topic, for sensors, RViz and whoever looks."""

from __future__ import annotations

from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import PointCloud2, PointField

from regolith_terrain.crm.discs import Discs
from regolith_terrain.ros.convert import typed_array
from regolith_vehicles.agent import VehicleAgent
from regolith_vehicles.snapshot import Snapshot
from regolith_world.ros import qos

TOPIC = 'particles'
FIELDS = (
    'x', 'y', 'z', 'normal_x', 'normal_y', 'normal_z', 'radius', 'bend_xx', 'bend_yy', 'bend_zz', 'bend_xy', 'bend_yz',
    'bend_zx',
)
"""Of a point, float32 each: the numbers of :class:`regolith_terrain.crm.discs.Discs` in their order."""
_SIZE = 4 * len(FIELDS)


class ParticleTopic:
    """``particles``: discs on the surface of the soil that moves, in the world, after every commit.

    No topic where the ground of the vehicle does not move.

    :param node: in the vehicle's namespace
    """

    def __init__(self, node: Node, agent: VehicleAgent) -> None:
        self.publisher = None
        if agent.vehicle.contact.discs() is not None:
            self.publisher = node.create_publisher(
                PointCloud2, TOPIC, qos.STATE, qos_overriding_options=qos.OVERRIDABLE
            )

    @property
    def wanted(self) -> bool:
        """Whether there are subscribers."""
        return self.publisher is not None and bool(self.publisher.get_subscription_count())

    def publish(self, snapshot: Snapshot) -> None:
        """Publish the discs of a committed state."""
        if self.publisher is not None and snapshot.discs is not None:
            self.publisher.publish(discs_message(snapshot.t_ns, snapshot.discs))


def discs_message(t_ns: int, discs: Discs) -> PointCloud2:
    """Return discs of a time [ns] as a point cloud; without any it is empty."""
    table = np.concatenate((discs.place, discs.normal, discs.radius[:, None], discs.bend), axis=1, dtype=np.float32)
    message = PointCloud2(height=1, width=len(table), is_bigendian=False, is_dense=True)
    message.header.frame_id = 'world'
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(t_ns, 10**9)
    message.fields = [
        PointField(name=name, offset=4 * k, datatype=PointField.FLOAT32, count=1) for k, name in enumerate(FIELDS)
    ]
    message.point_step, message.row_step = _SIZE, _SIZE * len(table)
    message.data = typed_array('B', table.astype('<f4').view(np.uint8))
    return message


def discs_record(message: Any) -> tuple[int, Discs]:
    """Return time [ns] and discs of a message, be it from a topic or a recording.

    :raises ValueError: if its points are none of :func:`discs_message`
    """
    if message.point_step != _SIZE:
        raise ValueError(f'particles: points of {message.point_step} bytes; allowed: {_SIZE}, {", ".join(FIELDS)}')
    stamp = message.header.stamp
    table = np.frombuffer(bytes(message.data), '<f4').reshape(-1, len(FIELDS)).astype(np.float64)
    return stamp.sec * 10**9 + stamp.nanosec, Discs(table[:, :3], table[:, 3:6], table[:, 6], table[:, 7:])
