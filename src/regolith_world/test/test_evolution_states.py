# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Chapters 4 to 6 of "Simulator Architecture" (2024), State management, Intersection and Force Management, sentence by
sentence; see ``test_evolution.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from toy_worlds import run, world

from regolith_world.config import WorldConfig
from regolith_world.contacts.collision_detection import CollisionDetector
from regolith_world.contacts.intersection import NII_DEPTH, TOUCH_DISTANCE
from regolith_world.cycle import codec
from regolith_world.cycle.records import Command, Cycle, CycleKey, IntersectionRecord, Vector, Verdict
from regolith_world.objects.object import Intersection, SavedObject, Status
from regolith_world.objects.object_types import make_objects, restored
from regolith_world.objects.platform import Platform
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import make_rigid_state
from regolith_world.objects.state_history import StateManager, interpolate_body
from regolith_world.world import World

BALL: dict[str, Any] = {
    'type': 'rigid_body',
    'position': [0.0, 0.0, 0.0],
    'mass_kg': 1.0,
    'shape': {'kind': 'sphere', 'size_m': [0.1]},
    'restitution': 1.0,
    'friction': 0.0,
    'weightless': True,
}
BOX = {**BALL, 'shape': {'kind': 'box', 'size_m': [0.1, 0.1, 0.1]}}
WALL: dict[str, Any] = {
    'type': 'static_body',
    'position': [1.5, 0.0, 0.0],
    'shapes': [{'kind': 'box', 'size_m': [0.5, 2.0, 2.0]}],
    'friction': 0.0,
}
LIFT: dict[str, Any] = {
    'type': 'platform',
    'position': [0.0, 0.0, -3.0],
    'end_position': [0.0, 0.0, -1.0],
    'travel_time_s': 2.0,
    'state_period_s': 0.05,
    'shapes': [{'kind': 'box', 'size_m': [1.0, 1.0, 0.1]}],
}
CUSHION: dict[str, Any] = {
    'type': 'force_field',
    'position': [0.0, 0.0, -1.0],
    'shapes': [{'kind': 'box', 'size_m': [1.0, 1.0, 1.0]}],
    'repulsion_per_s2': 100.0,
}
HOLD = Cycle(CycleKey(0, 0, 0), 0, 0, Verdict.NONE, Command.HOLD)


def meet(**things: dict[str, Any]) -> list[Intersection]:
    """Return the intersections of objects at their initial states."""
    return CollisionDetector(judged=True).find({o.name: o for o in make_objects(things, 1.62)}, HOLD)[0]


def at(x: float, thing: dict[str, Any] = BALL, **more: Any) -> dict[str, Any]:
    return {**thing, 'position': [x, 0.0, 0.0], **more}


def state(x: float) -> Any:
    return make_rigid_state('a', [x, 0.0, 0.0], 1.0, np.eye(3))


def test_the_state_of_the_world_is_the_states_of_all_objects() -> None:
    """4-1 World state: the state of the world at time t is simply the collection of the states of all objects."""
    w = run(world(a=at(0.0, velocity_mps=[1.0, 0.0, 0.0]), wall=WALL, lift=LIFT), 0.2)
    there = w.state(200_000_000)
    assert list(there) == ['a', 'lift', 'wall'] and there['a'] is w.objects['a'].body
    assert w.state(110_000_000)['a'].position[0] == pytest.approx(0.11)
    with pytest.raises(LookupError):
        w.state(200_000_001 + 50_000_000)


def test_objects_need_not_have_states_at_the_same_instants() -> None:
    """4-2 Since we desire to [allow] for optimization, it seems better not to mandate that all objects evolve at the
    same pace and have states recorded at the same set of time instances.

    Here: an object that cannot be moved by collisions may have its own state period, as a platform; a body with a mass
    may not. Faster objects have substeps within the cycle.
    """
    w = run(world(a=BALL, lift=LIFT), 0.2)
    times = [[t for t in range(0, 200_000_001, 10_000_000) if len(o.states.around(t)) == 1] for o in w.objects.values()]
    assert times == [list(range(0, 200_000_001, 20_000_000)), list(range(0, 200_000_001, 50_000_000))]


