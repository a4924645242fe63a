# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of collision detection: close pairs of a cycle, and the violation that decides the next attempt."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from regolith_world.contacts import collision_detection
from regolith_world.contacts.collision_detection import CollisionDetector, newcomer_penetration
from regolith_world.contacts.intersection import BROAD_MARGIN, Status
from regolith_world.cycle.records import Command, Cycle, CycleKey, Shape, ShapeKind, Verdict
from regolith_world.objects.beam import Beam
from regolith_world.objects.object import Object
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import make_rigid_state, sphere_inertia
from regolith_world.objects.static_body import StaticBody

START, DT = 40_000_000, 20_000_000
CYCLE = Cycle(CycleKey(0, 2, 0), START, DT, Verdict.NONE, Command.EVOLVE)
PLATE = Shape(ShapeKind.BOX, np.array([0.2, 0.1, 0.02]))
BALL = Shape(ShapeKind.SPHERE, np.array([0.1, 0.0, 0.0]))


def ball(name, position, velocity=(0.0, 0.0, 0.0), **options):
    state = make_rigid_state(name, position, 1.0, sphere_inertia(1.0, 0.1), linear_velocity=np.array(velocity))
    return RigidBody(name, state, [BALL], t_ns=START, **options)


def body(name, position, shape, velocity=(0.0, 0.0, 0.0)):
    state = make_rigid_state(name, position, 1.0, np.eye(3), linear_velocity=np.array(velocity))
    return RigidBody(name, state, [shape], t_ns=START)


def evolved(*objects):
    for item in objects:
        item.evolve(CYCLE)
    return {o.name: o for o in objects}


def find(*objects, judged=True):
    return CollisionDetector(judged=judged).find({o.name: o for o in objects}, CYCLE)


def test_near_pairs_are_returned_in_name_order():
    objects = evolved(ball('c', [0, 0, 0]), ball('a', [0.4, 0, 0]), ball('b', [0, 5, 0]), ball('d', [0, 0, 0.3]))
    hits, worst = find(*objects.values())
    assert [(h.a.name, h.b.name) for h in hits] == [('a', 'c'), ('a', 'd'), ('c', 'd')] and worst is None
    assert [h.distance for h in hits] == pytest.approx([0.2, 0.3, 0.1], abs=1e-6)
    assert all(h.status == Status.NO_INTERSECTION for h in hits)
    beyond = evolved(ball('a', [0, 0, 0]), ball('b', [0.2 + BROAD_MARGIN + 1e-6, 0, 0]))
    assert find(*beyond.values()) == ([], None)


@pytest.mark.parametrize('names', list(itertools.permutations('abcd')))
def test_the_earliest_of_several_violations_decides(names):
    """Two pairs collide in one cycle, after 12 and after 4 ms. Independent of names, the retry is for the second pair."""
    late, still, early, also = names
    objects = evolved(
        ball(late, [0, 0, 0], [3.0, 0, 0]),
        ball(still, [0.2 + 0.036, 0, 0]),
        ball(early, [0, 5, 0], [3.0, 0, 0]),
        ball(also, [0.2 + 0.012, 5, 0]),
    )
    hits, worst = find(*objects.values())
    assert len(hits) == 2 and worst.after_ns == DT
    assert (worst.distance_before, worst.distance_after) == pytest.approx((0.012, -0.048), abs=1e-5)
    # The same without a check for violations.
    assert find(*objects.values(), judged=False)[1] is None


def test_penetration_below_one_millimeter_is_not_a_violation():
    for depth, bad in ((0.0009, False), (0.0011, True)):
        objects = evolved(ball('a', [0, 0, 0], [1.0, 0, 0]), ball('b', [0.2 + 0.02 - depth, 0, 0]))
        (hit,), worst = find(*objects.values())
        assert hit.distance == pytest.approx(-depth, abs=2e-6) and (worst is not None) == bad


