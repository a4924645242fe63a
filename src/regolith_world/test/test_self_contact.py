# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of families whose members collide with one another: ropes and linkages with ``self_contact``."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from toy_worlds import run

from regolith_world.config import WorldConfig
from regolith_world.contacts import collision_detection
from regolith_world.contacts.collision_detection import CollisionDetector, first_overlap
from regolith_world.contacts.contact_solver import approach_speed, solve_contacts
from regolith_world.cycle.records import Command, Cycle, CycleKey, Impulse, Verdict
from regolith_world.objects.constraints import _Side
from regolith_world.objects.linkages.linkage import Linkage
from regolith_world.objects.object import Intersection, Object
from regolith_world.objects.object_types import make_objects
from regolith_world.world import World

ROPE: dict[str, Any] = {
    'type': 'rope',
    'ends': [[0.0, 0.0, 1.0], [0.3, 0.05, 1.1]],
    'fixed_ends': 'none',
    'length_m': 1.6,
    'rods': 16,
    'mass_kg': 0.8,
    'radius_m': 0.01,
    'damping': 1e-4,
    'self_contact': True,
}
FLOOR = {'type': 'static_body', 'position': [0, 0, -0.1], 'shapes': [{'kind': 'box', 'size_m': [3, 3, 0.1]}]}
U_SHAPE = [
    *((0.0, 0.0, 0.0), (0.2, 0.0, 0.0), (0.4, 0.0, 0.0), (0.6, 0.0, 0.0)),
    *((0.6, 0.2, 0.0), (0.4, 0.2, 0.0), (0.2, 0.2, 0.005), (0.0, 0.2, 0.01)),
]
HOLD = Cycle(CycleKey(0, 0, 0), 0, 0, Verdict.NONE, Command.HOLD)


def chain(nodes: list[Any], speed: float, **more: Any) -> dict[str, Any]:
    """Return a weightless chain of rods of 0.1 kg along nodes, whose first and last three rods approach along y."""
    count, bodies = len(nodes) - 1, {}
    for k, (a, b) in enumerate(zip(np.array(nodes, float)[:-1], np.array(nodes, float)[1:])):
        length = np.linalg.norm(b - a)
        pitch, yaw = 90.0 - np.degrees(np.arcsin((b - a)[2] / length)), np.degrees(np.arctan2((b - a)[1], (b - a)[0]))
        bodies[f'l{k}'] = {
            'shape': {'kind': 'capsule', 'size_m': [0.01, 0.5 * length - 0.01]},
            'mass_kg': 0.1,
            'position': (0.5 * (a + b)).tolist(),
            'rpy_deg': [0.0, pitch, yaw],
            'velocity_mps': [0.0, speed * ((k < 3) - (k >= count - 3)), 0.0],
        }
    joints = [{'kind': 'ball', 'between': [f'l{k}', f'l{k + 1}'], 'at': list(nodes[k + 1])} for k in range(count - 1)]
    head = {'type': 'linkage', 'self_contact': True, 'weightless': True, 'substep_s': 2.5e-4}
    return {**head, 'bodies': bodies, 'joints': joints, **more}


def totals(item: Object, gravity: float = 0.0) -> tuple[float, np.ndarray]:
    """Return energy [J], and momentum and angular momentum about the origin, shape (6,), of all links."""
    energy, momentum = 0.0, np.zeros(6)
    for body in (link.body for link in item.children):
        v, omega, m = body.linear_velocity, body.angular_velocity, body.mass
        energy += 0.5 * m * v @ v + 0.5 * omega @ body.inertia @ omega + m * gravity * body.position[2]
        momentum += np.concatenate((m * v, m * np.cross(body.position, v) + body.inertia @ omega))
    return energy, momentum


def own_pairs(hits: Any) -> list[Intersection]:
    """Return the intersections of members of one family."""
    return [hit for hit in hits if hit.a.root is hit.b.root]


