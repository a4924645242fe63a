# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The protocol without ROS: idempotent participants, remote agents on a bus, spawned objects, timeouts, checkpoints."""

from __future__ import annotations

import hashlib
from dataclasses import fields

import numpy as np
import pytest

from regolith_world.config import WorldConfig
from regolith_world.contacts.intersection import Status
from regolith_world.cycle import codec
from regolith_world.cycle.participant import Participant, ParticipantFailed
from regolith_world.cycle.participant_group import ParticipantGroup
from regolith_world.cycle.records import (
    TERRAIN_ROLES,
    VEHICLE_ROLES,
    BodyState,
    Command,
    Cycle,
    CycleKey,
    CycleResult,
    JoinRequest,
    Shape,
    ShapeKind,
    SpawnedObject,
    Verdict,
)
from regolith_world.cycle.transport import ParticipantTimeout, raise_failure
from regolith_world.objects.object import NEVER_NS
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import make_rigid_state, sphere_inertia
from regolith_world.world import AdmissionError, ProtocolError, World, WorldState

BALL = Shape(ShapeKind.SPHERE, np.array([0.1, 0.0, 0.0]))
CONFIG = WorldConfig(gravity_mps2=0.0)


def state(name, x, v):
    return make_rigid_state(name, [x, 0, 0], 1.0, sphere_inertia(1.0, 0.1), linear_velocity=[v, 0, 0])


class Rolling(Participant):
    """An agent that is a ball: the same body as a local object."""

    def __init__(self, name, x, v, send):
        super().__init__(name, send)
        self.body = RigidBody(name, state(name, x, v), [BALL], restitution=1.0, friction=0.0)
        self.calls = []
        self.mute = False
        self.soil_hash = ''
        self.spawned = ()

    def join_request(self, **parameters):
        digest = self.body.state_hash()
        return JoinRequest(
            self.name, VEHICLE_ROLES, (BALL,), (self.body.body,), NEVER_NS, digest, '', parameters, 1.0, 0.0
        )

    def _answer_now(self, cycle, **more):
        if self.mute:
            return None
        b = self.body
        return CycleResult(cycle.key, self.name, NEVER_NS, (b.body,), state_hash=b.state_hash(), **more)

    def _evolve(self, cycle):
        self.calls.append('evolve')
        self.body.evolve(cycle)
        spawned, self.spawned = self.spawned, ()
        return self._answer_now(cycle, spawned=spawned, soil_hash=self.soil_hash)

    def _commit(self, cycle):
        self.calls.append('commit')

    def _discard(self):
        self.calls.append('discard')
        if len(self.body.states) > 1:
            self.body.discard()

    def _idle_result(self, cycle):
        self.calls.append(cycle.command.name.lower())
        return self._answer_now(cycle, summary_json='{}' if cycle.command == Command.STOP else '')

    def save(self):
        return codec.encode_record(self.body.body)

    def restore(self, blob, epoch):
        t_ns = self.body.states.newest_time_ns
        self.body.states.clear()
        self.body.states.new_state(t_ns, codec.decode_record(BodyState, blob))
        self.set_epoch(epoch)


def world_of(*agents, bus=None, **options):
    bus = bus or ParticipantGroup()
    world = World(CONFIG, bus=bus, **options)
    made = [Rolling(name, x, v, bus.receive) for name, x, v in agents]
    for agent in made:
        bus.add(agent)
        world.admit(agent.join_request())
    return world, made


class Driven(RigidBody):
    """A body of this process that is as little predictable as an agent."""

    def free_acceleration(self):
        return None


def test_remote_agents_collide_like_local_objects():
    world, (a, b) = world_of(('a', -1.0, 0.47), ('b', 1.0, -0.5))
    bodies = [
        Driven(n, state(n, x, v), [BALL], restitution=1.0, friction=0.0)
        for n, x, v in (('a', -1.0, 0.47), ('b', 1.0, -0.5))
    ]
    local = World(CONFIG, bodies)
    for _ in range(150):
        world.step()
        local.step()
        assert world.state_hash == local.state_hash
    assert world.discarded_cycles == local.discarded_cycles > 0
    np.testing.assert_allclose(a.body.body.linear_velocity, [-0.5, 0, 0], atol=1e-12)
    assert 'discard' in a.calls and 'discard' in b.calls


