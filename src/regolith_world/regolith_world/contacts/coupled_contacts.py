# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of families whose members collide with one another, solved together with the joints of the family.

An impulse on one link moves all links of a rope. Where two links of one rope touch, the contact of one depends on the
impulse on the other. So each impulse here changes the velocities of all bodies through the joint inverse inertia W of
the family, which includes the reactions of all joints: one Gauss-Seidel sweep over contacts solves contacts and joints.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle.records import Vector
from regolith_world.numerics.kernel_options import kernel
from regolith_world.objects.object import Object

ITERATIONS = 300
"""Number of sweeps; the joints couple contacts, which then converge more slowly than those of free bodies."""
_LOCKED = 1e-9
"""Fraction of the response without coupling below which joints are said to lock a direction."""


def is_coupled(item: Object) -> bool:
    """Return whether an impulse on an object moves other objects that can touch it."""
    return item.root.self_contact and item is not item.root


def joint_response(bodies: Sequence[Object], own: Sequence[Vector]) -> Vector:
    """Return the velocities of bodies per impulse and moment about their centers of mass, shape (6 n, 6 n).

    Args:
        bodies: Bodies in contact.
        own: Response of each body alone, each of shape (6, 6).
    """
    out = np.zeros((6 * len(bodies), 6 * len(bodies)))
    families: dict[str, list[int]] = {}
    for k, item in enumerate(bodies):
        if is_coupled(item):
            families.setdefault(item.root.name, []).append(k)
        else:
            out[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = own[k]
    for members in families.values():
        rows = (6 * np.array(members)[:, None] + np.arange(6)).ravel()
        out[np.ix_(rows, rows)] = bodies[members[0]].root.inverse_inertia_of([bodies[k] for k in members])
    return out


def coupled_pairs(bodies: Sequence[Object]) -> list[tuple[int, int]]:
    """Return pairs of indices that connect the bodies of each family."""
    last: dict[str, int] = {}
    pairs = []
    for k, item in enumerate(bodies):
        if is_coupled(item):
            if item.root.name in last:
                pairs.append((last[item.root.name], k))
            last[item.root.name] = k
    return pairs


@kernel
def solve_coupled(
    pair: NDArray[np.int64],
    points: Vector,
    normals: Vector,
    bias: Vector,
    friction: Vector,
    drift: Vector,
    response: Vector,
    center: Vector,
    v: Vector,
    omega: Vector,
    iterations: int,
    out: Vector,
    weight: Vector,
) -> None:  # pragma: no cover - compiled
    """Fill ``out`` (n, 3) with the impulse on the second body of each contact; velocities are updated in place.

    Args:
        pair: Bodies of each contact, shape (n, 2).
        points: Contact points [m], shape (n, 3).
        normals: Unit vectors from the first body to the second, shape (n, 3).
        bias: Least separating velocity after the impulses [m/s], shape (n,).
        friction: Friction coefficients [-], shape (n,).
        drift: Velocity of parts relative to their bodies [m/s], shape (n, 3).
        response: Velocities per impulse and moment, shape (6 b, 6 b).
        center: Centers of mass [m], shape (b, 3).
        v: In/out: velocities of the centers of mass [m/s], shape (b, 3).
        omega: In/out: angular velocities [rad/s], shape (b, 3).
        iterations: Number of sweeps.
        out: Out: impulses [N s], shape (n, 3).
        weight: Out: effective mass of each contact along its normal [kg], shape (n,).

    Source: catto2005; khatib1987.
    Checked by: test_self_contact.py::test_two_links_of_a_chain_meet_as_their_joints_allow,
    test_self_contact.py::test_a_chain_that_collides_with_itself_keeps_momentum_and_energy.
    """
    n, count = points.shape[0], center.shape[0]
    directions = np.empty((n, 3, 3))
    wrench = np.zeros((n, 3, 2, 6))
    moved = np.zeros((n, 3, 6 * count))
    effective = np.zeros((n, 3))
    accumulated = np.zeros((n, 3))
    for k in range(n):
        directions[k, 0] = normals[k]
        helper = np.zeros(3)
        helper[np.argmin(np.abs(normals[k]))] = 1.0
        t = np.cross(normals[k], helper)
        t /= np.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
        directions[k, 1] = t
        directions[k, 2] = np.cross(normals[k], t)
        for d in range(3):
            for side in range(2):
                body, sign = pair[k, side], 2.0 * side - 1.0
                wrench[k, d, side, :3] = sign * directions[k, d]
                wrench[k, d, side, 3:] = sign * np.cross(points[k] - center[body], directions[k, d])
                for i in range(6 * count):
                    for j in range(6):
                        moved[k, d, i] += response[i, 6 * body + j] * wrench[k, d, side, j]
            total, alone = 0.0, 0.0
            for side in range(2):
                body = pair[k, side]
                for i in range(6):
                    total += wrench[k, d, side, i] * moved[k, d, 6 * body + i]
                    for j in range(6):
                        own = response[6 * body + i, 6 * body + j]
                        alone += wrench[k, d, side, i] * own * wrench[k, d, side, j]
            if total > _LOCKED * alone:
                effective[k, d] = 1.0 / total
        weight[k] = effective[k, 0]
    for _ in range(iterations):
        for k in range(n):
            for d in (1, 2, 0):
                speed = 0.0
                for i in range(3):
                    speed += drift[k, i] * directions[k, d, i]
                for side in range(2):
                    body = pair[k, side]
                    for i in range(3):
                        speed += wrench[k, d, side, i] * v[body, i] + wrench[k, d, side, 3 + i] * omega[body, i]
                old = accumulated[k, d]
                if d == 0:
                    new = max(0.0, old + effective[k, d] * (bias[k] - speed))
                else:
                    limit = friction[k] * accumulated[k, 0]
                    new = min(limit, max(-limit, old - effective[k, d] * speed))
                if new == old:
                    continue
                accumulated[k, d] = new
                for body in range(count):
                    for i in range(3):
                        v[body, i] += (new - old) * moved[k, d, 6 * body + i]
                        omega[body, i] += (new - old) * moved[k, d, 6 * body + 3 + i]
    for k in range(n):
        for d in range(3):
            for i in range(3):
                out[k, i] += accumulated[k, d] * directions[k, d, i]
