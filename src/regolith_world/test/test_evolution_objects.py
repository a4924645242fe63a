# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Chapters 2 and 3 of "Simulator Architecture" (2024), Objects and Constraints, sentence by sentence; see
``test_evolution.py``.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from toy_worlds import run, world

from regolith_world.config import WorldConfig
from regolith_world.contacts.intersection import NII_DEPTH
from regolith_world.cycle import codec
from regolith_world.cycle.records import VEHICLE_ROLES, Cycle, JoinRequest
from regolith_world.examples.ball_throwing_robot import throw_at_a_wall
from regolith_world.objects.beam import Beam
from regolith_world.objects.force_field import ForceField
from regolith_world.objects.linkages.linkage import Link, Linkage
from regolith_world.objects.object import Object, SavedObject, Status
from regolith_world.objects.object_types import all_object_types, make_objects, restored
from regolith_world.objects.remote_body import RemoteAgent
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
WALL: dict[str, Any] = {
    'type': 'static_body',
    'position': [1.5, 0.0, 0.0],
    'shapes': [{'kind': 'box', 'size_m': [0.5, 2.0, 2.0]}],
    'friction': 0.0,
}
AIR: dict[str, Any] = {
    'type': 'force_field',
    'position': [0.0, 0.0, 0.0],
    'shapes': [{'kind': 'box', 'size_m': [9.0, 9.0, 9.0]}],
}
LIFT: dict[str, Any] = {
    'type': 'platform',
    'position': [7.0, 0.0, 0.0],
    'end_position': [7.0, 0.0, 1.0],
    'travel_time_s': 2.0,
    'shapes': [{'kind': 'box', 'size_m': [1.0, 1.0, 0.1]}],
}
ROPE: dict[str, Any] = {
    'type': 'rope',
    'ends': [[0.0, 0.0, 3.0], [0.0, 0.0, 2.0]],
    'fixed_ends': 'first',
    'length_m': 1.0,
    'rods': 4,
    'mass_kg': 1.0,
    'radius_m': 0.03,
}
LOOSE = {**ROPE, 'ends': [[0.0, 0.0, 3.0], [0.9, 0.0, 3.0]], 'fixed_ends': 'none'}


def linkage(bodies: dict[str, Any], *joints: dict[str, Any]) -> dict[str, Any]:
    cube = {'shape': {'kind': 'box', 'size_m': [0.1, 0.1, 0.1]}, 'mass_kg': 1.0}
    return {
        'type': 'linkage',
        'position': [0.0, 0.0, 0.0],
        'weightless': True,
        'restitution': 1.0,
        'friction': 0.0,
        'bodies': {n: {**cube, **b} for n, b in bodies.items()},
        'joints': list(joints),
    }


def part(name: str, parent: Object | None = None, cls: type[Object] = Object) -> Object:
    return cls(name, make_rigid_state(name, [0.0, 0.0, 9.0], 1.0, np.eye(3)), tangible=False, parent=parent)


def linkage_of(w: World, name: str) -> Linkage:
    item = w.objects[name]
    assert isinstance(item, Linkage)
    return item


def test_everything_is_an_object() -> None:
    """2-1 Everything which exists in the simulation is treated as an object.

    Here: the terrain is a participant. The state of the world lists it as the object ``ground`` with its hash
    (`test_protocol.py::test_the_terrain_is_the_object_ground`). Contact with it follows the soil's law, in the vehicles and
    bodies that touch it; there are no intersections with its thousands of grid nodes.
    """
    w, robot = throw_at_a_wall(0.1)
    things = [*w.objects.values(), *world(air=AIR, lift=LIFT, rope=ROPE, ball=BALL).objects.values()]
    body = make_rigid_state('amber', [0.0, 0.0, 0.0], 1.0, np.eye(3))
    things.append(RemoteAgent(JoinRequest('amber', VEHICLE_ROLES, (), (body,), 1, '', '', {}), 0))
    beam = Beam('robot/9', np.zeros(3), np.array([1.0, 0, 0]), 1.0, 0, 'robot')
    family = [member for thing in [*things, beam] for member in thing.family()]
    assert all(isinstance(o, Object) for o in family) and {type(o).__name__ for o in family} >= {
        'ThrowingRobot',
        'Lidar',
        'Beam',
        'StaticBody',
        'ForceField',
        'Platform',
        'Linkage',
        'Link',
        'RigidBody',
        'RemoteAgent',
    }
    assert robot in things


