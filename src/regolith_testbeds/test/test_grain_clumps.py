# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of clumps of balls as rigid bodies in DEM."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_testbeds.dem.assembly import Assembly
from regolith_testbeds.dem.clumps import clump, clump_of_six, clump_of_three, sphere
from regolith_testbeds.dem.materials import GrainMaterial

SOFT = GrainMaterial(youngs_modulus_pa=1e7, density_kgpm3=2600.0)


def test_clump_inertia_matches_known_solids() -> None:
    one = clump(np.array([[0.3, -0.2, 0.1]]), np.array([2.0]))
    assert one.volume == pytest.approx(sphere().volume, rel=2e-3)
    assert one.moments == pytest.approx(sphere().moments, rel=3e-3)
    # Two unit balls that touch: 2 (2/5 m) about the axis, 2 (2/5 m + m) across it, m = 4/3 pi.
    two = clump(np.array([[-1.0, 0, 0], [1.0, 0, 0]]), np.ones(2))
    mass = 4.0 / 3.0 * math.pi
    assert two.moments * 2.0**5 == pytest.approx(np.array([0.8, 2.8, 2.8]) * mass, rel=3e-3)
    three, six = clump_of_three(), clump_of_six()
    assert three.moments[2] > three.moments[1] == pytest.approx(three.moments[0], rel=2e-3)
    assert six.moments == pytest.approx(six.moments.mean(), rel=2e-3)
    for shape in (three, six):
        assert np.abs(shape.offset.mean(axis=0)).max() < 2e-3
        assert np.max(np.linalg.norm(shape.offset, axis=1) + shape.radius) == pytest.approx(1.0)


def axes_of(quaternion: np.ndarray) -> np.ndarray:
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_free_clump_conserves_angular_momentum_and_energy() -> None:
    # Rotation about the middle axis of a body without symmetry, which tumbles.
    shape = clump(np.array([[0, 0, 0], [1.5, 0, 0], [0, 0.8, 0], [0.4, 0.2, 0.3]], dtype=float), np.full(4, 1.0))
    attitude = np.array([[0.1, -0.3, 0.5, 0.8]]) / math.sqrt(0.99)
    a = Assembly([[0, 0, 0]], [0.02], SOFT, gravity=(0, 0, 0), shape=shape, turn=attitude)
    axes = axes_of(a.grains.turn[0])
    a.grains.motion[0, 3:] = axes @ np.array([0.3, 20.0, 0.2])

    def momentum() -> np.ndarray:
        axes = axes_of(a.grains.turn[0])
        return axes @ (a.grains.inertia[0] * (axes.T @ a.grains.motion[0, 3:]))

    before = momentum()
    energy = 0.5 * before @ a.grains.motion[0, 3:]
    along = []
    for _ in range(40):
        a.advance(math.ceil(0.05 / a.dt))
        along.append(float((axes_of(a.grains.turn[0]).T @ a.grains.motion[0, 3:])[1]))
        assert np.abs(momentum() - before).max() < 1e-11 * np.linalg.norm(before)
    assert min(along) < -10.0  # it tumbles
    # The midpoint rule: (spin x step)^2 = 1e-5 per radian, over 40 rad; nearly all of it averages out.
    assert 0.5 * momentum() @ a.grains.motion[0, 3:] == pytest.approx(energy, rel=1e-5)


def test_clump_at_rest_has_three_contacts_and_transmits_its_weight() -> None:
    from regolith_testbeds.dem.bodies import Body, plane

    dull = SOFT.model_copy(update={'restitution': 0.1, 'friction': 0.5})
    shape = clump_of_three()
    a = Assembly(
        [[0, 0, 0.006]],
        [0.01],
        dull,
        bodies=[Body((plane((0.0, 0.0, 1.0)),), dull)],
        shape=shape,
        turn=[[0.05, 0.03, 0.0, 0.9983]],
    )
    a.advance(math.ceil(0.5 / a.dt))
    assert a.touching == 3
    assert a.bodies.wrench[0, 2] == pytest.approx(-9.81 * float(a.grains.mass[0]), rel=1e-3)
    assert a.grains.place[0, 2] == pytest.approx(0.01 * float(shape.radius[0]), rel=1e-2)
