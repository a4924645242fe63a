# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the evolution cycle on rigid bodies: discard and retry, contact, momentum, spawned objects, children."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_world.config import WorldConfig
from regolith_world.contacts.intersection import NII_DEPTH
from regolith_world.cycle.records import Shape, ShapeKind
from regolith_world.examples.ball_throwing_robot import throw_at_a_wall
from regolith_world.objects.beam import Beam
from regolith_world.objects.object import Object
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import box_inertia, make_rigid_state, sphere_inertia
from regolith_world.objects.static_body import StaticBody
from regolith_world.world import World

NO_GRAVITY = WorldConfig(gravity_mps2=0.0)


def ball(name, x, v, radius=0.1, mass=1.0, restitution=1.0, friction=0.0, **kwargs):
    state = make_rigid_state(name, x, mass, sphere_inertia(mass, radius), linear_velocity=v, **kwargs)
    shape = Shape(ShapeKind.SPHERE, np.array([radius, 0.0, 0.0]))
    return RigidBody(name, state, [shape], restitution=restitution, friction=friction)


def box(name, x, v, half, mass, restitution=0.0, friction=0.5, **kwargs):
    half = np.asarray(half, dtype=float)
    state = make_rigid_state(name, x, mass, box_inertia(mass, half), linear_velocity=v, **kwargs)
    return RigidBody(name, state, [Shape(ShapeKind.BOX, half)], restitution=restitution, friction=friction)


def run(world, seconds):
    """Step to ``seconds``; return the smallest distance seen at any commit."""
    nearest = np.inf
    end = round(seconds * 1e9)
    while world.t_ns < end:
        report = world.step(end)
        solid = [h.distance for h in report.intersections if h.a.tangible and h.b.tangible]
        nearest = min([nearest, *solid])
    return nearest


def momentum(world):
    bodies = [o.body for o in world.objects.values()]
    linear = sum(b.mass * b.linear_velocity for b in bodies)
    angular = sum(np.cross(b.position, b.mass * b.linear_velocity) + b.inertia @ b.angular_velocity for b in bodies)
    return np.concatenate([linear, angular])


def test_elastic_head_on_balls_exchange_their_velocities():
    world = World(NO_GRAVITY, [ball('a', [-1, 0, 0], [0.4, 0, 0]), ball('b', [1, 0, 0], [-0.4, 0, 0])])
    nearest = run(world, 4.0)
    # Equal masses, restitution 1: exact exchange; the solver's 60 iterations converge to rounding for one contact.
    np.testing.assert_allclose(world.objects['a'].body.linear_velocity, [-0.4, 0, 0], atol=1e-12)
    np.testing.assert_allclose(world.objects['b'].body.linear_velocity, [0.4, 0, 0], atol=1e-12)
    assert world.discarded_cycles == 0, 'the impact is predicted'
    assert world.forced_cycles == 0
    assert nearest > -NII_DEPTH


def test_oblique_impact_between_boxes_conserves_momentum():
    tilt = np.array([0.1, 0.2, 0.3, 0.0])
    tilt[3] = np.sqrt(1 - tilt @ tilt)
    world = World(
        NO_GRAVITY,
        [
            box('a', [-1, 0.05, 0], [0.9, 0.1, 0], [0.3, 0.2, 0.1], 7.0, 0.3, orientation=tilt),
            box('b', [1, 0, 0.02], [-0.7, 0, 0.05], [0.2, 0.3, 0.2], 3.0, angular_velocity=[0, 0.4, 0.2]),
        ],
    )
    before = momentum(world)
    nearest = run(world, 2.0)
    # The two impulses are one number with two signs, so only rounding remains.
    np.testing.assert_allclose(momentum(world)[:3], before[:3], atol=1e-12)
    # The angular momentum of a rigid body is integrated exactly; the lever arms change with rounding only.
    np.testing.assert_allclose(momentum(world)[3:], before[3:], atol=1e-9)
    assert np.linalg.norm(world.objects['a'].body.linear_velocity - [0.9, 0.1, 0]) > 0.1
    assert nearest > -NII_DEPTH and world.forced_cycles == 0


def test_plastic_head_on_boxes_stay_together_without_stalling():
    half = [0.5, 0.4, 0.3]
    world = World(
        NO_GRAVITY, [box('a', [-1, 0, 0], [0.4, 0, 0], half, 400.0), box('b', [1, 0, 0], [-0.4, 0, 0], half, 400.0)]
    )
    nearest = run(world, 8.0)
    assert nearest > -NII_DEPTH and world.forced_cycles == 0
    # 8 s are 400 maximum steps; contact may cost a few more steps, not many times as many.
    assert world.cycle < 440
    speeds = [np.linalg.norm(world.objects[n].body.linear_velocity) for n in 'ab']
    # The remaining velocity removes the last penetration: below 0.8 * 1 mm / 20 ms.
    assert max(speeds) < 0.04


