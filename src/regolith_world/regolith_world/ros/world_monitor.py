# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A node's view of the world: it says so when nothing is received from it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from regolith_msgs.msg import WorldStatus

from regolith_world.ros import qos
from regolith_world.ros.inbox import Inbox

SILENT_S = 15.0
"""Without any message of the world, which sends its status once a second in every state [wall s]."""


class WorldMonitor:
    """Reports an unresponsive world.

    Args:
        warn: takes a human-readable line
        clock: wall time [s]
    """

    def __init__(self, warn: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._warn, self._clock = warn, clock
        self._heard = self._told = clock()

    def follow(self, inbox: Inbox, topic: str) -> None:
        """Subscribe to the status of the world."""
        inbox.subscribe(WorldStatus, topic, self.heard, qos.LATCHED, optional=True, raw=True)

    def heard(self, message: Any = None) -> None:
        """Note a message of the world."""
        self._heard = self._clock()

    def look(self) -> None:
        """Say that the world is unresponsive, if it is; for regular calls."""
        now = self._clock()
        if now - max(self._heard, self._told) > SILENT_S:
            self._told = now
            self._warn(
                f'no message from the world for {now - self._heard:.0f} s: its process hangs, is stopped, or cannot be '
                'reached'
            )
