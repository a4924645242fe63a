# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of linkages as objects of a world: creation, collisions, checkpoints, refused entries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.optimize import brentq

from regolith_world.config import WorldConfig
from regolith_world.cycle import codec
from regolith_world.cycle.participant import ParticipantFailed
from regolith_world.objects.linkages.linkage import Linkage
from regolith_world.objects.linkages.linkage_types import LINKAGE, ROPE, RopeConfig, capsule_inertia, cylinder_inertia
from regolith_world.objects.object import SavedObject
from regolith_world.objects.object_types import make_objects, restored
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import sphere_inertia
from regolith_world.world import World

GATE: dict[str, Any] = {
    'type': 'linkage',
    'position': [2.0, 0.0, 1.0],
    'restitution': 0.5,
    'friction': 0.0,
    'bodies': {
        'leaf': {'shape': {'kind': 'box', 'size_m': [0.02, 0.5, 0.4]}, 'mass_kg': 4.0, 'position': [0.0, 0.5, 0.0]},
        'knob': {'shape': {'kind': 'sphere', 'size_m': [0.05]}, 'mass_kg': 0.2, 'position': [-0.1, 0.9, 0.0]},
    },
    'joints': [
        {'kind': 'hinge', 'between': ['world', 'leaf'], 'at': [0.0, 0.0, 0.0]},
        {'kind': 'fixed', 'between': ['leaf', 'knob'], 'at': [0.0, 0.9, 0.0]},
    ],
}
BALL = {
    'type': 'rigid_body',
    'position': [1.5, 0.6, 1.0],
    'velocity_mps': [2.0, 0.0, 0.0],
    'mass_kg': 1.0,
    'friction': 0.0,
    'shape': {'kind': 'sphere', 'size_m': [0.1]},
    'weightless': True,
    'restitution': 0.5,
}
ROPES = {
    'cable': {
        'type': 'rope',
        'ends': [[0, 3, 4], [2, 3, 4]],
        'length_m': 2.5,
        'rods': 6,
        'mass_kg': 1.0,
        'radius_m': 0.03,
    },
    'whip': {
        'type': 'rope',
        'ends': [[5, 0, 4], [5, 0, 3]],
        'fixed_ends': 'first',
        'length_m': 1.2,
        'rods': 3,
        'mass_kg': 0.4,
        'damping': 0.01,
    },
    'stick': {
        'type': 'rope',
        'ends': [[8, 0, 9], [9, 0, 9]],
        'fixed_ends': 'none',
        'length_m': 1.1,
        'rods': 4,
        'mass_kg': 0.4,
    },
}
THINGS = {'gate': GATE, 'ball': BALL, **ROPES}


def world(things: dict[str, Any] = THINGS) -> World:
    return World(WorldConfig(), make_objects(things, 1.62))


def run(w: World, until_s: float) -> World:
    while w.t_ns < round(until_s * 1e9):
        w.step(round(until_s * 1e9))
    w.hold()
    return w


def refusal(kind: Any, **changes: Any) -> str:
    with pytest.raises(ValidationError) as error:
        kind.section.model_validate(changes)
    return str(error.value)


def test_ball_opens_a_gate_with_its_angular_momentum() -> None:
    """About the hinge, the gate with its knob has the angular momentum that the ball loses."""
    w = run(world({'gate': GATE, 'ball': BALL}), 0.6)
    gate, ball = w.objects['gate'], w.objects['ball']
    assert isinstance(gate, Linkage) and isinstance(ball, RigidBody)
    leaf, knob = gate.links
    rate = leaf.body.angular_velocity[2]
    leaf_about = 4.0 / 3.0 * (0.02**2 + 0.5**2) + 4.0 * 0.5**2
    knob_about = sphere_inertia(0.2, 0.05)[2, 2] + 0.2 * (0.1**2 + 0.9**2)
    assert knob.body.angular_velocity[2] == pytest.approx(rate)
    speed = ball.body.linear_velocity[0]
    assert -rate * (leaf_about + knob_about) == pytest.approx(0.6 * (2.0 - speed), rel=1e-6)
    # It leaves the leaf, 0.6 m from the hinge, at half its initial speed; the ball hits slightly off its center.
    assert -rate * 0.6 - speed == pytest.approx(0.5 * 2.0, rel=0.02)
    assert w.forced_cycles == 0