def cycle(attempt, verdict=Verdict.NONE, command=Command.EVOLVE, number=0, epoch=0):
    return Cycle(
        CycleKey(epoch, number, attempt),
        number * 10,
        10 if command == Command.EVOLVE else 0,
        verdict,
        command,
        ('a',),
        (VEHICLE_ROLES,),
    )


def test_participant_repeats_the_cached_result_and_ignores_stale_records():
    results = []
    a = Rolling('a', 0.0, 1.0, results.append)
    a.on_cycle(cycle(0))
    a.on_cycle(cycle(0))
    assert a.calls == ['evolve'] and len(results) == 2 and results[0] is results[1]
    a.on_cycle(cycle(1, Verdict.DISCARD))
    a.on_cycle(cycle(0))  # a late duplicate of the discarded attempt
    a.on_cycle(cycle(0, epoch=1))  # a world of another epoch
    assert a.calls == ['evolve', 'discard', 'evolve'] and len(results) == 3
    a.on_cycle(cycle(0, Verdict.COMMIT, number=1))
    a.on_cycle(cycle(1, Verdict.COMMIT, Command.STOP, number=1))
    assert a.calls[3:] == ['commit', 'evolve', 'commit', 'stop'] and a.stopped


def test_participant_removed_from_a_cycle_stays_out():
    a = Rolling('a', 0.0, 1.0, lambda result: None)
    a.on_cycle(Cycle(CycleKey(0, 0, 0), 0, 10, Verdict.NONE, Command.EVOLVE, ('b',), (VEHICLE_ROLES,)))
    assert a.calls == []


def test_object_spawned_by_an_agent_joins_in_the_same_cycle():
    world, (a,) = world_of(('a', 0.0, 1.0))
    a.spawned = (SpawnedObject('a/0', (BALL,), state('a/0', 5.0, 2.0), 1.0, 0.0),)
    world.step()
    assert world.objects['a/0'].body.position[0] == 5.0  # its initial position, at the end of that cycle
    world.step()
    assert world.objects['a/0'].body.position[0] == pytest.approx(5.04)
    world.hold()
    saved = world.save()
    world.step()
    world.load(saved)
    assert world.objects['a/0'].body.position[0] == pytest.approx(5.04)  # a spawned ball is in a checkpoint, too


def test_unresponsive_participant_follows_the_policy():
    chosen = []

    def drop(timeout):
        chosen.append(timeout.names)
        return 'drop'

    world, (a, b) = world_of(('a', 0.0, 1.0), ('b', 9.0, 0.0), on_timeout=drop)
    world.step()
    b.mute = True
    world.step()
    assert chosen == [('b',)] and list(world.objects) == ['a'] and list(world.participants) == ['a']
    # The attempt with b was discarded, and a evolved again without it.
    assert a.calls.count('discard') == 1
    a.mute = True
    strict, (c,) = world_of(('c', 0.0, 0.0), on_timeout=lambda s: 'stop')
    c.mute = True
    with pytest.raises(ParticipantTimeout, match='no response from c'):
        strict.step()


def test_failed_participant_ends_the_run_with_its_reason():
    """Its exception reaches the world in its result, with its name. The timeout policy does not apply."""
    world, participants = world_of(('a', 0.0, 0.0), ('b', 5.0, 0.0))
    world.step()

    def break_down(cycle):
        raise ZeroDivisionError('no such luck')

    broken = participants[1]
    broken._evolve = break_down
    told = []
    broken._send_result = told.append
    with pytest.raises(ZeroDivisionError):
        world.step()
    assert told[0].failure == 'b: ZeroDivisionError: no such luck'
    # Over topics, the result is the only information.
    with pytest.raises(ParticipantFailed, match='b: ZeroDivisionError: no such luck'):
        raise_failure({'b': told[0]})


