# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sleep of rigid bodies: a body at rest is not computed until a contact, the soil or a force field wakes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.bodies.body_set import RigidBodies
from regolith_terrain.bodies.member_state import AROUND
from regolith_terrain.bodies.motion import BodyArrays
from regolith_terrain.grid.node_records import Floats
from regolith_world.numerics import kernel

Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

WAKE_LEVEL_M = 1e-4
"""Change of the soil's level below a sleeping body that wakes it [m]."""
ASLEEP = -1
"""Time at rest of a sleeping body [ns]: a hit that wakes it does not find it at rest."""
TREMBLING = 3
"""Number of cycles near one pose that count as one cycle at rest."""
SETTLED = 0.1
"""Largest deviation of the contact force of a body at rest from its weight, as a fraction of it."""


def wake_disturbed(bodies: RigidBodies, members: Sequence[int]) -> None:
    """Wake those of some sleeping bodies that are in a force field or on soil that has moved by over WAKE_LEVEL_M."""
    grid = bodies.ground.grid
    rows = np.array(members, dtype=np.int64)
    rows = rows[~bodies.awake[rows]]
    if len(bodies.force_fields.drag):
        inside = bodies.in_fields(rows)
        for n in rows[inside].tolist():
            bodies.wake(n)
        rows = rows[~inside]
    # A node next to the box may be the nearest to a watched point.
    place, reach = bodies.position[rows, :2], bodies.reach[rows, None] + grid.spacing
    below = grid.written_since(bodies.soil_writes, place - reach, place + reach)
    bodies.soil_writes = grid.writes
    asleep = rows[below | np.isnan(bodies.footprint[rows, 0])].tolist()
    if not asleep:
        return
    watched = bodies.position[asleep, None, :2] + 0.7 * bodies.reach[asleep, None, None] * AROUND
    levels: Floats = grid.levels(watched[:, :, 0], watched[:, :, 1])
    unknown = np.isnan(bodies.footprint[asleep, 0])
    moved = np.abs(levels - bodies.footprint[asleep]).max(axis=1) > WAKE_LEVEL_M
    for n, now, new, gone in zip(asleep, levels, unknown.tolist(), moved.tolist(), strict=True):
        if new:
            bodies.changed([n])
            bodies.footprint[n] = now
        elif gone:
            bodies.wake(n)


def rest(bodies: RigidBodies, members: Sequence[int], dt_ns: int) -> None:
    """Count the time for which each of some awake bodies is at rest, and let it sleep.

    A body is at rest if no point of it moves by more than ``sleep_speed_mps`` times the cycle, and the force on it is
    its weight within SETTLED. Motion back and forth within a cycle does not count. A stacked body trembles for longer:
    a cycle in which it moves farther, but stays near one pose, counts as one of TREMBLING cycles at rest. Near means
    within ``sleep_speed_mps`` times ``sleep_after_s``. So a body that only trembles sleeps later, and one that drifts,
    rolls or turns back on a slope does not. A cycle with another force does not count, and wakes a sleeping body.
    """
    rows = np.array(members, dtype=np.int64)
    rows = rows[bodies.awake[rows]]
    if not len(rows):
        return
    section, sleeps = bodies.section, np.zeros(len(rows), dtype=np.bool_)
    long = round(section.sleep_after_s * 1e9)
    at_rest = AtRest(bodies.weight, bodies.reach, bodies.start, bodies.resting_pose, bodies.quiet_ns)
    _count_rest(bodies.arrays, at_rest, rows, section.sleep_speed_mps, long, dt_ns, sleeps)
    bodies.changed(rows.tolist())
    for n in rows[sleeps].tolist():
        bodies.awake[n], bodies.quiet_ns[n] = False, ASLEEP
        bodies.velocity[n], bodies.spin[n], bodies.footprint[n] = 0.0, 0.0, np.nan


class AtRest(NamedTuple):
    """What is known of the rest of n bodies, one row each."""

    weight: Floats
    """Weights [N], shape (n,)."""
    reach: Floats
    """Radii about the centers of mass that contain the bodies [m], shape (n,)."""
    start: Floats
    """Positions [m] and quaternions (x, y, z, w) at the start of the cycle, shape (n, 7)."""
    resting_pose: Floats
    """Input and output: poses near which the bodies have been, shape (n, 7), see :class:`MemberState`."""
    quiet_ns: Indices
    """Input and output: times at rest [ns], shape (n,)."""


@kernel(views_only=True)
def _count_rest(
    bodies: BodyArrays, at_rest: AtRest, rows: Indices, most: float, long: int, dt_ns: int, sleeps: Flags
) -> None:
    """Count the times at rest and find the bodies that sleep, see :func:`rest`.

    Args:
        bodies: States of the bodies.
        at_rest: What is known of their rest.
        rows: Rows of the awake ones, shape (k,).
        most: Largest speed of a body at rest [m/s].
        long: Time after which a body sleeps [ns].
        dt_ns: Duration of the cycle [ns].
        sleeps: Output: whether each of the rows sleeps, shape (k,).
    """
    for k in range(rows.shape[0]):
        n = rows[k]
        square = 0.0
        for a in range(3):
            force = bodies.contact_force[n, a] + bodies.mass[n] * bodies.gravity[n, a]
            square += force * force
        settled = math.sqrt(square) <= SETTLED * at_rest.weight[n]
        pose = at_rest.resting_pose[n]
        still = settled and _way(bodies, at_rest, n, at_rest.start[n]) < most * dt_ns * 1e-9
        near = _way(bodies, at_rest, n, pose) < most * long * 1e-9  # NaN is not
        woken = at_rest.quiet_ns[n] == ASLEEP
        quiet = 0
        if still or (near and (settled or not woken)):
            counted = dt_ns if still else (dt_ns // TREMBLING if settled else 0)
            quiet = (long if woken else at_rest.quiet_ns[n]) + counted
        at_rest.quiet_ns[n] = quiet
        if not near:
            for a in range(3):
                pose[a] = bodies.position[n, a]
            for a in range(4):
                pose[3 + a] = bodies.orientation[n, a]
        sleeps[k] = settled and quiet >= long


@kernel(views_only=True)
def _way(bodies: BodyArrays, at_rest: AtRest, n: int, before: Floats) -> float:
    """Return an upper bound of the distance by which the points of a body have moved [m].

    Args:
        bodies: States of the bodies.
        at_rest: What is known of their rest.
        n: Row of the body.
        before: Earlier position [m] and quaternion (x, y, z, w), shape (7,).
    """
    square = turn = 0.0
    for a in range(3):
        square += (bodies.position[n, a] - before[a]) * (bodies.position[n, a] - before[a])
    for a in range(4):
        turn += (bodies.orientation[n, a] - before[3 + a]) * (bodies.orientation[n, a] - before[3 + a])
    # A point at distance r moves by 2 r |q - q0| at most.
    way: float = math.sqrt(square) + 2.0 * at_rest.reach[n] * math.sqrt(turn)
    return way