def test_passage_through_a_body_within_a_cycle_is_detected():
    """A ball 0.6 m before a thin wall at the start, and 0.5 m behind it at the end."""
    wall = StaticBody('wall', [0, 0, 0], [Shape(ShapeKind.BOX, np.array([0.01, 1.0, 1.0]))])
    wall.states.clear()
    wall.states.new_state(START, make_rigid_state('wall', [0, 0, 0], 1.0, np.eye(3)))
    objects = evolved(ball('ball', [-0.71, 0, 0], [60.0, 0, 0]), wall)
    (hit,), worst = find(*objects.values())
    assert hit.distance > 0.1
    assert 0 < worst.after_ns < DT and worst.distance_before == pytest.approx(BROAD_MARGIN, abs=0.2)
    x = -0.71 + 60.0 * worst.after_ns * 1e-9
    assert worst.distance_after < -1e-3 and abs(x) < 0.11
    # Side by side at the same speed, no body passes another.
    pair = evolved(ball('a', [0, 0, 0], [60.0, 0, 0]), ball('b', [0, 0.21, 0], [60.0, 0, 0]))
    assert find(*pair.values())[1] is None


@pytest.mark.parametrize('axis', [0, 1, 2])
@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_ball_through_a_wall_is_detected_in_any_direction(axis, sign):
    """The wall is where neither the start nor the end of the ball reaches."""
    half = np.full(3, 1.0)
    half[axis] = 0.02
    place, velocity = np.zeros(3), np.zeros(3)
    place[axis], velocity[axis] = -sign, 2.0 * sign / (1e-9 * DT)
    objects = evolved(ball('a', place, velocity), body('wall', np.zeros(3), Shape(ShapeKind.BOX, half)))
    hits, worst = find(*objects.values())
    assert len(hits) == 1 and worst is not None and 0 < worst.after_ns < DT


@pytest.mark.parametrize('offset', np.linspace(0.0, 0.05, 11))
def test_thin_plates_do_not_pass_through_each_other_between_samples(offset):
    """Samples are half a plate apart, so one of them has overlapping plates of 20 mm for any offset."""
    plate = Shape(ShapeKind.BOX, np.array([0.01, 0.5, 0.5]))
    fast = body('b', [-0.3 - offset, 0.0, 0.0], plate, [30.0, 0.0, 0.0])
    _, worst = find(*evolved(body('a', np.zeros(3), plate), fast).values())
    assert worst is not None and worst.distance_after < -0.001


def test_object_spawned_inside_another_is_checked_at_the_end():
    old = ball('a', [0, 0, 0])
    old.evolve(CYCLE)
    young = RigidBody('b', make_rigid_state('b', [0.15, 0, 0], 1.0, np.eye(3)), [BALL], t_ns=START + DT)
    (hit,), worst = find(old, young)
    assert hit.status == Status.NON_INFINITESIMAL_INTERSECTION
    assert (worst.after_ns, worst.distance_before) == (DT, 0.0) and worst.distance_after == pytest.approx(
        -0.05, abs=1e-5
    )


def test_family_and_beam_emitter_are_not_intersected():
    parent = ball('p', [0, 0, 0])
    Object('p/arm', make_rigid_state('p/arm', [0.1, 0, 0], 1.0, np.eye(3)), [BALL], parent=parent, t_ns=START)
    parent.evolve(CYCLE)
    beam = Beam('p/0', np.zeros(3), np.array([1.0, 0, 0]), 3.0, START + DT, 'p')
    other = ball('q', [2.0, 0, 0])
    other.evolve(CYCLE)
    hits, worst = find(parent, beam, other)
    assert [(h.a.name, h.b.name) for h in hits] == [('p/0', 'q')] and worst is None
    assert hits[0].distance == pytest.approx(1.9, abs=1e-9)
    # Two beams cross without an intersection.
    second = Beam('q/0', np.array([1.0, -1.0, 0]), np.array([0, 1.0, 0]), 3.0, START + DT, 'q')
    assert len(find(parent, beam, other, second)[0]) == 1
    # Parts of two families intersect.
    strange = ball('r', [0.25, 0, 0])
    strange.evolve(CYCLE)
    hits, worst = find(parent, strange)
    assert [(h.a.name, h.b.name) for h in hits] == [('p', 'r'), ('p/arm', 'r')] and worst is not None


