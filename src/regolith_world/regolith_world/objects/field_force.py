# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The pull of fields on a body, from one commit to the next.

Forces are known at commits only. Velocity Verlet: that at the start of a cycle acts throughout it; what the force at
its end changes of that, to the mean of both, is owed, and given at the start of the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regolith_world.cycle.records import Vector


class FieldForce(NamedTuple):
    """What fields do to a body."""

    force: Vector
    """At the last commit, kept for the next cycle [N], shape (3,)."""
    moment: Vector
    """About the centre of mass [N m], shape (3,)."""
    owed: Vector
    """Momentum owed for the last cycle [N s], shape (3,)."""
    owed_moment: Vector
    """Angular momentum, likewise [N m s], shape (3,)."""

    def packed(self) -> bytes:
        """Return all of it, little-endian."""
        return np.concatenate(self).astype('<f8').tobytes()

    @classmethod
    def of_bytes(cls, saved: bytes) -> FieldForce | None:
        """Return what :meth:`packed` said; of none, None."""
        return cls(*np.frombuffer(saved, '<f8').reshape(4, 3).copy()) if saved else None


def field_force(before: FieldForce | None, force: Vector, moment: Vector, step_s: float) -> FieldForce | None:
    """Return the pull from a commit on; None: there is none.

    Args:
        before: from the commit before on
        force: at this commit [N], shape (3,)
        moment: [N m], shape (3,)
        step_s: time between the two [s]; 0: the body has just come to be

    Source: hairer2006, section I.1.4.
    Checked by: test_force_field.py::test_a_body_on_a_cushion_swings_as_a_spring_does.
    """
    old = (np.zeros(3), np.zeros(3)) if before is None else (before.force, before.moment)
    pull = FieldForce(force, moment, 0.5 * step_s * (force - old[0]), 0.5 * step_s * (moment - old[1]))
    return pull if any(part.any() for part in pull) else None
