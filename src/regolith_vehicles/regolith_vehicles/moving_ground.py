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

from regolith_terrain.ground_contact import GroundContact
from regolith_terrain.records import Floats
from regolith_vehicles.parts import Parts
from regolith_vehicles.substeps import OK, Bodies, Controls, Fading, Touching, Wrenches
from regolith_world.arithmetic import times


class PartsNow(NamedTuple):
    """Poses and twists of parts in the world."""

    center: Floats
    """[m], shape (n, 3)."""
    rotation: Floats
    """Axes of the shapes as columns, shape (n, 3, 3)."""
    velocity: Floats
    """Of the centres [m/s], shape (n, 3)."""
    spin: Floats
    """World axes [rad/s], shape (n, 3)."""


def parts_now(
    data: Any, parts: Parts, active: int, refresh: Callable[[], None],
    whereabouts: Callable[[int], tuple[Floats, Floats]],
) -> PartsNow:
    """Return the first ``active`` parts as they are.

    :param data: mujoco.MjData
    :param refresh: brings its poses and velocities up to date
    :param whereabouts: places [m] and velocities [m/s] of the first parts
    """
    refresh()
    body = parts.body[:active]
    center, velocity = whereabouts(active)
    rotation = times(data.xmat[body].reshape(-1, 3, 3), parts.frame[:active])
    return PartsNow(center, rotation, velocity, data.cvel[body, :3])


def loop_over(contact: GroundContact, loop: Callable[..., int], now: Callable[[], PartsNow]) -> Callable[..., int]:
    """Return a loop over substeps that lets the ground move on in between; the loop itself where the ground rests."""
    return loop if math.isinf(contact.longest_s) else partial(in_turns, contact, loop, now)


def in_turns(
    ground: GroundContact, loop: Callable[..., int], now: Callable[[], PartsNow], count: int, step: float,
    bodies: Bodies, controls: Controls, parts: Touching, contact: Any, solids: Any, driving: None, wrenches: Wrenches,
    fading: Fading, samples: Floats, digging: Any,
) -> int:
    """Return the status of a cycle's substeps; arguments as of :func:`regolith_vehicles.substeps.substep_loop`.

    :param ground: that moves
    :param now: parts as they are
    :param driving: none: a gear with a drive would need to know what share of the cycle is over
    """
    # A substep is never cut.
    each = max(1, math.floor(ground.longest_s / step * (1.0 + 1e-9)))
    change = (controls.end - controls.begin) / count
    for first in range(0, count, each):
        last = min(first + each, count)
        ground.advance((last - first) * step, *now())
        here = controls._replace(begin=controls.begin + first * change, end=controls.begin + last * change)
        status = loop(
            last - first, step, bodies, here, parts, contact, solids, driving, wrenches, fading, samples[first:last],
            digging,
        )
        if status != OK:
            return status
    return OK
