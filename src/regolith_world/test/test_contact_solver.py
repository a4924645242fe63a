# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the contact solver against closed forms of rigid impact (Goldsmith 1960, ch. 2)."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_world.contacts.contact_solver import (
    CORRECTION,
    MAX_PRESSING,
    MAX_PUSH,
    RESTING_SPEED,
    approach_speed,
    contact_accelerations,
    solve_contacts,
)
from regolith_world.contacts.intersection import TOUCH_DISTANCE
from regolith_world.cycle.records import BodyState
from regolith_world.numerics.rotation import from_rotation_vector, matrix
from regolith_world.objects.object import Intersection, Object, Status

HEARTBEAT = 0.02
TILT = from_rotation_vector(np.array([0.3, -0.5, 0.2]))


def body(name, position, velocity, mass=2.0, omega=(0, 0, 0), center=(0, 0, 0), inertia=(0.3, 0.5, 0.7), **options):
    """Return a body whose center of mass is at ``center`` from its origin, in world axes."""
    position, r = np.array(position, dtype=float), matrix(TILT)
    state = BodyState(
        name,
        position,
        TILT,
        np.array(velocity, dtype=float),
        np.array(omega, dtype=float),
        mass,
        position + center,
        r @ np.diag(inertia) @ r.T,
    )
    return Object(name, state, **options)


def meet(a, b, point, normal, gap=0.0):
    points, normals = np.atleast_2d(point).astype(float), np.atleast_2d(normal).astype(float)
    gaps = np.atleast_1d(gap).astype(float)
    return Intersection(a, b, Status.COLLISION_POINTS, float(gaps.min()), points, normals[0], normals, gaps)


def velocity_at(state, point, blow=None, sign=1.0):
    """Return the velocity of a point of a body, after an impulse if there is one."""
    v, omega = state.linear_velocity, state.angular_velocity
    v = v + np.cross(omega, state.center_of_mass - state.position)
    if blow is not None and state.mass > 0.0:
        v = v + sign * blow.impulse / state.mass
        omega = omega + sign * np.linalg.solve(state.inertia, np.cross(blow.point - state.center_of_mass, blow.impulse))
    return v + np.cross(omega, point - state.center_of_mass)


SPINNING = {'omega': (0.4, -1.0, 0.7), 'center': (0.3, -0.2, 0.1)}
POINT, NORMAL = np.array([0.5, 0.1, -0.1]), np.array([0.6, 0.0, 0.8])


@pytest.mark.parametrize('restitution', [0.0, 0.4, 1.0])
def test_smooth_impact_has_the_restitution_of_the_approach(restitution):
    """Both rotate, both have the center of mass beside their origin: v_n' = -e v_n at the point, impulse along the normal."""
    a = body('a', (0, 0, 0), (1, 0, 1), restitution=restitution, friction=0.0, **SPINNING)
    b = body('b', (1, 0.3, 0), (-1, 0.2, 0), mass=5.0, omega=(-0.5, 0.3, 0.9), center=(-0.1, 0.1, 0.4), friction=0.7)
    hit = meet(a, b, POINT, NORMAL)
    approach = approach_speed(hit, POINT, NORMAL)
    assert approach > RESTING_SPEED
    assert approach == pytest.approx((velocity_at(a.body, POINT) - velocity_at(b.body, POINT)) @ NORMAL)
    (blow,), separation = solve_contacts([hit], HEARTBEAT)
    assert (blow.a, blow.b) == ('a', 'b') and separation == {('a', 'b'): 0.0}
    np.testing.assert_array_equal(blow.point, POINT)
    # One contact: the iteration converges to rounding. The impulse is on a, against the normal, which points to b.
    np.testing.assert_allclose(np.cross(blow.impulse, NORMAL), 0.0, atol=1e-12)
    after = velocity_at(b.body, POINT, blow, -1.0) - velocity_at(a.body, POINT, blow)
    assert after @ NORMAL == pytest.approx(restitution * approach, rel=1e-12, abs=1e-12)
    effective = 0.0
    for state in (a.body, b.body):
        arm = np.cross(POINT - state.center_of_mass, NORMAL)
        effective += 1.0 / state.mass + arm @ np.linalg.solve(state.inertia, arm)
    assert blow.impulse @ NORMAL == pytest.approx(-(1.0 + restitution) * approach / effective, rel=1e-12)


def test_restitution_is_the_maximum_and_friction_the_geometric_mean():
    a = body('a', (0, 0, 0), (1, 0, 0), inertia=(1e9, 1e9, 1e9), restitution=0.2, friction=0.09)
    b = body('b', (1, 0, 0), (-1, 3, 0), inertia=(1e9, 1e9, 1e9), restitution=0.6, friction=0.25)
    (blow,), _ = solve_contacts([meet(a, b, (0.5, 0, 0), (1, 0, 0))], HEARTBEAT)
    # Without rotation: mu = sqrt(0.09 * 0.25) = 0.15 of the normal impulse 2 * (1.6 / 2) * 2, along the sliding of b on
    # a.
    normal = 2.0 * 1.6
    np.testing.assert_allclose(blow.impulse, [-normal / 1.0, 0.15 * normal, 0.0], rtol=1e-6, atol=1e-6)