def test_an_object_can_be_constructed_again_from_its_state() -> None:
    """4-3 The state of an object must contain all the information that the objects needs to evolve, such that we can
    construct the object again and initialize it to its recorded state and expect an identical behavior.
    """
    things = {'a': at(0.0, velocity_mps=[2.0, 0.3, 0.0]), 'wall': WALL, 'lift': LIFT, 'cushion': CUSHION}
    first = run(world(**things), 0.31)
    again = World(
        WorldConfig(),
        [restored(codec.decode_record(SavedObject, codec.encode_record(o.save()))) for o in first.objects.values()],
    )
    again.t_ns, again.cycle = first.t_ns, first.cycle
    for w in (first, again):
        w._records = w._impulses = ()
        run(w, 0.5)
    assert {n: o.canonical_state() for n, o in again.objects.items()} == {
        n: o.canonical_state() for n, o in first.objects.items()
    }


def test_the_instants_that_were_exercised_are_the_basis_of_rule_1() -> None:
    """4-4 Once a particular sequence is exercised, the particular time instances become the basis for Rule 1."""
    thing = at(0.0, BOX, angular_velocity_radps=[1.0, 2.0, 0.5], shape={'kind': 'box', 'size_m': [0.3, 0.2, 0.1]})

    def at_ends(*ends: float) -> bytes:
        w = world(a=thing)
        for end in ends:
            run(w, end)
        return w.objects['a'].canonical_state()

    assert at_ends(0.033, 0.1) == at_ends(0.033, 0.1) != at_ends(0.1)


def test_where_there_is_no_state_it_is_interpolated() -> None:
    """4-5 When the initial state of the world does not exist in the states sequence of a particular object, the object
    has to assume a state obtained from linear interpolation.
    """
    w = run(world(lift=LIFT), 0.12)
    lift = w.objects['lift']
    assert isinstance(lift, Platform)
    z = [lift.way.at(t)[0][2] for t in (100_000_000, 150_000_000)]
    assert lift.body.position[2] == pytest.approx(z[0] + 0.4 * (z[1] - z[0]), abs=1e-15)


def test_rule_1_holds_where_states_are_interpolated() -> None:
    """4-6 Then it is not clear that the evolution from an interpolated state to the next is the same as evolution from
    the state before it.

    Here: it is not (``test_platform.py::test_continuation_from_an_interpolated_state_would_differ``). So checkpoint and
    hash include both neighboring states, and the world starts nothing between commits.
    """
    first, saved, hashes = (
        world(lift={**LIFT, 'state_period_s': 0.07}, a=at(0.0, velocity_mps=[0.0, 0.0, -1.0])),
        [],
        [],
    )
    for _ in range(30):
        saved.append(first.save())
        first.step()
        hashes.append(first.state_hash)
    for k in (1, 5, 12, 22):
        again = World(WorldConfig())
        again.load(saved[k])
        assert len(again.objects['lift'].states) == 2
        for expected in hashes[k:]:
            again.step()
            assert again.state_hash == expected


def test_each_object_has_its_state_manager() -> None:
    """4.1-1 Each Object has its StateManager. When calling its evolve(), a new state is added. If required, the last state
    can be deleted.
    """
    a, b = make_objects({'a': BALL, 'b': at(5.0)}, 0.0)
    assert a.states is not b.states and len(a.states) == 1
    a.evolve(Cycle(CycleKey(0, 0, 0), 0, 1000, Verdict.NONE, Command.EVOLVE))
    assert (len(a.states), len(b.states), a.states.newest_time_ns) == (2, 1, 1000)
    a.discard()
    assert len(a.states) == 1


def test_new_state_is_added_after_a_discarded_one() -> None:
    """4.1-2 StateManager.newState(): the owning object should call this in its evolve(). Whether it is later discarded or
    multiple of states are discarded is not a concern in StateManager.
    """
    states = StateManager(interpolate_body)
    for t_ns, x in enumerate((0.0, 1.0, 2.0, 3.0)):
        states.new_state(t_ns, state(x))
    states.delete_state(0)
    states.delete_state(0)
    states.new_state(2, state(7.0))
    assert [states.get_state(t).position[0] for t in (0, 1, 2)] == [0.0, 1.0, 7.0]


