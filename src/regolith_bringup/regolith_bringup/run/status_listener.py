# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Subscription to the status of the world, for display."""

from __future__ import annotations

from types import TracebackType

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from regolith_msgs.msg import WorldStatus

from regolith_world.ros import WORLD_STATE_NAMES, Inbox, await_stable_graph, qos


class StatusListener:
    """Subscription to ``regolith/status`` in a separate ROS context, for use in a ``with`` statement."""

    def __init__(self, root: str = '', name: str = 'supervisor') -> None:
        """Create the subscription for the run in a namespace, '' or ``/moon``, with this node name."""
        self._root, self._name = root, name

    def __enter__(self) -> StatusListener:
        """Subscribe."""
        self._context = rclpy.Context()
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node(
            self._name,
            namespace=f'{self._root}/regolith',
            context=self._context,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._status: WorldStatus | None = None
        self._inbox = Inbox(self._node)
        self._inbox.subscribe(WorldStatus, 'status', self._take, qos.LATCHED)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Unsubscribe."""
        await_stable_graph(self._node)
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def _take(self, status: WorldStatus) -> None:
        self._status = status

    def latest(self) -> WorldStatus | None:
        """Return the last status received, or None."""
        self._inbox.deliver()
        return self._status

    @staticmethod
    def state_name(status: WorldStatus) -> str:
        """Return the state name of a status."""
        return WORLD_STATE_NAMES.get(status.state, 'unknown')
