# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The arrays of grains, of their contacts and of the bodies among them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.dem.contact import MEMORY
from regolith_terrain.grid.node_records import Floats

Ints = NDArray[np.int64]
Flags = NDArray[np.uint8]


class GrainArrays(NamedTuple):
    """n grains of k balls each."""

    place: Floats
    """Centres of mass [m], shape (n, 3)."""
    motion: Floats
    """Velocity [m/s] and spin [rad/s], both along the axes of the world, shape (n, 6)."""
    turn: Floats
    """Quaternion (x, y, z, w) from the grain's principal axes to the world's, shape (n, 4); idle where k = 1."""
    mass: Floats
    """[kg], shape (n,)."""
    inertia: Floats
    """Principal moments [kg m^2], shape (n, 3)."""
    scale: Floats
    """Size against the template of its clump [-], shape (n,)."""
    active: Flags
    """0: frozen, shape (n,)."""
    offset: Floats
    """Balls of the template, from the centre of mass along the principal axes [m], shape (k, 3)."""
    ball: Floats
    """Centres and radii [m], shape (n k, 4)."""
    load: Floats
    """Force on each ball [N] and moment about its grain's centre [N m], without what balls of lower numbers do to it,
    shape (n k, 6)."""
    built: Floats
    """Centres of balls when contacts were last looked for [m], shape (n k, 3)."""


class Pairs(NamedTuple):
    """Balls that are close: those of ball i are rows start[i] to start[i + 1], in ascending order, all above i."""

    start: Ints
    """Shape (n k + 1,)."""
    other: Ints
    """The second ball, shape (p,)."""
    slip: Floats
    """Memory of sliding [m] and of rolling [rad], of the first against the second, shape (p, 6)."""
    touching: Flags
    """Shape (p,)."""
    reaction: Floats
    """Force [N] and moment [N m] on the second, shape (p, 6)."""
    back_start: Ints
    """Of the rows in which a ball is the second, shape (n k + 1,)."""
    back: Ints
    """Those rows, ascending, shape (p,)."""


class PartPairs(NamedTuple):
    """Parts of bodies that balls are close to, in rows as those of :class:`Pairs`."""

    start: Ints
    part: Ints
    slip: Floats
    touching: Flags
    reaction: Floats
    """Force on the body [N] and its moment about the body's place [N m], shape (q, 6)."""


class BodyArrays(NamedTuple):
    """Rigid bodies, and the parts they consist of."""

    place: Floats
    """[m], shape (b, 3)."""
    axes: Floats
    """Rotation to the world, rows one after another, shape (b, 9)."""
    velocity: Floats
    """[m/s], shape (b, 3)."""
    spin: Floats
    """[rad/s], shape (b, 3); prescribed."""
    mobility: Floats
    """1 / mass along each axis of the world [1/kg]; 0: the velocity is prescribed; shape (b, 3)."""
    reach: Floats
    """Radius that holds the body [m], shape (b,); of planes 0."""
    wrench: Floats
    """Force of the grains on it [N], and their moment about its place [N m], in the last step, shape (b, 6)."""
    impulse: Floats
    """Sum of the wrench times the step since it was last set to zero, shape (b, 6)."""
    part_body: Ints
    """Shape (q,)."""
    part_kind: Ints
    """Shape (q,)."""
    part_size: Floats
    """Shape (q, 3)."""
    part_place: Floats
    """In the body's axes [m], shape (q, 3)."""
    part_axes: Floats
    """In the body's axes, shape (q, 9)."""
    world_place: Floats
    """In the world [m], shape (q, 3)."""
    world_axes: Floats
    """To the world, shape (q, 9)."""


def empty_pairs(balls: int, rows: int) -> Pairs:
    """Return pairs without memory."""
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
    """Return pairs without memory."""
    return PartPairs(
        start=np.zeros(balls + 1, dtype=np.int64),
        part=np.zeros(rows, dtype=np.int64),
        slip=np.zeros((rows, MEMORY)),
        touching=np.zeros(rows, dtype=np.uint8),
        reaction=np.zeros((rows, 6)),
    )