def test_an_object_has_a_state_which_determines_behavior_and_properties() -> None:
    """2-2 Each object has a State(t) which is a function of time, and determines the Behavior(t) and Properties(t) of the
    object.
    """
    thing = {
        **BALL,
        'shape': {'kind': 'box', 'size_m': [0.3, 0.2, 0.1]},
        'angular_velocity_radps': [1.0, 2.0, 3.0],
        'velocity_mps': [1.0, 0.0, 0.0],
    }
    a = run(world(ball=thing), 0.4).objects['ball']
    first, later = a.states.get_state(0), a.states.get_state(400_000_000)
    assert first.mass == later.mass and not np.allclose(first.inertia, later.inertia), 'inertia turns with the body'
    other = RigidBody(
        'ball', a.states.get_state(200_000_000), a.shapes, t_ns=200_000_000, restitution=1.0, friction=0.0
    )
    w = World(WorldConfig(), [other])
    w.t_ns = 200_000_000
    run(w, 0.4)
    assert other.canonical_state() == a.canonical_state(), 'the same state behaves the same'


def test_objects_are_independent_or_dependent() -> None:
    """2.1-1 Objects are either independent or dependent on each other; those that do not evolve independently of each
    other are a system.
    """
    alone = run(world(ball={**BALL, 'velocity_mps': [1.0, 0.0, 0.0]}), 0.5).objects['ball'].canonical_state()
    with_rope = run(world(ball={**BALL, 'velocity_mps': [1.0, 0.0, 0.0]}, rope=ROPE), 0.5)
    assert with_rope.objects['ball'].canonical_state() == alone
    free, held = (
        linkage({'a': {'position': [0, 0, 0], 'velocity_mps': [1, 0, 0]}, 'b': {'position': [0, 1, 0]}}, *joints)
        for joints in ((), ({'kind': 'fixed', 'between': ['a', 'b'], 'at': [0, 0.5, 0]},))
    )
    moved = [linkage_of(run(world(pair=pair), 0.5), 'pair').links[1].body.position[0] for pair in (free, held)]
    assert moved[0] == 0.0 and abs(moved[1]) > 0.01


def test_a_non_active_system_evolves_by_physics_as_one_unit() -> None:
    """2.1-2 A non-active system of objects obeys physics laws in order to evolve, and is treated as one-unit, because
    components of it are connected by mathematical constraints.
    """
    w = world(rope={**LOOSE, 'weightless': False})
    start = linkage_of(w, 'rope').body.position.copy()
    run(w, 1.0)
    assert set(w.objects) == {'rope'} and len(linkage_of(w, 'rope').links) == 4
    # Independent of the rods, their center of mass falls freely.
    assert linkage_of(w, 'rope').body.position == pytest.approx(start - [0.0, 0.0, 0.81], abs=1e-9)


def test_each_component_interacts_and_changes_how_the_system_evolves() -> None:
    """2.1-3 Each component of the system interacts with the world, each interaction is important and effects the way
    system evolves.
    """
    ball = {**BALL, 'position': [0.5, 0.0, 2.1], 'velocity_mps': [-3.0, 0.0, 0.0]}
    w, struck = world(rope=ROPE, ball=ball), set()
    while w.t_ns < 400_000_000:
        struck |= {n for blow in w.step(400_000_000).impulses for n in (blow.a, blow.b)}
    assert {n for n in struck if n.startswith('rope/')} == {'rope/rod_003'}, 'the lowest rod alone collides'
    assert linkage_of(w, 'rope').links[1].body.position[0] < -1e-3, 'and the others swing with it'


def test_a_rope_is_made_of_rods_constrained_to_each_other() -> None:
    """2.1-4 Rope: is made by multiple-rods constrained to each other."""
    links = linkage_of(run(world(rope={**ROPE, 'ends': [[0, 0, 3], [0.8, 0, 2.6]]}), 1.0), 'rope').links
    for above, below in pairwise(links):
        ends = [b.body.position + s * 0.125 * _axis(b) for b, s in ((above, 1.0), (below, -1.0))]
        assert ends[0] == pytest.approx(ends[1], abs=1e-6)


