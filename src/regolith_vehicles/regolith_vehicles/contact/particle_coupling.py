# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Substeps on ground that moves by itself (particles): it and the vehicle move on in turns.

The ground goes first, on the vehicle's poses and twists at the start of a turn; the substeps of that turn then have the
mean forces of the same time. So they lag behind by nothing but the twist that changes within a turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from regolith_terrain.contact.ground_contact import GroundContact
from regolith_terrain.grid.node_records import Floats
from regolith_vehicles.contact.contact_parts import PartSet
from regolith_vehicles.dynamics.substeps import OK, BodyArrays, ContactParts, Controls, PlacementDamping, Wrenches
from regolith_world.numerics.portable_math import times


class CurrentPartStates(NamedTuple):
    """Poses and twists of parts in the world."""

    center: Floats
    """[m], shape (n, 3)."""
    rotation: Floats
    """Axes of the shapes as columns, shape (n, 3, 3)."""
    velocity: Floats
    """Of the centres [m/s], shape (n, 3)."""
    spin: Floats
    """World axes [rad/s], shape (n, 3)."""


def current_part_states(
    data: Any,
    parts: PartSet,
    active: int,
    refresh: Callable[[], None],
    whereabouts: Callable[[int], tuple[Floats, Floats]],
) -> CurrentPartStates:
    """Return the first ``active`` parts as they are.

    Args:
        data: Mujoco.MjData.
        refresh: Brings its poses and velocities up to date.
        whereabouts: Places [m] and velocities [m/s] of the first parts.
    """
    refresh()
    body = parts.body[:active]
    center, velocity = whereabouts(active)
    rotation = times(data.xmat[body].reshape(-1, 3, 3), parts.frame[:active])
    return CurrentPartStates(center, rotation, velocity, data.cvel[body, :3])


def coupled_loop(
    contact: GroundContact, loop: Callable[..., int], now: Callable[[], CurrentPartStates]
) -> Callable[..., int]:
    """Return a loop over substeps that lets the ground move on in between; the loop itself where the ground rests."""
    return loop if math.isinf(contact.max_exposure_s) else partial(run_coupled, contact, loop, now)


def run_coupled(
    ground: GroundContact,
    loop: Callable[..., int],
    now: Callable[[], CurrentPartStates],
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
) -> int:
    """Return the status of a cycle's substeps; arguments as of
    :func:`regolith_vehicles.dynamics.substeps.substep_loop`.

    Args:
        ground: That moves.
        now: Parts as they are.
        driving: None: a gear with a drive would need to know what share of the cycle is over.
    """
    # A substep is never cut.
    each = max(1, math.floor(ground.max_exposure_s / step * (1.0 + 1e-9)))
    change = (controls.end - controls.begin) / count
    for first in range(0, count, each):
        last = min(first + each, count)
        ground.advance((last - first) * step, *now())
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
        )
        if status != OK:
            return status
    return OK
