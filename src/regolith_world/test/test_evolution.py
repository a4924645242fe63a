# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Chapter 1 of "Simulator Architecture" (2024), World Evolution, sentence by sentence.

Every docstring begins with the sentence; words in [] are adapted to the glossary. ``Here:`` states where the engine
differs, and why. ``tools/evolution_table.py`` makes a table of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from toy_worlds import world

from regolith_world.config import WorldConfig
from regolith_world.cycle.records import Cycle
from regolith_world.examples.ball_throwing_robot import THROWING_ROBOT, Lidar, RobotConfig, ThrowingRobot
from regolith_world.objects.beam import Beam
from regolith_world.objects.object import Intersection, Object, Status
from regolith_world.objects.object_types import make_objects
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import make_rigid_state
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
FAST = {**BALL, 'velocity_mps': [3.0, 0.0, 0.0]}
SPINNING = {**FAST, 'shape': {'kind': 'box', 'size_m': [0.1, 0.2, 0.15]}, 'angular_velocity_radps': [9.0, 20.0, 5.0]}
"""It rotates into the wall faster than it moves, which is not predictable, so attempts are discarded."""


def robot_world() -> tuple[World, ThrowingRobot]:
    section = RobotConfig(type='throwing_robot', position=(0.0, 0.0, 0.0))
    robot = THROWING_ROBOT.make('robot', section, np.zeros(3))
    assert isinstance(robot, ThrowingRobot)
    wall = {**WALL, 'position': [11.0 - 0.02 * 0.5, 0.0, 0.0]}  # its face is 10.24 m from the lidar at first
    return world(robot, wall=wall), robot


def ghost(name: str = 'ghost', cls: type[Object] = Object, **options: Any) -> Object:
    return cls(name, make_rigid_state(name, [5.0, 5.0, 5.0], 1.0, np.eye(3)), tangible=False, **options)


def test_the_state_of_the_world_is_stored_at_consecutive_instants() -> None:
    """1-1 The simulation is done by calculating and storing the state of the world at consecutive instances of time."""
    w = world(ball=FAST, wall=WALL)
    instants = [0, *(w.step().t_ns for _ in range(30))]
    assert instants == sorted(set(instants))
    for item in w.objects.values():
        assert [item.states.get_state(t) is not None for t in instants] and len(item.states) == len(instants)
    assert set(w.state(instants[7])) == {'ball', 'wall'}


def test_the_duration_is_the_sum_of_all_increments() -> None:
    """1-2 T, the total duration of the simulated world, is the sum of all time increments."""
    w = world(ball=SPINNING, wall=WALL)
    assert sum(w.step(900_000_000).dt_ns for _ in range(200) if w.t_ns < 900_000_000) == w.t_ns == 900_000_000


def test_the_sequence_of_instants_is_not_uniform() -> None:
    """1-3 The sequence t is most likely not uniform in time."""
    w = world(ball={**FAST, 'position': [0.01, 0.0, 0.0]}, wall=WALL)
    assert len({w.step().dt_ns for _ in range(40)}) > 1


def test_the_increment_follows_from_the_state_of_the_world() -> None:
    """1-4 At each instance of time the time increment is calculated according to the state of the world at it."""
    nearer = {**FAST, 'position': [0.87, 0.0, 0.0]}  # 30 mm before the wall at 3 m/s
    assert world(ball=nearer, wall=WALL).step().dt_ns == world(ball=nearer, wall=WALL).step().dt_ns < 20_000_000
    assert world(ball=FAST, wall=WALL).step().dt_ns == 20_000_000


def test_the_initial_state_is_a_given() -> None:
    """1-5 The initial state of the world is a given."""
    w = world(ball=FAST)
    assert w.t_ns == 0 and w.state(0)['ball'].linear_velocity.tolist() == [3.0, 0.0, 0.0]
    w.step()
    assert w.state(0)['ball'].position.tolist() == [0.0, 0.0, 0.0], 'and stays what it was'