def test_a_fast_ball_does_not_pass_through_a_thin_wall():
    wall = StaticBody('wall', [1.0, 0, 0], [Shape(ShapeKind.BOX, np.array([0.01, 1.0, 1.0]))], restitution=1.0)
    world = World(NO_GRAVITY, [ball('ball', [0, 0, 0], [60.0, 0, 0], radius=0.05), wall])
    # 60 m/s in a step of 20 ms is 1.2 m: beyond the wall altogether.
    run(world, 0.1)
    assert world.objects['ball'].body.position[0] < 1.0
    assert world.discarded_cycles >= 1, 'an impact from beyond the margin is not predicted'
    np.testing.assert_allclose(world.objects['ball'].body.linear_velocity, [-60.0, 0, 0], atol=1e-9)


def test_bodies_without_contact_pass_through_each_other():
    config = WorldConfig(gravity_mps2=0.0, contact='none')
    world = World(config, [ball('a', [-1, 0, 0], [1, 0, 0]), ball('b', [1, 0, 0], [-1, 0, 0])])
    run(world, 2.0)
    assert world.discarded_cycles == 0
    assert world.objects['a'].body.position[0] == pytest.approx(1.0)


def test_free_flight_is_the_parabola():
    state = make_rigid_state('a', [0, 0, 2.0], 1.0, sphere_inertia(1.0, 0.1), linear_velocity=[1.0, 0, 3.0])
    body = RigidBody('a', state, [], gravity=[0, 0, -1.62])
    world = World(WorldConfig(), [body])
    run(world, 2.0)
    # Constant acceleration: position and velocity are exact in every cycle, errors are rounding.
    np.testing.assert_allclose(world.objects['a'].body.position, [2.0, 0, 2.0 + 6.0 - 0.81 * 4.0], atol=1e-12)


def test_a_friction_box_slides_to_rest_on_a_floor():
    floor = StaticBody('floor', [0, 0, -0.5], [Shape(ShapeKind.BOX, np.array([50, 50, 0.5]))], friction=0.5)
    state = make_rigid_state('box', [0, 0, 0.1], 2.0, box_inertia(2.0, np.full(3, 0.1)), linear_velocity=[1.0, 0, 0])
    slider = RigidBody('box', state, [Shape(ShapeKind.BOX, np.full(3, 0.1))], gravity=[0, 0, -1.62], friction=0.5)
    world = World(WorldConfig(), [floor, slider])
    run(world, 3.0)
    # v^2 / (2 mu g) = 0.617 m; impulses act once per step, with an effect of about v * step = 0.02 m in either
    # direction.
    assert world.objects['box'].body.position[0] == pytest.approx(1.0 / (2 * 0.5 * 1.62), abs=0.05)
    assert np.linalg.norm(world.objects['box'].body.linear_velocity) < 0.03


def test_ball_throwing_robot():
    world, robot = throw_at_a_wall()
    # The beam starts 0.25 m ahead of the robot and the wall's face is at 12.75 m: 10 m are left at x = 2.5 m, t = 2.5
    # s. It has the range at the end of the cycle in which it measured it, and throws in the next one.
    assert robot.thrown_at_ns == pytest.approx(2.52e9, abs=2.1e7)
    balls = [o for n, o in world.objects.items() if n.startswith('robot/') and isinstance(o, RigidBody)]
    assert len(balls) == 1
    # Off the elastic wall the ball returns at its initial speed.
    np.testing.assert_allclose(balls[0].body.linear_velocity, [-5.0, 0, 0], atol=1e-9)
    assert world.discarded_cycles == world.forced_cycles == 0
    # Beams are removed in the cycle in which they were spawned.
    assert not any(isinstance(o, Beam) for o in world.objects.values())


def test_the_same_world_twice_has_the_same_hash_and_one_bit_changes_it():
    a, _ = throw_at_a_wall()
    b, _ = throw_at_a_wall()
    assert a.state_hash == b.state_hash != ''
    longer, _ = throw_at_a_wall(5.02)
    assert longer.state_hash != a.state_hash

    def drift(speed):
        world = World(NO_GRAVITY, [ball('a', [0, 0, 0], [speed, 0, 0])])
        run(world, 0.1)
        return world.state_hash

    assert drift(1.0) != drift(np.nextafter(1.0, 2.0))


def test_children_evolve_only_through_their_parent_and_are_discarded_with_it():
    calls = []

    class Part(Object):
        def evolve(self, cycle):
            calls.append(self.name)
            return super().evolve(cycle)

    parent = Part('p', make_rigid_state('p', [0, 0, 0], 1.0, np.eye(3)))
    child = Part('p/arm', make_rigid_state('p/arm', [0, 0, 0], 1.0, np.eye(3)), parent=parent)
    Part('p/arm/hand', make_rigid_state('p/arm/hand', [0, 0, 0], 1.0, np.eye(3)), parent=child)
    world = World(WorldConfig(), [parent])
    world.step()
    assert calls == ['p', 'p/arm', 'p/arm/hand']
    parent.discard()
    assert len(parent.states) == len(child.states) == 1


def test_object_requests_a_shorter_step_down_to_the_minimum():
    class Hasty(Object):
        def next_dt_ns(self):
            return 3_000_000

    world = World(WorldConfig(min_step_s=1e-4), [Hasty('h', make_rigid_state('h', [0, 0, 0], 1.0, np.eye(3)))])
    assert world.step().dt_ns == 3_000_000
    assert world.step(end_ns=4_000_000).dt_ns == 1_000_000