def test_friction_stops_sliding_up_to_its_limit():
    """Sliding slower than the cone allows ends: the contact point sticks in any direction."""
    a = body('a', (0, 0, 0), (1, 0, 0.02), friction=0.9)
    b = body('b', (1, 0, 0), (-1, 0.03, 0), friction=0.9)
    hit = meet(a, b, (0.5, 0, 0), (1, 0, 0))
    (blow,), _ = solve_contacts([hit], HEARTBEAT)
    after = velocity_at(b.body, hit.points[0], blow, -1.0) - velocity_at(a.body, hit.points[0], blow)
    np.testing.assert_allclose(after, 0.0, atol=1e-9)


def test_wall_does_not_move_after_any_impact():
    wall = Object('w', BodyState('w', np.zeros(3), TILT, np.zeros(3), np.zeros(3)), restitution=1.0, friction=0.0)
    ball = body('b', (0.2, 0, 0), (-3, 0, 0), center=(0.05, 0, 0))
    (blow,), _ = solve_contacts([meet(ball, wall, (0.1, 0, 0), (-1, 0, 0))], HEARTBEAT)
    assert blow.impulse[0] == pytest.approx(2.0 * 6.0)


def test_several_pairs_are_solved_together_and_conserve_momentum():
    """A Newton's cradle of three, plastic: one impact in two pairs leaves all at a third of the speed."""
    heavy = {'inertia': (1e9, 1e9, 1e9), 'friction': 0.0}
    a, b, c = (
        body('a', (0, 0, 0), (3, 0, 0), **heavy),
        body('b', (1, 0, 0), (0, 0, 0), **heavy),
        body('c', (2, 0, 0), (0, 0, 0), **heavy),
    )
    hits = [meet(a, b, (0.5, 0, 0), (1, 0, 0)), meet(b, c, (1.5, 0, 0), (1, 0, 0))]
    blows, separation = solve_contacts(hits, HEARTBEAT)
    assert [(p.a, p.b) for p in blows] == [('a', 'b'), ('b', 'c')] == list(separation)
    speeds = {'a': 3.0, 'b': 0.0, 'c': 0.0}
    for p in blows:
        speeds[p.a] += p.impulse[0] / 2.0
        speeds[p.b] -= p.impulse[0] / 2.0
    # Gauss-Seidel over two contacts shrinks the error fourfold per sweep; 60 sweeps are rounding.
    assert list(speeds.values()) == pytest.approx([1.0] * 3, abs=1e-9)


