# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""How worlds that share a graph know of each other: the later of two leaves before it has moved anything."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime

from rclpy.node import Node
from regolith_msgs.msg import WorldAnnouncement

from regolith_world.ros import qos
from regolith_world.ros.inbox import Inbox
from regolith_world.ros.leaving import BadStart

DISCOVERY_S = 0.5
"""How long a world that already runs may take to be heard by one that starts [wall s]: a few announcements of the
profile in ``config/fastdds.xml``. Processes of a run take longer to start, so that nobody waits for it."""


class Announcement:
    """Says ``worlds`` (latched) that this world is here, and hears who else is.

    :param node: in the world's namespace: worlds in other namespaces share nothing with this one
    :param link: whose subscriptions nobody else spins
    :param run: id of the run
    """

    def __init__(self, node: Node, link: Node, run: int, scenario: str) -> None:
        self._born = time.monotonic()
        self._domain = node.context.get_domain_id()
        started_ns = time.time_ns()
        self.own = WorldAnnouncement(
            run=run, process=os.getpid(), host=socket.gethostname(), scenario=scenario
        )
        self.own.started.sec, self.own.started.nanosec = started_ns // 10**9, started_ns % 10**9
        self._elder: WorldAnnouncement | None = None
        self._inbox = Inbox(link)
        self._inbox.subscribe(WorldAnnouncement, 'worlds', self._on_world, qos.LATCHED_MANY, every_run=True)
        self._publisher = node.create_publisher(WorldAnnouncement, 'worlds', qos.LATCHED)
        self._publisher.publish(self.own)

    def alone(self) -> bool:
        """Return whether enough time has passed to say that no earlier world is here.

        :raises BadStart: if there is one; this world must leave
        """
        self._inbox.deliver()
        if self._elder is not None:
            there = self._elder
            at = datetime.fromtimestamp(there.started.sec).isoformat(sep=' ')
            raise BadStart(
                f'another run ({there.scenario}, process {there.process} on {there.host}, started {at}) is on domain '
                f'{self._domain}: use --domain N, --domain auto or --namespace NAME; with ros2 launch, the environment '
                'variable ROS_DOMAIN_ID or namespace:=NAME'
            )
        return time.monotonic() - self._born > DISCOVERY_S

    def _on_world(self, other: WorldAnnouncement) -> None:
        if _seniority(other) < _seniority(self.own):
            self._elder = other


def _seniority(world: WorldAnnouncement) -> tuple[int, int, int, int]:
    return world.started.sec, world.started.nanosec, world.process, world.run
