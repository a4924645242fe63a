# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of force fields against closed forms, and of their state in checkpoints."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from toy_worlds import run, world

from regolith_world.config import WorldConfig
from regolith_world.cycle import codec
from regolith_world.objects.force_field import ForceField
from regolith_world.objects.object import SavedObject
from regolith_world.objects.object_types import make_objects, restored
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.world import World

BALL: dict[str, Any] = {
    'type': 'rigid_body',
    'position': [0.0, 0.0, 0.0],
    'mass_kg': 2.0,
    'shape': {'kind': 'sphere', 'size_m': [0.1]},
    'friction': 0.0,
    'restitution': 1.0,
    'weightless': True,
}
EVERYWHERE: dict[str, Any] = {
    'type': 'force_field',
    'position': [0.0, 0.0, 0.0],
    'shapes': [{'kind': 'box', 'size_m': [50.0, 50.0, 50.0]}],
}


def ball_of(w: World) -> RigidBody:
    ball = w.objects['ball']
    assert isinstance(ball, RigidBody)
    return ball


def test_a_field_everywhere_is_gravity() -> None:
    """The parabola, exact from the first state on, and equal to that of the world's own gravity."""
    ball = {**BALL, 'velocity_mps': [1.0, 0.0, 2.0]}
    pulled = ball_of(run(world(ball=ball, pull={**EVERYWHERE, 'acceleration_mps2': [0.0, 0.0, -1.62]}), 2.0))
    heavy = ball_of(run(world(ball={**ball, 'weightless': False}), 2.0))
    assert pulled.body.position == pytest.approx([2.0, 0.0, 4.0 - 0.81 * 4.0], abs=1e-12)
    assert pulled.body.position == pytest.approx(heavy.body.position, abs=1e-12)
    assert pulled.body.linear_velocity == pytest.approx([1.0, 0.0, 2.0 - 3.24], abs=1e-12)


def test_region_of_gravity_adds_energy_of_depth_times_acceleration() -> None:
    """v^2 grows by 2 a s over the path inside, known to one step at either end: 4 m, 20 ms, 1 to 3 m/s."""
    region = {
        **EVERYWHERE,
        'position': [3.0, 0.0, 0.0],
        'shapes': [{'kind': 'box', 'size_m': [1.9, 1.0, 1.0]}],
        'acceleration_mps2': [1.0, 0.0, 0.0],
    }
    w = world(ball={**BALL, 'velocity_mps': [1.0, 0.0, 0.0]}, region=region)
    last = ball_of(run(w, 5.0)).body
    assert last.position[0] > 6.0
    # It is inside from the contact of its front to that of its back: 3.8 + 0.2 m.
    assert last.linear_velocity[0] ** 2 == pytest.approx(1.0 + 2.0 * 4.0, abs=2.0 * 1.0 * 0.02 * (1.0 + 3.0) / 2)


def test_a_region_of_drag_slows_as_the_exponential() -> None:
    """Speed and spin, of second order: steps of a tenth of the time constant have an error of (0.1)^2 / 6 at most."""
    ball = {**BALL, 'velocity_mps': [1.0, 0.0, 0.0], 'angular_velocity_radps': [0.0, 0.0, 3.0]}
    errors = []
    for heartbeat in (0.02, 0.01):
        w = World(
            WorldConfig(max_step_s=heartbeat),
            make_objects({'ball': ball, 'syrup': {**EVERYWHERE, 'drag_per_s': 2.0}}, 0.0),
        )
        last = ball_of(run(w, 1.0)).body
        assert last.angular_velocity[2] == pytest.approx(3.0 * math.exp(-2.0), rel=2e-2)
        errors.append(abs(last.position[0] - 0.5 * (1.0 - math.exp(-2.0))))
    assert errors[0] < 2e-3 and errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize('push', [400.0, pytest.param(900.0, marks=pytest.mark.slow)])
