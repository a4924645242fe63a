# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Monitor of the world in a node: it warns if no message of the world arrives."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from regolith_msgs.msg import WorldStatus

from regolith_world.ros import qos
from regolith_world.ros.inbox import Inbox

SILENT_S = 15.0
"""Wall time without a message of the world [s], which sends its status once per second in every state."""


class WorldMonitor:
    """Monitor that reports an unresponsive world.

    Args:
        warn: Function that prints a human-readable line.
        clock: Function that returns wall time [s].
    """

    def __init__(self, warn: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._warn, self._clock = warn, clock
        self._received_s = self._warned_s = clock()

    def follow(self, inbox: Inbox, topic: str) -> None:
        """Subscribe to the status of the world."""
        inbox.subscribe(WorldStatus, topic, self.record_message, qos.LATCHED, optional=True, raw=True)

    def record_message(self, message: Any = None) -> None:
        """Record a message of the world."""
        self._received_s = self._clock()

    def check(self) -> None:
        """Warn if the world is unresponsive. Call it regularly."""
        now = self._clock()
        if now - max(self._received_s, self._warned_s) > SILENT_S:
            self._warned_s = now
            waited_s = now - self._received_s
            self._warn(
                f'no message from the world for {waited_s:.0f} s: its process hangs, is stopped, or is not reachable'
            )
