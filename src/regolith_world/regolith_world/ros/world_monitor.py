# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Monitor of the world in a node: it warns if no message of the world arrives.

The process of the world sends nothing while it compiles kernels. The monitor then says so once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from regolith_msgs.msg import WorldStatus

from regolith_world.ros import qos
from regolith_world.ros.inbox import Inbox
from regolith_world.ros.startup_timeout import LONGEST_BUILD_S, node_in_setup

SILENT_S = 15.0
"""Wall time without a message of the world [s], which sends its status once per second in every state."""
COMPILING = 'waiting for the world: kernels compile, which takes a minute or two the first time'
"""Log line of a node while another one is being set up."""


class WorldMonitor:
    """Monitor that reports an unresponsive world.

    Args:
        node: Node that logs, and for access to the graph.
        topic: See :class:`regolith_world.ros.startup_timeout.StartupNotice`.
        clock: Function that returns wall time [s].
    """

    def __init__(self, node: Node, topic: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._node, self._topic, self._clock = node, topic, clock
        self._received_s = self._warned_s = clock()
        self._in_setup_s: float | None = None
        """Wall time at which a setup was first seen while no message arrived [s]; None: none was."""

    def follow(self, inbox: Inbox, topic: str) -> None:
        """Subscribe to the status of the world."""
        inbox.subscribe(WorldStatus, topic, self.record_message, qos.LATCHED, optional=True, raw=True)

    def record_message(self, message: Any = None) -> None:
        """Record a message of the world."""
        self._received_s = self._clock()

    def check(self) -> None:
        """Warn if the world is unresponsive. Call it regularly."""
        now = self._clock()
        if now - max(self._received_s, self._warned_s) <= SILENT_S:
            return
        if node_in_setup(self._node, self._topic):
            if self._in_setup_s is None:
                self._in_setup_s = now
                self._node.get_logger().info(COMPILING)
            if now - self._in_setup_s < LONGEST_BUILD_S:
                self._received_s = now  # the time of a setup does not count
                return
        self._warned_s = now
        waited_s = now - self._received_s
        self._node.get_logger().warning(
            f'no message from the world for {waited_s:.0f} s: its process hangs, is stopped, or is not reachable'
        )
