# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of rigid bodies: free motion and its order of convergence, impulses, lifetime, state hash."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from regolith_world.cycle.records import (
    VEHICLE_ROLES,
    BodyState,
    Command,
    Cycle,
    CycleKey,
    CycleResult,
    Impulse,
    JoinRequest,
    Verdict,
)
from regolith_world.numerics.rotation import from_rotation_vector, matrix, product, rotation_vector
from regolith_world.objects.object import Object
from regolith_world.objects.remote_body import RemoteAgent
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import (
    box_inertia,
    capsule_inertia,
    cylinder_inertia,
    make_rigid_state,
    sphere_inertia,
)
from regolith_world.world import World, WorldConfig

TURN = from_rotation_vector(np.array([0.3, 0.7, -0.2]))


def cycle(t_ns, dt_ns, *impulses):
    return Cycle(CycleKey(0, 0, 0), t_ns, dt_ns, Verdict.NONE, Command.EVOLVE, impulses=impulses)


def fly(body, seconds, steps):
    dt = round(seconds * 1e9) // steps
    for k in range(steps):
        body.evolve(cycle(k * dt, dt))
    return body.body


def spinning(inertia, omega=(0.5, 2.0, -0.3)):
    r = matrix(TURN)
    state = make_rigid_state(
        'a', [1, 2, 3], 2.0, np.diag(inertia), orientation=TURN, angular_velocity=r @ np.array(omega)
    )
    return RigidBody('a', state, [])


def angle_between(a, b):
    return float(np.linalg.norm(rotation_vector(product(a, b * [-1, -1, -1, 1]))))


def test_rotation_is_of_second_order():
    """A tumbling body of three different moments: half the step, a quarter of the error (Hairer et al. 2006, ch. II)."""
    exact = fly(spinning((0.3, 0.5, 0.7)), 2.0, 8000).orientation
    errors = [angle_between(fly(spinning((0.3, 0.5, 0.7)), 2.0, n).orientation, exact) for n in (100, 200, 400)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05) and errors[1] / errors[2] == pytest.approx(
        4.0, rel=0.05
    )


def test_spinning_top_precesses_as_in_euler_equations():
    """A symmetric body rotates about its angular momentum at L / I1 and about its own axis at (1 / I3 - 1 / I1) L3.

    (Goldstein 1980, section 5-6.) The error of the midpoint rule at 1 ms is 2e-6 rad.
    """
    top = spinning((0.4, 0.4, 0.9))
    momentum = top.body.inertia @ top.body.angular_velocity
    size, own = np.linalg.norm(momentum), matrix(TURN).T @ momentum
    last = fly(top, 1.5, 1500)
    about_l = from_rotation_vector(1.5 / 0.4 * momentum)
    about_axis = from_rotation_vector(np.array([0.0, 0.0, 1.5 * own[2] * (1 / 0.9 - 1 / 0.4)]))
    assert angle_between(last.orientation, product(product(about_l, TURN), about_axis)) < 1e-5
    np.testing.assert_allclose(last.inertia @ last.angular_velocity, momentum, rtol=1e-12, atol=1e-12 * size)
    r = matrix(last.orientation)
    np.testing.assert_allclose(last.inertia, r @ np.diag((0.4, 0.4, 0.9)) @ r.T, atol=1e-12)
    np.testing.assert_array_equal(last.center_of_mass, last.position)


def test_gravity_may_pull_anywhere_and_the_parabola_is_exact():
    state = make_rigid_state('a', [1, 2, 3], 1.0, sphere_inertia(1.0, 0.1), linear_velocity=np.array([1.0, -2.0, 3.0]))
    body = RigidBody('a', state, [], gravity=[0.3, -0.2, -1.62])
    last = fly(body, 2.0, 7)
    t = body.states.newest_time_ns * 1e-9
    np.testing.assert_allclose(
        last.position, [1 + t + 0.15 * t * t, 2 - 2 * t - 0.1 * t * t, 3 + 3 * t - 0.81 * t * t], rtol=1e-13
    )
    np.testing.assert_allclose(last.linear_velocity, [1 + 0.3 * t, -2 - 0.2 * t, 3 - 1.62 * t], rtol=1e-13)


