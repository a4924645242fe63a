# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Report of a step, and the world's own part of a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass, field

from regolith_world.cycle.records import AssignedBody, BodyState, Impulse, IntersectionRecord, ObjectVisual, Roles
from regolith_world.objects.object import Intersection, SavedObject


@dataclass(slots=True)
class StepReport:
    """Report of a :meth:`regolith_world.world.World.step`."""

    t_ns: int
    """Committed time after the step [ns]."""
    dt_ns: int
    attempts: int
    forced: bool
    intersections: list[Intersection] = field(default_factory=list)
    impulses: tuple[Impulse, ...] = ()


@dataclass(slots=True)
class WorldState:
    """The world's own part of a checkpoint."""

    epoch: int
    cycle: int
    t_ns: int
    soil_hash: str
    state_hash: str
    discarded_cycles: int
    forced_cycles: int
    control: bytes
    names: tuple[str, ...]
    roles: tuple[Roles, ...]
    bodies: tuple[BodyState, ...]
    next_dt_ns: tuple[int, ...]
    hashes: tuple[str, ...]
    intersections: tuple[IntersectionRecord, ...]
    impulses: tuple[Impulse, ...]
    separation: tuple[tuple[str, str, float], ...]
    objects: tuple[SavedObject, ...] = ()
    """Objects computed by the world."""
    acts: int = 0
    """Number of world edits before this state, see :attr:`regolith_world.world.World.log`."""
    assigned: tuple[AssignedBody, ...] = ()
    """See :class:`regolith_world.contacts.body_assignment.BodyAssignments`."""
    memories: tuple[tuple[str, bytes], ...] = ()
    handed_over: tuple[str, ...] = ()
    bodies_over_limit: int = 0
    shared_contacts: int = 0
    visuals: tuple[ObjectVisual, ...] = ()
    """Visible entities, in name order."""
