# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fast test whether an executor has work, at a tenth of the executor's own cost.

An executor collects all entities of all its nodes each time, events of publishers included, in interpreted code. For 16
nodes with 15 services each this took 5.8 ms, compared with 0.3 ms here. Here services, clients, timers, subscriptions
and actions are collected from time to time only. The module uses a private interface of rclpy. If it has changed, every
executor counts as ready.
"""

from __future__ import annotations

import time
from typing import Any
from weakref import WeakKeyDictionary

from rclpy.executors import SingleThreadedExecutor

try:
    from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy

    _RAW = hasattr(_rclpy, 'WaitSet')
except ImportError:
    _RAW = False

FRESH_S = 0.5
"""Time after which the entities are collected again and everything counts as ready once, wall time [s]."""


class ExecutorReadiness:
    """Entities of the nodes of one executor.

    Raises:
        AttributeError: If the interface of rclpy differs from the one used here.
    """

    def __init__(self, executor: SingleThreadedExecutor) -> None:
        self._executor = executor
        self._until = time.monotonic() + FRESH_S
        nodes = self._nodes = executor.get_nodes()
        kinds = ('subscription', 'timer', 'client', 'service')
        self._handles = {kind: [e.handle for node in nodes for e in getattr(node, f'{kind}s')] for kind in kinds}
        self._guarded = any(True for node in nodes for _ in node.guards)
        self._waitables = [w for node in nodes for w in node.waitables if _is_more_than_event(w)]
        counts = [len(self._handles[kind]) for kind in kinds]
        guards = events = 0
        for waitable in self._waitables:
            more = waitable.get_num_entities()
            events, guards = events + more.num_events, guards + more.num_guard_conditions
            for k, kind in enumerate(kinds):
                counts[k] += getattr(more, f'num_{kind}s')
        subscriptions, timers, clients, services = counts
        context = nodes[0].context.handle
        self._set = _rclpy.WaitSet(subscriptions, guards, timers, clients, services, events, context)

    @property
    def is_fresh(self) -> bool:
        """Whether the collected entities are still those of the executor."""
        return time.monotonic() < self._until and self._executor.get_nodes() == self._nodes

    def __call__(self) -> bool:
        """Return whether the executor has work."""
        if self._guarded or self._executor._tasks:
            return True
        waiting = self._set
        waiting.clear_entities()
        for kind, handles in self._handles.items():
            add = getattr(waiting, f'add_{kind}')
            for handle in handles:
                add(handle)
        for waitable in self._waitables:
            waitable.add_to_wait_set(waiting)
        waiting.wait(0)
        if any(waiting.get_ready_entities(kind) for kind in self._handles):
            return True
        return any(waitable.is_ready(waiting) for waitable in self._waitables)


def _is_more_than_event(waitable: Any) -> bool:
    entities = waitable.get_num_entities()
    others = ('subscriptions', 'guard_conditions', 'timers', 'clients', 'services')
    return any(getattr(entities, f'num_{name}') for name in others)


_known: WeakKeyDictionary[SingleThreadedExecutor, ExecutorReadiness] = WeakKeyDictionary()


def is_ready(executor: SingleThreadedExecutor) -> bool:
    """Return whether an executor may have work; False is certain except for new entities."""
    if not _RAW:
        return True
    known = _known.get(executor)
    try:
        if known is None or not known.is_fresh:
            _known.pop(executor, None)
            if executor.get_nodes():
                _known[executor] = ExecutorReadiness(executor)
            return True
        return known()
    except (AttributeError, TypeError, _rclpy.InvalidHandle):
        # An entity no longer exists, or rclpy differs.
        _known.pop(executor, None)
        return True
