# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of grains, contacts and bodies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid import Floats
from regolith_testbeds.dem.contact import MEMORY

Ints = NDArray[np.int64]
Flags = NDArray[np.uint8]


class GrainArrays(NamedTuple):
    """Arrays of n grains of k balls each."""

    place: Floats
    """Centers of mass [m], shape (n, 3)."""
    motion: Floats
    """Velocity [m/s] and spin [rad/s], both in world axes, shape (n, 6)."""
    turn: Floats
    """Quaternion (x, y, z, w) from the grain's principal axes to the world's, shape (n, 4); unused for k = 1."""
    mass: Floats
    """Mass [kg], shape (n,)."""
    inertia: Floats
    """Principal moments of inertia [kg m^2], shape (n, 3)."""
    scale: Floats
    """Size relative to the template of its clump [m], shape (n,)."""
    active: Flags
    """0 for frozen grains, shape (n,)."""
    offset: Floats
    """Balls of the template, from the center of mass along the principal axes, shape (k, 3)."""
    ball: Floats
    """Centers and radii of balls [m], shape (n k, 4)."""
    load: Floats
    """Force on each ball [N] and moment about its grain's center [N m], without contacts with balls of lower numbers,
    shape (n k, 6)."""
    built: Floats
    """Centers of balls at the last build of the lists [m], shape (n k, 3)."""


class Pairs(NamedTuple):
    """Pairs of close balls: ball i has rows start[i] to start[i + 1] with larger numbers, ascending."""

    start: Ints
    """First row of each ball and the end, shape (n k + 1,)."""
    other: Ints
    """Second ball of each pair, shape (p,)."""
    slip: Floats
    """Memory of sliding [m] and rolling [rad] of the first relative to the second, shape (p, 6)."""
    touching: Flags
    """Whether the pair is in contact, shape (p,)."""
    reaction: Floats
    """Force [N] and moment [N m] on the second, shape (p, 6)."""
    back_start: Ints
    """First index into ``back`` of each ball and the end, shape (n k + 1,)."""
    back: Ints
    """Rows in which a ball is the second, ascending, shape (p,)."""


class PartPairs(NamedTuple):
    """Parts of bodies close to balls, in rows like those of :class:`Pairs`."""

    start: Ints
    part: Ints
    slip: Floats
    touching: Flags
    reaction: Floats
    """Force on the body [N] and its moment about the body's origin [N m], shape (q, 6)."""


class BodyArrays(NamedTuple):
    """Arrays of rigid bodies and their parts."""

    place: Floats
    """Positions [m], shape (b, 3)."""
    axes: Floats
    """Rotation to the world, row by row, shape (b, 9)."""
    velocity: Floats
    """Velocities [m/s], shape (b, 3)."""
    spin: Floats
    """Given angular velocities [rad/s], shape (b, 3)."""
    mobility: Floats
    """1 / mass along each world axis [1/kg], shape (b, 3); 0: the velocity is given."""
    reach: Floats
    """Radius that encloses the body [m], shape (b,); 0 for planes."""
    wrench: Floats
    """Force of the grains [N] and moment about the body's origin [N m] in the last step, shape (b, 6)."""
    impulse: Floats
    """Sum of the wrench times the step since the last reset, shape (b, 6)."""
    part_body: Ints
    """Body of each part, shape (q,)."""
    part_kind: Ints
    """Kind of each part, shape (q,)."""
    part_size: Floats
    """Size of each part [m], shape (q, 3)."""
    part_place: Floats
    """Position in the body's axes [m], shape (q, 3)."""
    part_axes: Floats
    """Rotation to the body's axes, row by row, shape (q, 9)."""
    world_place: Floats
    """Position in the world [m], shape (q, 3)."""
    world_axes: Floats
    """Rotation to the world, row by row, shape (q, 9)."""


def empty_pairs(balls: int, rows: int) -> Pairs:
    """Return pairs without contacts."""
    return Pairs(
        start=np.zeros(balls + 1, dtype=np.int64),
        other=np.zeros(rows, dtype=np.int64),
        slip=np.zeros((rows, MEMORY)),
        touching=np.zeros(rows, dtype=np.uint8),
        reaction=np.zeros((rows, 6)),
        back_start=np.zeros(balls + 1, dtype=np.int64),
        back=np.zeros(rows, dtype=np.int64),
    )


def empty_part_pairs(balls: int, rows: int) -> PartPairs:
    """Return pairs without contacts."""
    return PartPairs(
        start=np.zeros(balls + 1, dtype=np.int64),
        part=np.zeros(rows, dtype=np.int64),
        slip=np.zeros((rows, MEMORY)),
        touching=np.zeros(rows, dtype=np.uint8),
        reaction=np.zeros((rows, 6)),
    )
