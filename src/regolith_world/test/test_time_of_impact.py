# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the predicted time of impact against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from regolith_world.config import WorldConfig
from regolith_world.contacts.intersection import NII_DEPTH
from regolith_world.contacts.time_of_impact import limited_step_ns, time_of_impact
from regolith_world.cycle.records import Shape, ShapeKind
from regolith_world.cycle.step_control import TARGET_DEPTH
from regolith_world.numerics.rotation import from_rotation_vector, matrix
from regolith_world.objects.bounding_box import ShapeBounds
from regolith_world.objects.object import Object
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import box_inertia, make_rigid_state, sphere_inertia
from regolith_world.objects.static_body import StaticBody
from regolith_world.world import World

HEARTBEAT = 20_000_000
EMPTY = WorldConfig(gravity_mps2=0.0)


def ball(name, x, v, *, gravity=(0.0, 0.0, 0.0), restitution=1.0):
    state = make_rigid_state(name, x, 1.0, sphere_inertia(1.0, 0.1), linear_velocity=np.array(v, float))
    shape = Shape(ShapeKind.SPHERE, np.array([0.1, 0.0, 0.0]))
    return RigidBody(name, state, [shape], gravity=np.array(gravity), restitution=restitution, friction=0.0)


def floor(restitution=1.0):
    shape = Shape(ShapeKind.BOX, np.array([9.0, 9.0, 0.5]))
    return StaticBody('floor', np.array([0.0, 0.0, -0.5]), [shape], restitution=restitution, friction=0.0)


def until_struck(world):
    """Step until an impact; return its time [s]."""
    while not world.step().impulses:
        pass
    return world.t_ns * 1e-9


def test_impact_time_of_two_balls_is_gap_over_speed():
    """1.83 m between them at 5 m/s, plus the target depth, in one attempt; distances are known to 1e-6 m."""
    world = World(EMPTY, [ball('a', [-1, 0, 0], [2.0, 0, 0]), ball('b', [1.03, 0, 0], [-3.0, 0, 0])])
    assert until_struck(world) == pytest.approx((1.83 + TARGET_DEPTH) / 5.0, abs=3e-7)
    assert world.discarded_cycles == 0


@pytest.mark.parametrize('name', ['a', 'z'])
def test_a_falling_ball_meets_the_floor_by_the_parabola(name):
    """Dropped by 1 m: sqrt(2 s / g), with the target depth; then it rises and falls again, predicted each time.

    The result is the same for either order of names.
    """
    world = World(WorldConfig(), [floor(), ball(name, [0, 0, 1.1], [0, 0, 0], gravity=(0, 0, -1.62))])
    assert until_struck(world) == pytest.approx(math.sqrt(2.0 * (1.0 + TARGET_DEPTH) / 1.62), abs=1e-6)
    for _ in range(3):
        until_struck(world)
    assert world.discarded_cycles == world.forced_cycles == 0


@pytest.mark.parametrize('upper', ['a', 'b'])
def test_impact_time_of_bodies_that_fall_together_is_that_without_gravity(upper):
    """Both fall: only their relative speed, 2 m/s over a gap of 1.03 m, counts."""
    lower = 'b' if upper == 'a' else 'a'
    down = (0, 0, -1.62)
    world = World(
        WorldConfig(),
        [
            ball(upper, [0, 0, 11.23], [0, 0, -1.0], gravity=down),
            ball(lower, [0, 0, 10.0], [0, 0, 1.0], gravity=down),
        ],
    )
    assert until_struck(world) == pytest.approx((1.03 + TARGET_DEPTH) / 2.0, abs=1e-6)
    assert world.discarded_cycles == 0


def test_step_of_bodies_without_approach_is_not_shortened():
    """Side by side, separating, and approaching too slowly for the next step: steps have the maximum size."""
    world = World(
        EMPTY,
        [
            ball('a', [0, 0, 0], [9.0, 0, 0]),
            ball('b', [0, 0.21, 0], [9.0, 0, 0]),
            ball('c', [0, -0.3, 0], [9.0, -1.0, 0]),
            ball('d', [5, 5, 0], [0.02, 0, 0]),
            ball('e', [5.205, 5, 0], [0, 0, 0]),
        ],
    )
    world.step()
    assert len(world._records) >= 3
    assert [world.step().dt_ns for _ in range(5)] == [HEARTBEAT] * 5


def test_time_of_impact_includes_the_impulses_of_the_commit():
    """A ball off the floor meets the lid at its speed after the impulse, not before."""
    lid = StaticBody(
        'lid',
        np.array([0.0, 0.0, 0.31]),
        [Shape(ShapeKind.BOX, np.array([1.0, 1.0, 0.1]))],
        restitution=1.0,
        friction=0.0,
    )
    world = World(EMPTY, [floor(), lid, ball('a', [0, 0, 0.105], [0, 0, -2.0])])
    first = until_struck(world)
    # From 0.3 mm in the floor to 0.3 mm in the lid, at 2 m/s: a clearance of 10.6 mm.
    assert until_struck(world) - first == pytest.approx((0.01 + 2 * TARGET_DEPTH) / 2.0, abs=1e-5)
    assert world.discarded_cycles == 0


def test_pair_without_a_bound_is_not_predicted():
    class Driven(RigidBody):
        def free_acceleration(self):
            return None

    shape = Shape(ShapeKind.SPHERE, np.array([0.1, 0.0, 0.0]))
    state = make_rigid_state('a', [-1, 0, 0], 1.0, sphere_inertia(1.0, 0.1), linear_velocity=np.array([2.0, 0, 0]))
    world = World(EMPTY, [Driven('a', state, [shape]), ball('b', [1.03, 0, 0], [-3.0, 0, 0])])
    until_struck(world)
    assert world.discarded_cycles > 0
    assert Object('o', state).free_acceleration() is None
    child = RigidBody('a/b', state, [shape], parent=ball('p', [0, 0, 0], [0, 0, 0]))
    assert child.free_acceleration() is None


