# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The length of the next cycle, first or after a rejection.

After a non-infinitesimal intersection (NII) the cycle is retried so that the worst pair ends just touching: the secant
through the distances before and after, safeguarded by halving. There is no bracket to bisect: an attempt without NII is
committed, so the longest length known to be free of it is zero.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

TARGET_DEPTH = 3e-4
"""Penetration a retry aims at [m]: between touching and non-infinitesimal."""
PATIENCE = 8
"""Number of rejections of one cycle after which attempts are halved."""

_MEMORY = struct.Struct('<q16xq')
"""Rejections, 16 zero bytes that keep state hashes what they were, the next try [ns]."""


@dataclass
class StepControl:
    """The length of cycles; its memory of rejections is part of the world's state.

    In the spirit of conservative advancement; the secant is Regolith's own: a constant closing speed is assumed, which
    bodies need not have, so that a retry may be rejected again.

    Args:
        heartbeat_ns: longest cycle [ns]
        dt_min_ns: shortest cycle [ns]; if it is still rejected, it must be forced

    Source: mirtich1996.
    Checked by: test_step_control.py::test_the_secant_aims_just_beyond_touching,
    test_step_control.py::test_a_collision_is_found_in_a_few_tries.
    """

    heartbeat_ns: int
    dt_min_ns: int
    rejections: int = 0
    """Number of rejections of the present cycle."""
    next_try_ns: int = 0
    """Length of the retry [ns]; 0: none."""

    def propose(self, wish_ns: int) -> int:
        """Return the length of the next attempt [ns].

        Args:
            wish_ns: shortest wish of all objects [ns]
        """
        if self.rejections:
            return self.next_try_ns
        return max(self.dt_min_ns, min(wish_ns, self.heartbeat_ns))

    def at_min_step(self, dt_ns: int) -> bool:
        """Return whether a cycle of this length [ns] is the shortest possible."""
        return dt_ns <= self.dt_min_ns

    def reject(self, dt_ns: int, distance_before: float, distance_after: float) -> None:
        """Record that an attempt ended in NII.

        Args:
            dt_ns: length of the attempt [ns]
            distance_before: of the worst pair at the start of the cycle [m]
            distance_after: of the same pair at the end [m], below -1 mm
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
        """Clear the rejections after a commit."""
        self.rejections = self.next_try_ns = 0

    def memory(self) -> bytes:
        """Return the memory as bytes, for state hash and checkpoint."""
        return _MEMORY.pack(self.rejections, self.next_try_ns)

    def restore(self, memory: bytes) -> None:
        """Restore the memory from the bytes of :meth:`memory`."""
        self.rejections, self.next_try_ns = _MEMORY.unpack(memory)