def test_shapes_are_recompiled_when_objects_change():
    encounters = CollisionDetector(judged=True)
    a, b, c = evolved(ball('a', [0, 0, 0]), ball('b', [0.3, 0, 0]), ball('c', [0.3, 0, 0])).values()
    assert len(encounters.find({'a': a, 'b': b}, CYCLE)[0]) == 1
    small = Object('b', make_rigid_state('b', [0.3, 0, 0], 1.0, np.eye(3)), t_ns=START)
    assert encounters.find({'a': a, 'b': small}, CYCLE) == ([], None), 'it has no shapes'
    assert [h.b.name for h in encounters.find({'a': a, 'c': c}, CYCLE)[0]] == ['c']


def test_overlap_names_the_first_and_the_depth():
    there = {o.name: o for o in (ball('b', [0.15, 0, 0]), ball('a', [0, 0.18, 0]), ball('c', [5, 0, 0]))}
    other, depth = newcomer_penetration(ball('x', [0, 0, 0]), there)
    assert other.name == 'a' and depth == pytest.approx(0.02, abs=1e-5)
    assert newcomer_penetration(ball('x', [0, -0.0199, 0]), {'a': there['a']}) is None, (
        'touching is not standing inside'
    )
    ghost = Object('x', make_rigid_state('x', [0, 0, 0], 1.0, np.eye(3)), [BALL], tangible=False)
    assert (
        newcomer_penetration(ghost, there) is None and newcomer_penetration(ball('x', [0, 0, 0]), {'g': ghost}) is None
    )
    # A box with a corner in the bounding box of the other, but not in its shape.
    assert newcomer_penetration(ball('x', [0.15, 0.15, 0]), {'o': ball('o', [0, 0, 0])}) is None


def test_pairs_that_stay_apart_are_left_out_without_effect_on_the_others(monkeypatch):
    """Eight plates that turn and walk at random near each other: a new detector in each cycle finds the same."""
    random, calls = np.random.default_rng(3), {'kept': 0, 'new': 0}
    plates = [body(f'p{k}', [0.35 * (k % 4), 0.35 * (k // 4), 0.0], PLATE) for k in range(8)]
    for k, plate in enumerate(plates):
        plate.moved_by = ('bodies', 'rover')[k % 2]
    objects, kept, where = {o.name: o for o in plates}, CollisionDetector(judged=True), 'kept'
    intersect = collision_detection.intersect

    def counted(*arguments):
        calls[where] += 1
        return intersect(*arguments)

    monkeypatch.setattr(collision_detection, 'intersect', counted)
    touching = passing = 0
    for n in range(150):
        t_ns = START + n * DT
        for plate in plates[: 8 if n % 10 == 0 else 3]:
            q = plate.body.orientation + 0.02 * random.normal(size=4)
            p = plate.body.position + 0.004 * random.normal(size=3)
            state = replace(plate.body, position=p, center_of_mass=p, orientation=q / np.sqrt(np.sum(q * q)))
            plate.states.new_state(t_ns + DT, state)
        for plate in plates:
            if plate.states.newest_time_ns < t_ns + DT:
                plate.states.new_state(t_ns + DT, plate.body)
        cycle = Cycle(CycleKey(0, n, 0), t_ns, DT, Verdict.NONE, Command.EVOLVE)
        where = 'kept'
        hits, worst = kept.find(objects, cycle)
        where = 'new'
        again, same = CollisionDetector(judged=True).find(objects, cycle)
        assert [(h.a.name, h.b.name, h.status, h.distance) for h in hits] == [
            (h.a.name, h.b.name, h.status, h.distance) for h in again
        ]
        assert worst == same and all(h.status != Status.NO_INTERSECTION for h in hits)
        touching, passing = touching + len(hits), passing + (worst is not None)
    assert touching > 50 and passing > 20 and calls['kept'] - touching < 0.7 * (calls['new'] - touching)