def test_world_with_linkages_continues_from_a_checkpoint_bit_for_bit() -> None:
    first = run(world(), 0.1)
    blob = first.save()
    run(first, 0.5)
    assert first.discarded_cycles > 0, 'no collision'
    for again in (world(), World(WorldConfig())):
        again.load(blob)
        run(again, 0.5)
        assert again.state_hash == first.state_hash
        for name, item in first.objects.items():
            assert again.objects[name].canonical_state() == item.canonical_state()


def test_every_field_of_the_record_is_restored() -> None:
    for item in make_objects(THINGS, 1.62):
        kept = codec.decode_record(SavedObject, codec.encode_record(item.save()))
        again = restored(kept)
        assert (
            codec.encode_record(again.save()) == codec.encode_record(item.save())
            and again.state_hash() == item.state_hash()
        )


@pytest.mark.slow
@pytest.mark.seconds
def test_a_rope_of_fifty_rods_hangs_as_a_catenary() -> None:
    """Within 1 % of its sag once it is at rest, with joint errors below 1e-6 m before."""
    section = RopeConfig(
        type='rope',
        ends=((0.0, 0.0, 5.0), (8.0, 0.0, 5.0)),
        length_m=10.0,
        rods=50,
        mass_kg=5.0,
        radius_m=0.02,
        damping=3.0,
    )
    w = World(WorldConfig(), [ROPE.make('cable', section, np.array([0.0, 0.0, -9.81]))])
    run(w, 6.0)
    cable = w.objects['cable']
    assert isinstance(cable, Linkage)
    assert np.abs(cable.motion.velocity).max() < 1e-2
    flat = brentq(lambda a: 2.0 * a * math.sinh(4.0 / a) - 10.0, 0.5, 50.0)
    sag = flat * (math.cosh(4.0 / flat) - 1.0)
    x, z = cable.motion.position[:, 0] - 4.0, cable.motion.position[:, 2]
    assert z == pytest.approx(5.0 - sag + flat * (np.cosh(x / flat) - 1.0), abs=0.01 * sag)
    ends = [link.body.position for link in cable.links]
    gaps = np.linalg.norm(np.diff(ends, axis=0), axis=1)
    assert gaps.max() <= 0.2 + 1e-6


def test_rope_starts_at_its_ends() -> None:
    for entry in ROPES.values():
        section = RopeConfig.model_validate(entry)
        nodes = section.nodes()
        rods = np.linalg.norm(np.diff(nodes, axis=0), axis=1)
        assert rods == pytest.approx(np.full(section.rods, section.length_m / section.rods))
        assert nodes[0] == pytest.approx(section.ends[0]) and nodes[-1] == pytest.approx(section.ends[1], abs=1e-9)
    taut = RopeConfig.model_validate({**ROPES['cable'], 'length_m': 2.0})
    assert taut.nodes()[:, 2] == pytest.approx(np.full(7, 4.0), abs=1e-6)
    held = {name: run(world({name: entry}), 0.5).objects[name] for name, entry in ROPES.items()}
    first = {name: item.links[0].body.position for name, item in held.items() if isinstance(item, Linkage)}
    assert first['stick'][2] < 9.0 - 0.15 and first['whip'][2] > 3.7
    last = held['cable'].family()[-1].body.position
    assert math.dist(last, (2.0, 3.0, 4.0)) == pytest.approx(2.5 / 12.0, abs=1e-9)


def test_inertias_of_bodies_along_an_axis() -> None:
    """By sums over a fine lattice, to its resolution; a capsule without a cylinder is a ball."""
    radius, half, step = 0.3, 0.5, 0.02
    line = np.arange(-0.8 + step / 2, 0.8, step)
    x, y, z = (v.ravel() for v in np.meshgrid(line, line, line, indexing='ij'))
    for inside, inertia in (
        ((x * x + y * y < radius**2) & (abs(z) < half), cylinder_inertia),
        (x * x + y * y + np.maximum(abs(z) - half, 0.0) ** 2 < radius**2, capsule_inertia),
    ):
        p = np.stack((x, y, z), axis=1)[inside]
        known = 2.0 / len(p) * np.array([(p[:, 1] ** 2 + p[:, 2] ** 2).sum(), (p[:, 0] ** 2 + p[:, 1] ** 2).sum()])
        found = inertia(2.0, radius, half)
        assert found[[0, 2], [0, 2]] == pytest.approx(known, rel=0.02) and found[1, 1] == found[0, 0]
    assert capsule_inertia(2.0, 0.3, 1e-12) == pytest.approx(sphere_inertia(2.0, 0.3), rel=1e-9)


