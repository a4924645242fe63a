# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of convex hulls as shapes of rigid bodies."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from regolith_world.cycle.records import BodyState
from regolith_world.numerics.rotation import from_rotation_vector, matrix
from regolith_world.objects import hull_shape
from regolith_world.objects.bounding_box import ShapeBounds
from regolith_world.objects.rigid_state import hull_properties

HALF = np.array([0.3, 0.2, 0.1])
CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * HALF
TURN = matrix(from_rotation_vector(np.array([0.4, -0.9, 0.7])))


def test_center_of_mass_and_inertia_of_a_hull_are_those_of_a_box() -> None:
    """Corners of a box that is turned and moved, with points inside; closed form m (b^2 + c^2) / 3 of half lengths."""
    place = np.array([0.5, -0.2, 0.1])
    points = np.concatenate([CORNERS, 0.5 * CORNERS]) @ TURN.T + place
    center, inertia = hull_properties(points)
    expected = TURN @ np.diag((np.sum(HALF * HALF) - HALF * HALF) / 3.0) @ TURN.T
    # MuJoCo stores vertices in single precision, which has about seven digits.
    np.testing.assert_allclose(center, place, atol=1e-6)
    np.testing.assert_allclose(inertia, expected, atol=1e-6 * np.trace(expected))


def test_points_in_a_plane_have_no_volume() -> None:
    with pytest.raises(ValueError, match='points have no volume; allowed: points of a solid'):
        hull_properties(CORNERS * [1.0, 1.0, 0.0])


def test_no_point_of_a_hull_is_outside_its_size_and_reach() -> None:
    """A hull whose points are all on one side of its position, as those of a lopsided body."""
    shape = hull_shape(CORNERS + [1.0, 0.0, 0.0], np.array([0.0, 0.4, 0.0]))
    bounds = ShapeBounds([shape])
    assert (np.abs(shape.vertices) <= shape.size).all()
    assert np.linalg.norm(shape.vertices + shape.position, axis=1).max() <= bounds.reach
    # About z, a corner moves along x at omega times its y, at most.
    state = BodyState('a', np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3), np.zeros(3))
    spin, side = np.array([0.0, 0.0, 2.0]), np.array([-1.0, 0.0, 0.0])
    speeds = np.cross(spin, shape.vertices + shape.position) @ side
    assert 0.0 < speeds.max() <= bounds.turning(state, spin, side)
