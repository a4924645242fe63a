# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the bodies of a remote agent that are separate objects of the world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from regolith_world.config import WorldConfig
from regolith_world.contacts.contact_solver import solve_contacts
from regolith_world.cycle.participant import Participant, ParticipantFailed
from regolith_world.cycle.participant_group import ParticipantGroup
from regolith_world.cycle.records import VEHICLE_ROLES, CycleKey, CycleResult, JoinRequest, Shape, ShapeKind
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.object import NEVER_NS, Intersection, Status
from regolith_world.objects.remote_body import RemoteAgent, RemoteBody
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import make_rigid_state, sphere_inertia
from regolith_world.objects.static_body import StaticBody
from regolith_world.world import AdmissionError, ProtocolError, World

BALL = Shape(ShapeKind.SPHERE, np.array([0.1, 0.0, 0.0]))
FAR = Shape(ShapeKind.SPHERE, np.array([0.1, 0.0, 0.0]), np.array([0.5, 0.2, 0.0]))
CONFIG = WorldConfig(gravity_mps2=0.0)


def state(name, x, v):
    return make_rigid_state(name, [x, 0, 0], 1.0, 4.0 * sphere_inertia(1.0, 0.1), linear_velocity=[v, 0, 0])


class Dumbbell(Participant):
    """A rigid body with a second ball at (0.5, 0.2, 0): a separate body, or a shape of the first."""

    def __init__(self, name, x, v, send, *, in_parts):
        super().__init__(name, send)
        self.body = RigidBody(name, state(name, x, v), [BALL, FAR], restitution=1.0)
        self.in_parts = in_parts

    def bodies(self):
        root = self.body.body
        arm = matrix(root.orientation) @ FAR.position
        tip = replace(
            root,
            name=f'{self.name}/tip',
            position=root.position + arm,
            linear_velocity=root.linear_velocity + np.cross(root.angular_velocity, arm),
        )
        return (root, tip) if self.in_parts else (root,)

    def join_request(self, **changes):
        shapes = (BALL, BALL if self.in_parts else FAR)
        bodies = self.bodies()
        request = JoinRequest(
            self.name,
            VEHICLE_ROLES,
            shapes,
            bodies,
            NEVER_NS,
            self.body.state_hash(),
            '',
            {},
            1.0,
            0.5,
            shape_bodies=(0, 1) if self.in_parts else (),
        )
        return replace(request, **changes)

    def _evolve(self, cycle):
        own = {self.name, f'{self.name}/tip'}
        for blow in cycle.impulses:  # it responds as one rigid body
            blow.a, blow.b = (self.name if n in own else n for n in (blow.a, blow.b))
        self.body.evolve(cycle)
        return CycleResult(cycle.key, self.name, NEVER_NS, self.bodies(), state_hash=self.body.state_hash())

    def _commit(self, cycle):
        pass

    def save(self):
        raise NotImplementedError

    def restore(self, blob, epoch):
        raise NotImplementedError

    def _discard(self):
        if len(self.body.states) > 1:
            self.body.discard()

    def _idle_result(self, cycle):
        return CycleResult(cycle.key, self.name, NEVER_NS, self.bodies(), state_hash=self.body.state_hash())


def world_of(in_parts, objects=()):
    bus = ParticipantGroup()
    world = World(CONFIG, objects, bus=bus)
    agent = Dumbbell('a', -1.0, 0.6, bus.receive, in_parts=in_parts)
    bus.add(agent)
    world.admit(agent.join_request())
    return world, agent, bus


def wall():
    return StaticBody(
        'wall', np.array([0.0, 0.2, 0.0]), [Shape(ShapeKind.BOX, np.array([0.05, 0.5, 0.5]))], restitution=1.0
    )


def test_rigidly_attached_part_collides_like_a_shape_of_the_body():
    """Off center and rotating, against a wall and a ball: the same impulses except for their names, to rounding."""
    ways = []
    for in_parts in (True, False):
        ball = RigidBody('z', state('z', 1.5, -0.9), [BALL], restitution=1.0)
        world, agent, bus = world_of(in_parts, [wall(), ball])
        sent = []
        bus.on_record = lambda cycle, sent=sent: sent.append({n for i in cycle.impulses for n in (i.a, i.b)})
        way = []
        for _ in range(120):
            world.step()
            way.append(
                np.concatenate([o.body.position for o in (agent.body, ball)] + [agent.body.body.angular_velocity])
            )
        ways.append(np.array(way))
        struck = set().union(*sent)
        assert ('a/tip' in struck) is in_parts and 'wall' in struck
        assert world.discarded_cycles > 0
    assert np.abs(ways[0][-1, 6:]).max() > 0.5  # it spins
    np.testing.assert_allclose(ways[0], ways[1], atol=1e-9)


def test_parts_are_shown_in_the_cycle_and_are_one_family():
    world, _, bus = world_of(True)
    sent = []
    bus.on_record = sent.append
    for _ in range(3):
        world.step()
    assert [b.name for b in sent[-1].bodies] == ['a', 'a/tip']
    agent = world.objects['a']
    assert [type(o) for o in agent.family()] == [RemoteAgent, RemoteBody] and agent.children[0].root is agent
    # They overlap by design, without impulses between them.
    assert world.discarded_cycles == 0


