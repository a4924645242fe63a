# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Coupling of substeps with moving soil (CRM): soil and vehicle advance alternately.

The soil advances first, with the vehicle's poses and twists at the start of an exchange interval. The vehicle's
substeps of this interval then use the mean forces of the same time. The only lag is the change of twist within an
interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from regolith_terrain.bodies import BodyStep
from regolith_terrain.contact import GroundContact
from regolith_terrain.grid import Floats
from regolith_vehicles.contact.assigned_bodies import AssignedBodies
from regolith_vehicles.contact.contact_parts import PartSet
from regolith_vehicles.dynamics.substeps import OK, BodyArrays, ContactParts, Controls, PlacementDamping, Wrenches
from regolith_world.numerics import portable_math


class CurrentPartStates(NamedTuple):
    """Poses and twists of parts in the world frame."""

    center: Floats
    """Centers [m], shape (n, 3)."""
    rotation: Floats
    """Axes of the shapes as columns, shape (n, 3, 3)."""
    velocity: Floats
    """Velocities of the centers [m/s], shape (n, 3)."""
    spin: Floats
    """Angular velocities, world axes [rad/s], shape (n, 3)."""


def current_part_states(
    data: Any,
    parts: PartSet,
    active: int,
    refresh: Callable[[], None],
    whereabouts: Callable[[int], tuple[Floats, Floats]],
) -> CurrentPartStates:
    """Return the present states of the first ``active`` parts.

    Args:
        data: MuJoCo state (mujoco.MjData).
        parts: Parts of the vehicle.
        active: Number of active parts.
        refresh: Function that updates the poses and velocities of ``data``.
        whereabouts: Function that returns positions [m] and velocities [m/s] of the first parts.
    """
    refresh()
    body = parts.body[:active]
    center, velocity = whereabouts(active)
    rotation = portable_math.times(data.xmat[body].reshape(-1, 3, 3), parts.frame[:active])
    return CurrentPartStates(center, rotation, velocity, data.cvel[body, :3])


def coupled_loop(
    contact: GroundContact,
    loop: Callable[..., int],
    now: Callable[[], CurrentPartStates],
    bodies: AssignedBodies | None = None,
) -> Callable[..., int]:
    """Return a loop over substeps in which moving soil also advances; on soil at rest the given loop."""
    return loop if math.isinf(contact.max_exposure_s) else partial(run_coupled, contact, loop, now, bodies)


def run_coupled(
    ground: GroundContact,
    loop: Callable[..., int],
    now: Callable[[], CurrentPartStates],
    loose: AssignedBodies | None,
    count: int,
    step: float,
    bodies: BodyArrays,
    controls: Controls,
    parts: ContactParts,
    contact: Any,
    solids: Any,
    driving: None,
    wrenches: Wrenches,
    fading: PlacementDamping,
    samples: Floats,
    digging: Any,
    assigned: BodyStep | None,
) -> int:
    """Return the status of a cycle's substeps.

    Other arguments are those of :func:`regolith_vehicles.dynamics.substeps.substep_loop`, as :func:`coupled_loop`
    passes them. ``driving`` is None: a running gear with hooks is not supported, since its hooks would need the
    completed fraction of the cycle. ``ground`` is the contact with moving soil, ``now`` returns the present states of
    the parts, and ``loose`` has the bodies of ``assigned``.
    """
    # Substeps are never split.
    each = max(1, math.floor(ground.max_exposure_s / step * (1.0 + 1e-9)))
    change = (controls.end - controls.begin) / count
    for first in range(0, count, each):
        last = min(first + each, count)
        if assigned is None or loose is None:
            ground.advance((last - first) * step, *now())
        else:
            beside = loose.in_moving_soil(assigned.members.tolist())
            ground.advance((last - first) * step, *now(), beside)
            loose.take_wrenches(beside)
        here = controls._replace(begin=controls.begin + first * change, end=controls.begin + last * change)
        status = loop(
            last - first,
            step,
            bodies,
            here,
            parts,
            contact,
            solids,
            driving,
            wrenches,
            fading,
            samples[first:last],
            digging,
            assigned,
        )
        if status != OK:
            return status
    return OK
