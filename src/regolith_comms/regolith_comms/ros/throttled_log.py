# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rate-limited warnings."""

from __future__ import annotations

import time
from collections.abc import Callable

PERIOD_S = 1.0
MOST = 32
"""Maximum number of different warnings logged together; others are only counted."""


class ThrottledLog:
    """Log that emits the first warning at once, and those of the following second together at its end.

    Args:
        log: Function that logs a line of text.
        now: Clock [s].
    """

    def __init__(self, log: Callable[[str], object], now: Callable[[], float] = time.monotonic) -> None:
        self._log, self._now = log, now
        self._told_at = -PERIOD_S
        self._pending: dict[str, int] = {}
        self._more = 0

    def add(self, *texts: str) -> None:
        """Add any number of warnings and log those that are due; must be called regularly."""
        for text in texts:
            if text in self._pending or len(self._pending) < MOST:
                self._pending[text] = self._pending.get(text, 0) + 1
            else:
                self._more += 1
        if self._pending and self._now() - self._told_at >= PERIOD_S:
            self.flush()

    def flush(self) -> None:
        """Log all pending warnings."""
        if not self._pending:
            return
        parts = [text if count == 1 else f'{text} ({count} times)' for text, count in self._pending.items()]
        if self._more:
            parts.append(f'and {self._more} more')
        self._log('; '.join(parts))
        self._told_at, self._pending, self._more = self._now(), {}, 0
