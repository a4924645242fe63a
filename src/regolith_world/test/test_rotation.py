# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of quaternions against matrices, SciPy's rotations and the geometry of the great arc."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from regolith_world.numerics.rotation import (
    from_matrix,
    from_rotation_vector,
    from_rpy_deg,
    from_yaw,
    matrices,
    matrix,
    product,
    rotation_vector,
    slerp,
    to_rpy,
    yaw,
)
from regolith_world.random.keyed_generator import generator

RNG = generator(1, 'test', 'quaternions', 0)
TURNS = [from_rotation_vector(v) for v in RNG.normal(size=(40, 3)) * 1.5]


def test_quaternions_compose_like_matrices():
    for p, q in pairwise(TURNS):
        np.testing.assert_allclose(matrix(product(p, q)), matrix(p) @ matrix(q), atol=1e-14)
    np.testing.assert_array_equal(matrices(np.array(TURNS)), [matrix(q) for q in TURNS])


def test_rotations_agree_with_scipy():
    for q in TURNS:
        same = Rotation.from_quat(q)
        np.testing.assert_allclose(matrix(q), same.as_matrix(), atol=1e-15)
        np.testing.assert_allclose(rotation_vector(q), same.as_rotvec(), atol=1e-14)
        assert yaw(q) == pytest.approx(same.as_euler('ZYX')[0], abs=1e-14)


@pytest.mark.parametrize('angle', [0.0, 1e-320, 1e-13, 1e-6, 1.0, math.pi - 1e-9])
def test_rotation_vector_round_trip_is_exact(angle):
    """Also for rotations too small to affect the real part of a quaternion."""
    vector = angle * np.array([0.6, 0.0, -0.8])
    np.testing.assert_allclose(rotation_vector(from_rotation_vector(vector)), vector, rtol=1e-7, atol=1e-300)
    # -q is the same rotation.
    np.testing.assert_allclose(rotation_vector(-from_rotation_vector(vector)), vector, rtol=1e-7, atol=1e-300)


def test_from_matrix_undoes_matrix_whichever_component_is_largest():
    halves = [from_rotation_vector(math.pi * axis) for axis in np.eye(3)]
    for q in [*TURNS, *halves, from_yaw(0.0), from_yaw(math.pi), from_yaw(-3.1)]:
        back = from_matrix(matrix(q))
        assert abs(np.linalg.norm(back) - 1.0) < 1e-15
        np.testing.assert_allclose(back * np.sign(back @ q), q, atol=1e-15)
    assert len({int(np.argmax(np.abs(q))) for q in TURNS}) == 4, 'all four branches'


def test_slerp_turns_evenly_on_the_shorter_arc():
    """q and -q are one orientation: between 10 and -10 degrees is 0, for either sign of the second one."""
    a, b = from_yaw(math.radians(10.0)), from_yaw(math.radians(-10.0))
    for last in (b, -b):
        np.testing.assert_allclose(slerp(a, last, 0.5), from_yaw(0.0), atol=1e-15)
    # A third of the arc is a third of the angle, for large and tiny angles.
    for angle in (2.0, 1e-9):
        third = slerp(from_yaw(0.0), from_yaw(angle), 1 / 3)
        np.testing.assert_allclose(third, from_yaw(angle / 3), rtol=1e-12, atol=1e-18)
    np.testing.assert_allclose(slerp(a, -a, 0.3), a, atol=1e-15)


def test_slerp_of_many_is_slerp_of_each():
    first, last = np.array(TURNS[:20]), np.array(TURNS[20:])
    share = np.linspace(0.0, 1.0, 20)[:, None]
    many = slerp(first, last, share)
    for k in range(20):
        assert slerp(first[k], last[k], float(share[k, 0])).tobytes() == many[k].tobytes()
        between = Slerp([0.0, 1.0], Rotation.from_quat([first[k], last[k]]))(float(share[k, 0])).as_quat()
        np.testing.assert_allclose(many[k] * np.sign(many[k] @ between), between, atol=1e-14)


@pytest.mark.parametrize('rpy', [(0.3, -0.7, 2.9), (-3.0, 1.5, -0.4), (0.2, math.pi / 2, 0.0), (0.0, 0.0, 0.0)])
def test_roll_pitch_and_yaw_are_found_again(rpy: tuple[float, float, float]) -> None:
    turn = matrix(from_rpy_deg([math.degrees(angle) for angle in rpy]))
    # Near the pole, rounding of the sine of the pitch is that of the angle's square root.
    assert to_rpy(turn) == pytest.approx(rpy, abs=1e-7)
