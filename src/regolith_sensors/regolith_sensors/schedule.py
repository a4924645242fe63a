# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Which frame of which sensor comes next: in the order in which they end, whatever the speed of the run."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Due:
    """A frame to be made."""

    end_ns: int
    """When its exposure or sweep ends [ns]."""
    t_ns: int
    """Its time, and stamp [ns]; of frames that end together the one that begins first is made first: the end of a run
    still sees a sweep that ends with it, and no frame that begins with it."""
    sensor: int
    """Position of the sensor in the list it was given in."""
    n: int


class Schedule:
    """The next frame of every sensor; frame n is at round(n 1e9 / f) ns, n = 0, 1, 2, ..."""

    def __init__(self, frame_ns: Sequence[Callable[[int], int]], after_ns: Sequence[int]) -> None:
        """Make it for sensors.

        :param frame_ns: of each, the time of frame n [ns]
        :param after_ns: of each, for how long after that the frame lasts [ns]
        """
        self._frame_ns, self._after_ns = list(frame_ns), list(after_ns)
        self._heap: list[Due] = []
        self.start(0)

    def start(self, t_ns: int) -> None:
        """Go on with the first frames at or after a time [ns]: at the beginning, or after a rewind."""
        self._heap = []
        for sensor, frame_ns in enumerate(self._frame_ns):
            low, high = 0, 1
            while frame_ns(high) < t_ns:
                low, high = high, 2 * high
            while low < high:
                middle = (low + high) // 2
                low, high = (middle + 1, high) if frame_ns(middle) < t_ns else (low, middle)
            self._push(sensor, low)

    def _push(self, sensor: int, n: int) -> None:
        t_ns = self._frame_ns[sensor](n)
        heapq.heappush(self._heap, Due(t_ns + self._after_ns[sensor], t_ns, sensor, n))

    def next(self) -> Due | None:
        """Return the frame that ends first; None if there are no sensors."""
        return self._heap[0] if self._heap else None

    def done(self) -> None:
        """Go on to the frame behind it."""
        due = heapq.heappop(self._heap)
        self._push(due.sensor, due.n + 1)