def test_a_body_on_a_cushion_swings_as_a_spring_does(push: float) -> None:
    """In a deep cushion, from its rest depth with a speed v: a swing of v / w and period 2 pi / w, no energy gained."""
    # Ball at the face of a half space: depth = -z + 0.1; gravity holds it at depth g / w^2.
    cushion = {
        **EVERYWHERE,
        'position': [0.0, 0.0, -5.0],
        'shapes': [{'kind': 'box', 'size_m': [5.0, 5.0, 5.0]}],
        'repulsion_per_s2': push,
    }
    omega, rest = math.sqrt(push), 0.1 - 1.62 / push
    ball = {**BALL, 'weightless': False, 'position': [0.0, 0.0, rest], 'velocity_mps': [0.0, 0.0, -0.02]}
    w = world(ball=ball, cushion=cushion)
    heights, times = [], []
    while w.t_ns < 4_000_000_000:
        w.step()
        heights.append(ball_of(w).body.position[2] - rest)
        times.append(w.t_ns * 1e-9)
    assert w.discarded_cycles == 0 and max(np.diff(times)) <= 0.1 / omega + 1e-9, 'steps resolve the period'
    # Verlet at w h = 0.1 is fast by (w h)^2 / 24; its amplitude is within a few (w h)^2 of v / w.
    swing = 0.02 / omega
    assert max(heights) == pytest.approx(swing, rel=0.02) and min(heights) == pytest.approx(-swing, rel=0.02)
    signs = np.signbit(heights)
    crossings = np.array(times[1:])[signs[1:] != signs[:-1]]
    assert np.diff(crossings).mean() == pytest.approx(math.pi / omega, rel=5e-3)
    late = np.array(heights[-len(heights) // 5 :])
    assert late.max() == pytest.approx(swing, rel=0.02), 'no energy is gained or lost in sixty swings'


def test_repulsion_off_the_center_rotates() -> None:
    """A plank with one end in a cushion is lifted there: the force acts at the contact."""
    plank = {**BALL, 'shape': {'kind': 'box', 'size_m': [0.5, 0.1, 0.02]}}
    cushion = {
        **EVERYWHERE,
        'position': [0.45, 0.0, -0.51],
        'shapes': [{'kind': 'box', 'size_m': [0.1, 0.5, 0.5]}],
        'repulsion_per_s2': 100.0,
    }
    w = world(ball=plank, cushion=cushion)
    w.step()
    body = ball_of(w).body
    assert body.linear_velocity[2] > 0.0 and body.angular_velocity[1] < 0.0


def test_two_fields_add_up_and_mass_does_not_matter() -> None:
    fields = {n: {**EVERYWHERE, 'acceleration_mps2': a} for n, a in (('a', [0.3, 0.0, 0.0]), ('b', [0.0, 0.2, 0.0]))}
    for mass in (0.1, 30.0):
        last = ball_of(run(world(ball={**BALL, 'mass_kg': mass}, **fields), 1.0)).body
        assert last.linear_velocity == pytest.approx([0.3, 0.2, 0.0], abs=1e-12)


def test_world_with_fields_continues_from_a_checkpoint_bit_for_bit() -> None:
    """From every commit, inside and outside of regions, with the momentum still to be added at their edges."""
    things = {
        'ball': {
            **BALL,
            'velocity_mps': [1.0, 0.2, 0.0],
            'angular_velocity_radps': [1.0, 0.0, 0.3],
            'weightless': False,
        },
        'region': {
            **EVERYWHERE,
            'position': [1.0, 0.0, 0.0],
            'shapes': [{'kind': 'sphere', 'size_m': [0.5]}],
            'drag_per_s': 1.0,
            'repulsion_per_s2': 30.0,
        },
        'wind': {**EVERYWHERE, 'acceleration_mps2': [0.0, 0.4, 1.0]},
    }
    first, saved, hashes = world(**things), [], []
    for _ in range(90):
        saved.append(first.save())
        first.step()
        hashes.append(first.state_hash)
    assert len({ball_of(first).save().more}) == 1 and first.discarded_cycles == 0
    for k in range(0, 90, 7):
        again = world(**things)
        again.load(saved[k])
        for expected in hashes[k : k + 12]:
            again.step()
            assert again.state_hash == expected


def test_every_field_of_the_record_is_restored() -> None:
    for item in make_objects(
        {
            'f': {
                **EVERYWHERE,
                'rpy_deg': [1.0, 2.0, 3.0],
                'acceleration_mps2': [1.0, 2.0, 3.0],
                'drag_per_s': 4.0,
                'repulsion_per_s2': 5.0,
            }
        },
        1.0,
    ):
        kept = codec.decode_record(SavedObject, codec.encode_record(item.save()))
        again = restored(kept)
        assert isinstance(again, ForceField) and codec.encode_record(again.save()) == codec.encode_record(item.save())
        assert again.acceleration.tolist() == [1.0, 2.0, 3.0] and (again.drag_per_s, again.repulsion_per_s2) == (
            4.0,
            5.0,
        )


ROPE: dict[str, Any] = {
    'type': 'rope',
    'ends': [[0.0, 0.0, 3.0], [0.0, 0.0, 2.0]],
    'fixed_ends': 'first',
    'length_m': 1.0,
    'rods': 6,
    'mass_kg': 1.2,
    'radius_m': 0.02,
}


def test_rope_in_a_field_hangs_as_under_gravity() -> None:
    """Weightless in a field, or under gravity: the same swing; the force of the field is of second order."""
    slant = {**ROPE, 'ends': [[0.0, 0.0, 3.0], [0.6, 0.0, 2.2]]}
    pulled = run(
        world(rope={**slant, 'weightless': True}, pull={**EVERYWHERE, 'acceleration_mps2': [0.0, 0.0, -1.62]}), 1.5
    )
    heavy = run(world(rope=slant), 1.5)
    ends = [w.objects['rope'].family()[-1].body.position for w in (pulled, heavy)]
    assert np.linalg.norm(ends[1] - [0.3, 0.0, 2.2]) > 0.3, 'it has swung'
    assert ends[0] == pytest.approx(ends[1], abs=2e-3)


def test_free_rope_in_a_field_accelerates_as_a_rigid_body() -> None:
    """Its center of mass moves on the parabola, independent of its rods, because joint forces are internal."""
    wind = {**EVERYWHERE, 'acceleration_mps2': [0.7, 0.2, 0.0]}
    w = run(
        world(
            rope={
                **ROPE,
                'ends': [[0.0, 0.0, 3.0], [0.8, 0.0, 3.0]],
                'fixed_ends': 'none',
                'weightless': True,
            },
            wind=wind,
        ),
        1.0,
    )
    rope = w.objects['rope']
    start = w.state(0)['rope'].position
    assert rope.body.position - start == pytest.approx([0.35, 0.1, 0.0], abs=1e-9)
    assert rope.body.linear_velocity == pytest.approx([0.7, 0.2, 0.0], abs=1e-9)


def test_rope_in_a_field_continues_from_a_checkpoint_bit_for_bit() -> None:
    things = {
        'rope': ROPE,
        'gust': {
            **EVERYWHERE,
            'position': [0.0, 0.0, 2.1],
            'shapes': [{'kind': 'sphere', 'size_m': [0.3]}],
            'acceleration_mps2': [0.5, 0.0, 0.0],
        },
    }
    first, saved, hashes = world(**things), [], []
    for _ in range(40):
        saved.append(first.save())
        first.step()
        hashes.append(first.state_hash)
    links = first.objects['rope'].family()[1:]
    assert len({link.pull is None for link in links}) == 2, 'some rods are in the gust, some are not'  # type: ignore[attr-defined]
    for k in (1, 9, 20, 33):
        again = World(WorldConfig())
        again.load(saved[k])
        for expected in hashes[k:]:
            again.step()
            assert again.state_hash == expected
