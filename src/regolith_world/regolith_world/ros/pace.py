# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The limit on the speed of simulated time, and its punctuality."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

HOPELESS_S = 1.0
"""Lateness from which lost time is given up [s], or every later cycle would be late, too."""


class Pace:
    """Wall time over simulated time.

    :param speed: cap in simulated seconds per wall second; 0 for as fast as possible
    :param strict: whether cycles that start late are counted (hardware in the loop)
    :param late_s: lateness from which a start counts as a missed deadline [s]
    """

    def __init__(self, speed: float, strict: bool, late_s: float) -> None:
        self.speed = speed
        """Cap in simulated seconds per wall second, 0: none; after a change call :meth:`restart`."""
        self._strict = strict
        self._late_s = late_s
        self._lateness: list[float] = []
        self.restart(0)

    def restart(self, t_ns: int) -> None:
        """Count anew from a simulated time [ns], after a pause, a step or a rewind."""
        self._origin = (time.monotonic(), t_ns)

    def wait(self, t_ns: int, idle: Callable[[float], None]) -> bool:
        """Wait until the cycle that starts at ``t_ns`` is due; return whether lost time was given up.

        :param idle: called with a wall time [s] that may be used meanwhile
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
            self._lateness.append(-ahead)
        hopeless = -ahead > HOPELESS_S
        if hopeless:
            self.restart(t_ns)
        return hopeless

    def punctuality(self) -> dict[str, float] | None:
        """Return figures on late cycles in strict real time; None otherwise."""
        if not self._lateness:
            return None
        late = np.array(self._lateness)
        return {
            'deadline_misses': int((late > self._late_s).sum()),
            'jitter_p99_s': float(np.percentile(late, 99.0)),
            'jitter_max_s': float(late.max()),
        }
