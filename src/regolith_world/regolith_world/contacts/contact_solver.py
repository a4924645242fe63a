# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact solver: impulses between objects, solved once per commit.

The method is sequential impulses (projected Gauss-Seidel) over all contact points of all touching pairs: Newton
restitution, Coulomb friction, and a separating velocity that removes penetration. Every impulse acts on both bodies
with opposite sign at one point, so linear and angular momentum are conserved to rounding. Bodies count as rigid with
their composite inertia. In an articulated vehicle the impulse then spreads through the joints, which reduces the
restitution by a few percent. A part of a vehicle collides with the vehicle's mass and the part's own motion. A link of
a linkage collides with the inertia that its joints transmit. Several impulses on one linkage in one commit do not
interact through joints, unless its links collide with one another (:mod:`regolith_world.contacts.coupled_contacts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from regolith_world.contacts import coupled_contacts
from regolith_world.contacts.intersection import TOUCH_DISTANCE
from regolith_world.cycle.records import BodyState, Impulse, Vector
from regolith_world.numerics.kernel_options import kernel
from regolith_world.numerics.portable_math import cross, dot, solved
from regolith_world.objects.object import Intersection, Object, Status

ITERATIONS = 60
RESTING_SPEED = 0.02
"""Approach speed below which a contact does not bounce [m/s]. Without it resting bodies would chatter."""
CORRECTION = 0.8
"""Fraction of the penetration that is removed within one maximum step."""
MAX_PUSH = 0.5
"""Maximum separating velocity of bodies in penetration [m/s]."""
NOISE = 1e-9
"""Fraction of the work of impulses that counts as rounding error."""
MAX_PRESSING = 5.0
"""Maximum acceleration that is compensated in advance [m/s^2]. Beyond it, steps become shorter."""


@kernel
def _answer(row: Vector, impulse: Vector, moment: Vector) -> float:
    """Return the product of one row of an inverse inertia, shape (6,), with an impulse and its moment."""
    total = 0.0
    for i in range(3):
        total += row[i] * impulse[i] + row[3 + i] * moment[i]
    return total


@kernel
def _dot(a: Vector, b: Vector) -> float:
    """Return the inner product of two vectors, shape (3,), summed in index order; BLAS uses other orders."""
    total: float = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return total


@kernel
def _solve(
    pair: Vector,
    points: Vector,
    normals: Vector,
    bias: Vector,
    friction: Vector,
    drift: Vector,
    inverse_mass: Vector,
    inverse_inertia: Vector,
    held: NDArray[np.bool_],
    mobility: Vector,
    center: Vector,
    v: Vector,
    omega: Vector,
    iterations: int,
    out: Vector,
    weight: Vector,
) -> None:  # pragma: no cover - compiled
    """Fill ``out`` (n, 3) with the impulse on the second body of each contact; velocities are updated in place.

    ``weight`` (n,) is filled with the effective mass of each contact along its normal.

    Source: catto2005; goldstein2002.
    Checked by: test_contact_solver.py::test_smooth_impact_has_the_restitution_of_the_approach,
    test_contact_solver.py::test_friction_stops_sliding_up_to_its_limit,
    test_contact_solver.py::test_several_pairs_are_solved_together_and_conserve_momentum.
    """
    n = points.shape[0]
    tangents = np.empty((n, 3, 3))
    effective = np.empty((n, 3))
    accumulated = np.zeros((n, 3))
    for k in range(n):
        tangents[k, 0] = normals[k]
        helper = np.zeros(3)
        helper[np.argmin(np.abs(normals[k]))] = 1.0
        t = np.cross(normals[k], helper)
        t /= np.sqrt(_dot(t, t))
        tangents[k, 1] = t
        tangents[k, 2] = np.cross(normals[k], t)
        for d in range(3):
            total = 0.0
            for side in range(2):
                body = pair[k, side]
                arm = np.cross(points[k] - center[body], tangents[k, d])
                if held[body]:
                    for i in range(3):
                        total += tangents[k, d, i] * _answer(mobility[body, i], tangents[k, d], arm)
                        total += arm[i] * _answer(mobility[body, 3 + i], tangents[k, d], arm)
                else:
                    total += inverse_mass[body]
                    for i in range(3):
                        total += arm[i] * _dot(inverse_inertia[body, i], arm)
            effective[k, d] = 1.0 / total
        weight[k] = effective[k, 0]
    for _ in range(iterations):
        for k in range(n):
            a, b = pair[k, 0], pair[k, 1]
            ra, rb = points[k] - center[a], points[k] - center[b]
            for d in (1, 2, 0):
                direction = tangents[k, d]
                relative = v[b] + np.cross(omega[b], rb) - v[a] - np.cross(omega[a], ra) + drift[k]
                speed = _dot(relative, direction)
                old = accumulated[k, d]
                if d == 0:
                    new = max(0.0, old + effective[k, d] * (bias[k] - speed))
                else:
                    limit = friction[k] * accumulated[k, 0]
                    new = min(limit, max(-limit, old - effective[k, d] * speed))
                accumulated[k, d] = new
                p = (new - old) * direction
                for body, arm, sign in ((a, ra, -1.0), (b, rb, 1.0)):
                    moment = np.cross(arm, p)
                    if held[body]:
                        for i in range(3):
                            v[body, i] += sign * _answer(mobility[body, i], p, moment)
                            omega[body, i] += sign * _answer(mobility[body, 3 + i], p, moment)
                    else:
                        v[body] += sign * (inverse_mass[body] * p)
                        for i in range(3):
                            omega[body, i] += sign * _dot(inverse_inertia[body, i], moment)
    for k in range(n):
        out[k] = (
            accumulated[k, 0] * tangents[k, 0] + accumulated[k, 1] * tangents[k, 1] + accumulated[k, 2] * tangents[k, 2]
        )


@kernel
def _relative(
    k: int, pair: Vector, points: Vector, center: Vector, v: Vector, omega: Vector, drift: Vector, out: Vector
) -> None:  # pragma: no cover - compiled
    """Write the velocity of the second body relative to the first at a contact."""
    a, b = pair[k, 0], pair[k, 1]
    ra, rb = points[k] - center[a], points[k] - center[b]
    for i in range(3):
        j, m = (i + 1) % 3, (i + 2) % 3
        own = v[b, i] + omega[b, j] * rb[m] - omega[b, m] * rb[j]
        out[i] = own - (v[a, i] + omega[a, j] * ra[m] - omega[a, m] * ra[j]) + drift[k, i]


@kernel
def _spare(
    pair: Vector,
    points: Vector,
    fixed: NDArray[np.bool_],
    drift: Vector,
    center: Vector,
    before: Vector,
    spin_before: Vector,
    after: Vector,
    spin_after: Vector,
    budget: Vector,
    out: Vector,
) -> None:  # pragma: no cover - compiled
    """Scale the impulses ``out`` (n, 3) of connected bodies by one factor if they would add energy.

    An impulse p at a contact, whose relative velocity changes from u to w, does the work p (u + w) / 2. Newton's
    restitution at several contacts at once, and separating velocities of moving bodies, may sum to more work than the
    separating velocities are meant to do (``budget`` (n,) [J]). With a factor s the work is s b + s^2 a / 2 with
    b = sum p u and a = sum p (w - u).

    Source: goldstein2002.
    Checked by: test_contact_solver.py::test_simultaneous_impacts_add_no_energy,
    test_random_worlds.py::test_random_worlds_keep_their_invariants.
    """
    n, count = pair.shape[0], fixed.shape[0]
    group = np.arange(count)
    for _ in range(count):
        changed = False
        for k in range(n):
            a, b = pair[k, 0], pair[k, 1]
            if fixed[a] or fixed[b] or group[a] == group[b]:
                continue
            group[a] = group[b] = min(group[a], group[b])
            changed = True
        if not changed:
            break
    linear, square, allowed, size = np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count)
    u, w = np.empty(3), np.empty(3)
    for k in range(n):
        body = pair[k, 1] if fixed[pair[k, 0]] else pair[k, 0]
        _relative(k, pair, points, center, before, spin_before, drift, u)
        _relative(k, pair, points, center, after, spin_after, drift, w)
        allowed[group[body]] += budget[k]
        for i in range(3):
            linear[group[body]] += out[k, i] * u[i]
            square[group[body]] += out[k, i] * (w[i] - u[i])
            size[group[body]] += abs(out[k, i] * u[i])
    for k in range(n):
        g = group[pair[k, 1] if fixed[pair[k, 0]] else pair[k, 0]]
        if square[g] > 0.0 and linear[g] + 0.5 * square[g] - allowed[g] > NOISE * size[g]:
            root = np.sqrt(max(0.0, linear[g] * linear[g] + 2.0 * square[g] * allowed[g]))
            factor = (root - linear[g]) / square[g]
            for i in range(3):
                out[k, i] *= factor


Pair = tuple[str, str]


def approach_speed(hit: Intersection, point: Vector, normal: Vector) -> float:
    """Return the closing speed of two bodies at a point along a normal [m/s].

    Args:
        hit: Intersection of the pair.
        point: Point in the world frame [m], shape (3,).
        normal: Unit vector from the first body to the second, shape (3,).

    Source: goldstein2002.
    Checked by: test_contact_solver.py::test_smooth_impact_has_the_restitution_of_the_approach.
    """
    return -dot(_velocity(hit.b.body, point) - _velocity(hit.a.body, point), normal)


def _velocity(body: BodyState, point: Vector) -> Vector:
    """Return the velocity of a body's material at ``point`` in the world frame [m/s], shape (3,)."""
    at: Vector = body.linear_velocity + cross(body.angular_velocity, point - body.position)
    return at


def _drift(item: Object, point: Vector) -> Vector:
    """Return the velocity of a part at ``point`` relative to its whole moving rigidly [m/s], shape (3,)."""
    whole = item.contact_target
    return np.zeros(3) if whole is item else _velocity(item.body, point) - _velocity(whole.body, point)


def contact_accelerations(
    touching: Sequence[Intersection], separation: Mapping[Pair, float], dt_s: float
) -> dict[Pair, float]:
    """Return the acceleration that pressed each lasting contact together during a cycle [m/s^2], by pair.

    Wheels (or gravity) press bodies together throughout a cycle, but impulses act at its start only. The loss of
    separating velocity, known at the end, is compensated in the next cycle. The scheme is Regolith's own. A resting
    pair penetrates by at most half the fall of one maximum step. Tests: test_contact_solver.py.

    Args:
        touching: Pairs in contact at the end of the cycle.
        separation: Separating velocity that the impulses at its start aimed at, by pair [m/s].
        dt_s: Step size [s].
    """
    pressing = {}
    for hit in touching:
        pair = (hit.a.name, hit.b.name)
        if pair in separation and len(hit.points):
            speed = approach_speed(hit, hit.points[np.argmin(hit.gaps)], hit.normal)
            pressing[pair] = min(MAX_PRESSING, max(0.0, (speed + separation[pair]) / dt_s))
    return pressing


def solve_contacts(
    touching: Sequence[Intersection], max_step_s: float, pressing: Mapping[Pair, float] | None = None
) -> tuple[list[Impulse], dict[Pair, float]]:
    """Return the impulses that stop (or bounce) all touching pairs, in pair order.

    Args:
        touching: Intersections of tangible pairs in contact, sorted by names.
        max_step_s: Time over which penetration is removed [s].
        pressing: Accelerations from :func:`contact_accelerations`; None: none.

    Returns:
        The impulses, and the separating velocity that they aim at, by pair [m/s].

    Source: catto2005; baumgarte1972.
    Checked by: test_contact_solver.py::test_smooth_impact_has_the_restitution_of_the_approach,
    test_contact_solver.py::test_penetration_is_removed_at_a_limited_rate,
    test_contact_solver.py::test_restitution_is_the_maximum_and_friction_the_geometric_mean.
    """
    pressing = pressing or {}
    separation: dict[Pair, float] = {}
    bodies: dict[str, int] = {}
    items: list[Object] = []
    states: list[BodyState] = []
    mobilities: list[Vector | None] = []
    pair, points, normals, bias, friction, drift, names, pushed = [], [], [], [], [], [], [], []
    for hit in touching:
        if hit.status == Status.NO_INTERSECTION or not len(hit.points):
            continue
        wholes = hit.a.contact_target, hit.b.contact_target
        for whole in wholes:
            if whole.name not in bodies:
                bodies[whole.name] = len(states)
                items.append(whole)
                states.append(whole.body)
                mobilities.append(whole.inverse_inertia())
        restitution = max(hit.a.restitution, hit.b.restitution)
        # Half the pressing of one maximum step in advance leaves the bodies at the same gap at its end.
        beforehand = 0.5 * pressing.get((hit.a.name, hit.b.name), 0.0) * max_step_s
        pushes = CORRECTION * np.maximum(0.0, -hit.gaps - TOUCH_DISTANCE) / max_step_s
        pushes = beforehand + np.minimum(pushes, MAX_PUSH)
        separation[hit.a.name, hit.b.name] = float(pushes[np.argmin(hit.gaps)])
        for point, normal, gap, push in zip(hit.points, hit.normals, hit.gaps, pushes.tolist()):
            approach = approach_speed(hit, point, normal)
            # At a point that is still apart, the impulse only prevents that the gap closes within the maximum step.
            if gap > TOUCH_DISTANCE:
                push = beforehand - (gap - TOUCH_DISTANCE) / max_step_s
            bounce = restitution * approach if approach > RESTING_SPEED and gap <= TOUCH_DISTANCE else -np.inf
            pair.append((bodies[wholes[0].name], bodies[wholes[1].name]))
            drift.append(_drift(hit.b, point) - _drift(hit.a, point))
            names.append((hit.a.name, hit.b.name))
            points.append(point)
            normals.append(normal)
            bias.append(max(bounce, push))
            pushed.append(max(0.0, push) if push >= bounce else 0.0)
            friction.append(float(np.sqrt(hit.a.friction * hit.b.friction)))
    if not pair:
        return [], {}
    inverse_mass = np.array([1.0 / s.mass if s.mass > 0.0 else 0.0 for s in states])
    inverse_inertia = np.array([solved(s.inertia, np.eye(3)) if s.mass > 0.0 else np.zeros((3, 3)) for s in states])
    center = np.array([s.center_of_mass if s.mass > 0.0 else s.position for s in states])
    omega = np.array([s.angular_velocity for s in states])
    v = np.array([s.linear_velocity for s in states]) + np.cross(omega, center - np.array([s.position for s in states]))
    out, weight, before, spin_before = np.zeros((len(pair), 3)), np.zeros(len(pair)), v.copy(), omega.copy()
    held = np.array([m is not None for m in mobilities])
    mobility = np.array([np.zeros((6, 6)) if m is None else m for m in mobilities])
    contacts = np.array(pair), np.array(points), np.array(normals), np.array(bias), np.array(friction), np.array(drift)
    links: list[tuple[int, int]] = []
    if any(map(coupled_contacts.is_coupled, items)):
        for own, known, m, i in zip(mobility, held, inverse_mass, inverse_inertia):
            if not known:
                own[:3, :3], own[3:, 3:] = m * np.eye(3), i
        response, links = coupled_contacts.joint_response(items, list(mobility)), coupled_contacts.coupled_pairs(items)
        iterations = coupled_contacts.ITERATIONS
        coupled_contacts.solve_coupled(*contacts, response, center, v, omega, iterations, out, weight)
    else:
        _solve(*contacts, inverse_mass, inverse_inertia, held, mobility, center, v, omega, ITERATIONS, out, weight)
    # Links of one family share one factor: pairs of them count as contacts without impulses.
    none = np.zeros((len(links), 3))
    given = np.concatenate((out, none))
    _spare(
        np.array(pair + links),
        np.concatenate((contacts[1], none)),
        (inverse_mass == 0.0) & ~held,
        np.concatenate((contacts[5], none)),
        center,
        before,
        spin_before,
        v,
        omega,
        np.concatenate((0.5 * weight * np.array(pushed) ** 2, none[:, 0])),
        given,
    )
    out = given[: len(out)]
    return [Impulse(a, b, q, -p) for (a, b), q, p in zip(names, points, out) if p.any()], separation