def _axis(link: Object) -> np.ndarray:
    from regolith_world.numerics.rotation import matrix

    return matrix(link.body.orientation)[:, 2]


def test_an_active_system_controls_its_own_behavior() -> None:
    """2.1-5 An active system of objects has the ability to control its own behavior regardless of the laws of physics
    governing the world (a robot: has actuators).

    Here: as the robot of the example; vehicles, whose motors are physics, are separate participants.
    """
    w, robot = throw_at_a_wall(5.0)
    assert w.forced_cycles == 0 and robot.thrown_at_ns is not None
    assert robot.body.position[0] == pytest.approx(5.0), 'it drives on'
    assert w.objects['robot/0'].body.linear_velocity[0] < 0.0, 'and the ball returns to it'


def test_spawned_objects_help_their_parent_perceive() -> None:
    """2.1-6 [Spawned] objects are child objects that are [spawned] in order to help their parent perceive the state of the
    world and react to it.

    Here: they are named parent/counter and store the name of their emitter, but are roots of the world for the one
        cycle
    in which they exist, so that they intersect others.
    """
    w, robot = throw_at_a_wall(0.5)
    report = w.step()
    (hit,) = [h for h in report.intersections if h.b.name == 'wall' and isinstance(h.a, Beam)]
    assert hit.a.emitted_by(robot.lidar) and hit.a.emitted_by(robot) and not hit.a.emitted_by(w.objects['wall'])
    assert robot.lidar.range == hit.distance == pytest.approx(12.75 - 0.25 - robot.body.position[0], abs=1e-6)


def test_spawned_objects_are_removed_after_use() -> None:
    """2.1-7 They are temporary objects and will [be removed] once they finished their duty."""
    w, _ = throw_at_a_wall(0.5)
    assert w._deaths == w._births == ('robot/lidar/24',)
    assert not any(isinstance(o, Beam) for o in w.objects.values())


