# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of what the world sends observers about visible entities."""

from __future__ import annotations

from typing import Any

import numpy as np

from regolith_world.config import WorldConfig
from regolith_world.cycle import Cycle, CycleResult, JoinRequest, ObjectVisual, Roles, Shape, ShapeKind, SpawnedObject
from regolith_world.cycle.records import Anchor
from regolith_world.objects import make_objects, make_rigid_state, object_visuals
from regolith_world.objects.object import Appearance
from regolith_world.world import World

BALL = {'kind': 'sphere', 'size_m': [0.1]}
CRATE = {'type': 'rigid_body', 'position': [0, 0, 1], 'mass_kg': 1.0, 'shape': BALL, 'weightless': True}
HOOK = {'type': 'static_body', 'position': [0, 3, 1], 'shapes': [BALL], 'material': 'rock'}
TETHER = {'type': 'cable', 'between': ['crate', 'hook'], 'ends': [[0, 0, 0.1], [0, 0, -0.1]], 'release_s': 1.0}
FLAG = ObjectVisual('flag', Anchor.GROUND, np.array([1.0, 2.0, 0.0]), (Shape(ShapeKind.BOX, np.full(3, 0.1)),))
STEP_NS = 20_000_000


class Bus:
    """Transport with one participant, which drops a marker and a stone in its second cycle."""

    def __init__(self) -> None:
        self.cycles: list[Cycle] = []

    def exchange(self, cycle: Cycle) -> dict[str, CycleResult]:
        self.cycles.append(cycle)
        result = CycleResult(cycle.key, 'radio', 2**62)
        if cycle.key.cycle == 1:
            stone = make_rigid_state('radio/0', np.array([5.0, 0.0, 1.0]), 0.1, np.eye(3) * 1e-4)
            result.spawned = (SpawnedObject('radio/0', (Shape(ShapeKind.SPHERE, np.array([0.05, 0, 0])),), stone),)
            result.visuals = (FLAG,)
        return {'radio': result}


def world_of(objects: dict[str, dict[str, Any]]) -> tuple[World, Bus]:
    bus: Any = Bus()
    world = World(WorldConfig(gravity_mps2=0.0), make_objects(objects, 0.0), bus)
    sign = ObjectVisual('sign', Anchor.WORLD, np.zeros(3), FLAG.shapes)
    world.admit(JoinRequest('radio', Roles(), (), (), 2**62, '', '', {}, visuals=(sign,)))
    return world, bus


def names(cycle: Cycle) -> list[str]:
    return [visual.name for visual in cycle.visuals]


def test_observers_learn_of_everything_first_and_then_of_what_is_new() -> None:
    """Also after a restore, which begins an epoch; a removed object is sent as invisible."""
    world, bus = world_of({'crate': CRATE, 'hook': HOOK, 'tether': TETHER})
    for _ in range(3):
        world.step(world.t_ns + STEP_NS)
    assert [names(cycle) for cycle in bus.cycles] == [['crate', 'hook', 'sign', 'tether'], [], ['flag', 'radio/0']]
    saved = world.save()
    for name in ('tether', 'crate'):
        world.remove(name)
    world.step(world.t_ns + STEP_NS)
    told = bus.cycles[-1].visuals
    assert [visual.name for visual in told] == ['crate', 'tether'] and not any(visual.visible for visual in told)
    world.load(saved)
    world.log.cut(world.cycle, world.acts)
    for _ in range(2):
        world.step(world.t_ns + STEP_NS)
    assert names(bus.cycles[-2]) == ['crate', 'flag', 'hook', 'radio/0', 'sign', 'tether']
    assert names(bus.cycles[-1]) == []
    rock = next(visual for visual in bus.cycles[-2].visuals if visual.name == 'hook')
    assert rock.material == 'rock', 'a checkpoint contains the appearance'


def test_spawned_object_of_a_participant_becomes_a_body_of_the_world() -> None:
    """A participant without bodies may spawn one; it is in the cycle after it is spawned."""
    world, bus = world_of({})
    for _ in range(3):
        world.step(world.t_ns + STEP_NS)
    assert [[body.name for body in cycle.bodies] for cycle in bus.cycles] == [[], [], ['radio/0']]
    assert bus.cycles[-1].spawned == ('radio/0',)


def test_visuals_follow_from_the_entries_of_objects() -> None:
    """A cable is a line between its ends until its release; a mesh and a color replace shapes and material's color."""
    look = {'mesh': '/folder/hull.stl', 'mesh_scale': 0.001, 'color': [0.5, 0.25, 0.125]}
    found = object_visuals({'crate': CRATE | {'visual': look}, 'hook': HOOK, 'tether': TETHER}, 0.0)
    crate, line = found['crate'], found['tether']
    assert (crate.mesh, crate.mesh_scale, crate.color.tolist()) == ('/folder/hull.stl', 0.001, [0.5, 0.25, 0.125])
    assert (line.anchor, line.between, line.until_ns) == (Anchor.LINE, ('crate', 'hook'), 10**9)
    assert line.near.tolist() == [0, 0, 0.1] and line.far.tolist() == [0, 0, -0.1] and found['hook'].material == 'rock'


def test_appearance_does_not_change_the_state_hash() -> None:
    hashes = set()
    for look in (Appearance(), Appearance('rock', '/hull.stl', 0.001, (1.0, 0.0, 0.0))):
        made = make_objects({'crate': CRATE}, 0.0)
        made[0].appear(look)
        world = World(WorldConfig(gravity_mps2=0.0), made)
        world.step(STEP_NS)
        hashes.add(world.state_hash)
    assert len(hashes) == 1


def test_new_observers_learn_of_everything_with_the_next_commit() -> None:
    """The visuals of one cycle are complete, those after it are changes again."""
    world, bus = world_of({'crate': CRATE})
    for k in range(5):
        if k == 3:
            world.visuals.repeat()
        world.step(world.t_ns + STEP_NS)
    everything = ['crate', 'flag', 'radio/0', 'sign']
    assert [names(cycle) for cycle in bus.cycles[2:]] == [['flag', 'radio/0'], everything, []]
