# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the next cycle is, and what a rejected one teaches.

After a non-infinitesimal intersection the cycle is retried so that the worst pair ends just touching:
conservative advancement by the secant through the distances before and after, safeguarded by halving. (There is no
bracket to bisect: an attempt that is free of NII is committed, so the longest length known to be free of it is zero.)
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

TARGET_DEPTH = 3e-4
"""Penetration a retry aims at [m]: between touching and non-infinitesimal."""
PATIENCE = 8
"""Rejections of one cycle after which the secant is trusted no more."""

_MEMORY = struct.Struct('<q16xq')
"""Rejections, 16 zero bytes that keep state hashes what they were, the next try [ns]."""


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
    next_try_ns: int = 0
    """Length of the retry; 0 where there is none."""

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
        closing = distance_before - distance_after
        fraction = (distance_before + TARGET_DEPTH) / closing if closing > 0.0 else 0.5
        guess = int(dt_ns * fraction)
        # A secant that hardly moves, or leaves the attempt, gives way to halving.
        if not 0 < guess < int(0.98 * dt_ns) or self.rejections > PATIENCE:
            guess = dt_ns // 2
        self.next_try_ns = max(self.dt_min_ns, guess)

    def accept(self) -> None:
        """Forget the rejections: the cycle was committed."""
        self.rejections = self.next_try_ns = 0

    def memory(self) -> bytes:
        """Return the state that enters the state hash and the checkpoint."""
        return _MEMORY.pack(self.rejections, self.next_try_ns)

    def recall(self, memory: bytes) -> None:
        """Set the state that :meth:`memory` returned."""
        self.rejections, self.next_try_ns = _MEMORY.unpack(memory)
