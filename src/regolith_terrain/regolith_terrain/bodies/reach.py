# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""How far rigid bodies can move in a cycle, and what they may touch in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.bodies.body_set import RigidBodies
from regolith_terrain.contact.constants import WINDOW_MARGIN_CELLS
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.solids import solids_within
from regolith_world.numerics import kernel

Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

MARGIN_ACCELERATION = 100.0
"""Acceleration of a body within a cycle for which its soil window is sufficient [m/s^2]."""
FASTEST = 1e3
"""Largest speed of a body [m/s]."""
_FARTHEST = 1e7
"""Largest coordinate of a body [m]."""


def largest_ways(
    bodies: RigidBodies, rows: Sequence[int] | Indices, duration: float, acceleration: float = MARGIN_ACCELERATION
) -> Floats:
    """Return the largest distance that each of some bodies can move with an acceleration in a time [m], shape (k,).

    Args:
        bodies: The bodies.
        rows: Indices of some of them.
        duration: The time [s].
        acceleration: The acceleration [m/s^2].

    Raises:
        FloatingPointError: If a body is too fast.
    """
    position, velocity = bodies.position[rows], bodies.velocity[rows]
    speed = np.sqrt(np.square(velocity).sum(axis=1))
    bad = ~((speed < FASTEST) & (np.abs(position).max(axis=1, initial=0.0) < _FARTHEST))
    if bad.any():
        k = int(np.argmax(bad))
        raise FloatingPointError(
            f'{bodies.names[rows[k]]} is at {position[k].tolist()} m with {speed[k]:.3g} m/s; '
            f'allowed: below {FASTEST:g} m/s'
        )
    ways: Floats = speed * duration + 0.5 * acceleration * duration * duration
    return ways


def soil_margins(bodies: RigidBodies, rows: Sequence[int] | Indices, ways: Floats) -> Floats:
    """Return the distances from the centers of some bodies within which they need soil [m], shape (k,)."""
    cells = bodies.contact.margin_cells + WINDOW_MARGIN_CELLS + 2.0
    margins: Floats = bodies.reach[rows] + ways + cells * bodies.ground.grid.spacing
    return margins


def solids_near(bodies: RigidBodies, rows: Sequence[int] | Indices, ways: Floats) -> tuple[Indices, Flags]:
    """Return the numbers of the static solids that some bodies may touch, ascending, and which bodies may touch any.

    Args:
        bodies: The bodies.
        rows: Indices of some of them.
        ways: Distance that each of them can move [m].
    """
    solids = bodies.ground.solids
    if solids is None:
        return np.zeros(0, dtype=np.int64), np.zeros(len(rows), dtype=np.bool_)
    balls = np.column_stack((bodies.position[rows], bodies.reach[rows] + ways))
    numbers, met = solids_within(solids.cells, solids.placed.box, balls)
    return numbers, met


def neighbors(bodies: RigidBodies, rows: Indices, ways: Floats, asleep: Indices, duration: float) -> Indices:
    """Return those bodies that may touch another one: some of the awake ones, and sleeping ones within their reach.

    A sleeping body that is touched may touch others, so those within its reach are included.

    Args:
        bodies: The bodies.
        rows: Indices of the awake bodies.
        ways: Distance that each of them can move [m].
        asleep: Indices of the sleeping bodies.
        duration: Duration of the cycle [s].

    Returns:
        Their indices, ascending.
    """
    everything = np.concatenate((rows, asleep))
    rest = np.full(len(asleep), 0.5 * MARGIN_ACCELERATION * duration * duration)
    radius = bodies.reach[everything] + np.concatenate((ways, rest))
    found = np.zeros(len(everything), dtype=np.bool_)
    _find_neighbors(bodies.position[everything], radius, len(rows), found, np.empty(len(everything), dtype=np.int64))
    return np.sort(everything[found])


@kernel(views_only=True)
def _find_neighbors(place: Floats, radius: Floats, awake: int, found: Flags, todo: Indices) -> None:
    """Mark the balls that meet another one, starting with the first ``awake`` ones."""
    count = awake
    for k in range(awake):
        todo[k] = k
    done = 0
    while done < count:
        a = todo[done]
        done += 1
        for b in range(place.shape[0]):
            x, y, z = place[a, 0] - place[b, 0], place[a, 1] - place[b, 1], place[a, 2] - place[b, 2]
            if a == b or not np.sqrt(x * x + y * y + z * z) - radius[a] - radius[b] < 0.0:
                continue
            found[a] = True
            if b >= awake and not found[b]:
                found[b] = True
                todo[count] = b
                count += 1