def test_contact_points_of_a_pair_share_the_impulse():
    """Four corners of a face, hit centrally: equal parts, no rotation."""
    a, b = body('a', (0, 0, 0), (1, 0, 0), friction=0.0), body('b', (1, 0, 0), (0, 0, 0), friction=0.0)
    corners = [(0.5, y, z) for y in (-0.2, 0.2) for z in (-0.1, 0.1)]
    blows, _ = solve_contacts([meet(a, b, corners, [(1, 0, 0)] * 4, [0.0] * 4)], HEARTBEAT)
    total = sum(p.impulse for p in blows)
    np.testing.assert_allclose(total, [-1.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(sum(np.cross(p.point, p.impulse) for p in blows), 0.0, atol=1e-6)


def test_penetration_is_removed_at_a_limited_rate():
    heavy = {'inertia': (1e9, 1e9, 1e9), 'friction': 0.0}
    a, b = body('a', (0, 0, 0), (0, 0, 0), **heavy), body('b', (1, 0, 0), (0, 0, 0), **heavy)
    for depth, speed in ((0.0011, CORRECTION * 0.001 / HEARTBEAT), (0.5, MAX_PUSH), (0.5 * TOUCH_DISTANCE, 0.0)):
        blows, separation = solve_contacts([meet(a, b, (0.5, 0, 0), (1, 0, 0), -depth)], HEARTBEAT)
        assert separation['a', 'b'] == pytest.approx(speed, rel=1e-9)
        # Two masses of 2 kg separate at that speed.
        assert sum(-p.impulse[0] for p in blows) == pytest.approx(speed * 1.0, abs=1e-12)


def test_gap_may_close_without_penetration():
    heavy = {'inertia': (1e9, 1e9, 1e9), 'friction': 0.0, 'restitution': 1.0}
    a, b = body('a', (0, 0, 0), (1, 0, 0), **heavy), body('b', (1, 0, 0), (0, 0, 0), **heavy)
    gap = 0.0009
    (blow,), _ = solve_contacts([meet(a, b, (0.5, 0, 0), (1, 0, 0), gap)], HEARTBEAT)
    # The gap closes by itself less the touching distance within a step; no bounce before.
    assert -blow.impulse[0] == pytest.approx(1.0 - (gap - TOUCH_DISTANCE) / HEARTBEAT, rel=1e-9)


def test_slow_contacts_do_not_bounce():
    heavy = {'inertia': (1e9, 1e9, 1e9), 'friction': 0.0, 'restitution': 1.0}
    for speed, factor in ((0.9 * RESTING_SPEED, 1.0), (1.1 * RESTING_SPEED, 2.0)):
        a, b = body('a', (0, 0, 0), (speed, 0, 0), **heavy), body('b', (1, 0, 0), (0, 0, 0), **heavy)
        (blow,), _ = solve_contacts([meet(a, b, (0.5, 0, 0), (1, 0, 0))], HEARTBEAT)
        assert -blow.impulse[0] == pytest.approx(factor * speed, rel=1e-9)


def test_half_the_pressing_of_a_step_is_compensated_in_advance():
    """Pressed together by g, bodies that separate at g h / 2 are at the same gap after h, closing at g h / 2."""
    heavy = {'inertia': (1e9, 1e9, 1e9), 'friction': 0.0}
    g = 1.7
    a, b = body('a', (0, 0, 0), (0.5 * g * HEARTBEAT, 0, 0), **heavy), body('b', (1, 0, 0), (0, 0, 0), **heavy)
    hit = meet(a, b, (0.5, 0, 0), (1, 0, 0))
    blows, separation = solve_contacts([hit], HEARTBEAT, {('a', 'b'): g, ('a', 'c'): 99.0})
    assert separation == {('a', 'b'): pytest.approx(0.5 * g * HEARTBEAT, rel=1e-12)}
    assert -blows[0].impulse[0] == pytest.approx(g * HEARTBEAT, rel=1e-9)


def test_pressing_is_measured_from_the_target_velocity():
    """Target separation u, closing v: pressed by (u + v) / dt, from 0 to 5 m/s^2; new contacts are not included."""
    a = body('a', (0, 0, 0), (0.03, 0, 0), **SPINNING)
    b = body('b', (1, 0, 0), (0, 0, 0))
    hit = meet(a, b, [(0.5, 0, 0), (0.5, 0.3, 0)], [(1, 0, 0)] * 2, [0.0, -0.0005])
    # At the deepest point.
    v = a.body.linear_velocity[0] + np.cross(a.body.angular_velocity, [0.5, 0.3, 0.0])[0]
    assert approach_speed(hit, hit.points[1], hit.normal) == pytest.approx(v)
    u = 0.02 - v
    assert contact_accelerations([hit], {('a', 'b'): u}, 0.01) == {('a', 'b'): pytest.approx(2.0)}
    assert contact_accelerations([hit], {('a', 'b'): -9.0}, 0.01) == {('a', 'b'): 0.0}
    assert contact_accelerations([hit], {('a', 'b'): 9.0}, 0.01) == {('a', 'b'): MAX_PRESSING}
    assert contact_accelerations([hit], {('a', 'c'): u}, 0.01) == {}
    assert solve_contacts([], HEARTBEAT) == ([], {})


def test_simultaneous_impacts_add_no_energy():
    """A plastic body presses an elastic one on the floor, 1 mm deep, at walking pace.

    The energy m v dv that the separation of the two adds at that speed is removed. Momentum between them is conserved.
    """
    low = body('low', (0, 0, 0.3), (0, 0, -1.25), inertia=(0.1, 0.1, 0.1), restitution=0.0, friction=0.0)
    high = body('high', (0, 0, 0.8), (0, 0, -1.24), inertia=(0.1, 0.1, 0.1), restitution=0.0, friction=0.0)
    floor = body('floor', (0, 0, -1), (0, 0, 0), mass=0.0, restitution=1.0, friction=0.0)
    deep = meet(low, high, (0, 0, 0.55), (0, 0, 1.0), gap=-9e-4)
    hits = [meet(floor, low, (0, 0, 0.05), (0, 0, 1.0), gap=-3e-4), deep]
    blows, _ = solve_contacts(hits, HEARTBEAT)
    velocity = {name: np.array(item.body.linear_velocity) for name, item in (('low', low), ('high', high))}
    for blow in blows:
        for name, sign in ((blow.a, 1.0), (blow.b, -1.0)):
            if name in velocity:
                velocity[name] = velocity[name] + sign * blow.impulse / 2.0
    energy = sum(v @ v for v in velocity.values())
    push = CORRECTION * (9e-4 - TOUCH_DISTANCE) / HEARTBEAT
    assert 1.25**2 + 1.24**2 - 1e-9 < energy <= 1.25**2 + 1.24**2 + 0.5 * push**2 + 1e-9
    assert all(v[2] > 1.2 for v in velocity.values()), 'both fly up'
    # Without the floor, the separation is the nominal one.
    ((blow,), _) = solve_contacts([deep], HEARTBEAT)
    assert blow.impulse[2] == pytest.approx(-(push - 0.01) * 1.0, rel=1e-9)