def test_rule_1_reproducibility() -> None:
    """1-6 Rule 1: if the initial state is set to any state of a sequence, the exact rest of the sequence must be produced.

    Here: set by a checkpoint, into a new world; random worlds are in ``test_random_worlds.py``.
    """
    first, saved, sequence = world(ball=SPINNING, wall=WALL, other={**BALL, 'position': [0.2, 0.8, 0.0]}), [], []
    for _ in range(50):
        saved.append(first.save())
        first.step()
        sequence.append((first.t_ns, first.state_hash, {n: o.canonical_state() for n, o in first.objects.items()}))
    assert first.discarded_cycles > 0
    for m in range(0, 50, 3):
        again = World(WorldConfig())
        again.load(saved[m])
        for expected in sequence[m:]:
            again.step()
            assert (
                again.t_ns,
                again.state_hash,
                {n: o.canonical_state() for n, o in again.objects.items()},
            ) == expected


def test_the_robot_throws_one_cycle_after_it_measured_ten_meters() -> None:
    """1.1-1 From previous cycle intersection pairs, the robot knows its distance, and does what it has to do in its
    evolve(): at 10 m it throws the ball.
    """
    w, robot = robot_world()
    while robot.lidar.range > 10.0:
        assert robot.thrown_at_ns is None
        w.step()
    assert robot.thrown_at_ns is None, 'by the end of the previous cycle the distance is known'
    report = w.step()
    assert robot.thrown_at_ns == report.t_ns and 'robot/0' in w.objects


def test_without_a_collision_evolve_does_freespace_motion() -> None:
    """1.1-2 From previous cycle intersection pairs there is no collision: object.evolve() does freespace motion, state is
    updated.
    """
    w, robot = robot_world()
    for _ in range(3):
        before, t_ns = robot.body.position[0], w.t_ns
        w.step()
        assert robot.body.position[0] == pytest.approx(before + 1.0 * (w.t_ns - t_ns) * 1e-9)


def test_the_lidar_a_child_creates_a_beam_in_its_evolve() -> None:
    """1.1-3 Lidar (which is a child) creates a beam, which is [spawned by] the lidar; this creation is the result of
    lidar.evolve().
    """
    w, robot = robot_world()
    assert robot.children == [robot.lidar] and robot.lidar.parent is robot
    cycle = w._record(0, 20_000_000)  # type: ignore[arg-type]
    born = robot.evolve(cycle)
    assert [(type(o), o.name, o.emitter) for o in born] == [(Beam, 'robot/lidar/0', 'robot/lidar')]


def test_the_world_registers_the_beam_then_intersections_are_calculated() -> None:
    """1.1-4 The world registers the beam, then intersections are calculated."""
    w, robot = robot_world()
    report = w.step()
    assert w._births == ('robot/lidar/0',)
    (hit,) = [h for h in report.intersections if isinstance(h.a, Beam) or isinstance(h.b, Beam)]
    assert hit.involves(robot.lidar) and hit.involves(robot) and robot.lidar.range == hit.distance


def test_spawned_and_removed_objects_are_handled_in_the_same_cycle() -> None:
    """1.2-1 [Spawned] objects and dead objects get handled in the same cycle, so the object gets the intersection
    information for the new ones in the same cycle.
    """
    w, robot = robot_world()
    assert robot.lidar.range == np.inf
    w.step()
    assert robot.lidar.range == pytest.approx(10.24 - 0.02, abs=1e-6), 'of the beam spawned in this cycle'
    assert not any(isinstance(o, Beam) for o in w.objects.values()) and w._deaths == w._births


class Asks(Object):
    """An object that requests a given step size."""

    wish = 7_000_000

    def next_dt_ns(self) -> int:
        return self.wish


def test_the_minimum_of_all_requested_steps_is_taken() -> None:
    """1.2-2 Collect Object.get_delta_t() of all objects and take the minimum.

    Here: not above ``max_step_s``, nor below ``min_step_s``, nor past the end of the run.
    """
    slow, hasty = ghost('slow', Asks), ghost('hasty', Asks)
    slow.wish = 9_000_000  # type: ignore[attr-defined]
    w = world(slow, hasty)
    assert w.step().dt_ns == 7_000_000
    hasty.wish = 1  # type: ignore[attr-defined]
    assert w.step().dt_ns == w.control.min_step_ns
    assert world().step().dt_ns == 20_000_000


