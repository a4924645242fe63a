# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the depth of convex parts in the ground."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain.bodies import shapes
from regolith_terrain.bodies.ground_depth import depth_in_ground, underside_of_part
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField, PlaneField
from regolith_world.numerics import rotation


def test_underside_of_a_turned_box_is_that_of_its_faces() -> None:
    """A cube of 0.2 m turned by 45 deg about y stands on an edge: |x| above it, up to half of the diagonal."""
    turn = rotation.matrix(np.array([0.0, math.sin(math.pi / 8.0), 0.0, math.cos(math.pi / 8.0)]))
    solid, half = shapes.box([0.1, 0.1, 0.1]).solid, 0.1 * math.sqrt(2.0)
    x = np.array([-0.1, 0.0, 0.05, 0.15, 0.0])
    y = np.array([0.0, 0.05, -0.09, 0.0, 0.11])
    low = underside_of_part(solid, np.array([0.0, 0.0, 1.0]), turn, x, y)
    assert low[:3] == pytest.approx(1.0 - half + np.abs(x[:3]), abs=1e-12)
    assert np.isposinf(low[3:]).all()


@pytest.mark.parametrize('slope', [0.0, 0.3])
def test_depth_of_a_ball_on_a_slope_is_that_of_its_vertical_lines(slope: float) -> None:
    """A ball of radius R at height h above a plane: the deepest line is R sqrt(1 + tan^2) - h below it.

    The polyhedron is up to 2 % smaller, the nodes are 2 mm apart.
    """
    radius, height = 0.1, 0.08
    field = PlaneField(slope, 0.0) if slope else FlatField()
    depth = depth_in_ground(
        shapes.sphere(radius).solid, np.array([0.0, 0.0, height]), np.eye(3), SoilGrid(field, 0.002)
    )
    assert depth == pytest.approx(radius * math.sqrt(1.0 + slope**2) - height, abs=0.02 * radius + 1e-5)


def test_part_between_nodes_is_compared_with_the_nearest_one() -> None:
    ball = shapes.sphere(0.01).solid
    place = np.array([0.024, 0.024, 0.004])
    assert depth_in_ground(ball, place, np.eye(3), SoilGrid(FlatField(), 0.05)) == pytest.approx(0.006, abs=2e-4)
