# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Short-lived ROS node of a command, in the graph of a run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from regolith_bringup.run.middleware import middleware_environment
from regolith_bringup.run.ros_graph import parse_domain, parse_namespace
from regolith_world import check_ros_environment
from regolith_world.ros import await_stable_graph, remove_abandoned_segments


class GraphClient:
    """Node with a separate ROS context, for use in a ``with`` statement.

    Args:
        domain: ROS domain as text, None for that of the environment.
        namespace: Namespace of the run, '' for none.
    """

    DISCOVERY_TIMEOUT_S = 5.0
    """Discovery timeout [wall s]. Discovery takes up to one second."""

    def __init__(self, domain: str | None = None, namespace: str = '') -> None:
        base_namespace = parse_namespace(namespace)
        self.root = f'/{base_namespace}' if base_namespace else ''
        """Prefix of all names of the run."""
        if domain is not None:
            number = parse_domain(domain)
            os.environ['ROS_DOMAIN_ID'] = str(number if isinstance(number, int) else number.number)
        check_ros_environment(os.environ)
        os.environ.update(middleware_environment(os.environ))

    def __enter__(self) -> Self:
        """Join the graph."""
        remove_abandoned_segments()
        self._context = rclpy.Context()
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = Node(
            f'client_{os.getpid()}',
            namespace=f'{self.root}/regolith',
            context=self._context,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self.executor = SingleThreadedExecutor(context=self._context)
        self.executor.add_node(self.node)
        try:
            self.entered()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def entered(self) -> None:
        """Find the nodes to communicate with. Derived classes override this."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the graph."""
        await_stable_graph(self.node)
        self.node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def wait(self, done: Callable[[], bool], timeout_s: float) -> bool:
        """Wait up to ``timeout_s`` [wall s] until ``done()`` is true, and return whether it is."""
        until = time.monotonic() + timeout_s
        while not done():
            if time.monotonic() > until:
                return False
            self.executor.spin_once(timeout_sec=0.05)
        return True
