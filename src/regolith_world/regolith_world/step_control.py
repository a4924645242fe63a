# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the next cycle is, and what a rejected one teaches.

After a non-infinitesimal intersection the cycle is retried so that the worst pair ends just touching:
conservative advancement by the secant through the distances before and after, safeguarded by bisection.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

TARGET_DEPTH = 3e-4
"""Penetration a retry aims at [m]: between touching and non-infinitesimal."""


@dataclass
class StepControl:
    """Proposes the length of a cycle and remembers rejections. Its memory is part of the world's state.

    :param heartbeat_ns: longest cycle
    :param dt_min_ns: shortest cycle; one that is still rejected must be forced
    """

    heartbeat_ns: int
    dt_min_ns: int
    rejections: int = 0
    """Of the cycle at hand."""
    lower_ns: int = 0
    """Longest length known to be free of NII in the cycle at hand."""
    upper_ns: int = 0
    """Shortest length known to end in NII; 0: none."""
    next_try_ns: int = 0

    def propose(self, wish_ns: int) -> int:
        """Return the length of the next attempt, given the shortest wish of all objects."""
        if self.rejections:
            return self.next_try_ns
        return max(self.dt_min_ns, min(wish_ns, self.heartbeat_ns))

    def at_floor(self, dt_ns: int) -> bool:
        """Say whether a cycle of this length cannot be shortened any further."""
        return dt_ns <= self.dt_min_ns

    def reject(self, dt_ns: int, distance_before: float, distance_after: float) -> None:
        """Learn that an attempt of ``dt_ns`` ended in NII.

        :param distance_before: of the worst pair at the start of the cycle [m]
        :param distance_after: of the same pair at the end [m], below -1 mm
        """
        self.rejections += 1
        self.upper_ns = dt_ns
        closing = distance_before - distance_after
        fraction = (distance_before + TARGET_DEPTH) / closing if closing > 0.0 else 0.5
        guess = int(dt_ns * fraction)
        # A secant that hardly moves, or overshoots the bracket, gives way to bisection.
        if not self.lower_ns < guess < int(0.98 * dt_ns) or self.rejections > 8:
            guess = (self.lower_ns + self.upper_ns) // 2
        self.next_try_ns = max(self.dt_min_ns, guess)

    def accept(self) -> None:
        """Forget the bracket: the cycle was committed."""
        self.rejections = self.lower_ns = self.upper_ns = self.next_try_ns = 0

    def memory(self) -> bytes:
        """Return the state that enters the state hash and the checkpoint."""
        return struct.pack('<4q', self.rejections, self.lower_ns, self.upper_ns, self.next_try_ns)

    def recall(self, memory: bytes) -> None:
        """Set the state that :meth:`memory` returned."""
        self.rejections, self.lower_ns, self.upper_ns, self.next_try_ns = struct.unpack('<4q', memory)
