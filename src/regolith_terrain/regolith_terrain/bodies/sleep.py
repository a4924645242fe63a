# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sleep of rigid bodies: a body at rest is not computed until a contact, the soil or a force field wakes it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regolith_terrain.bodies.body_set import RigidBodies
from regolith_terrain.bodies.member_state import AROUND
from regolith_terrain.grid.node_records import Floats

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
    rows = [n for n in members if bodies.awake[n]]
    if not rows:
        return
    most, long = bodies.section.sleep_speed_mps, round(bodies.section.sleep_after_s * 1e9)
    weight, force = bodies.weight[rows], bodies.contact_force[rows].copy()
    force += bodies.arrays.mass[rows, None] * bodies.arrays.gravity[rows]
    settled = np.sqrt(np.sum(np.square(force), axis=1)) <= SETTLED * weight
    pose, reach = np.concatenate((bodies.position[rows], bodies.orientation[rows]), axis=1), bodies.reach[rows]
    still = settled & (_way(pose, bodies.start[rows], reach) < most * dt_ns * 1e-9)
    states = [bodies.members[n] for n in rows]
    near = _way(pose, np.array([state.resting_pose for state in states]), reach) < most * long * 1e-9  # NaN is not
    woken = bodies.quiet_ns[rows] == ASLEEP
    rests = still | (near & (settled | ~woken))
    counted = np.where(still, dt_ns, np.where(settled, dt_ns // TREMBLING, 0))
    quiet = np.where(rests, np.where(woken, long, bodies.quiet_ns[rows]) + counted, 0)
    bodies.quiet_ns[rows] = quiet
    for k in np.flatnonzero(~near).tolist():
        states[k].resting_pose[:] = pose[k]
    bodies.changed(rows)
    for n in np.array(rows)[settled & (quiet >= long)].tolist():
        bodies.awake[n], bodies.quiet_ns[n] = False, ASLEEP
        bodies.velocity[n], bodies.spin[n], bodies.footprint[n] = 0.0, 0.0, np.nan


def _way(pose: Floats, before: Floats, reach: Floats) -> Floats:
    """Return upper bounds of the distance by which the points of bodies have moved [m], shape (n,).

    Args:
        pose: Positions [m] and quaternions (x, y, z, w), shape (n, 7).
        before: Earlier ones, shape (n, 7).
        reach: Radii about the centers of mass that contain the bodies [m], shape (n,).
    """
    way = np.sqrt(np.sum(np.square(pose[:, :3] - before[:, :3]), axis=1))
    # A point at distance r moves by 2 r |q - q0| at most.
    turn = np.sqrt(np.sum(np.square(pose[:, 3:] - before[:, 3:]), axis=1))
    moved: Floats = way + 2.0 * reach * turn
    return moved
