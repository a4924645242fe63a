# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The limit on the speed of simulated time, and its punctuality."""

from __future__ import annotations

import math
import time
from bisect import bisect_left as bisect
from collections.abc import Callable

import numpy as np

HOPELESS_S = 1.0
"""Lateness from which lost time is given up [s], or every later cycle would be late, too."""
_LATENESS_S = [1e-6 * 1.02**k for k in range(1000)]
"""Upper ends of the classes in which cycles are counted by lateness, up to 400 s: two hundredths wide [s]."""


class Pacer:
    """Wall time over simulated time.

    Args:
        speed: cap in simulated seconds per wall second; 0 for as fast as possible
        strict: whether cycles that start late are counted (hardware in the loop)
        deadline_tolerance_s: lateness from which a start counts as a missed deadline [s]
    """

    def __init__(self, speed: float, strict: bool, deadline_tolerance_s: float) -> None:
        self.speed = speed
        """Cap in simulated seconds per wall second, 0: none; :meth:`change_speed` changes it."""
        self._strict = strict
        self._late_s = deadline_tolerance_s
        self._starts = np.zeros(len(_LATENESS_S) + 1, np.int64)
        self._misses = 0
        self._latest_s = 0.0
        self.restart(0)

    def restart(self, t_ns: int) -> None:
        """Count anew from a simulated time [ns], after a pause, a step or a rewind."""
        self._origin = (time.monotonic(), t_ns)

    def change_speed(self, speed: float, t_ns: int) -> None:
        """Change the cap from a simulated time [ns] on; what was before is not due at the new one."""
        self.speed = speed
        self.restart(t_ns)

    def wait(self, t_ns: int, idle: Callable[[float], None]) -> bool:
        """Wait until the cycle that starts at ``t_ns`` is due; return whether lost time was given up.

        Args:
            idle: called with a wall time [s] that may be used meanwhile
        """
        if self.speed <= 0.0:
            return False
        while True:
            started, origin_ns = self._origin
            ahead = (t_ns - origin_ns) * 1e-9 / self.speed - (time.monotonic() - started)
            if ahead <= 0.0:
                break
            # The end is slept out: a look at something else would be too coarse for it.
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
        """Return figures on late cycles in strict real time; None otherwise."""
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
