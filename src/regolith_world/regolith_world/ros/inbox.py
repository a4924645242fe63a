# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Inbox: waiting for a few subscriptions without an executor.

The executor rebuilds its wait set for every callback, which costs more than a whole evolution cycle of a small world. A
wait set of only the required subscriptions is about four times as fast. The module uses a private interface of rclpy.
If it has changed, the same class uses the public executor.
"""

from __future__ import annotations

import struct
import time
import traceback
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from rclpy.executors import SingleThreadedExecutor, TimeoutException
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.qos import QoSProfile

from regolith_world.ros.executor_readiness import is_ready
from regolith_world.ros.type_matching_subscription import PublishedType

try:
    from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy

    _RAW = hasattr(_rclpy, 'WaitSet')
except ImportError:
    _RAW = False

SERVICE_PERIOD_S = 0.05
"""Period of serving services while a world plays, wall time [s]. Each time costs 0.5 ms, or 2 ms with 20 robots."""
TYPE_CHECK_PERIOD_S = 0.3
"""Period of comparison with the published types, wall time [s]. Messages before it are lost."""
_LONGEST_PERIOD_S = 0.5
"""Maximum period of serving where that takes long and is limited to a twentieth of the time, wall time [s]."""


class Inbox:
    """Subscriptions of one node that are waited for together. Callbacks run in the order of subscription.

    Args:
        node: Node that no executor spins.
        run: Id of the run. Messages with another id are ignored.
    """

    def __init__(self, node: Node, run: int = 0) -> None:
        self._node = node
        self._run = run
        self._entries: list[tuple[Any, Any, bool, Callable[[Any], None]]] = []
        self._needed: list[Any] = []
        """Subscriptions that need a publisher."""
        self._executor: SingleThreadedExecutor | None = None
        self._wait_set: Any = None
        self._by_publishers: dict[int, PublishedType] = {}
        """Subscriptions whose type follows the publishers, by their index among the entries."""
        self._next_look = 0.0
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
        raw: bool = False,
    ) -> None:
        """Subscribe to a topic. ``callback`` is called from :meth:`wait`.

        Args:
            message_type: Type of the messages.
            topic: Name of the topic.
            callback: Function of a message.
            qos: QoS profile.
            optional: Whether it needs no publisher, as ``cmd_vel``.
            node: Node for namespace and remaps of the topic, not spun by any executor; None: that of the inbox.
            every_run: Whether messages of other runs are delivered too.
            raw: Whether the callback gets the bytes of a message. Bytes without a key at the front count for any run.
        """
        path = run_path(message_type)
        if self._executor is not None and node is not None:
            self._executor.add_node(node)
        if path is not None and not every_run and raw:
            callback = self._ours_raw(callback) if path == ('key', 'run_id') else callback
        elif path is not None and not every_run:
            callback = self._ours(path, callback)
        handler = callback if self._executor is not None else _never
        subscription = (node or self._node).create_subscription(message_type, topic, handler, qos, raw=raw)
        if not optional:
            self._needed.append(subscription)
        self._entries.append((subscription, message_type, raw, callback))
        self._wait_set = None

    def subscribe_any(
        self, readers: Mapping[Any, Callable[[Any], None]], topic: str, qos: QoSProfile, *, node: Node | None = None
    ) -> None:
        """Subscribe to a topic whose publishers choose one of several types. It needs no publisher.

        Args:
            readers: Callback by type, the default type first.
            topic: Name of the topic.
            qos: QoS profile.
            node: Node of the subscription, see :meth:`subscribe`.
        """
        if self._executor is not None and node is not None:
            self._executor.add_node(node)
        public = self._executor is not None
        made = PublishedType(node or self._node, topic, readers, qos, lambda callback: callback if public else _never)
        self._by_publishers[len(self._entries)] = made
        self._entries.append((made.subscription, made.kind, False, made.callback))
        self._wait_set = None

    def discard(self, node: Node) -> None:
        """Remove all subscriptions of a node, before the node is destroyed."""
        handles = {subscription for subscription in node.subscriptions}
        followers = [self._by_publishers.get(place) for place in range(len(self._entries))]
        kept = [
            (entry, follower)
            for entry, follower in zip(self._entries, followers)
            if entry[0] not in handles and (follower is None or follower.node is not node)
        ]
        self._entries = [entry for entry, _ in kept]
        self._by_publishers = {place: f for place, (_, f) in enumerate(kept) if f is not None}
        self._needed = [each for each in self._needed if each not in handles]
        self._wait_set = None
        if self._executor is not None:
            self._executor.remove_node(node)

    def _look(self) -> None:
        """Adapt subscriptions to their publishers, from time to time."""
        if not self._by_publishers or (now := time.monotonic()) < self._next_look:
            return
        self._next_look = now + TYPE_CHECK_PERIOD_S
        for place, each in self._by_publishers.items():
            if each.look():
                self._entries[place] = each.subscription, each.kind, False, each.callback
                self._wait_set = None

    def _ours(self, path: tuple[str, ...], callback: Callable[[Any], None]) -> Callable[[Any], None]:
        def take(message: Any) -> None:
            if reduce(getattr, path, message) == self._run:
                callback(message)

        return take

    def _ours_raw(self, callback: Callable[[Any], None]) -> Callable[[Any], None]:
        def take(message: bytes) -> None:
            if run_of(message) == self._run:
                callback(message)

        return take

    def publishers(self) -> int:
        """Return the minimum number of publishers over all subscriptions that are not optional."""
        count = self._node.count_publishers
        return min((count(each.topic_name) for each in self._needed), default=0)

    def wait(self, timeout_s: float) -> bool:
        """Wait for messages for up to ``timeout_s`` [s] and deliver them; return whether there were any."""
        if self._executor is not None:
            self._look()
            self._executor.spin_once(timeout_sec=timeout_s)
            return True
        if self.deliver():
            return True
        subscriptions = [subscription for subscription, *_ in self._entries if subscription is not None]
        if self._wait_set is None:
            self._wait_set = _rclpy.WaitSet(len(subscriptions), 0, 0, 0, 0, 0, self._node.context.handle)
        self._wait_set.clear_entities()
        for subscription in subscriptions:
            self._wait_set.add_subscription(subscription.handle)
        self._wait_set.wait(max(0, int(timeout_s * 1e9)))
        return self.deliver()

    def deliver(self) -> bool:
        """Deliver all messages already received; return whether there were any."""
        self._look()
        if self._executor is not None:
            self._executor.spin_once(timeout_sec=0.0)
            return False
        found = False
        for subscription, message_type, raw, callback in self._entries:
            while subscription is not None:
                taken = subscription.handle.take_message(message_type, raw)
                if taken is None:
                    break
                found = True
                callback(taken[0])
        return found


def run_path(message_type: Any) -> tuple[str, ...] | None:
    """Return the path of the field with the run id in a message type; None if it has none."""
    fields = message_type.get_fields_and_field_types()
    if fields.get('key') == 'regolith_msgs/CycleKey':
        return ('key', 'run_id')
    return ('run_id',) if fields.get('run_id') == 'uint64' else None


def run_of(message: bytes) -> int:
    """Return the run id in the bytes of a message that begins with a CycleKey."""
    return int(struct.unpack_from('<Q' if message[1] & 1 else '>Q', message, 4)[0])


def spin_ready(executor: SingleThreadedExecutor, limit: int = 16) -> None:
    """Run all ready callbacks of an executor (services, timers) without waiting; ``spin_once`` would run only one.

    An exception of a callback is logged, because nothing else reports it.

    Args:
        executor: The executor.
        limit: Maximum number of callbacks.
    """
    if not is_ready(executor):
        return
    for _ in range(limit):
        try:
            handler, _, _ = executor.wait_for_ready_callbacks(timeout_sec=0.0)
        except TimeoutException:
            return
        handler()
        if (error := handler.exception()) is not None:
            words = ''.join(traceback.format_exception(error))
            get_logger('regolith').error(f'a callback failed:\n{words}')


class ThrottledExecutor:
    """An executor that is served from time to time, for a twentieth of the time. Nodes of eight rovers need a tenth.

    Args:
        executor: Executor of services and timers.
    """

    def __init__(self, executor: SingleThreadedExecutor) -> None:
        self._executor = executor
        self._next = 0.0

    def __call__(self, at_once: bool = False) -> None:
        """Run ready callbacks as :func:`spin_ready` does, if the period has passed.

        Args:
            at_once: Whether to ignore the period.
        """
        began = time.monotonic()
        if began < self._next and not at_once:
            return
        spin_ready(self._executor)
        ended = time.monotonic()
        self._next = ended + min(max(SERVICE_PERIOD_S, 19.0 * (ended - began)), _LONGEST_PERIOD_S)


def _never(message: Any) -> None:
    raise RuntimeError('an inbox node must not be spun by an executor')