def test_delete_state_counts_from_the_end() -> None:
    """4.1-3 StateManager.deleteState(int stateCountFromEnd) where the parameter is a non-positive value with 0 referring
    to the last state, -1 referring to the one before last and so on.
    """
    states = StateManager(interpolate_body)
    for t_ns in range(4):
        states.new_state(t_ns, state(float(t_ns)))
    states.delete_state(-1)
    assert [states.newest.position[0], states.get_state(1).position[0], len(states)] == [3.0, 1.0, 3]
    states.delete_state(0)
    assert states.newest_time_ns == 1
    with pytest.raises(IndexError):
        states.delete_state(1)


def test_get_state_returns_what_is_recorded_or_interpolates_linearly() -> None:
    """4.1-4 StateManager.getState(double t) returns the state at time instance t. If not available in the simulated
    states, it is linearly interpolated between the immediately preceding and proceeding states.

    Here: orientations are interpolated on the arc between them (slerp).
    """
    states = StateManager(interpolate_body)
    made = [states.new_state(t_ns, state(x)) for t_ns, x in ((0, 0.0), (10, 1.0), (20, 5.0))]
    assert states.get_state(10) is made[1]
    assert [states.get_state(t).position[0] for t in (5, 15, 18)] == [0.5, 3.0, pytest.approx(4.2)]


