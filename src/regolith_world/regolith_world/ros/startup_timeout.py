# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Time-outs at a start, which do not count while a node compiles.

A first start on a new machine compiles for a minute or more. A node shows that it is being built by a publisher until
it is done: others see it in the graph, even while the node's interpreter is busy, and it ends with the process.
"""

from __future__ import annotations

import time

from rclpy.node import Node
from std_msgs.msg import Empty

LONGEST_BUILD_S = 900.0
"""Longest time for building in all [wall s]: a node may hang there, too."""


class StartupNotice:
    """Shows that a node is being built, until :meth:`done`.

    Args:
        node: of the publisher
        topic: of the run, ``starting`` in the world's namespace
    """

    def __init__(self, node: Node, topic: str) -> None:
        self._node = node
        self._publisher = node.create_publisher(Empty, topic, 1)

    def done(self) -> None:
        """Show that the node is built. Idempotent."""
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)
            self._publisher = None


class StartupTimeout:
    """A time-out that stands still while a node is being built.

    Args:
        node: for the graph
        topic: see :class:`StartupNotice`
        timeout_s: wall time [s]
    """

    def __init__(self, node: Node, topic: str, timeout_s: float) -> None:
        self._node, self._topic = node, topic
        self._left_s = timeout_s
        self._granted_s = LONGEST_BUILD_S
        self._seen = time.monotonic()

    @property
    def building(self) -> bool:
        """Whether a node is being built."""
        return bool(self._node.count_publishers(self._topic))

    def left(self) -> float:
        """Return the remaining time [s]; to be called often."""
        now = time.monotonic()
        passed, self._seen = now - self._seen, now
        if self._granted_s > 0.0 and self.building:
            self._granted_s -= passed
        else:
            self._left_s -= passed
        return self._left_s
