# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schedule of all sensor frames: sorted by end time, independent of the speed of the run."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class ScheduledImage:
    """Future frame of a sensor."""

    end_ns: int
    """End of the exposure or sweep [ns]."""
    t_ns: int
    """Time and stamp of the frame [ns]. Of frames with equal end the one that begins first comes first. The last frames
    of a run are therefore the sweeps that end with it, and no frame that begins with it."""
    sensor: int
    """Index of the sensor."""
    n: int
    """Number of the frame."""


class Schedule:
    """The next frame of every sensor; frame n is at round(n 1e9 / f) ns, n = 0, 1, 2, ..."""

    def __init__(self, frame_ns: Sequence[Callable[[int], int]], after_ns: Sequence[int]) -> None:
        """Start with the first frames.

        Args:
            frame_ns: Function per sensor that returns the time of frame n [ns].
            after_ns: Duration of a frame after that time per sensor [ns].
        """
        self._frame_ns, self._after_ns = list(frame_ns), list(after_ns)
        self._heap: list[ScheduledImage] = []
        self.start(0)

    def start(self, t_ns: int) -> None:
        """Continue with the first frames at or after a time [ns], for example after a rewind."""
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
        heapq.heappush(self._heap, ScheduledImage(t_ns + self._after_ns[sensor], t_ns, sensor, n))

    def next(self) -> ScheduledImage | None:
        """Return the frame that ends first; None if there are no sensors."""
        return self._heap[0] if self._heap else None

    def done(self) -> None:
        """Advance to the next frame."""
        due = heapq.heappop(self._heap)
        self._push(due.sensor, due.n + 1)
