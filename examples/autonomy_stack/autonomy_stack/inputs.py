# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What the sensors said, in the order in which it happened, whatever the order in which it came."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any

WHEELS, INERTIAL, CLOUD = range(3)
"""Kinds of inputs, in the order in which those of one moment are taken."""


@dataclass
class Inputs:
    """A queue that gives out what happened up to a moment, once all of it must have come.

    Messages of different sensors overtake one another. A stack that took them as they come would drive another way in
    each run; this one waits, so that its commands depend on what was measured and on nothing else. If a sensor falls
    silent so does the stack, and a rover without commands stops.

    Args:
        inertial_hz: samples of the inertial unit per second
        cloud_hz: clouds per second
    """

    inertial_hz: float
    cloud_hz: float
    _queue: list[tuple[int, int, int, Any]] = field(default_factory=list)
    _newest: list[int] = field(default_factory=lambda: [-1, -1, -1])
    _count: int = 0

    def add(self, t_ns: int, kind: int, content: Any) -> None:
        """Take what a sensor said at a time [ns]."""
        self._count += 1
        heapq.heappush(self._queue, (t_ns, kind, self._count, content))
        self._newest[kind] = max(self._newest[kind], t_ns)

    def complete(self, t_ns: int) -> bool:
        """Return whether everything up to a time [ns] is there, by the rates of the sensors."""
        for kind, rate_hz in ((INERTIAL, self.inertial_hz), (CLOUD, self.cloud_hz)):
            # Sample n is of round(n 1e9 / f) ns: the last one up to now may be one more than whole periods say.
            n = int(t_ns * rate_hz / 1e9)
            last = max(s for s in (round((n + k) * 1e9 / rate_hz) for k in (-1, 0, 1)) if s <= t_ns)
            if self._newest[kind] < last:
                return False
        return True

    def take(self, t_ns: int) -> list[tuple[int, int, Any]]:
        """Return and forget what happened up to a time [ns], in order: time, kind, content."""
        due = []
        while self._queue and self._queue[0][0] <= t_ns:
            when, kind, _, content = heapq.heappop(self._queue)
            due.append((when, kind, content))
        return due