def test_exception_of_a_participant_in_one_process_ends_the_run():
    class Clumsy(Rolling):
        def _evolve(self, cycle):
            raise ZeroDivisionError('no such luck')

    bus = ParticipantGroup()
    world, _ = world_of(('a', 0.0, 0.0), bus=bus)
    clumsy = Clumsy('b', 5.0, 0.0, bus.receive)
    bus.add(clumsy)
    world.admit(clumsy.join_request())
    with pytest.raises(ParticipantFailed, match='b: ZeroDivisionError: no such luck') as caught:
        world.step()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_timeout_names_agents_before_terrain():
    class Waiting(Rolling):
        def _evolve(self, cycle):
            return None

    bus = ParticipantGroup()
    world, (a,) = world_of(('a', 0.0, 0.0), bus=bus, on_timeout=lambda s: 'stop')
    terrain = Waiting('terrain', 0.0, 0.0, bus.receive)
    bus.add(terrain)
    request = terrain.join_request()
    request.roles, request.bodies = TERRAIN_ROLES, ()
    world.admit(request)
    a.mute = True
    with pytest.raises(ParticipantTimeout) as caught:
        world.step()
    assert caught.value.names == ('a',)


def test_the_terrain_is_the_object_ground():
    """It is in the state of the world, with the soil hash; the name is taken by it."""

    class Soil(Rolling):
        def _answer_now(self, cycle, **more):
            digest = hashlib.sha256(b'%d' % cycle.t_ns).hexdigest()
            return CycleResult(cycle.key, self.name, NEVER_NS, state_hash=digest, soil_hash=digest)

    bus = ParticipantGroup()
    world, _ = world_of(('a', 0.0, 0.0), bus=bus)
    assert 'ground' not in world.state(0) and 'ground' not in world.state_hashes()
    terrain = Soil('terrain', 0.0, 0.0, bus.receive)
    bus.add(terrain)
    request = terrain.join_request()
    request.roles, request.bodies, request.soil_hash = TERRAIN_ROLES, (), 'at first'
    world.admit(request)
    assert world.state_hashes()['ground'] == 'at first'
    world.step()
    assert list(world.state(world.t_ns)) == ['a', 'ground'] and world.state(world.t_ns)['ground'].mass == 0.0
    assert list(world.state_hashes()) == ['a', 'ground']
    assert world.state_hashes()['ground'] == world.soil_hash == hashlib.sha256(b'0').hexdigest()
    assert world.state_hashes()['a'] == world.objects['a'].state_hash()
    with pytest.raises(ValueError, match="'ground' is taken"):
        world.add(RigidBody('ground', state('ground', 5.0, 0.0), [BALL]))
    other = World(CONFIG, [RigidBody('ground', state('ground', 5.0, 0.0), [BALL])])
    with pytest.raises(AdmissionError, match="'ground' is taken"):
        other.admit(request)


def test_agent_with_different_soil_state_is_an_error():
    world, (a,) = world_of(('a', 0.0, 0.0))
    world.soil_hash = hashlib.sha256(b'terrain').hexdigest()
    a.soil_hash = hashlib.sha256(b'another value').hexdigest()
    with pytest.raises(ProtocolError, match='a has the soil state'):
        world.step()


def test_join_request_with_different_parameters_is_refused_with_both_values():
    bus = ParticipantGroup()
    world = World(CONFIG, bus=bus)
    world.admit(Rolling('a', 0.0, 0.0, bus.receive).join_request(**{'soil.cohesion_pa': '170.0'}))
    with pytest.raises(AdmissionError, match=r'soil.cohesion_pa is 17.0 at b but 170.0 at a'):
        world.admit(Rolling('b', 1.0, 0.0, bus.receive).join_request(**{'soil.cohesion_pa': '17.0'}))
    with pytest.raises(AdmissionError, match=r'world.gravity_mps2 is 1.62 at b but 0.0 at world'):
        world.admit(Rolling('b', 1.0, 0.0, bus.receive).join_request(**{'world.gravity_mps2': '1.62'}))
    with pytest.raises(AdmissionError, match=r"name 'a' is taken"):
        world.admit(Rolling('a', 0.0, 0.0, bus.receive).join_request())


