# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of multibody kernels, rotated and off the origin, against textbook formulas."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_vehicles.dynamics.multibody import composite_inertia, point_velocities, quaternion_to_ros
from regolith_world.numerics.rotation import from_rotation_vector, matrix, product

RNG = np.random.default_rng(6)


def test_inertia_of_several_bodies_follows_the_parallel_axis_theorem() -> None:
    """Sum of R I R^T + m (d^2 1 - d d^T) about the common center; massless bodies add nothing; momentum agrees."""
    mass = np.array([2.0, 0.0, 5.0, 1.5])
    principal = RNG.uniform(0.1, 0.9, (4, 3))
    place = RNG.normal(size=(4, 3)) + [30.0, -20.0, 5.0]
    turns = np.array([matrix(from_rotation_vector(v)) for v in RNG.normal(size=(4, 3))])
    center, inertia = np.empty(3), np.empty((3, 3))
    total = composite_inertia(mass, principal, place, turns.reshape(4, 9), center, inertia)
    assert total == pytest.approx(8.5)
    np.testing.assert_allclose(center, mass @ place / 8.5, rtol=1e-14)
    expected = np.zeros((3, 3))
    for m, p, at, r in zip(mass, principal, place, turns):
        d = at - center
        expected += (r @ np.diag(p) @ r.T if m else 0.0) + m * (d @ d * np.eye(3) - np.outer(d, d))
    np.testing.assert_allclose(inertia, expected, atol=1e-12)


def test_point_velocity_of_rotating_body_is_v_plus_w_cross_r() -> None:
    cvel, com = RNG.normal(size=(5, 6)), np.array([3.0, -4.0, 2.0])
    points, bodies = RNG.normal(size=(3, 3)) + com, np.array([4, 1, 2, 0])
    expected = [cvel[b, 3:] + np.cross(cvel[b, :3], p - com) for b, p in zip(bodies, points)]
    np.testing.assert_allclose(point_velocities(cvel, points, com, bodies), expected, atol=1e-14)


def test_quaternion_conversion_keeps_the_sign() -> None:
    q = from_rotation_vector(np.array([0.3, -2.0, 1.0]))
    wxyz = q[[3, 0, 1, 2]]
    np.testing.assert_array_equal(quaternion_to_ros(wxyz), q)
    np.testing.assert_array_equal(wxyz, q[[3, 0, 1, 2]])
    np.testing.assert_allclose(product(quaternion_to_ros(wxyz), q * [-1, -1, -1, 1]), [0, 0, 0, 1], atol=1e-15)