def test_pairs_of_a_rope_are_all_but_near_neighbors() -> None:
    """Of the 120 pairs of 16 rods, 15 share a joint and 14 have one rod between them: 91 can collide.

    Only those whose boxes meet in the cycle get an intersection: all 91 of a rope that is rolled up into the same box.
    """
    short = {**ROPE, 'length_m': 0.4, 'radius_m': 0.002, 'ends': [[0, 0, 1], [0.3, 0, 1]]}
    for self_contact, count in ((True, 120 - 29), (False, 0)):
        objects = {o.name: o for o in make_objects({'rope': {**short, 'self_contact': self_contact}}, 1.62)}
        rope = objects['rope']
        assert sum(rope.members_collide(a, b) for a, b in combinations(rope.children, 2)) == count
        assert not rope.members_collide(rope, rope.children[5])
        assert not CollisionDetector(judged=True).find(objects, HOLD)[0]
        for rod in rope.children:
            at = rope.children[0].body
            rod.states.clear()
            rod.states.new_state(0, replace(at, name=rod.name))
        assert len(CollisionDetector(judged=False).find(objects, HOLD)[0]) == count


def test_a_linkage_that_starts_inside_itself_is_found() -> None:
    """The last rod of a chain crosses the first one."""
    crossed = chain([(0, 0, 0), (0.4, 0, 0), (0.4, 0.2, 0), (0.2, 0.2, 0), (0.2, -0.2, 0)], 0.0)
    made = make_objects({'c': crossed, 'd': {**crossed, 'position': [0, 0, 1], 'self_contact': False}}, 0.0)
    found = first_overlap(made)
    assert found is not None and found[0].name == 'c' and found[1].name == 'c/l0' and found[2] > 0.015
    assert first_overlap(made[1:]) is None


@pytest.mark.parametrize('restitution', [0.0, 0.5, 1.0])
def test_two_links_of_a_chain_meet_as_their_joints_allow(restitution: float) -> None:
    """With one contact, the separating velocity after the impulses is restitution times approach: 1e-6 m/s.

    Each link alone would separate with another velocity, because one impulse moves the other link through the joints.
    """
    closed = [*U_SHAPE[:4], (0.6, 0.02005, 0), (0.4, 0.02005, 0.0), (0.2, 0.03, 0.0), (0, 0.05, 0.0)]
    closed[4:4] = [(0.6, 0.2, 0.3)]
    (made,) = make_objects({'c': chain(closed, 0.5, restitution=restitution, friction=0.0)}, 0.0)
    assert isinstance(made, Linkage)
    hits = own_pairs(CollisionDetector(judged=True).find({'c': made}, HOLD)[0])
    touching = [hit for hit in hits if len(hit.points)]
    point, normal = touching[0].points[0], touching[0].normals[0]
    touching = [
        Intersection(h.a, h.b, h.status, h.distance, h.points[:1], h.normal, h.normals[:1], h.gaps[:1])
        for h in touching[:1]
    ]
    approach = approach_speed(touching[0], point, normal)
    assert approach > 0.5
    impulses, _ = solve_contacts(touching, 0.02)
    cycle = Cycle(CycleKey(0, 0, 0), 0, 1, Verdict.NONE, Command.EVOLVE, impulses=tuple(impulses))
    made.evolve(cycle)
    assert approach_speed(touching[0], point, normal) == pytest.approx(-restitution * approach, abs=1e-6)


def test_constraints_know_what_joints_transmit_of_contacts() -> None:
    """An impulse on one link moves a link of the same chain to which a cable is attached: as in its next cycle."""
    (made,) = make_objects({'c': chain(U_SHAPE, 0.0)}, 0.0)
    far, near = made.children[0], made.children[5]
    blow = Impulse('wall', far.name, far.body.position + (0.05, 0.0, 0.01), np.array([0.01, -0.03, 0.02]))
    side = _Side(near, 0, (blow,))
    made.evolve(Cycle(CycleKey(0, 0, 0), 0, 1, Verdict.NONE, Command.EVOLVE, impulses=(blow,)))
    twist = np.concatenate((near.body.linear_velocity, near.body.angular_velocity))
    assert np.abs(twist).max() > 1e-4 and side.twist == pytest.approx(twist, abs=1e-8)