def test_time_of_impact_below_the_minimum_step_is_not_predicted():
    objects = {o.name: o for o in (ball('a', [0, 0, 0], [60.0, 0, 0]), ball('b', [0.201, 0, 0], [0, 0, 0]))}
    world = World(EMPTY, list(objects.values()))
    world._look()
    # 1.3 mm at 60 m/s are 22 us.
    assert limited_step_ns(objects, world._records, (), HEARTBEAT, 100_000) == 100_000
    assert limited_step_ns(objects, world._records, (), 30_000, 100_000) == 30_000


@given(
    st.floats(1e-6, 0.5),
    st.floats(-5.0, 5.0),
    st.floats(-30.0, 30.0),
    st.floats(1e-4, 0.1),
)
@example(0.1, 1.0, -1.0, 3.0)  # it reverses within the time, 0.4 m too deep
@example(0.6, 1.0, -1.0, 3.0)  # and 0.1 m before contact
def test_the_time_is_the_first_at_which_the_gap_has_closed(gap, closing, acceleration, within):
    def depth(t):
        return (closing + 0.5 * acceleration * t) * t - gap

    until = time_of_impact(gap, closing, acceleration, within)
    times = np.linspace(0.0, within, 500)
    if until == math.inf:
        assert depth(times).max() <= NII_DEPTH + 1e-12
    else:
        assert 0.0 < until <= within
        assert depth(until) == pytest.approx(TARGET_DEPTH, abs=1e-9)
        assert depth(times[times < until]).max(initial=-np.inf) <= TARGET_DEPTH + 1e-9


SHAPES = st.sampled_from(
    [
        Shape(ShapeKind.SPHERE, np.array([0.3, 0.0, 0.0]), np.array([0.1, -0.2, 0.05])),
        Shape(ShapeKind.BOX, np.array([0.1, 0.2, 0.3])),
        Shape(
            ShapeKind.CAPSULE,
            np.array([0.1, 0.4, 0.0]),
            np.array([0.0, 0.1, 0.0]),
            from_rotation_vector(np.array([0.4, 1.0, 0.0])),
        ),
        Shape(ShapeKind.CYLINDER, np.array([0.3, 0.1, 0.0])),
    ]
)
ANGLES = st.tuples(*[st.floats(-3.0, 3.0)] * 3).map(np.array)


@settings(max_examples=60)
@given(SHAPES, ANGLES, ANGLES)
def test_rotating_shapes_extend_no_faster_than_the_bound(shape, turn, omega):
    """The extent of a shape to a side, by its box, over small rotations: it grows at most at the stated rate."""
    outline, side = ShapeBounds([shape]), np.array([1.0, 0.0, 0.0])

    def reach(t):
        q = _turned(turn, omega * t)
        return outline.bounds(make_rigid_state('a', [0, 0, 0], 1.0, np.eye(3), orientation=q))[1][0]

    state = make_rigid_state('a', [0, 0, 0], 1.0, np.eye(3), orientation=_turned(turn, np.zeros(3)))
    bound = outline.turning(state, omega, side)
    for t in (0.02, 0.2, 0.7):
        assert reach(t) - reach(0.0) <= bound * t + 1e-9


def _turned(first, then):
    from regolith_world.numerics.rotation import product

    return product(from_rotation_vector(then), from_rotation_vector(first))


def test_ball_and_wheel_about_their_axis_have_no_rotation_speed():
    omega = np.array([0.0, 0.0, 7.0])
    still = make_rigid_state('a', [0, 0, 0], 1.0, np.eye(3))
    for shape in (Shape(ShapeKind.SPHERE, np.array([0.3, 0, 0])), Shape(ShapeKind.CYLINDER, np.array([0.3, 0.1, 0]))):
        assert ShapeBounds([shape]).turning(still, omega, np.array([1.0, 0, 0])) == 0.0
    assert matrix(still.orientation)[2, 2] == 1.0


SPEEDS = st.floats(-2.0, 2.0)


@settings(max_examples=25)
@given(st.tuples(SPEEDS, SPEEDS, SPEEDS), st.tuples(SPEEDS, SPEEDS, SPEEDS), ANGLES, st.floats(0.5, 3.0))
def test_penetration_of_boxes_never_exceeds_the_prediction(spin, other_spin, turn, speed):
    """Cubes with constant spin: where the prediction shortens a step, its attempt is never discarded."""
    half = np.full(3, 0.2)

    def cube(name, x, v, omega):
        state = make_rigid_state(
            name,
            [x, 0.03, 0],
            2.0,
            box_inertia(2.0, half),
            orientation=from_rotation_vector(turn),
            linear_velocity=np.array([v, 0, 0]),
            angular_velocity=np.array(omega),
        )
        return RigidBody(name, state, [Shape(ShapeKind.BOX, half)], restitution=0.5)

    world = World(EMPTY, [cube('a', -0.45, speed, spin), cube('b', 0.45, -speed, other_spin)])
    for _ in range(60):
        wish = limited_step_ns(world.objects, world._records, world._impulses, HEARTBEAT, 100_000)
        report = world.step()
        if world.cycle > 1 and wish < HEARTBEAT:
            assert report.attempts == 1
    assert world.forced_cycles == 0