def test_all_objects_evolve_and_spawned_objects_are_added() -> None:
    """1.2-3 Call Object.evolve(delta_t) of all objects and collect the [spawned] objects and add them to the list."""
    called = []

    class Parent(Object):
        def evolve(self, cycle: Cycle) -> list[Object]:
            super().evolve(cycle)
            called.append((self.name, cycle.dt_ns))
            end_ns = cycle.t_ns + cycle.dt_ns
            return [ghost(f'{self.name}/0', t_ns=end_ns)] if not cycle.t_ns else []

    w = world(ghost('a', Parent), ghost('b', Parent))
    w.step()
    assert called == [('a', 20_000_000), ('b', 20_000_000)] and sorted(w.objects) == ['a', 'a/0', 'b', 'b/0']
    w.step()
    assert len(w.objects['a/0'].states) == 2, 'from the next cycle on they evolve, too'


class Mortal(Object):
    """An object that is removed at its first intersection."""

    def on_intersections(self, intersections: Sequence[Intersection]) -> None:
        if any(h.status != Status.NO_INTERSECTION for h in intersections):
            self.alive = False


def test_removed_objects_are_deleted_from_the_list() -> None:
    """1.2-4 Delete [all] dead objects from the list. How dead objects know that it's time to be dead?

    Here: an object sets ``alive`` at a commit, by its age or by its intersections. Parents remove their children, and a
    parent is removed with its family.
    """
    w = world(spark={**BALL, 'lifetime_s': 0.05})
    w.step()
    mother = ghost('mother')
    child, other = ghost('mother/child', parent=mother), ghost('mother/other', parent=mother)
    ghost('mother/child/toe', parent=child)
    w.add(mother)
    for item in mother.family():
        item.states.clear()
        item.states.new_state(
            w.t_ns, item.body if len(item.states) else make_rigid_state(item.name, [9, 9, 9], 1.0, np.eye(3))
        )
    child.alive = False
    w.step()
    assert w._deaths == ('mother/child', 'mother/child/toe') and mother.children == [other]
    mother.alive = False
    w.step()
    assert w.t_ns == 50_000_000 and w._deaths == ('mother', 'mother/other', 'spark') and not w.objects


def test_deletion_of_objects_waits_for_intersections_and_the_verdict() -> None:
    """1.2-5 Deleting dead objects before this step is not very logical, because the fact that they are dead depends on
    some conditions, e.g. intersection.
    """
    mortal = Mortal(
        'mortal', make_rigid_state('mortal', [0.3, 0.0, 0.0], 1.0, np.eye(3)), make_objects({'b': BALL}, 0.0)[0].shapes
    )
    w = world(mortal, ball=FAST)
    deaths = []
    while not w._deaths:
        report = w.step()
        deaths.append([h.status for h in report.intersections])
    assert deaths[-1][0] != Status.NO_INTERSECTION and w._impulses, 'it could collide in its last cycle'
    assert w.step().impulses == () and set(w.objects) == {'ball'}


def test_every_object_is_given_the_intersections_that_concern_it() -> None:
    """1.2-6 Calculate intersections of every pair. Relevant instances of Intersection is given to every Object at this
    step.

    Here: pairs whose boxes are more than 0.5 m apart have none, except beams.
    """
    told: dict[str, list[tuple[str, str]]] = {}

    class Listener(RigidBody):
        def on_intersections(self, intersections: Sequence[Intersection]) -> None:
            super().on_intersections(intersections)
            told[self.name] = [(h.a.name, h.b.name) for h in intersections]

    items = [
        Listener(n, make_rigid_state(n, [x, 0.0, 0.0], 1.0, np.eye(3)), make_objects({'b': BALL}, 0.0)[0].shapes)
        for n, x in (('a', 0.0), ('b', 0.4), ('c', 9.0))
    ]
    part = Listener('a/part', items[1].body, items[1].shapes, parent=items[0])
    part.states.clear()
    part.states.new_state(0, make_rigid_state('a/part', [0.0, 0.3, 0.0], 1.0, np.eye(3)))
    world(*items).step()
    assert told == {
        'a': [('a', 'b'), ('a/part', 'b')],
        'a/part': [('a/part', 'b')],
        'b': [('a', 'b'), ('a/part', 'b')],
        'c': [],
    }


def test_a_stored_intersection_has_no_effect() -> None:
    """1.2-7 You can pass the intersection object. But that object should not be kept in memory; how to enforce?

    Here: each cycle makes new ones with separate arrays, so a stored one is merely outdated.
    """
    w = world(ball={**BALL, 'position': [0.9, 0.0, 0.0]}, wall=WALL)
    (kept,) = w.step().intersections
    points, distance = kept.points.copy(), kept.distance
    (new,) = w.step().intersections
    assert new is not kept and kept.distance == distance and kept.points.tolist() == points.tolist()
    assert not np.shares_memory(new.points, kept.points)
    saved = w.state_hash
    kept.points[:] = 7.0
    assert (
        world(ball={**BALL, 'position': [0.9, 0.0, 0.0]}, wall=WALL).step().t_ns == 20_000_000 and w.state_hash == saved
    )


