# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Detection of other worlds in the graph: the later of two ends before its first cycle.

The same word tells other machines what they need to start nodes of this run.
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
"""Longest time until a running world is heard by a new one [wall s]: 0.3 to 0.9 s were measured with the profile in
``config/fastdds.xml``. Vehicles in processes of their own take longer to start; a world in one process waits for it."""


class Announcement:
    """Announces this world on ``worlds`` (latched), and listens for others.

    Args:
        node: in the world's namespace: worlds in other namespaces share nothing with this one
        link: node for the subscription, spun here only
        run: id of the run
        scenario: its name
        remote_nodes: whose nodes are started on other machines
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
            StartupError: if there is one; this world must end
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
