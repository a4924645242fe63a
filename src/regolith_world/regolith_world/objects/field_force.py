# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Force of fields on a body between two commits.

Forces are known at commits only. Following velocity Verlet, the force at the start of a cycle acts throughout the
cycle. The difference to the mean of the forces at start and end is added as momentum at the start of the next cycle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regolith_world.cycle.records import Vector


class FieldForce(NamedTuple):
    """Force and moment of fields on a body, with the momentum still to be added."""

    force: Vector
    """Force at the last commit, applied in the next cycle [N], shape (3,)."""
    moment: Vector
    """Moment about the center of mass [N m], shape (3,)."""
    owed: Vector
    """Momentum still to be added for the last cycle [N s], shape (3,)."""
    owed_moment: Vector
    """Angular momentum still to be added for the last cycle [N m s], shape (3,)."""

    def packed(self) -> bytes:
        """Return all values as little-endian bytes."""
        return np.concatenate(self).astype('<f8').tobytes()


def field_force(before: FieldForce | None, force: Vector, moment: Vector, step_s: float) -> FieldForce | None:
    """Return the force after a commit; None: no force.

    Args:
        before: Force after the previous commit.
        force: Force at this commit [N], shape (3,).
        moment: Moment at this commit [N m], shape (3,).
        step_s: Time between the two commits [s]; 0: the body was just spawned.

    Source: hairer2006, section I.1.4.
    Checked by: test_force_field.py::test_a_body_on_a_cushion_swings_as_a_spring_does.
    """
    old = (np.zeros(3), np.zeros(3)) if before is None else (before.force, before.moment)
    pull = FieldForce(force, moment, 0.5 * step_s * (force - old[0]), 0.5 * step_s * (moment - old[1]))
    return pull if any(part.any() for part in pull) else None
