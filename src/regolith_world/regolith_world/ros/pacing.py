# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Pacing of a world: the limit on the real-time factor, and statistics of deadline misses."""

from __future__ import annotations

import math
import time
from bisect import bisect_left as bisect
from collections.abc import Callable

import numpy as np

HOPELESS_S = 1.0
"""Delay beyond which lost time is not made up [s]. Otherwise every later step would be late, too."""
_LATENESS_S = [1e-6 * 1.02**k for k in range(1000)]
"""Upper limits of the classes of delay in which steps are counted, up to 400 s, each 2 % wide [s]."""


class Pacer:
    """Synchronization of simulated time with wall time.

    Args:
        speed: Upper limit of the real-time factor; 0: as fast as possible.
        strict: Whether steps that start late are counted (hardware in the loop).
        deadline_tolerance_s: Delay of a start from which it counts as a deadline miss [s].
    """

    def __init__(self, speed: float, strict: bool, deadline_tolerance_s: float) -> None:
        self.speed = speed
        """Upper limit of the real-time factor, 0: none. :meth:`change_speed` changes it."""
        self._strict = strict
        self._late_s = deadline_tolerance_s
        self._starts = np.zeros(len(_LATENESS_S) + 1, np.int64)
        self._misses = 0
        self._latest_s = 0.0
        self.restart(0)

    def restart(self, t_ns: int) -> None:
        """Restart the synchronization at a simulated time [ns], after a pause, a step or a rewind."""
        self._origin = (time.monotonic(), t_ns)

    def change_speed(self, speed: float, t_ns: int) -> None:
        """Change the limit from a simulated time [ns] on. The new limit does not apply to earlier times."""
        self.speed = speed
        self.restart(t_ns)

    def wait(self, t_ns: int, idle: Callable[[float], None]) -> bool:
        """Wait until the step that starts at ``t_ns`` is due; return whether lost time was discarded.

        Args:
            t_ns: Simulated time at the start of the step [ns].
            idle: Function of a wall time [s] that it may use.
        """
        if self.speed <= 0.0:
            return False
        while True:
            started, origin_ns = self._origin
            ahead = (t_ns - origin_ns) * 1e-9 / self.speed - (time.monotonic() - started)
            if ahead <= 0.0:
                break
            # The last part is slept, because other work would be too coarse for it.
            if ahead > 0.003:
                idle(min(ahead - 0.002, 0.02))
            else:
                time.sleep(ahead)
        if self._strict:
            self._starts[bisect(_LATENESS_S, -ahead)] += 1
            self._misses += -ahead > self._late_s
            self._latest_s = max(self._latest_s, -ahead)
        hopeless = -ahead > HOPELESS_S
        if hopeless:
            self.restart(t_ns)
        return hopeless

    def deadline_statistics(self) -> dict[str, float] | None:
        """Return statistics of late steps in strict real time; None otherwise."""
        starts = int(self._starts.sum())
        if not starts:
            return None
        class_ = int(np.searchsorted(np.cumsum(self._starts), 0.99 * starts))
        return {
            'timed_cycles': starts,
            'deadline_misses': int(self._misses),
            'jitter_p99_s': min((*_LATENESS_S, math.inf)[class_], self._latest_s),
            'jitter_max_s': self._latest_s,
        }
