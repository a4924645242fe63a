# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Topic of the moving soil in a vehicle's CRM regions, for sensors and visualization."""

from __future__ import annotations

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import PointCloud2, PointField

from regolith_terrain.contact import SURFEL_BYTES, SURFEL_FIELDS, SURFEL_TOPIC, Surfels
from regolith_vehicles.agent.agent import VehicleAgent
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_world.ros import qos, stamp, typed_array


class SurfelTopic:
    """Publisher of ``soil_surfels``: surfels on the surface of moving soil, world frame, after every commit.

    Vehicles whose terrain does not move have no topic.

    Args:
        node: Node in the vehicle's namespace.
        agent: Agent of the vehicle.
    """

    def __init__(self, node: Node, agent: VehicleAgent) -> None:
        self.publisher = None
        if agent.vehicle.contact.surfels() is not None:
            self.publisher = node.create_publisher(
                PointCloud2, SURFEL_TOPIC, qos.STATE, qos_overriding_options=qos.OVERRIDABLE
            )

    @property
    def wanted(self) -> bool:
        """Whether there are subscribers."""
        return self.publisher is not None and bool(self.publisher.get_subscription_count())

    def publish(self, snapshot: VehicleState) -> None:
        """Publish the surfels of a committed state."""
        if self.publisher is not None and snapshot.discs is not None:
            self.publisher.publish(surfels_message(snapshot.t_ns, snapshot.discs))


def surfels_message(t_ns: int, discs: Surfels) -> PointCloud2:
    """Return the surfels at a time [ns] as a point cloud; empty without surfels."""
    table = np.concatenate((discs.place, discs.normal, discs.radius[:, None], discs.bend), axis=1, dtype=np.float32)
    message = PointCloud2(height=1, width=len(table), is_bigendian=False, is_dense=True)
    message.header.frame_id = 'world'
    message.header.stamp = stamp(t_ns)
    message.fields = [
        PointField(name=name, offset=4 * k, datatype=PointField.FLOAT32, count=1)
        for k, name in enumerate(SURFEL_FIELDS)
    ]
    message.point_step, message.row_step = SURFEL_BYTES, SURFEL_BYTES * len(table)
    message.data = typed_array('B', table.astype('<f4').view(np.uint8))
    return message
