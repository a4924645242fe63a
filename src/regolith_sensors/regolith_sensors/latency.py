# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Latency of sensors: the time from the end of an exposure, sweep or mean until its messages are published.

Stamps do not change. Frame n is published at the first commit at or after its delivery time

    t_d(n) = max(t_d(n - 1), end(n) + readout + lag + |N(0, jitter)|),

so messages of a sensor never overtake each other. A frame that ends while ``queue`` earlier ones wait is dropped. The
jitter depends on seed, sensor and n only, so a delivery time does not depend on the run.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

from regolith_sensors.config.latency import LatencyConfig
from regolith_sensors.noise import normals
from regolith_world.random import stream_key

Delivery = Callable[[], None]


class DeliveryTimes:
    """Delivery times of the frames of one sensor.

    Args:
        config: Latency of the sensor.
        seed: Seed of the scenario.
        sensor: Full name of the sensor.
        end_ns: Function that returns the end of frame n [ns].

    Tests: test_latency.py.
    """

    def __init__(self, config: LatencyConfig, seed: int, sensor: str, end_ns: Callable[[int], int]) -> None:
        self._config, self._end_ns = config, end_ns
        self._key = stream_key(seed, sensor, 'latency')
        self._times: list[int | None] = []
        self._last = 0
        self._waiting: list[int] = []
        self.dropped = 0
        """Number of dropped frames up to the last one that was requested."""

    def time_ns(self, n: int) -> int | None:
        """Return the delivery time of frame n [ns]; None: it is dropped."""
        while len(self._times) <= n:
            self._times.append(self._next(len(self._times)))
        return self._times[n]

    def _next(self, n: int) -> int | None:
        config, end = self._config, self._end_ns(n)
        self._waiting = [each for each in self._waiting if each > end]
        if config.queue is not None and len(self._waiting) >= config.queue:
            self.dropped += 1
            return None
        late = config.readout_s + config.lag_s
        if config.jitter_s > 0.0:
            late += config.jitter_s * abs(float(normals(self._key, n, 1)[0]))
        self._last = max(self._last, end + round(late * 1e9))
        self._waiting.append(self._last)
        return self._last


class DeliveryQueue:
    """Messages of all sensors that wait for their delivery times."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Delivery]] = []
        self._count = 0

    def add(self, time_ns: int, deliver: Delivery) -> None:
        """Add a message.

        Args:
            time_ns: Its delivery time [ns].
            deliver: Function that publishes it.
        """
        heapq.heappush(self._heap, (time_ns, self._count, deliver))
        self._count += 1

    def deliver(self, time_ns: int) -> None:
        """Publish all messages whose delivery time is not after a committed time [ns], in the order of these times."""
        while self._heap and self._heap[0][0] <= time_ns:
            heapq.heappop(self._heap)[2]()

    def clear(self) -> None:
        """Discard all messages, after a rewind."""
        self._heap.clear()


class DelayedPublisher:
    """A publisher whose messages wait for the delivery time of their frame.

    Args:
        publisher: The publisher.
        queue: Queue of the process.
        serialize: Function that returns the bytes of a message. A message may change after it was published.
    """

    def __init__(self, publisher: Any, queue: DeliveryQueue, serialize: Callable[[Any], bytes]) -> None:
        self._publisher, self._queue, self._serialize = publisher, queue, serialize
        self.time_ns = 0
        """Delivery time of the present frame [ns]."""

    def publish(self, message: Any) -> None:
        """Publish a message at the delivery time."""
        data = message if isinstance(message, bytes) else self._serialize(message)
        self._queue.add(self.time_ns, lambda: self._publisher.publish(data))

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the publisher."""
        return getattr(self._publisher, name)
