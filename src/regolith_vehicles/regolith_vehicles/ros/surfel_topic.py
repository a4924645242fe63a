# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The soil that moves in a vehicle's regions of particles, on a topic, for sensors, RViz and whoever looks."""

from __future__ import annotations

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import PointCloud2, PointField

from regolith_terrain.crm.surfel_messages import FIELDS, POINT_BYTES, TOPIC
from regolith_terrain.crm.surfels import Surfels
from regolith_terrain.ros.message_conversion import typed_array
from regolith_vehicles.agent.agent import VehicleAgent
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_world.ros import qos
from regolith_world.ros.clock_offset import stamp


class SurfelTopic:
    """``particles``: discs on the surface of the soil that moves, in the world, after every commit.

    No topic where the ground of the vehicle does not move.

    Args:
        node: In the vehicle's namespace.
    """

    def __init__(self, node: Node, agent: VehicleAgent) -> None:
        self.publisher = None
        if agent.vehicle.contact.surfels() is not None:
            self.publisher = node.create_publisher(
                PointCloud2, TOPIC, qos.STATE, qos_overriding_options=qos.OVERRIDABLE
            )

    @property
    def wanted(self) -> bool:
        """Whether there are subscribers."""
        return self.publisher is not None and bool(self.publisher.get_subscription_count())

    def publish(self, snapshot: VehicleState) -> None:
        """Publish the discs of a committed state."""
        if self.publisher is not None and snapshot.discs is not None:
            self.publisher.publish(surfels_message(snapshot.t_ns, snapshot.discs))


def surfels_message(t_ns: int, discs: Surfels) -> PointCloud2:
    """Return discs of a time [ns] as a point cloud; without any it is empty."""
    table = np.concatenate((discs.place, discs.normal, discs.radius[:, None], discs.bend), axis=1, dtype=np.float32)
    message = PointCloud2(height=1, width=len(table), is_bigendian=False, is_dense=True)
    message.header.frame_id = 'world'
    message.header.stamp = stamp(t_ns)
    message.fields = [
        PointField(name=name, offset=4 * k, datatype=PointField.FLOAT32, count=1) for k, name in enumerate(FIELDS)
    ]
    message.point_step, message.row_step = POINT_BYTES, POINT_BYTES * len(table)
    message.data = typed_array('B', table.astype('<f4').view(np.uint8))
    return message
