# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Announcement of a world in the ROS graph. Of two worlds the later one ends before its first cycle.

The same message gives other machines what they need to start nodes of this run.
"""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime

from rclpy.node import Node
from regolith_msgs.msg import WorldAnnouncement

from regolith_world.ros import qos
from regolith_world.ros.inbox import Inbox
from regolith_world.ros.remote_nodes import RemoteNodes
from regolith_world.ros.shutdown import StartupError
from regolith_world.software_versions import installed_versions

DISCOVERY_S = 1.5
"""Maximum time until a new world receives the announcement of a running one, wall time [s].

0.3 to 0.9 s were measured with the profile in ``config/fastdds.xml``. Vehicles in separate processes take longer to
start. A world in one process waits for this time.
"""


class Announcement:
    """Publisher of this world on ``world_announcements`` (latched), and listener for others.

    Args:
        node: Node in the world's namespace. Worlds in other namespaces share nothing with this one.
        link: Node of the subscription, spun here only.
        run: Id of the run.
        scenario: Name of the scenario.
        remote_nodes: Nodes started on other machines; None: none.
    """

    def __init__(
        self, node: Node, link: Node, run: int, scenario: str, remote_nodes: RemoteNodes | None = None
    ) -> None:
        self._born = time.monotonic()
        self._domain = node.context.get_domain_id()
        started_ns = time.time_ns()
        self.own = WorldAnnouncement(run_id=run, pid=os.getpid(), host=socket.gethostname(), scenario=scenario)
        if remote_nodes is not None and remote_nodes.names:
            self.own.remote_nodes, self.own.software_versions = list(remote_nodes.names), list(installed_versions())
            self.own.scenario_yaml = remote_nodes.scenario_yaml()
        self.own.start_time.sec, self.own.start_time.nanosec = started_ns // 10**9, started_ns % 10**9
        self._elder: WorldAnnouncement | None = None
        self._inbox = Inbox(link)
        self._inbox.subscribe(
            WorldAnnouncement, 'world_announcements', self._on_world, qos.LATCHED_MANY, every_run=True
        )
        self._publisher = node.create_publisher(WorldAnnouncement, 'world_announcements', qos.LATCHED)
        self._publisher.publish(self.own)

    def alone(self) -> bool:
        """Return whether enough time has passed to exclude an earlier world.

        Raises:
            StartupError: If there is an earlier world, so that this one must end.
        """
        self._inbox.deliver()
        if self._elder is not None:
            there = self._elder
            at = datetime.fromtimestamp(there.start_time.sec).isoformat(sep=' ')
            raise StartupError(
                f'another run ({there.scenario}, process {there.pid} on {there.host}, started {at}) is on domain '
                f'{self._domain}: use --domain N, --domain auto or --namespace NAME; with ros2 launch, the environment '
                'variable ROS_DOMAIN_ID or namespace:=NAME'
            )
        return time.monotonic() - self._born > DISCOVERY_S

    def _on_world(self, other: WorldAnnouncement) -> None:
        if _seniority(other) < _seniority(self.own):
            self._elder = other


def _seniority(world: WorldAnnouncement) -> tuple[int, int, int, int]:
    return world.start_time.sec, world.start_time.nanosec, world.pid, world.run_id
