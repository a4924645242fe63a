# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Step size control: the size of the next attempt, at first or after a discarded attempt.

After a non-infinitesimal intersection (NII) the cycle is attempted again such that the worst pair ends just touching.
The size follows from the secant through the distances before and after, safeguarded by halving. There is no bracket for
a
bisection: an attempt without NII is committed, so the largest size known to be free of it is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from regolith_world.cycle.codec import Saved, StateField, StateLayout

TARGET_DEPTH = 3e-4
"""Penetration that a repeated attempt aims at [m]: between touching and non-infinitesimal."""
PATIENCE = 8
"""Number of discarded attempts of one cycle after which the size is halved."""


@dataclass
class StepControl(Saved):
    """Step size control. Its memory of discarded attempts is part of the world's state.

    The method follows conservative advancement. The secant is Regolith's own: it assumes a constant closing speed.
    Bodies may deviate from this, so a repeated attempt may be discarded again.

    Args:
        max_step_ns: Maximum step size [ns].
        min_step_ns: Minimum step size [ns]. A step of this size is forced if it still has an NII.

    Source: mirtich1996.
    Checked by: test_step_control.py::test_the_secant_aims_just_beyond_touching,
    test_step_control.py::test_collision_is_found_in_a_few_attempts.
    """

    max_step_ns: int
    min_step_ns: int
    rejections: int = 0
    """Number of discarded attempts of the present cycle."""
    next_try_ns: int = 0
    """Size of the next attempt [ns]; 0: none."""
    _ZEROS: ClassVar[bytes] = bytes(16)
    """Bytes that preserve earlier state hashes."""
    STATE: ClassVar[StateLayout] = StateLayout(
        'step control',
        StateField('rejections', 'q'),
        StateField('_ZEROS', bytes, (16,), same=True),
        StateField('next_try_ns', 'q'),
    )

    def propose(self, wish_ns: int) -> int:
        """Return the size of the next attempt [ns].

        Args:
            wish_ns: Smallest step size requested by any object [ns].
        """
        if self.rejections:
            return self.next_try_ns
        return max(self.min_step_ns, min(wish_ns, self.max_step_ns))

    def at_min_step(self, dt_ns: int) -> bool:
        """Return whether a step of this size [ns] is of the minimum size."""
        return dt_ns <= self.min_step_ns

    def reject(self, dt_ns: int, distance_before: float, distance_after: float) -> None:
        """Record an attempt that ended with an NII.

        Args:
            dt_ns: Size of the attempt [ns].
            distance_before: Distance of the worst pair at the start of the cycle [m].
            distance_after: Distance of the same pair at the end [m], below -1 mm.
        """
        self.rejections += 1
        closing = distance_before - distance_after
        fraction = (distance_before + TARGET_DEPTH) / closing if closing > 0.0 else 0.5
        guess = int(dt_ns * fraction)
        # Halve instead where the secant hardly reduces the size or leaves the attempt.
        if not 0 < guess < int(0.98 * dt_ns) or self.rejections > PATIENCE:
            guess = dt_ns // 2
        self.next_try_ns = max(self.min_step_ns, guess)

    def accept(self) -> None:
        """Clear the number of discarded attempts after a commit."""
        self.rejections = self.next_try_ns = 0
