# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Queue of sensor inputs in the order of their stamps, independent of the order of arrival."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any

WHEELS, INERTIAL, CLOUD = range(3)
"""Kinds of inputs, in the order in which inputs of equal time are processed."""


@dataclass
class Inputs:
    """Queue that returns all inputs up to a time, once all of them have arrived.

    Messages of different sensors arrive in varying order. A stack that processes them on arrival drives differently in
    each run. This queue waits, so the commands depend on the measurements only. If a sensor stops publishing, the stack
    publishes no commands, and the rover stops.

    Args:
        inertial_hz: Sample rate of the IMU [Hz].
        cloud_hz: Rate of the clouds [Hz].
    """

    inertial_hz: float
    cloud_hz: float
    _queue: list[tuple[int, int, int, Any]] = field(default_factory=list)
    _newest: list[int] = field(default_factory=lambda: [-1, -1, -1])
    _count: int = 0

    def add(self, t_ns: int, kind: int, content: Any) -> None:
        """Add an input of a sensor at a time [ns]."""
        self._count += 1
        heapq.heappush(self._queue, (t_ns, kind, self._count, content))
        self._newest[kind] = max(self._newest[kind], t_ns)

    def complete(self, t_ns: int) -> bool:
        """Return whether all inputs up to a time [ns] have arrived, by the rates of the sensors."""
        for kind, rate_hz in ((INERTIAL, self.inertial_hz), (CLOUD, self.cloud_hz)):
            # Sample n is at round(n 1e9 / f) ns, so there may be one more sample than whole periods.
            n = int(t_ns * rate_hz / 1e9)
            last = max(s for s in (round((n + k) * 1e9 / rate_hz) for k in (-1, 0, 1)) if s <= t_ns)
            if self._newest[kind] < last:
                return False
        return True

    def take(self, t_ns: int) -> list[tuple[int, int, Any]]:
        """Remove and return the inputs up to a time [ns], in order: time, kind, content."""
        due = []
        while self._queue and self._queue[0][0] <= t_ns:
            when, kind, _, content = heapq.heappop(self._queue)
            due.append((when, kind, content))
        return due
