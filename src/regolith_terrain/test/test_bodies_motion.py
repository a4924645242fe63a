# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the motion of rigid bodies without contact, and of the saved state."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bodies_on_ground import MOON, one_body, rigid_parameters, run, scm_parameters

from regolith_terrain import FlatField, SoilGrid, SoilMap
from regolith_terrain.bodies import BodyDescription, BodyGround, BodySteps, RigidBodies, restored_description, shapes
from regolith_world.numerics import portable_math, rotation


def test_torque_free_rotation_conserves_angular_momentum_and_energy() -> None:
    """About the middle axis the rotation is unstable: the body tumbles (Dzhanibekov)."""
    bodies = one_body(shapes.box((0.3, 0.2, 0.1)), 12.0, rigid_parameters(), np.zeros(3))
    bodies.place(0, np.array([0.0, 0.0, 9.0]), spin=(0.01, 3.0, 0.0))
    before, energy = bodies.inertia(0) @ bodies.spin[0], bodies.energy(0)
    flipped = False
    for _ in range(1000):
        BodySteps(bodies).advance(0.02, [0])
        flipped = flipped or bool(bodies.orientation[0, 0] ** 2 + bodies.orientation[0, 2] ** 2 > 0.5)
    assert flipped
    # 20 000 substeps add rounding errors.
    assert bodies.inertia(0) @ bodies.spin[0] == pytest.approx(before, abs=1e-9)
    assert bodies.energy(0) == pytest.approx(energy, rel=1e-5)  # of second order: (3 rad/s 1 ms)^2


def test_thrown_body_follows_a_parabola() -> None:
    """Semi-implicit Euler is behind by g h t / 2 in position, 0.81 mm after 1 s."""
    bodies = one_body(shapes.sphere(0.1), 1.0, rigid_parameters())
    bodies.place(0, np.array([0.0, 0.0, 5.0]), velocity=(1.0, 2.0, 3.0))
    track = run(bodies, 1.0)
    assert track[-1, :3] == pytest.approx((1.0, 2.0, 8.0 - 0.5 * MOON - 0.5 * MOON * 1e-3), abs=1e-12)
    assert track[-1, 3:] == pytest.approx((1.0, 2.0, 3.0 - MOON), abs=1e-12)


def test_impulse_conserves_linear_and_angular_momentum() -> None:
    bodies = one_body(shapes.box((0.3, 0.2, 0.1)), 12.0, rigid_parameters())
    turn = np.array([0.1, 0.2, 0.3, math.sqrt(0.86)])
    bodies.place(0, np.array([1.0, 2.0, 3.0]), turn)
    impulse, point = np.array([1.0, -2.0, 3.0]), np.array([1.2, 2.1, 2.9])
    bodies.push(0, impulse, point)
    assert 12.0 * bodies.velocity[0] == pytest.approx(impulse, rel=1e-14)
    # 20 000 substeps add rounding errors.
    assert bodies.inertia(0) @ bodies.spin[0] == pytest.approx(np.cross(point - bodies.position[0], impulse), rel=1e-12)


def test_saved_bodies_continue_bit_identically() -> None:
    def made() -> RigidBodies:
        ground = BodyGround(SoilGrid(FlatField(), 0.02), SoilMap(scm_parameters()), np.array([0.0, 0.0, -MOON]))
        kinds = (shapes.sphere(0.1), shapes.box((0.1, 0.1, 0.1)), shapes.sphere(0.01))
        bodies = RigidBodies([BodyDescription(f'b{k}', kind, 5.0) for k, kind in enumerate(kinds)], ground)
        for n in range(3):
            bodies.place(n, np.array([0.15 * n, 0.0, 0.2]), velocity=(0.3, 0.1, 0.0), spin=(0.0, 1.0, 0.5))
        return bodies

    first, second = made(), made()
    for _ in range(40):
        first.ground.grid.apply(BodySteps(first).advance(0.02, [0, 1, 2]))
    second.ground.grid.load(first.ground.grid.save())
    second.load(first.save())
    for bodies in (first, second):
        for _ in range(20):
            bodies.ground.grid.apply(BodySteps(bodies).advance(0.02, [0, 1, 2]))
    assert first.save() == second.save()
    assert first.ground.grid.soil_hash() == second.ground.grid.soil_hash()
    with pytest.raises(ValueError, match='rigid bodies'):
        second.load(first.save()[:-8])


def test_body_that_is_too_fast_is_named() -> None:
    bodies = one_body(shapes.sphere(0.1), 1.0, rigid_parameters())
    bodies.place(0, np.zeros(3), velocity=(2e3, 0.0, 0.0))
    with pytest.raises(FloatingPointError, match='body is at'):
        BodySteps(bodies).advance(0.02, [0])


def test_states_of_several_bodies_are_those_of_each_bit_for_bit() -> None:
    generator = np.random.default_rng(5)
    ground = BodyGround(SoilGrid(FlatField(), 0.05), SoilMap(scm_parameters()), np.array([0.0, 0.0, -MOON]))
    box = BodyDescription('', shapes.box((0.3, 0.2, 0.1)), 12.0)
    bodies = RigidBodies([BodyDescription(name, box.shape, box.mass) for name in 'abcd'], ground)
    for n in range(4):
        turn = generator.normal(size=4)
        bodies.place(n, generator.normal(size=3), turn / np.sqrt((turn * turn).sum()), generator.normal(size=3))
    kept = bodies.body_state(1)
    states = bodies.body_states([3, 1, 0])
    assert [state.name for state in states] == ['d', 'b', 'a'] and states[1] is kept
    assert bodies.body_states([0])[0] is states[2], 'the same record until the body moves'
    for n, state in zip((3, 1, 0), states, strict=True):
        turn = rotation.matrix(bodies.orientation[n])
        inertia = portable_math.times(portable_math.times(turn, bodies.arrays.inertia[n]), turn.T)
        assert state.inertia.tobytes() == inertia.tobytes()
        assert state.position.tobytes() == bodies.position[n].tobytes() == state.center_of_mass.tobytes()
        bodies.position[n] += 1.0
        assert not np.array_equal(state.position, bodies.position[n]), 'a copy'


def test_description_restored_twice_has_one_shape() -> None:
    rock = shapes.hull(np.random.default_rng(6).normal(size=(20, 3)))
    saved = BodyDescription('rock', rock, 5.0, friction=0.7).save()
    one, two = restored_description('one', saved), restored_description('two', saved)
    assert (one.name, two.name) == ('one', 'two') and one.save() == two.save() == saved
    assert one.shape is two.shape and one.shape.solid is two.shape.solid
    assert np.array_equal(one.shape.solid.vertices, rock.solid.vertices)
    with pytest.raises(ValueError, match='description of a rigid body'):
        restored_description('bad', saved[:-3])
