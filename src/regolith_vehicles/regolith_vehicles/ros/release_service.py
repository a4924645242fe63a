# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Service ``NAME/release`` (regolith_msgs/srv/ReleaseObject): order to release an object from a dispenser."""

from __future__ import annotations

from rclpy.node import Node
from regolith_msgs.srv import ReleaseObject

from regolith_vehicles.agent.agent import VehicleAgent
from regolith_vehicles.agent.object_release import order_release
from regolith_world.ros import create_service


def create_release_service(node: Node, agent: VehicleAgent) -> None:
    """Create the service.

    Args:
        node: Node in the vehicle's namespace.
        agent: Agent of the vehicle.
    """

    def release(request: ReleaseObject.Request, response: ReleaseObject.Response) -> ReleaseObject.Response:
        response.object, response.message = order_release(agent.vehicle, agent.inputs, request.dispenser)
        response.success = not response.message
        return response

    create_service(node, ReleaseObject, 'release', release)