def test_linkage_that_moves_too_fast_ends_the_run_with_its_name() -> None:
    fast = {**ROPES['whip'], 'substep_s': 0.1}
    w = world({'whip': fast})
    whip = w.objects['whip']
    assert isinstance(whip, Linkage)
    whip.motion.velocity[:] = 1e4 * np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    with pytest.raises(
        ParticipantFailed, match=r'whip: joints cannot be satisfied.*allowed: speeds that a substep_s of 0.1'
    ):
        run(w, 1.0)


@pytest.mark.parametrize(
    ('change', 'says'),
    [
        (
            {'bodies': {'world': GATE['bodies']['leaf']}, 'joints': []},
            "bodies.world = 'world': is not a valid name; allowed: .* not 'world'",
        ),
        (
            {'bodies': {'a b': GATE['bodies']['leaf']}, 'joints': []},
            "bodies.a b = 'a b': is not a valid name; allowed: letters",
        ),
        (
            {'joints': [{'kind': 'ball', 'between': ['leaf', 'roof'], 'at': [0, 0, 0]}]},
            r"joints.0.between = \['leaf', 'roof'\]: are not two bodies; allowed: two of world, leaf, knob",
        ),
        (
            {'joints': [{'kind': 'ball', 'between': ['leaf', 'leaf'], 'at': [0, 0, 0]}]},
            'are not two bodies; allowed: two of',
        ),
        (
            {'joints': [{'kind': 'ball', 'between': ['leaf', 'knob']}]},
            'at = null: is required for a ball; allowed: a value',
        ),
        (
            {'joints': [{'kind': 'spring', 'between': ['leaf', 'knob'], 'ends': [[0, 0, 0], [0, 1, 0]]}]},
            'stiffness_npm = null: is required for a spring; allowed: a value',
        ),
        (
            {'joints': [{'kind': 'hinge', 'between': ['leaf', 'knob'], 'at': [0, 0, 0], 'axis': [0, 0, 0]}]},
            'axis = .* allowed: a nonzero vector',
        ),
        (
            {'joints': [{'kind': 'ball', 'between': ['leaf', 'knob'], 'at': [0, 0, 0], 'axis': [0, 0, 1]}]},
            'axis = .*: does not apply to a ball; allowed: left out',
        ),
        (
            {'joints': [{'kind': 'fixed', 'between': ['leaf', 'knob'], 'at': [0, 0, 0], 'damping': 1.0}]},
            'damping = 1.0: does not apply to a fixed; allowed: 0, or kind ball',
        ),
        (
            {'joints': [{'kind': 'distance', 'between': ['leaf', 'knob'], 'ends': [[0, 0, 0], [0, 0, 0]]}]},
            'ends = .* allowed: at least 1 mm apart',
        ),
        (
            {
                'joints': [
                    {
                        'kind': 'spring',
                        'between': ['leaf', 'knob'],
                        'ends': [[0, 0, 0], [0, 1, 0]],
                        'stiffness_npm': 1e8,
                    }
                ]
            },
            'joints.0.stiffness_npm = 1.*: is too stiff for 0.2 kg; allowed: with substep_s up to 1.6e-05',
        ),
        ({'bodies': {'leaf': {**GATE['bodies']['leaf'], 'mass_kg': -1.0}}, 'joints': []}, 'mass_kg'),
        (
            {
                'bodies': {
                    'leaf': {
                        **GATE['bodies']['leaf'],
                        'shape': {'kind': 'sphere', 'size_m': [1.0], 'position': [1, 0, 0]},
                    }
                },
                'joints': [],
            },
            'shape.position = .*; allowed: left out',
        ),
    ],
)
def test_linkage_with_invalid_keys_is_refused(change: dict[str, Any], says: str) -> None:
    import re

    found = refusal(LINKAGE, **{**GATE, **change})
    assert re.search(says, found), found


@pytest.mark.parametrize(
    ('change', 'says'),
    [
        ({'length_m': 1.5}, 'length_m = 1.5: does not fit ends 2 m apart; allowed: at least this distance'),
        ({'ends': [[0, 0, 0], [0, 0, 0]]}, 'allowed: at least this distance, and two different ends'),
        ({'rods': 50}, 'rods = 50: gives rods of 0.05 m; allowed: rods of at least twice radius_m'),
        ({'rods': 0}, 'rods'),
        ({'damping': math.nan}, 'damping'),
    ],
)
def test_rope_with_invalid_keys_is_refused(change: dict[str, Any], says: str) -> None:
    assert says in refusal(ROPE, **{**ROPES['cable'], **change})
