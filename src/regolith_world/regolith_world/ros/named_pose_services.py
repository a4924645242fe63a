# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Named pose services of ``simulation_interfaces``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from rclpy.node import Node
from simulation_interfaces.msg import Bounds, NamedPose, Result
from simulation_interfaces.srv import GetNamedPoseBounds, GetNamedPoses

from regolith_world.objects import named_poses
from regolith_world.ros import message_conversion
from regolith_world.ros.service_server import create_service
from regolith_world.ros.simulation_services import bounds_of, result_of, service_name


class PoseServices:
    """Named pose services of a scenario.

    Args:
        node: Node ``world``.
        poses: Named poses by name.
    """

    def __init__(self, node: Node, poses: Mapping[str, named_poses.NamedPose]) -> None:
        self._poses = poses
        for kind, callback in ((GetNamedPoses, self._named), (GetNamedPoseBounds, self._bounds)):
            create_service(node, kind, service_name(kind), callback)

    def _named(self, request: Any, response: Any) -> Any:
        every = request.tags.filter_mode == request.tags.FILTER_MODE_ALL
        found = named_poses.with_tags(self._poses, tuple(request.tags.tags), every)
        response.poses = [
            NamedPose(
                name=name,
                description=pose.description,
                tags=list(pose.tags),
                pose=message_conversion.pose_message(np.array(pose.position), pose.orientation),
            )
            for name, pose in found.items()
        ]
        response.result = result_of()
        return response

    def _bounds(self, request: Any, response: Any) -> Any:
        pose = self._poses.get(request.name)
        if pose is None:
            known = ', '.join(self._poses) or 'none, the scenario has no named poses'
            response.result = result_of(Result.RESULT_NOT_FOUND, f'no pose {request.name!r}; allowed: {known}')
            return response
        room = pose.bounds()
        response.bounds, response.result = Bounds() if room is None else bounds_of(*room), result_of()
        return response