@pytest.mark.parametrize(('names', 'sign'), [(('a', 'x'), 1.0), (('x', 'a'), -1.0), (('x', 'y'), 0.0)])
def test_impulse_changes_momentum_and_spin(names, sign):
    """p / m at the center of mass and r x p about it; the opposite on the second of the pair; none on others."""
    body = spinning((0.3, 0.5, 0.7))
    before = body.body
    point, push = np.array([1.4, 1.9, 3.2]), np.array([0.3, -0.7, 0.4])
    body.evolve(cycle(0, 1, Impulse(*names, point, push)))
    after = body.body
    np.testing.assert_allclose(after.linear_velocity, before.linear_velocity + sign * push / 2.0, atol=1e-15)
    spin = before.inertia @ before.angular_velocity + sign * np.cross(point - before.position, push)
    np.testing.assert_allclose(after.inertia @ after.angular_velocity, spin, atol=1e-8)


def test_two_impulses_add_up():
    body = spinning((0.3, 0.3, 0.3), omega=(0, 0, 0))
    push = np.array([0.1, 0.0, 0.0])
    body.evolve(
        cycle(0, 1, Impulse('a', 'x', body.body.position, push), Impulse('y', 'a', body.body.position, 3 * push))
    )
    np.testing.assert_allclose(body.body.linear_velocity, [-0.1, 0.0, 0.0], atol=1e-15)


def test_lifetime_counts_from_the_spawn_time():
    """Spawned at 3 s with a lifetime of 0.05 s: its last step ends exactly at the end of its lifetime."""
    state = make_rigid_state('a', [0, 0, 0], 1.0, np.eye(3))
    body = RigidBody('a', state, [], t_ns=3_000_000_000, lifetime_ns=50_000_000)
    world = World(WorldConfig(gravity_mps2=0.0), [body])
    world.t_ns = 3_000_000_000
    ages = []
    while 'a' in world.objects and world.t_ns < 3_200_000_000:
        ages.append(world.t_ns)
        world.step()
    assert (world.t_ns, len(ages)) == (3_050_000_000, 3)
    forever = RigidBody('b', state, [], t_ns=3_000_000_000)
    forever.evolve(cycle(3_000_000_000, 10**12))
    forever.commit([])
    assert forever.alive


def test_inertias_of_simple_bodies():
    """2/5 m r^2; m/12 (b^2 + c^2) of full lengths."""
    np.testing.assert_allclose(sphere_inertia(5.0, 0.3), np.eye(3) * 0.4 * 5.0 * 0.09)
    np.testing.assert_allclose(box_inertia(6.0, [1.0, 2.0, 3.0]), np.diag([4 + 9, 1 + 9, 1 + 4]) * 2.0)
    np.testing.assert_allclose(cylinder_inertia(6.0, 2.0, 1.5), np.diag([6 + 4.5, 6 + 4.5, 12]))
    # A capsule without a straight part is a sphere. A long thin one is a rod: m/12 L^2.
    np.testing.assert_allclose(capsule_inertia(5.0, 0.3, 0.0), sphere_inertia(5.0, 0.3))
    assert capsule_inertia(6.0, 1e-4, 2.0)[0, 0] == pytest.approx(8.0, rel=1e-3)
    with pytest.raises(ValueError, match='must be positive'):
        make_rigid_state('a', [0, 0, 0], 0.0, np.eye(3))
    with pytest.raises(ValueError, match='must be positive'):
        make_rigid_state('a', [0, 0, 0], 1.0, np.diag([1.0, -1.0, 1.0]))


