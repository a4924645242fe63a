# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Waiting for a few subscriptions without an executor.

The executor rebuilds its wait set for every callback, which costs more than a whole evolution cycle of a small
world. A wait set over only the subscriptions a barrier needs is about four times as fast. It is rclpy's private
interface; where that has changed, the same class runs on the public executor.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from rclpy.executors import SingleThreadedExecutor, TimeoutException
from rclpy.node import Node
from rclpy.qos import QoSProfile

try:
    from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy

    _RAW = hasattr(_rclpy, 'WaitSet')
except ImportError:
    _RAW = False

SERVICE_PERIOD_S = 0.05
"""Between two looks at services while a world plays [wall s]: one look costs half a millisecond, two with 20 robots."""


class Inbox:
    """Subscriptions of one node, waited for together and handed to their callbacks in the order they were added.

    :param node: must not be spun by any executor
    :param run: whose messages to take, of those that carry a run's id
    """

    def __init__(self, node: Node, run: int = 0) -> None:
        self._node = node
        self._run = run
        self._entries: list[tuple[Any, Any, Callable[[Any], None]]] = []
        self._needed: list[Any] = []
        self._executor: SingleThreadedExecutor | None = None
        self._wait_set: Any = None
        if not _RAW:
            self._executor = SingleThreadedExecutor(context=node.context)
            self._executor.add_node(node)

    def subscribe(
        self,
        message_type: Any,
        topic: str,
        callback: Callable[[Any], None],
        qos: QoSProfile,
        *,
        optional: bool = False,
        node: Node | None = None,
        every_run: bool = False,
    ) -> None:
        """Subscribe; ``callback`` is called from :meth:`wait`.

        :param optional: whether nobody need publish it, as with ``cmd_vel``
        :param node: in whose namespace, and with whose remaps, the topic is; the inbox's own if left
            out. As it, one that nobody spins
        :param every_run: whether to take messages of other runs, too
        """
        path = run_path(message_type)
        if self._executor is not None and node is not None:
            self._executor.add_node(node)
        if path is not None and not every_run:
            callback = self._ours(path, callback)
        handler = callback if self._executor is not None else _never
        subscription = (node or self._node).create_subscription(message_type, topic, handler, qos)
        if not optional:
            self._needed.append(subscription)
        self._entries.append((subscription, message_type, callback))
        self._wait_set = None

    def _ours(self, path: tuple[str, ...], callback: Callable[[Any], None]) -> Callable[[Any], None]:
        def take(message: Any) -> None:
            if reduce(getattr, path, message) == self._run:
                callback(message)

        return take

    def publishers(self) -> int:
        """Return how many publishers the least connected of the subscriptions sees, optional ones left out."""
        return min((self._node.count_publishers(s.topic_name) for s in self._needed), default=0)

    def wait(self, timeout_s: float) -> bool:
        """Wait for messages up to ``timeout_s`` [s] and deliver all that are there; say whether there were any."""
        if self._executor is not None:
            self._executor.spin_once(timeout_sec=timeout_s)
            return True
        if self.deliver():
            return True
        if self._wait_set is None:
            self._wait_set = _rclpy.WaitSet(len(self._entries), 0, 0, 0, 0, 0, self._node.context.handle)
        self._wait_set.clear_entities()
        for subscription, _, _ in self._entries:
            self._wait_set.add_subscription(subscription.handle)
        self._wait_set.wait(max(0, int(timeout_s * 1e9)))
        return self.deliver()

    def deliver(self) -> bool:
        """Deliver what has arrived already; say whether there was anything."""
        if self._executor is not None:
            self._executor.spin_once(timeout_sec=0.0)
            return False
        found = False
        for subscription, message_type, callback in self._entries:
            while True:
                taken = subscription.handle.take_message(message_type, False)
                if taken is None:
                    break
                found = True
                callback(taken[0])
        return found


def run_path(message_type: Any) -> tuple[str, ...] | None:
    """Return where a type of message carries its run's id, as a path of fields; None if it carries none."""
    fields = message_type.get_fields_and_field_types()
    if fields.get('key') == 'regolith_msgs/CycleKey':
        return ('key', 'run')
    return ('run',) if fields.get('run') == 'uint64' else None


def serve(executor: SingleThreadedExecutor, limit: int = 16) -> None:
    """Run what is ready in an executor (services, timers), and do not wait; ``spin_once`` would run one of them."""
    for _ in range(limit):
        try:
            handler, _, _ = executor.wait_for_ready_callbacks(timeout_sec=0.0)
        except TimeoutException:
            return
        handler()


def _never(message: Any) -> None:
    raise RuntimeError('an inbox node must not be spun by an executor')
