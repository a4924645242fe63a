# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Report of the nodes for which a slow world waits, in one line from time to time."""

from __future__ import annotations

import time
from collections.abc import Callable

PERIOD_S = 5.0
"""Period of lines, wall time [s]."""
_LEAST = 0.5
"""Minimum fraction of that time for a line. A smaller one does not make a run slow."""


class WaitReport:
    """Sums of the time for which a world waits.

    Args:
        warn: Function that prints a human-readable line.
        clock: Function that returns wall time [s].
    """

    def __init__(self, warn: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._warn, self._clock = warn, clock
        self._since = self._last = clock()
        self._waited: dict[str, float] = {}

    def begin(self) -> None:
        """Begin to wait."""
        self._last = self._clock()

    def note(self, what: str) -> None:
        """Record what the world has waited for since the last note, or since it began."""
        now = self._clock()
        self._waited[what] = self._waited.get(what, 0.0) + now - self._last
        self._last = now
        if now - self._since < PERIOD_S:
            return
        longest = max(self._waited, key=self._waited.__getitem__)
        waited, span = self._waited[longest], now - self._since
        self._waited, self._since = {}, now
        if waited >= _LEAST * span:
            self._warn(f'waiting for {longest}: {waited:.1f} s of the last {span:.1f} s')