def test_join_request_with_penetration_is_refused_with_the_depth():
    world, _ = world_of(('a', 0.0, 0.0), ('b', 5.0, 0.0))
    # Two balls of 0.1 m with centers 0.15 m apart overlap by 0.05 m.
    intruder = Rolling('c', 0.15, 0.0, world._bus.receive).join_request(**{'soil.cohesion_pa': '17.0'})
    with pytest.raises(
        AdmissionError, match=r"'c' at \(0.15, 0.00, 0.00\) would penetrate 'a' at \(0.00, .*\) by 0.050 m"
    ):
        world.admit(intruder)
    assert 'c' not in world.participants and 'c' not in world.objects
    # A refused request leaves no parameters for later comparisons.
    world.admit(Rolling('d', 0.25, 0.0, world._bus.receive).join_request(**{'soil.cohesion_pa': '170.0'}))


def test_vehicle_without_contact_may_join_anywhere():
    bus = ParticipantGroup()
    world = World(WorldConfig(gravity_mps2=0.0, contact='none'), bus=bus)
    for name in 'ab':
        agent = Rolling(name, 0.0, 0.0, bus.receive)
        bus.add(agent)
        world.admit(agent.join_request())
    assert sorted(world.objects) == ['a', 'b']
    report = world.step()
    # One inside the other: reported, but neither retried nor separated by an impulse.
    assert [h.status for h in report.intersections] == [Status.NON_INFINITESIMAL_INTERSECTION]
    assert (report.attempts, report.forced, report.impulses) == (1, False, ())


def test_hold_and_stop_reach_all_participants_and_return_reports():
    world, (a, b) = world_of(('a', 0.0, 0.0), ('b', 5.0, 0.0))
    world.step()
    world.hold()
    assert a.calls == ['evolve', 'commit', 'hold']
    world.step()
    assert {n: e.summary_json for n, e in world.stop().items()} == {'a': '{}', 'b': '{}'}
    # After a HOLD there is nothing to commit twice.
    assert b.calls == ['evolve', 'commit', 'hold', 'evolve', 'commit', 'stop']


class Pressed(Rolling):
    """A ball with a constant acceleration along x [m/s^2]."""

    def __init__(self, name, x, v, push, send):
        super().__init__(name, x, v, send)
        self.body.gravity = np.array([push, 0.0, 0.0])

    def join_request(self, **parameters):
        request = super().join_request(**parameters)
        request.restitution = 0.0
        return request


def pressing_world():
    """Two balls that are pressed together, and one that rolls beside them: all of the world's own state is in use."""
    bus = ParticipantGroup()
    world = World(CONFIG, bus=bus)
    pressed = [Pressed('a', -0.11, 0.1, 0.8, bus.receive), Pressed('b', 0.11, 0.0, -0.8, bus.receive)]
    agents = [*pressed, Rolling('c', 0.0, 1.0, bus.receive)]
    agents[2].body.states.newest.position[1] = 5.0
    for agent in agents:
        bus.add(agent)
        world.admit(agent.join_request())
    return world, agents, bus


def go_on(world, agents, cycles):
    hashes = []
    for _ in range(cycles):
        world.step()
        hashes.append((world.t_ns, world.state_hash, tuple(a.body.state_hash() for a in agents)))
    return hashes


