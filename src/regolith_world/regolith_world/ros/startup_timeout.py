# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Startup timeouts, which do not count while a node compiles.

A first start on a new machine compiles for a minute or more. During its setup a node has a publisher on a topic. Other
nodes see it in the graph, even while the node's interpreter is busy, and it ends with the process.
"""

from __future__ import annotations

import time

from rclpy.node import Node
from std_msgs.msg import Empty

LONGEST_BUILD_S = 900.0
"""Maximum total time for setup, wall time [s], because a node may hang there, too."""


def node_in_setup(node: Node, topic: str) -> bool:
    """Return whether a node is being set up.

    Args:
        node: Node for access to the graph.
        topic: See :class:`StartupNotice`.
    """
    return bool(node.count_publishers(topic))


class StartupNotice:
    """Notice in the graph that a node is being set up, until :meth:`done`.

    Args:
        node: Node of the publisher.
        topic: Topic of the run: ``starting`` in the world's namespace.
    """

    def __init__(self, node: Node, topic: str) -> None:
        self._node = node
        self._publisher = node.create_publisher(Empty, topic, 1)

    def done(self) -> None:
        """Withdraw the notice. Idempotent."""
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)
            self._publisher = None


class StartupTimeout:
    """A timeout that is suspended while a node is being set up.

    Args:
        node: Node for access to the graph.
        topic: See :class:`StartupNotice`.
        timeout_s: Wall time [s].
    """

    def __init__(self, node: Node, topic: str, timeout_s: float) -> None:
        self._node, self._topic = node, topic
        self._left_s = timeout_s
        self._granted_s = LONGEST_BUILD_S
        self._seen = time.monotonic()

    @property
    def building(self) -> bool:
        """Whether a node is being set up."""
        return node_in_setup(self._node, self._topic)

    def left(self) -> float:
        """Return the remaining time [s]. Call it often."""
        now = time.monotonic()
        passed, self._seen = now - self._seen, now
        if self._granted_s > 0.0 and self.building:
            self._granted_s -= passed
        else:
            self._left_s -= passed
        return self._left_s