def test_a_part_that_moves_on_its_own_is_stopped_with_the_mass_of_the_whole():
    """A tip extended at 2 m/s from a body that drifts at 0.5 m/s: p = m (1 + e) (0.5 + 2); the agent decides the rest."""
    bodies = state('a', 0.0, 0.5), replace(state('a/tip', 1.0, 2.5), center_of_mass=np.zeros(3))
    agent = RemoteAgent(
        JoinRequest('a', VEHICLE_ROLES, (BALL,), bodies, 0, 'h', '', {}, 0.5, 0.0, shape_bodies=(1,)), 0
    )
    target = StaticBody('b', np.array([1.2, 0.0, 0.0]), [BALL])
    point, normal = np.array([[1.1, 0.0, 0.0]]), np.array([1.0, 0.0, 0.0])
    hit = Intersection(
        agent.children[0], target, Status.COLLISION_POINTS, 0.0, point, normal, normal[None], np.zeros(1)
    )
    (blow,), _ = solve_contacts([hit], 0.02)
    assert (blow.a, blow.b) == ('a/tip', 'b')
    np.testing.assert_allclose(blow.impulse, [-1.0 * 1.5 * 2.5, 0.0, 0.0], rtol=1e-12)


def test_an_attempt_is_undone_in_all_parts():
    bodies = state('a', 0.0, 0.0), state('a/tip', 1.0, 0.0)
    agent = RemoteAgent(JoinRequest('a', VEHICLE_ROLES, (), bodies, 5, 'h0', '', {}), 0)
    moved = state('a', 0.1, 0.0), state('a/tip', 1.3, 0.0)
    agent.take(CycleResult(CycleKey(0, 0, 0), 'a', 7, moved, state_hash='h1'), 10)
    assert [b.position[0] for b in agent.bodies()] == [0.1, 1.3]
    assert (agent.next_dt_ns(), agent.state_hash()) == (7, 'h1'), 'of the last result'
    agent.discard()
    assert [b.position[0] for b in agent.bodies()] == [0.0, 1.0]
    assert (agent.next_dt_ns(), agent.state_hash()) == (5, 'h0')
    with pytest.raises(ParticipantFailed, match=r"a sends the bodies \['a'\]; allowed: .*\['a', 'a/tip'\]"):
        agent.take(CycleResult(CycleKey(0, 0, 0), 'a', 5, moved[:1]), 10)


def test_parts_are_restored_from_a_checkpoint():
    world, _, _ = world_of(True, [wall()])
    for _ in range(40):
        world.step()
    world.hold()
    blob, bodies = world.save(), world.objects['a'].bodies()
    for _ in range(10):
        world.step()
    world.hold()
    world.load(blob)
    for back, body in zip(world.objects['a'].bodies(), bodies, strict=True):
        assert back.name == body.name and np.array_equal(back.position, body.position)
    other, _, _ = world_of(False, [])
    other.hold()
    with pytest.raises(ProtocolError, match=r"checkpoint has the bodies \['a'\]; missing: \['a/tip'\]"):
        world.load(other.save())


def test_removed_agent_takes_the_impulses_on_its_parts():
    world, _, _ = world_of(True, [wall()])
    while not any(i.a == 'a/tip' for i in world.step().impulses):
        pass
    assert world._separation
    world.hold()
    assert any(i.a == 'a/tip' for i in world._impulses)
    world.remove('a')
    assert world._impulses == () and world._separation == {}


def test_part_needs_clearance_and_a_name_to_join():
    world, _, bus = world_of(True, [wall()])
    newcomer = Dumbbell('b', -0.5, 0.0, bus.receive, in_parts=True)
    with pytest.raises(AdmissionError, match=r"would penetrate 'wall'"):
        world.admit(newcomer.join_request())
    bodies = state('b', 5.0, 0.0), state('b/tip', 6.0, 0.0)
    for change, told in (
        ({'bodies': ()}, r"'b' has an invalid join request: bodies \[\]; allowed: 'b' first"),
        ({'bodies': (bodies[1],)}, r"bodies \['b/tip'\]; allowed: 'b' first"),
        ({'bodies': (bodies[0], state('tip', 6.0, 0.0))}, r"body 'tip'; allowed: .* begin with 'b/'"),
        ({'bodies': (*bodies, bodies[1])}, r"body 'b/tip'; allowed: other names, each once"),
        ({'bodies': bodies, 'shape_bodies': (0,)}, r'2 shapes on 1 bodies; allowed: a body for each, or none'),
        ({'bodies': bodies, 'shape_bodies': (0, 2)}, r'a shape on body 2; allowed: 0 to 1'),
        ({'bodies': (bodies[0], state('a/tip', 6.0, 0.0))}, r"name 'a/tip' is taken"),
    ):
        with pytest.raises(AdmissionError, match=told):
            world.admit(newcomer.join_request(**change))
    with pytest.raises(ValueError, match=r"object name 'a/tip' is taken"):
        world.add(RigidBody('a/tip', state('a/tip', 9.0, 0.0), [BALL]))
    world.admit(newcomer.join_request(bodies=bodies))
    assert sorted(world.objects) == ['a', 'b', 'wall']