def test_each_pair_of_objects_gets_an_intersection() -> None:
    """5-1 Each pair of Objects get an Intersection object which handles their intersection. This implies n(n-1)/2
    instances.

    Here: for pairs less than 0.5 m apart; others are excluded by their boxes. Members of one family have none,
    unless its ``self_contact`` is set and their boxes meet (`test_self_contact.py`).
    """
    balls = {f'b{k}': {**BALL, 'position': [0.25 * (k % 2), 0.25 * (k // 2), 0.0]} for k in range(4)}
    hits = meet(**balls)
    assert [(h.a.name, h.b.name) for h in hits] == [(f'b{i}', f'b{j}') for i in range(4) for j in range(i + 1, 4)]
    assert len(meet(**balls, far=at(5.0))) == 6


def test_compiled_shapes_are_kept_between_intersections() -> None:
    """5-2 These objects can be constructed for every new pair and kept in memory not to add a significant runtime overhead
    of constructing and destructing objects. In the evolution cycle, all elements of the vector are looped over.

    Here: the expensive part is the compilation of shapes, which is kept until an object is added or removed.
    """
    w = world(a=BALL, b=at(0.4), spark=at(0.0, position=[0.0, 0.4, 0.0], lifetime_s=0.05))
    w.step()
    detector = w._encounters
    layout = detector._geometry
    w.step()
    assert layout is not None and detector._geometry is layout and list(detector._outlines) == ['a', 'b', 'spark']
    w.step(), w.step()
    assert detector._geometry is not layout and list(detector._outlines) == ['a', 'b']


def test_the_status_is_one_of_five() -> None:
    """5-3 Intersection.process(int &status): the immediate return value is the status, which could be
    NON_INFINITESIMAL_INTERSECTION, INFINITESIMAL_INTERSECTION, COLLISION_POINTS, COLLISION_SURFACES, NO_INTERSECTION.
    """
    gaps = {
        0.01: Status.NO_INTERSECTION,
        0.0: Status.COLLISION_POINTS,
        -0.0005: Status.INFINITESIMAL_INTERSECTION,
        -0.01: Status.NON_INFINITESIMAL_INTERSECTION,
    }
    assert {gap: meet(a=BALL, b=at(0.2 + gap))[0].status for gap in gaps} == gaps
    assert meet(a=BOX, b=at(0.2, BOX))[0].process() == Status.COLLISION_SURFACES
    assert len(Status) == 5


def test_the_world_handles_a_vector_of_intersection_pairs() -> None:
    """5-9 The vector of Intersection instances is managed in World.handleIntersectionPairs() and stored in
    intersectionPairs.

    Here: a tuple of frozen pairs, made again in each attempt.
    """
    w = world(a=BALL, b=at(0.2), wall=WALL)
    assert w.intersection_pairs == ()
    report = w.step()
    assert list(w.intersection_pairs) == report.intersections and report.intersections
    assert [hit.process() for hit in w.intersection_pairs] == [hit.status for hit in report.intersections]
    with pytest.raises(AttributeError):
        w.intersection_pairs[0].distance = 0.0  # type: ignore[misc]
    last = w.intersection_pairs
    w.step()
    assert w.intersection_pairs is not last


def test_contact_points_depend_on_the_geometries() -> None:
    """5-4 Intersection.getContactPoints: a collision might cause several contact points depending on the geometries. For
    regular convex shapes, this will not happen so no need to worry now. This function is meant to be called by the
    objects.

    Here: participants get the points, too, in the ``Intersection`` of a cycle.
    """
    (one,) = meet(a=BALL, b=at(0.2))
    assert one.contact_points() == pytest.approx(np.array([[0.1, 0.0, 0.0]]), abs=1e-6)
    rod = {
        **WALL,
        'position': [0.0, 0.0, -0.2],
        'shapes': [{'kind': 'capsule', 'size_m': [0.1, 0.5]}],
        'rpy_deg': [90.0, 0.0, 0.0],
    }
    (two,) = meet(
        a=rod, b={**WALL, 'position': [0.0, 0.0, -0.8], 'shapes': [{'kind': 'box', 'size_m': [1, 1, 0.5]}]}, c=at(7.0)
    ) or [None]
    assert two is None, 'neither of them can be moved'
    lying = {
        'type': 'linkage',
        'position': [0.0, 0.0, -0.2],
        'bodies': {
            'rod': {
                'shape': {'kind': 'capsule', 'size_m': [0.1, 0.5]},
                'mass_kg': 1.0,
                'position': [0, 0, 0],
                'rpy_deg': [90.0, 0.0, 0.0],
            }
        },
        'joints': [],
    }
    (hit,) = meet(a=lying, b={**WALL, 'position': [0.0, 0.0, -0.8], 'shapes': [{'kind': 'box', 'size_m': [1, 1, 0.5]}]})
    assert sorted(hit.contact_points()[:, 1].tolist()) == pytest.approx([-0.5, 0.5], abs=1e-6)
    assert hit.contact_surfaces() == []


def test_contact_surfaces_are_handed_to_objects() -> None:
    """5-5 Intersection.getContactSurfaces: a collision might cause a surface contact; in our simulation we might have to
    have the option. This function is meant to be called by the objects.

    Here: the common convex polygon of two faces; one for each face of a corner. Participants get them, too.
    """
    seen: list[Vector] = []

    class Felt(RigidBody):
        def on_intersections(self, intersections: Sequence[Intersection]) -> None:
            super().on_intersections(intersections)
            seen[:] = [polygon for hit in intersections for polygon in hit.contact_surfaces()]

    box = make_objects({'b': BOX}, 0.0)[0]
    floor = {**WALL, 'position': [0.05, 0.0, -0.6], 'shapes': [{'kind': 'box', 'size_m': [0.1, 0.5, 0.5]}]}
    world(Felt('box', make_rigid_state('box', [0, 0, 0], 1.0, np.eye(3)), box.shapes), floor=floor).step()
    (polygon,) = seen
    # The floor extends from x = -0.05 on, the box to 0.1: 0.15 m by 0.2 m, by Gauss's area formula.
    x, y = polygon[:, 0], polygon[:, 1]
    assert 0.5 * abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) == pytest.approx(0.15 * 0.2, abs=1e-6)
    corner = {
        **WALL,
        'position': [0, 0, 0],
        'shapes': [
            {'kind': 'box', 'size_m': [1.0, 1.0, 0.5], 'position': [0, 0, -0.6]},
            {'kind': 'box', 'size_m': [0.5, 1.0, 1.0], 'position': [-0.6, 0, 0]},
        ],
    }
    (hit,) = meet(box=BOX, corner=corner)
    assert len(hit.contact_surfaces()) == 2 and {len(p) for p in hit.contact_surfaces()} == {4}


def test_the_distance_is_a_measure_without_intersection() -> None:
    """5-6 Intersection.getDistance(double& distance): when no intersection has happened, provides a measure. what measure?!

    Here: the signed distance, negative by the depth of penetration; along a beam, the range of the first hit.
    """
    assert meet(a=BALL, b=at(0.5))[0].distance == pytest.approx(0.3, abs=1e-6)
    assert meet(a=BALL, b=at(0.15))[0].distance == pytest.approx(-0.05, abs=1e-6)


def test_the_world_acts_on_an_nii_only() -> None:
    """5-7 The World handles the situation only when an NII happens.

    Here: it discards and retries on NII only. Contacts of any status are solved by the world for the objects.
    """
    report = world(a=at(0.0, velocity_mps=[0.5, 0.0, 0.0]), b=at(0.2099)).step()
    assert report.attempts == 1 and report.dt_ns == 20_000_000
    assert report.intersections[0].status == Status.COLLISION_POINTS and report.impulses
    half = {'kind': 'box', 'size_m': [0.14, 0.1, 0.05]}
    deep = world(
        a=at(0.69, BOX, shape=half, velocity_mps=[2.0, 0, 0], angular_velocity_radps=[4.0, 15.0, 0.0]), wall=WALL
    )
    assert any(deep.step().attempts > 1 for _ in range(10))


def test_threshold_and_metric_are_the_intersections() -> None:
    """5-8 The threshold and the metric for determining an NII is the job of Intersection."""
    for depth, status in (
        (NII_DEPTH + 1e-5, Status.NON_INFINITESIMAL_INTERSECTION),
        (NII_DEPTH - 1e-5, Status.INFINITESIMAL_INTERSECTION),
        (TOUCH_DISTANCE + 1e-5, Status.INFINITESIMAL_INTERSECTION),
        (TOUCH_DISTANCE - 1e-5, Status.COLLISION_POINTS),
    ):
        assert meet(a=BALL, b=at(0.2 - depth))[0].status == status


def test_force_follows_from_intersections() -> None:
    """6-1 Force can be defined as a piece of information obtained from intersections: with intangible objects; with
    tangible ones, if force fields are modeled as tangible objects.

    Here: fields are intangible and act one way. A tangible object that gives, a cushion, and a body in it act on each
    other. Other tangible objects exchange impulses, because impacts of rigid bodies have no duration.
    """
    w = world(a={**BALL, 'position': [0.0, 0.0, 0.06]}, cushion=CUSHION)
    body = w.objects['a']
    assert [part.any() for part in body.force_and_moment([])] == [False, False]
    (hit,) = w.step().intersections
    assert body.force_and_moment([hit])[0][2] > 0.0 and not w.objects['cushion'].force_and_moment([hit])[0].any()
    pair = meet(a=BALL, b=at(0.199))
    assert not pair[0].a.force_and_moment(pair)[0].any()
    (hit,) = meet(a=BALL, b=at(0.15, {**BALL, 'type': 'cushion', 'stiffness_npm': 20.0}))
    assert hit.b.tangible and hit.a.force_and_moment([hit])[0] == pytest.approx([-1.0, 0.0, 0.0], abs=1e-6)
    assert (hit.b.force_and_moment([hit])[0] == -hit.a.force_and_moment([hit])[0]).all()


def test_the_amount_of_intersection_measures_the_force() -> None:
    """6-2 Basically the number indicating the amount of intersection can be a measure to calculate the force that should
    be exerted on each object.
    """
    forces = []
    for depth in (0.01, 0.02, 0.04):
        hits = meet(a={**BALL, 'position': [0.0, 0.0, 0.1 - depth]}, cushion=CUSHION)
        forces.append(hits[0].a.force_and_moment(hits)[0])
    assert np.array(forces) == pytest.approx(np.outer([1.0, 2.0, 4.0], [0.0, 0.0, 1.0]), abs=1e-3)


def test_contact_points_define_the_effect_of_a_force() -> None:
    """6-3 By using Intersection.getContactPoints we can define the effect that the force has on each object."""
    plank = {**BOX, 'shape': {'kind': 'box', 'size_m': [0.5, 0.1, 0.02]}}
    shore = {**CUSHION, 'position': [0.5, 0.0, -1.01], 'shapes': [{'kind': 'box', 'size_m': [0.2, 1.0, 1.0]}]}
    hits = meet(a=plank, cushion=shore)
    force, moment = hits[0].a.force_and_moment(hits)
    arm = hits[0].contact_points().mean(axis=0)
    assert 0.3 <= arm[0] <= 0.5 and moment == pytest.approx(np.cross(arm, force)) and moment[1] < 0.0


def test_force_and_moment_depend_on_the_properties_of_the_object() -> None:
    """6-4 Since the Force may depend on different Properties(t) of the object at a given State(t), such as I(t) inertia
    tensor or M mass, it's better to be Object.ForceAndMoment with a returning value of the sums of F and M.

    Here: a vehicle computes the forces of fields and ground on its bodies itself, and sends their sums.
    """
    syrup = {**CUSHION, 'repulsion_per_s2': 0.0, 'drag_per_s': 0.5, 'acceleration_mps2': [0.0, 2.0, 0.0]}
    wind = {**CUSHION, 'repulsion_per_s2': 0.0, 'acceleration_mps2': [0.0, 0.0, 3.0]}
    plate = {'mass_kg': 4.0, 'angular_velocity_radps': [0.0, 0.0, 2.0], 'velocity_mps': [1.0, 0.0, 0.0]}
    hits = meet(a=at(0.0, BOX, **plate), syrup=syrup, wind=wind)
    item = hits[0].a
    force, moment = item.force_and_moment(hits)
    assert force == pytest.approx([-4.0 * 0.5 * 1.0, 4.0 * 2.0, 4.0 * 3.0])
    assert moment == pytest.approx(-0.5 * item.body.inertia @ [0.0, 0.0, 2.0])


def test_observers_are_given_contact_points_and_surfaces() -> None:
    """The record of two boxes has the corners of the rectangle in which their faces overlap, to 1e-9 m.

    Pairs that do not touch, and pairs with a field, have none. A checkpoint keeps them.
    """
    floor = {**WALL, 'position': [0.05, 0.02, -0.6], 'shapes': [{'kind': 'box', 'size_m': [0.1, 0.11, 0.5]}]}
    (hit,) = meet(box=BOX, floor=floor)
    record = hit.record()
    assert record.surface_sizes == (4,) and len(record.points) == 4 == len(record.gaps) == len(record.normals)
    (polygon,) = record.contact_surfaces()
    # Box: -0.1 to 0.1 in x and y. Floor: -0.05 to 0.15 in x, -0.09 to 0.13 in y.
    corners = {(x, y) for x in (-0.05, 0.1) for y in (-0.09, 0.1)}
    assert {(round(x, 9), round(y, 9)) for x, y, _ in polygon.tolist()} == corners
    assert record.normals == pytest.approx(np.tile([0.0, 0.0, -1.0], (4, 1)), abs=1e-9)
    assert record.gaps == pytest.approx(np.zeros(4), abs=1e-9) and record.point == pytest.approx(polygon.mean(axis=0))
    again = codec.decode_record(IntersectionRecord, codec.encode_record(record))
    assert again.surface_points.tolist() == record.surface_points.tolist() and again.surface_sizes == (4,)
    for other in (meet(a=BALL, b=at(0.5)), meet(a=BALL, cushion={**CUSHION, 'position': [0.0, 0.0, -1.05]})):
        (apart,) = [hit.record() for hit in other]
        assert not len(apart.points) and not apart.surface_sizes and not apart.contact_surfaces()
