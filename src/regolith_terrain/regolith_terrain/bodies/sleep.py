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
    its weight within SETTLED. Motion back and forth within a cycle does not count: stacked bodies tremble.
    """
    rows = [n for n in members if bodies.awake[n]]
    if not rows:
        return
    most, long = bodies.section.sleep_speed_mps, round(bodies.section.sleep_after_s * 1e9)
    weight, force = bodies.weight[rows], bodies.contact_force[rows].copy()
    force += bodies.arrays.mass[rows, None] * bodies.arrays.gravity[rows]
    way = np.sqrt(np.sum(np.square(bodies.position[rows] - bodies.start[rows, :3]), axis=1))
    # A point at distance r moves by 2 r |q - q0| at most.
    turn = np.sqrt(np.sum(np.square(bodies.orientation[rows] - bodies.start[rows, 3:]), axis=1))
    still = way + 2.0 * bodies.reach[rows] * turn < most * dt_ns * 1e-9
    still &= np.sqrt(np.sum(np.square(force), axis=1)) <= SETTLED * weight
    quiet = np.where(still, bodies.quiet_ns[rows] + dt_ns, 0)
    bodies.quiet_ns[rows] = quiet
    bodies.changed(rows)
    for n in np.array(rows)[quiet >= long].tolist():
        bodies.awake[n] = False
        bodies.velocity[n], bodies.spin[n], bodies.footprint[n] = 0.0, 0.0, np.nan
