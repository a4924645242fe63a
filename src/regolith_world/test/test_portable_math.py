# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of portable math against NumPy, and of its bits on emulated processors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_world.numerics.portable_math import cross, dot, each, norm, solved, solved_two, times

RNG = np.random.default_rng(5)


def test_algebra_agrees_with_numpy_to_rounding() -> None:
    """Sums of n terms of size 1 have errors of at most n ulp; the matrices to solve are well conditioned."""
    a, b, v = RNG.normal(size=(3, 6)), RNG.normal(size=(6, 4)), RNG.normal(size=6)
    np.testing.assert_allclose(times(a, b), a @ b, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(times(a, v), a @ v, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(times(v, b), v @ b, rtol=0.0, atol=1e-14)
    stack = RNG.normal(size=(5, 3, 3))
    np.testing.assert_allclose(times(stack, stack), stack @ stack, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(times(stack, a), stack @ a, rtol=0.0, atol=1e-14)
    assert dot(v, v) == pytest.approx(v @ v, rel=1e-15) and norm(v) == pytest.approx(np.linalg.norm(v), rel=1e-15)
    for n in (1, 3, 6):
        spread = RNG.normal(size=(n, n))
        matrix, right = spread @ spread.T + np.eye(n), RNG.normal(size=(n, 2))
        np.testing.assert_allclose(solved(matrix, right), np.linalg.solve(matrix, right), rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(
            solved(matrix, right[:, 0]), np.linalg.solve(matrix, right[:, 0]), rtol=1e-12, atol=1e-13
        )
    turn = np.array([[0.0, -2.0], [3.0, 0.5]])
    np.testing.assert_allclose(solved_two(turn, np.eye(2)), np.linalg.inv(turn), rtol=1e-15)
    np.testing.assert_allclose(solved_two(turn, [1.0, 2.0]), np.linalg.solve(turn, [1.0, 2.0]), rtol=1e-15)


def test_vector_products_have_the_bits_of_numpys() -> None:
    for a, b in RNG.normal(size=(100, 2, 3)) * 10.0 ** RNG.integers(-8, 8, size=(100, 2, 1)):
        assert cross(a, b).tobytes() == np.cross(a, b).tobytes()
    assert cross(-np.eye(3)[0], np.eye(3)[1]).tolist() == [0.0, 0.0, -1.0]


def test_sums_are_in_the_order_of_their_indices() -> None:
    """1 + 2^-53 + 2^-53 is 1 from the left, and more from the right."""
    a = np.array([1.0, 2.0**-53, 2.0**-53])
    assert dot(a, np.ones(3)) == 1.0 and dot(a[::-1], np.ones(3)) > 1.0
    assert times(a, np.ones(3)) == 1.0 and times(a[None, ::-1], np.ones(3))[0] > 1.0
    assert times(a[None], np.ones((3, 1)))[0, 0] == 1.0


def test_functions_are_bit_identical_to_the_c_library() -> None:
    values = RNG.uniform(-3.0, 3.0, (4, 5))
    assert np.array_equal(each(math.sin, values), [[math.sin(x) for x in row] for row in values])
    assert np.array_equal(each(math.atan2, values, 1.0)[2, 3], math.atan2(values[2, 3], 1.0))
    assert each(math.exp, np.zeros((0, 3))).shape == (0, 3)
    assert each(math.pow, 2.0, [1.0, 2.0]).tolist() == [2.0, 4.0]
