# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of object types: creation from a scenario, checkpoints, bit-identical restoration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_world.config import WorldConfig
from regolith_world.cycle import codec
from regolith_world.objects.beam import Beam
from regolith_world.objects.object import Object, SavedObject
from regolith_world.objects.object_types import RIGID_BODY, STATIC_BODY, all_object_types, make_objects, restored
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.static_body import StaticBody
from regolith_world.world import ProtocolError, World

OBJECTS: dict[str, Any] = {
    'wall': {
        'type': 'static_body',
        'position': [3.0, 0.0, 0.0],
        'rpy_deg': [0.0, 0.0, 20.0],
        'restitution': 0.9,
        'shapes': [
            {'kind': 'box', 'size_m': [0.2, 3.0, 3.0]},
            {'kind': 'sphere', 'size_m': [0.3], 'position': [0.0, 0.0, 4.0]},
        ],
    },
    'ball': {
        'type': 'rigid_body',
        'position': [0.0, 0.1, 1.0],
        'velocity_mps': [4.0, 0.3, 1.0],
        'mass_kg': 2.0,
        'restitution': 0.8,
        'shape': {'kind': 'sphere', 'size_m': [0.2]},
        'friction': 0.3,
    },
    'crate': {
        'type': 'rigid_body',
        'position': [0.5, 2.0, 1.5],
        'velocity_mps': [3.0, -2.0, 0.5],
        'angular_velocity_radps': [1.0, 2.0, -0.7],
        'mass_kg': 5.0,
        'shape': {'kind': 'box', 'size_m': [0.3, 0.2, 0.1]},
        'weightless': True,
        'restitution': 0.6,
    },
    'spark': {
        'type': 'rigid_body',
        'position': [0.0, -9.0, 1.0],
        'mass_kg': 0.1,
        'shape': {'kind': 'sphere', 'size_m': [0.05]},
        'lifetime_s': 0.5,
    },
}


def world() -> World:
    return World(WorldConfig(), make_objects(OBJECTS, 1.62))


def run(w: World, until_s: float) -> World:
    end_ns = round(until_s * 1e9)
    while w.t_ns < end_ns:
        w.step(end_ns)
    w.hold()
    return w


def states(w: World) -> dict[str, bytes]:
    return {name: item.canonical_state() for name, item in w.objects.items()}


def test_world_continues_from_a_checkpoint_bit_for_bit() -> None:
    """Into a world of the same objects, of others, or of none; before, between and after impacts, with one removed."""
    for early_s, other in ((0.1, World(WorldConfig())), (0.66, run(world(), 0.9))):
        first = run(world(), early_s)
        blob = first.save()
        run(first, 1.2)
        assert first.objects['ball'].body.linear_velocity[0] < 0.0, 'no collision'
        for again in (world(), other):
            again.load(blob)
            assert ('spark' in again.objects) == (early_s < 0.5)
            run(again, 1.2)
            assert again.state_hash == first.state_hash and states(again) == states(first)
            assert (again.cycle, again.discarded_cycles) == (first.cycle, first.discarded_cycles)


def test_every_field_of_the_record_is_restored() -> None:
    for item in make_objects(OBJECTS, 1.62):
        kept = codec.decode_record(SavedObject, codec.encode_record(item.save()))
        again = restored(kept)
        assert type(again) is type(item) and codec.encode_record(again.save()) == codec.encode_record(item.save())
        assert again.state_hash() == item.state_hash()
        if isinstance(item, RigidBody):
            assert isinstance(again, RigidBody)
            assert again.gravity.tolist() == item.gravity.tolist() and again._dies_at_ns == item._dies_at_ns
    changed = [
        ('restitution', 0.1),
        ('friction', 0.11),
        ('t_ns', 7),
        ('more', RIGID_BODY.make('b', RIGID_BODY.section.model_validate(OBJECTS['spark']), np.ones(3)).save().more),
    ]
    kept = make_objects(OBJECTS, 1.62)[0].save()
    for field, value in changed:
        other = SavedObject(**{**{n: getattr(kept, n) for n in SavedObject.__slots__}, field: value})
        assert codec.encode_record(restored(other).save()) == codec.encode_record(other) != codec.encode_record(kept), (
            field
        )


def test_object_has_the_values_of_its_scenario_entry() -> None:
    wall, ball = (next(o for o in make_objects(OBJECTS, 1.62) if o.name == n) for n in ('wall', 'ball'))
    assert isinstance(wall, StaticBody) and wall.body.mass == 0.0 and len(wall.shapes) == 2
    assert wall.body.orientation == pytest.approx([0.0, 0.0, np.sin(np.radians(10.0)), np.cos(np.radians(10.0))])
    assert isinstance(ball, RigidBody) and ball.gravity.tolist() == [0.0, 0.0, -1.62]
    assert ball.body.inertia == pytest.approx(0.4 * 2.0 * 0.2**2 * np.eye(3)) and ball.friction == 0.3
    assert set(all_object_types()) >= {'rigid_body', 'static_body'} and all_object_types()['static_body'] is STATIC_BODY


@pytest.mark.parametrize(
    ('thing', 'change', 'said'),
    [
        (
            'wall',
            {'shapes': [{'kind': 'box', 'size_m': [1.0]}]},
            'has the wrong number of values for a box; allowed: 3',
        ),
        ('wall', {'shapes': []}, 'at least 1'),
        ('ball', {'shape': {'kind': 'sphere', 'size_m': [1.0], 'position': [0, 0, 1]}}, 'allowed: no position'),
        ('ball', {'mass_kg': 0.0}, 'mass_kg'),
        ('ball', {'bounce': 1.0}, 'bounce'),
    ],
)
def test_object_with_invalid_keys_is_refused(thing: str, change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        make_objects({thing: {**OBJECTS[thing], **change}}, 1.62)


def test_object_of_unknown_kind_is_not_saved() -> None:
    class Own(Object):
        """An object of user code."""

    body = make_objects(OBJECTS, 1.62)[0].body
    w = World(WorldConfig(), [Own('own', body)])
    with pytest.raises(ProtocolError, match='own'):
        w.save()
    beam = Beam('beam', np.zeros(3), np.array([1.0, 0.0, 0.0]), 1.0, 0, 'own')
    assert not beam.kind
    odd = SavedObject(
        **{**{n: getattr(make_objects(OBJECTS, 1.62)[0].save(), n) for n in SavedObject.__slots__}, 'kind': 'ghost'}
    )
    with pytest.raises(
        ValueError,
        match="'ghost'; allowed: cable, cushion, force_field, joint, linkage, platform, rigid_body, rope, static_body",
    ):
        restored(odd)