def discarding(monkeypatch: pytest.MonkeyPatch) -> tuple[World, list[tuple[str, int]]]:
    """Return a world that has just discarded an attempt, and what was deleted then."""
    w = world(ball=SPINNING, wall=WALL, ghost={**BALL, 'position': [5.0, 5.0, 5.0]})
    deleted: list[tuple[str, int]] = []
    for name, item in w.objects.items():

        def note(from_end: int = 0, name: str = name, delete: Any = item.states.delete_state) -> None:
            deleted.append((name, from_end))
            delete(from_end)

        monkeypatch.setattr(item.states, 'delete_state', note)
    while not w.discarded_cycles:
        deleted.clear()
        w.step()
    return w, deleted


def test_an_nii_discards_the_cycle_of_every_object(monkeypatch: pytest.MonkeyPatch) -> None:
    """1.2-8 A Non-Infinitesimal Intersection (NII) has happened: discard this cycle by calling
    Object.StateManager.deleteState(0) for every Object.
    """
    w, deleted = discarding(monkeypatch)
    assert deleted == [('ball', 0), ('ghost', 0), ('wall', 0)] * w.discarded_cycles
    assert {len(item.states) for item in w.objects.values()} == {w.cycle + 1}


def test_an_nii_rewinds_the_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """1.2-9 Rewind the simulation timer.

    Here: the attempt that follows is shorter; time itself has only advanced by what is committed.
    """
    starts: list[tuple[int, int]] = []
    w = world(ball=SPINNING, wall=WALL)
    find = w._encounters.find
    monkeypatch.setattr(
        w._encounters,
        'find',
        lambda objects, cycle, rest: starts.append((cycle.t_ns, cycle.dt_ns)) or find(objects, cycle, rest),
    )
    while not w.discarded_cycles:
        starts.clear()
        before = w.t_ns
        report = w.step()
    attempts = starts[-report.attempts :]
    assert len(attempts) > 1 and {t_ns for t_ns, _ in attempts} == {before}
    assert [dt for _, dt in attempts] == sorted(
        {dt for _, dt in attempts}, reverse=True
    ) and w.t_ns == before + attempts[-1][1]


def test_collisions_are_handled_by_the_objects() -> None:
    """1.2-10 No NII has happened: there might be occurrences of infinitesimal intersections, i.e. collision, or no
    intersection among objects. The Object handles these cases.

    Here: the world solves all contacts of a commit together, as impulses; each object applies its own in its next
    evolve().
    """
    w = world(ball=FAST, wall=WALL)
    while not (report := w.step()).impulses:
        pass
    (blow,) = report.impulses
    assert w.objects['ball'].body.linear_velocity[0] == pytest.approx(3.0), 'committed with the speed it came with'
    assert blow.impulse == pytest.approx([-6.0, 0.0, 0.0], abs=1e-9)
    w.step()
    assert w.objects['ball'].body.linear_velocity[0] == pytest.approx(-3.0)


def test_objects_use_distances_for_their_delta_t() -> None:
    """1.2-11 Even in the case of no intersection, the objects could still use a measure of distance to update their
    delta-t.

    Here: the world does so for all bodies in free motion (``contacts.time_of_impact``), and any object may.
    """

    class Careful(RigidBody):
        gap = np.inf

        def on_intersections(self, intersections: Sequence[Intersection]) -> None:
            super().on_intersections(intersections)
            self.gap = min((h.distance for h in intersections), default=np.inf)

        def next_dt_ns(self) -> int:
            return 5_000_000 if self.gap < 0.2 else 20_000_000

    ball = make_objects({'b': FAST}, 0.0)[0]
    w = world(
        Careful(
            'ball',
            make_rigid_state('ball', [0.5, 0, 0], 1.0, np.eye(3), linear_velocity=np.array([3.0, 0, 0])),
            ball.shapes,
        ),
        wall=WALL,
    )
    steps = [w.step().dt_ns for _ in range(5)]
    assert steps == [20_000_000] * 4 + [5_000_000]
    assert isinstance(robot_world()[1].lidar, Lidar)