class Counting(Object):
    """Records its callers."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.callers: list[tuple[str, Any]] = []

    def evolve(self, cycle: Cycle) -> list[Object]:
        self._note('evolve')
        return super().evolve(cycle)

    def discard(self) -> None:
        self._note('discard')
        super().discard()

    def commit(self, intersections: Any) -> None:
        self._note('commit')
        super().commit(intersections)

    def next_dt_ns(self) -> int:
        self._note('next_dt_ns')
        return super().next_dt_ns()

    def state_hash(self) -> str:
        self._note('state_hash')
        return super().state_hash()

    def _note(self, what: str) -> None:
        frame = sys._getframe(2)
        while frame.f_code.co_name in ('<genexpr>', '<listcomp>', what) and frame.f_locals.get('self') is self:
            frame = frame.f_back  # type: ignore[assignment]
        while '.0' in frame.f_locals and 'self' not in frame.f_locals:
            frame = frame.f_back  # type: ignore[assignment]
        self.callers.append((what, frame.f_locals.get('self')))


def lineage(depth: int, cls: type[Object] = Counting) -> list[Object]:
    made = [part('o', cls=cls)]
    while len(made) < depth:
        made.append(part(f'{made[-1].name}/o', made[-1], cls))
    return made


def test_children_evolve_only_when_called_by_their_parent() -> None:
    """2.1-8 The children objects evolve only when called by the parent object."""
    root, child, grandchild = lineage(3)
    w = world(root)
    w.step()
    for item, parent in ((root, w), (child, root), (grandchild, child)):
        assert isinstance(item, Counting) and [c for what, c in item.callers if what == 'evolve'] == [parent]
    with pytest.raises(ValueError, match=r"object 'o/o' is a child of 'o'; allowed: root objects"):
        world(child)


def test_there_is_no_limit_on_the_depth() -> None:
    """2.1-9 An Object can be a parent, a child or both: a child object can itself be the parent of a group of
    inter-connected objects and so on. There is no limitation on the depth of this hierarchy.
    """
    items = lineage(60)
    w = world(items[0])
    w.step()
    assert {len(o.states) for o in items} == {2} and items[0].family() == items and items[-1].root is items[0]
    hash_before = items[0].state_hash()
    items[-1].states.delete_state(0)
    assert items[0].state_hash() != hash_before, 'the hash of the root covers the last of them'
    items[-1].alive = False
    w.step()
    assert w._deaths == (items[-1].name,) and not items[-2].children


def test_an_object_has_only_one_parent() -> None:
    """2.1-10 An object can have only one parent."""
    mother, other = part('mother'), part('other')
    child = part('mother/child', mother)
    assert child.parent is mother and mother.children == [child] and not other.children
    w = world(mother, other)
    with pytest.raises(ValueError, match="'mother/child' is taken"):
        w.add(part('mother/child'))


def test_an_object_interacts_only_with_its_parent_and_children() -> None:
    """2.1-11 An Object interacts only with its immediate parent and children.

    Here: in the cycle; with other objects it has intersections, which the world finds.
    """
    root, child, grandchild = lineage(3)
    w = world(
        root,
        Asking(),
        **{
            'ball': {
                **BALL,
                'position': [0.5, 0, 0],
                'velocity_mps': [3, 0, 0],
                'shape': {'kind': 'box', 'size_m': [0.1, 0.2, 0.1]},
                'angular_velocity_radps': [9, 20, 5],
            },
            'wall': WALL,
        },
    )
    run(w, 0.5)
    assert w.discarded_cycles > 0
    for item, parent in ((root, w), (child, root), (grandchild, child)):
        assert isinstance(item, Counting)
        assert {what for what, _ in item.callers} == {'evolve', 'discard', 'commit', 'next_dt_ns', 'state_hash'}
        assert all(caller in (parent, item) for _, caller in item.callers), [
            c for c in item.callers if c[1] is not parent
        ]


class Asking(Counting):
    """An object without a family."""

    def __init__(self) -> None:
        super().__init__('asking', make_rigid_state('asking', [0.0, 5.0, 9.0], 1.0, np.eye(3)), tangible=False)


def test_any_object_can_be_given_a_parent_upon_construction() -> None:
    """2.1-12 Being a child or parent object is captured in Object. That is, upon construction of any Object, it can be
    given a parent object.
    """
    mother = part('mother')
    ball = make_objects({'b': BALL}, 0.0)[0]
    child = RigidBody(
        'mother/ball', make_rigid_state('mother/ball', [0, 0, 3], 1.0, np.eye(3)), ball.shapes, parent=mother
    )
    run(world(mother), 0.1)
    assert child.parent is mother and len(child.states) == len(mother.states) == 6


def test_the_world_handles_all_objects_equally() -> None:
    """2.1-13 The World handles all objects equally in its evolution cycle."""
    things = {
        'ball': BALL,
        'wall': WALL,
        'air': AIR,
        'lift': LIFT,
        'rope': {**ROPE, 'ends': [[0, 4, 3], [0, 4, 2]]},
    }
    assert {t['type'] for t in things.values()} | {'linkage', 'throwing_robot'} <= set(all_object_types())
    w = world(**things)
    run(w, 0.2)
    assert all(len(o.states) == 11 and o.states.newest_time_ns == w.t_ns for o in w.objects.values())
    backwards = World(WorldConfig(), make_objects(things, 1.62)[::-1])
    assert run(backwards, 0.2).state_hash == w.state_hash, 'whatever order they came in'


def test_a_parent_of_connected_objects_handles_their_connections() -> None:
    """2.1-14 A parent object of a group of natural inter-connected objects handles the interconnections based on the laws
    of physics by merely calling their Object.evolve(). (This is not compatible with our definition of Non-active
    objects.)

    Here: a linkage solves its joints for all links at once and sets their states. The evolve() of a link does nothing,
    because the motion of a link depends on all others.
    """
    w = world(rope=ROPE)
    rope = linkage_of(w, 'rope')
    assert all(isinstance(link, Link) and link.parent is rope for link in rope.links) and rope.children == rope.links
    cycle = w._record(0, 20_000_000)  # type: ignore[arg-type]
    assert rope.links[0].evolve(cycle) == [] and len(rope.links[0].states) == 1
    rope.evolve(cycle)
    assert {len(link.states) for link in rope.links} == {2}


def test_tangible_objects_cannot_have_an_nii() -> None:
    """2.2-1 Tangible objects: which cannot have NII. These objects are likely to be the ones responding to collision,
    having mass, etc.
    """
    w = world(a={**BALL, 'velocity_mps': [2.0, 0.0, 0.0]}, b={**BALL, 'position': [0.9, 0.05, 0.0]}, wall=WALL)
    deepest = 0.0
    while w.t_ns < 2_000_000_000:
        deepest = max([deepest, *(-h.distance for h in w.step().intersections)])
    assert 0.0 < deepest <= NII_DEPTH and w.forced_cycles == 0
    assert w.objects['b'].body.linear_velocity.any(), 'they respond to collision'


def test_intangible_objects_can_have_an_nii() -> None:
    """2.2-2 Intangible objects: which can have NII. Examples are a beam created to measure distance and fields such as
    gravity.
    """
    w = world(air={**AIR, 'acceleration_mps2': [0.0, 0.0, -1.0]}, ball=BALL)
    report = w.step()
    assert [(h.a.name, h.status) for h in report.intersections] == [('air', Status.NON_INFINITESIMAL_INTERSECTION)]
    assert isinstance(w.objects['air'], ForceField) and w.discarded_cycles == 0 and report.attempts == 1
    robot_world, _ = throw_at_a_wall(0.1)
    hits = robot_world.step().intersections
    assert Status.NON_INFINITESIMAL_INTERSECTION in {h.status for h in hits} and robot_world.discarded_cycles == 0


def test_an_nii_triggers_actions_if_the_object_is_tangible() -> None:
    """2.2-3 Detection of an NII in the evolution cycle of the World triggers a series of action if the object is
    tangible.
    """
    moving = {
        **BALL,
        'shape': {'kind': 'box', 'size_m': [0.1, 0.2, 0.1]},
        'velocity_mps': [3.0, 0.0, 0.0],
        'angular_velocity_radps': [9.0, 20.0, 5.0],
    }
    solid = run(world(ball=moving, wall=WALL), 0.6)
    gas = run(world(ball=moving, wall={**AIR, 'position': [1.5, 0, 0], 'shapes': WALL['shapes']}), 0.6)
    assert solid.discarded_cycles > 0 == gas.discarded_cycles
    assert gas.objects['ball'].body.position[0] == pytest.approx(1.8) and solid.objects['ball'].body.position[0] < 1.0


def test_a_state_manager_projects_onto_mathematical_constraints() -> None:
    """3-1 Mathematical constraints: from an architectural point of view StateManager.constraints() works fine when we are
    to update the dynamical behavior of objects.

    Here: for objects of user code. Those of scenarios are linkages, whose constraints are in checkpoints, too.
    """
    states = StateManager(interpolate_body)
    states.constrain(lambda s: make_rigid_state(s.name, [0.0, s.position[1], 0.0], 1.0, np.eye(3)))
    states.new_state(0, make_rigid_state('a', [3.0, 1.0, 2.0], 1.0, np.eye(3)))
    assert states.newest.position.tolist() == [0.0, 1.0, 0.0]


def test_constraints_confine_degrees_of_freedom() -> None:
    """3-2 This type is used to confine the degrees of freedom (DOF) of an object to limit the way it interacts with the
    world.
    """
    free = linkage({'a': {'position': [0, 0, 0], 'velocity_mps': [1, 2, 3], 'angular_velocity_radps': [1, 1, 1]}})
    on_line = linkage(
        {'a': {'position': [0, 0, 0], 'velocity_mps': [1, 2, 3], 'angular_velocity_radps': [1, 1, 1]}},
        {'kind': 'slider', 'between': ['world', 'a'], 'at': [0, 0, 0], 'axis': [0, 0, 1]},
    )
    ends = [linkage_of(run(world(o=o), 0.5), 'o').links[0].body for o in (free, on_line)]
    assert ends[0].position == pytest.approx([0.5, 1.0, 1.5]) and ends[1].position == pytest.approx(
        [0.0, 0.0, 1.5], abs=1e-9
    )
    assert not np.round(ends[1].angular_velocity, 9).any()


def test_constraints_model_complex_objects_such_as_ropes() -> None:
    """3-3 This type can be used to model some complex objects such as ropes or maybe strings."""
    ball = {**BALL, 'position': [0.4, 0.0, 2.2], 'velocity_mps': [-3.0, 0.0, 0.0]}
    w = run(world(rope={**ROPE, 'rods': 12}, ball=ball), 1.0)
    nodes = [link.body.position - 0.5 / 12 * _axis(link) for link in linkage_of(w, 'rope').links]
    assert np.ptp([node[0] for node in nodes]) > 0.1, 'it is bent after a collision'
    assert np.linalg.norm(np.diff(nodes, axis=0), axis=1) == pytest.approx([1.0 / 12] * 11, abs=1e-6)


def test_the_distance_between_two_objects_can_be_constant() -> None:
    """3-4 Relative distance must be constant between 2 objects: is simply setting a mathematical equation between space
    coordinates of them.
    """
    pair = linkage(
        {
            'a': {'position': [0, 0, 0], 'velocity_mps': [0, 1, 0]},
            'b': {'position': [1, 0, 0], 'angular_velocity_radps': [0, 0, 2]},
        },
        {'kind': 'distance', 'between': ['a', 'b'], 'ends': [[0, 0, 0], [1, 0, 0]]},
    )
    w = world(pair=pair)
    for _ in range(100):
        w.step()
        a, b = (link.body.position for link in linkage_of(w, 'pair').links)
        assert np.linalg.norm(a - b) == pytest.approx(1.0, abs=1e-9)
    assert a[1] > 0.5


def test_an_obstacle_can_be_allowed_to_move_in_y_only() -> None:
    """3-5 We have an obstacle which is only allowed to move in y-direction no matter what."""
    obstacle = linkage(
        {'a': {'position': [0, 0, 0]}},
        {'kind': 'slider', 'between': ['world', 'a'], 'at': [0, 0, 0], 'axis': [0, 1, 0]},
    )
    ball = {**BALL, 'position': [-0.6, -0.5, 0.03], 'velocity_mps': [2.0, 1.5, 0.0], 'friction': 0.5}
    w = run(world(obstacle=obstacle, ball=ball), 1.0)
    body = linkage_of(w, 'obstacle').links[0].body
    assert abs(body.position[1]) > 1e-3, 'it has collided'
    assert body.position[[0, 2]] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_mechanical_constraints_behave_as_mechanical_connections() -> None:
    """3-6 Mechanical constraints may have visual representation and are used to simulate the behavior of mechanical
    connections, e.g. hinge, to make inter-connected bodies.

    Here: hinge, slider, ball, cylinder, spring and damper. Their visual representation is the shape of a link.
    """
    gate = linkage(
        {
            'leaf': {
                'position': [0, 0.5, 0],
                'shape': {'kind': 'box', 'size_m': [0.02, 0.5, 0.4]},
                'velocity_mps': [-0.5, 0, 0],
                'angular_velocity_radps': [0, 0, 1],
            }
        },
        {'kind': 'hinge', 'between': ['world', 'leaf'], 'at': [0, 0, 0]},
    )
    leaf = linkage_of(run(world(gate=gate), 0.5), 'gate').links[0]
    assert leaf.body.position == pytest.approx([-0.5 * np.sin(0.5), 0.5 * np.cos(0.5), 0.0], abs=1e-6)
    assert leaf.shapes and leaf.body.angular_velocity == pytest.approx([0.0, 0.0, 1.0])


def test_constraints_belong_to_an_object() -> None:
    """3-7 Mechanical Constraints are instances of Constraint inherited from Object.

    Here: the linkage is the object. Its joints are equations that it solves together and stores with its state. A
    constraint that evolved alone could not satisfy a closed loop.
    """
    (made,) = make_objects({'rope': ROPE}, 1.62)
    again = restored(codec.decode_record(SavedObject, codec.encode_record(made.save())))
    assert isinstance(made, Object) and isinstance(again, Linkage)
    assert codec.encode_record(again.save()) == codec.encode_record(made.save()) and len(again._system.rows.joint) == 12