@pytest.mark.parametrize('restitution', [0.0, 1.0])
def test_a_chain_that_collides_with_itself_keeps_momentum_and_energy(restitution: float) -> None:
    """Each cycle keeps both momenta to 1e-12 N s and N m s; links enter each other by less than the NII depth of 1 mm.

    The energy never grows by more than 1e-6 of it: the integrator's error of second order with substeps of 0.25 ms.
    """
    made = make_objects({'c': chain(U_SHAPE, 0.5, restitution=restitution, friction=0.3)}, 0.0)
    w = World(WorldConfig(gravity_mps2=0.0), made)
    start, before = totals(w.objects['c'])
    least, depth, count = start, 0.0, 0
    while w.t_ns < 2_000_000_000:
        report = w.step()
        count += len(report.impulses)
        depth = max([depth, *(-hit.distance for hit in report.intersections)])
        energy, momentum = totals(w.objects['c'])
        assert momentum == pytest.approx(before, abs=1e-12)
        before = momentum
        assert energy < least + 1e-6 * start
        least = min(least, energy)
    assert count >= 3 and depth < 1e-3 and not w.forced_cycles
    assert least < 0.5 * start or restitution == 1.0


def test_a_rope_is_laid_onto_itself() -> None:
    """A rope that falls onto a floor comes to lie on itself: links enter links by less than 1 mm, and it comes to rest.

    Its energy grows in no cycle by more than 1e-4 of the initial one: what removing a penetration of 1 mm may do.
    """
    w = World(WorldConfig(), make_objects({'rope': ROPE, 'floor': FLOOR}, 1.62))
    last, _ = totals(w.objects['rope'], 1.62)
    start, depth, count = last, 0.0, 0
    while w.t_ns < 3_000_000_000:
        report = w.step()
        energy, _ = totals(w.objects['rope'], 1.62)
        assert energy < last + 1e-4 * start
        last = energy
        depth = max([depth, *(-hit.distance for hit in own_pairs(report.intersections))])
        count += sum(i.a.startswith('rope/') and i.b.startswith('rope/') for i in report.impulses)
    assert count > 50 and depth < 1e-3 and not w.forced_cycles
    assert last < 0.03 * start
    assert max(np.linalg.norm(link.body.linear_velocity) for link in w.objects['rope'].children) < 0.1


def test_a_rope_with_self_contact_continues_from_a_checkpoint() -> None:
    """Rule 1: the restored world has the same hash."""
    w = run(World(WorldConfig(), make_objects({'rope': ROPE, 'floor': FLOOR}, 1.62)), 1.2)
    again = World(WorldConfig())
    again.load(w.save())
    assert again.objects['rope'].self_contact
    assert run(again, 1.5).state_hash == run(w, 1.5).state_hash


def test_search_for_overlaps_ends_at_the_first_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 200 balls in a row, each in twenty others, the first distance is that of the first overlap."""
    ball = {'type': 'rigid_body', 'mass_kg': 1.0, 'shape': {'kind': 'sphere', 'size_m': [0.1]}}
    made = make_objects({f'b{n:03d}': {**ball, 'position': [0.01 * n, 0.0, 0.0]} for n in range(200)}, 0.0)
    requests: list[object] = []
    distance = collision_detection.ShapeQueries.distance
    monkeypatch.setattr(
        collision_detection.ShapeQueries, 'distance', lambda *args: (requests.append(args), distance(*args))[1]
    )
    found = first_overlap(made)
    assert found is not None and (found[0].name, found[1].name) == ('b001', 'b000') and len(requests) == 1