@pytest.mark.parametrize('field', ['position', 'orientation', 'linear_velocity', 'angular_velocity'])
def test_one_ulp_of_any_component_changes_the_hash(field):
    state = spinning((0.3, 0.5, 0.7)).body
    for k in range(len(getattr(state, field))):
        values = getattr(state, field).copy()
        values[k] = np.nextafter(values[k], np.inf)
        assert Object('a', replace(state, **{field: values})).state_hash() != Object('a', state).state_hash()
    assert Object('a', state, t_ns=1).state_hash() != Object('a', state).state_hash()


def test_state_hash_covers_children_in_any_order():
    state = spinning((0.3, 0.5, 0.7)).body

    def family(*names, moved=0.0):
        parent = Object('p', state)
        for name in names:
            Object(name, replace(state, position=state.position + moved), parent=parent)
        return parent.state_hash()

    assert family('p/a', 'p/b') == family('p/b', 'p/a')
    assert len({family(), family('p/a'), family('p/b'), family('p/a', 'p/b'), family('p/a', moved=1e-15)}) == 5


def test_remote_agent_restores_its_committed_state():
    def state(x):
        return make_rigid_state('a', [x, 0, 0], 1.0, np.eye(3))

    request = JoinRequest('a', VEHICLE_ROLES, (), (state(0.0),), 5, 'h0', '', {}, 0.25, 0.75)
    agent = RemoteAgent(request, 100)
    assert (agent.restitution, agent.friction, agent.states.newest_time_ns) == (0.25, 0.75, 100)

    def told():
        return agent.next_dt_ns(), agent.state_hash(), agent.body.position[0], agent.states.newest_time_ns

    assert told() == (5, 'h0', 0.0, 100)
    for k in (1, 2):  # a discarded attempt, then another
        agent.take(CycleResult(CycleKey(0, 0, k), 'a', 6 + k, (state(float(k)),), state_hash=f'h{k}'), 110)
        assert told() == (6 + k, f'h{k}', float(k), 110)
        agent.discard()
        assert told() == (5, 'h0', 0.0, 100)
    agent.take(CycleResult(CycleKey(0, 0, 3), 'a', 9, (state(3.0),), state_hash='h3'), 110)
    agent.take(CycleResult(CycleKey(0, 1, 0), 'a', 10, (state(4.0),), state_hash='h4'), 120)
    agent.discard()
    assert told() == (9, 'h3', 3.0, 110)
    agent.rewind(40, (state(7.0),), 11, 'h7')
    assert told() == (11, 'h7', 7.0, 40) and len(agent.states) == 1


def test_free_motion_keeps_constant_attributes():
    first = spinning((0.3, 0.5, 0.7)).body
    last = fly(spinning((0.3, 0.5, 0.7)), 0.1, 5)
    assert last.name == first.name and last.mass == first.mass
    assert {f.name for f in fields(BodyState)} == {
        'name',
        'position',
        'orientation',
        'linear_velocity',
        'angular_velocity',
        'mass',
        'center_of_mass',
        'inertia',
    }


def test_center_of_mass_follows_a_placed_object():
    """Center of mass and inertia turn and move with it, about an origin that is not the center of mass."""
    arm, inertia = np.array([0.2, -0.1, 0.4]), np.diag([1.0, 2.0, 3.0])
    own = BodyState('a', np.array([1.0, 2.0, 3.0]), TURN, np.zeros(3), np.zeros(3), 2.0)
    own = replace(
        own, center_of_mass=own.position + matrix(TURN) @ arm, inertia=matrix(TURN) @ inertia @ matrix(TURN).T
    )
    item, there = Object('a', own), from_rotation_vector(np.array([-1.0, 0.4, 0.9]))
    item.place(50, BodyState('x', np.array([-4.0, 5.0, 0.5]), there, np.ones(3), np.zeros(3)))
    placed, turn = item.body, matrix(there)
    assert (placed.name, placed.mass, item.states.newest_time_ns) == ('a', 2.0, 50)
    np.testing.assert_allclose(placed.center_of_mass, np.array([-4.0, 5.0, 0.5]) + turn @ arm, atol=1e-14)
    np.testing.assert_allclose(placed.inertia, turn @ inertia @ turn.T, atol=1e-14)
