# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Detection of a world that hardly advances because nearly all of its attempts are discarded."""

from __future__ import annotations

from collections import deque

SPAN_NS = 1_000_000_000
"""Span of simulated time over which discarded attempts are counted [ns]."""


class Stalled(RuntimeError):
    """More attempts were discarded within one second of simulated time than the scenario allows."""


class Discards:
    """Number of attempts discarded within the last simulated second.

    The number is not part of the world's state. A run that continues from a checkpoint counts from there, so it may end
    up to one second later.

    Args:
        most: Maximum number, above which the world ends.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._times: deque[tuple[int, int]] = deque()
        self._count = 0
        self._warned_ns = -SPAN_NS
        self.warning = ''
        """Warning at a tenth of the limit. The reader resets it to ''."""

    def add(self, t_ns: int, pair: tuple[str, str]) -> None:
        """Count one discarded attempt.

        Args:
            t_ns: Time of the world [ns].
            pair: Names of the two objects whose penetration was too deep.

        Raises:
            Stalled: At the limit.
        """
        if self._times and t_ns < self._times[-1][0]:  # after a rewind
            self._times.clear()
            self._count = 0
        if self._times and self._times[-1][0] == t_ns:
            self._times[-1] = (t_ns, self._times[-1][1] + 1)
        else:
            self._times.append((t_ns, 1))
        self._count += 1
        while self._times[0][0] <= t_ns - SPAN_NS:
            self._count -= self._times.popleft()[1]
        text = (
            f'{self._count} cycles discarded within 1 s of simulated time at {t_ns * 1e-9:.3f} s, last for '
            f'{pair[0]} and {pair[1]}'
        )
        if self._count > self._most:
            raise Stalled(f'{text}; allowed: {self._most} (world.discards_per_s)')
        if self._count * 10 > self._most and t_ns >= self._warned_ns + SPAN_NS:
            self._warned_ns = t_ns
            self.warning = f'{text}; the run ends at {self._most} (world.discards_per_s)'