def test_world_continues_from_a_checkpoint_with_lasting_contact():
    """The target velocity of the last impulse enters the next one: it is in the checkpoint, like all state of the world."""
    world, agents, _ = pressing_world()
    go_on(world, agents, 80)
    world.hold()
    blob, bodies, t_ns = world.save(), [agent.save() for agent in agents], world.t_ns
    expected = go_on(world, agents, 30)

    state = codec.decode_record(WorldState, blob)
    assert state.separation and state.impulses and state.intersections and state.discarded_cycles and state.t_ns
    again, others, _ = pressing_world()
    again.load(blob)
    for agent, body in zip(others, bodies):
        agent.body.states.clear()
        agent.body.states.new_state(t_ns, codec.decode_record(BodyState, body))
        agent.set_epoch(again.epoch)
    back = codec.decode_record(WorldState, again.save())
    for field in fields(WorldState):
        if field.name != 'epoch':
            kept = [codec.plain(getattr(each, field.name)) for each in (state, back)]
            assert kept[0] == kept[1], field.name
    assert back.epoch == state.epoch + 1
    for agent in others:
        assert again.objects[agent.name].body.position.tobytes() == agent.body.body.position.tobytes()
    assert go_on(again, others, 30) == expected


def test_load_discards_the_future():
    """Spawned and removed objects, results and the verdict after the checkpoint are discarded; its impulse is not applied."""
    world, agents, bus = pressing_world()
    go_on(world, agents, 10)
    world.hold()
    blob = world.save()
    sent = []
    bus.on_record = sent.append
    agents[2].spawned = (SpawnedObject('c/0', (BALL,), state('c/0', 5.0, 2.0)),)
    go_on(world, agents, 1)
    world.objects['c/0'].alive = False
    go_on(world, agents, 1)
    assert world._births == () and world._deaths == ('c/0',)
    go_on(world, agents, 3)
    agents[2].spawned = (SpawnedObject('c/1', (BALL,), state('c/1', 5.0, 2.0)),)
    go_on(world, agents, 1)
    world.load(blob)
    assert world.last_results == {} and sorted(world.objects) == ['a', 'b', 'c']
    for agent in agents:
        agent.set_epoch(world.epoch)
    world.hold()
    record = sent[-1]
    assert (record.spawned, record.removed, record.verdict) == ((), (), Verdict.NONE)
    assert record.key == CycleKey(1, 10, 0) and record.t_ns == codec.decode_record(WorldState, blob).t_ns


def test_removed_object_has_no_impulses():
    """An impulse was solved, then one of the two objects is removed: the other moves on unchanged."""
    world, agents, bus = pressing_world()
    sent = []
    bus.on_record = sent.append
    while not any({i.a, i.b} == {'a', 'b'} for i in world.step().impulses):
        pass
    world.hold()
    world.remove('b')
    before = agents[0].body.body.linear_velocity[0]
    world.step()
    assert sent[-1].impulses == () and sent[-1].participants == ('a', 'c')
    dt = sent[-1].dt_ns * 1e-9
    assert agents[0].body.body.linear_velocity[0] == pytest.approx(before + 0.8 * dt, abs=1e-12)
    # The memory of the pair does not apply to another object of that name.
    assert world._separation == {}
    assert world.state_hash != '' and list(world.last_results) == ['a', 'c']


def test_removal_of_a_third_object_keeps_an_impulse():
    world, _, bus = pressing_world()
    sent = []
    bus.on_record = sent.append
    while not (blows := world.step().impulses):
        pass
    world.hold()
    world.remove('c')
    world.step()
    assert [(i.a, i.b) for i in sent[-1].impulses] == [('a', 'b')] == [(i.a, i.b) for i in blows]


def test_world_state_is_restored_in_a_new_epoch():
    world, agents = world_of(('a', -0.5, 0.5), ('b', 0.5, -0.5))
    for _ in range(60):
        world.step()
    world.hold()
    blob, digest, t_ns = world.save(), world.state_hash, world.t_ns
    bodies = [agent.save() for agent in agents]
    for _ in range(5):
        world.step()
    world.load(blob)
    assert (world.state_hash, world.t_ns, world.epoch) == (digest, t_ns, 1)
    for agent, body in zip(agents, bodies):
        agent.restore(body, world.epoch)
        assert agent.save() == body
    assert all(result.key.epoch == 1 for result in world.hold().values())
    stranger, _ = world_of(('c', 0.0, 0.0))
    with pytest.raises(
        ProtocolError, match=r"checkpoint has the participants \['a', 'b'\]; missing here: \['a', 'b'\]"
    ):
        stranger.load(blob)
