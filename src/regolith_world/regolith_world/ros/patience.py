# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""How long one waits for the others at a start: not while any of them is still compiling.

A first start on a new machine compiles for a minute or more. A node says that it is about by a publisher that it holds
until it is built: whoever waits sees it in the graph, whatever the node's interpreter is busy with, and it goes with
the process.
"""

from __future__ import annotations

import time

from rclpy.node import Node
from std_msgs.msg import Empty

LONGEST_BUILD_S = 900.0
"""So much is granted to building in all [wall s]: a node may hang there, too."""


class Starting:
    """Shows others that a node is being built, until :meth:`done`.

    :param node: that makes the publisher
    :param topic: of the run, ``starting`` in the world's namespace
    """

    def __init__(self, node: Node, topic: str) -> None:
        self._node = node
        self._publisher = node.create_publisher(Empty, topic, 1)

    def done(self) -> None:
        """Say that it is built; saying so again does nothing."""
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)
            self._publisher = None


class Patience:
    """A time-out that stands still while a node is being built.

    :param node: to look into the graph with
    :param topic: see :class:`Starting`
    :param timeout_s: wall time [s]
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
        """Return what is left of the time [s]; call it often."""
        now = time.monotonic()
        passed, self._seen = now - self._seen, now
        if self._granted_s > 0.0 and self.building:
            self._granted_s -= passed
        else:
            self._left_s -= passed
        return self._left_s
