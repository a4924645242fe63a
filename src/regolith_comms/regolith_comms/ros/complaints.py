# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Warnings that come in crowds, told once in a while without losing any kind of them."""

from __future__ import annotations

import time
from collections.abc import Callable

PERIOD_S = 1.0
MOST = 32
"""Different ones told together; of more, only how many there were."""


class Complaints:
    """The first is told at once; what comes within a second of that, together once the second is over.

    :param log: takes a line of text
    :param now: a clock [s]
    """

    def __init__(self, log: Callable[[str], object], now: Callable[[], float] = time.monotonic) -> None:
        self._log, self._now = log, now
        self._told_at = -PERIOD_S
        self._pending: dict[str, int] = {}
        self._more = 0

    def add(self, *texts: str) -> None:
        """Take some, maybe none, and tell what is due; call it regularly."""
        for text in texts:
            if text in self._pending or len(self._pending) < MOST:
                self._pending[text] = self._pending.get(text, 0) + 1
            else:
                self._more += 1
        if self._pending and self._now() - self._told_at >= PERIOD_S:
            self.tell()

    def tell(self) -> None:
        """Tell all there are now."""
        if not self._pending:
            return
        parts = [text if count == 1 else f'{text} ({count} times)' for text, count in self._pending.items()]
        if self._more:
            parts.append(f'and {self._more} more')
        self._log('; '.join(parts))
        self._told_at, self._pending, self._more = self._now(), {}, 0
