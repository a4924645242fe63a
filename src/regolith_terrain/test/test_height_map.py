# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of obstacles in height maps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

from regolith_terrain.solids.height_map import ObstacleHeightMap
from regolith_terrain.solids.polyhedron import convex_hull
from regolith_terrain.solids.rock_shapes import scaled_rock

CUBE = convex_hull([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def turned(yaw: float, size: tuple[float, float, float]) -> np.ndarray:
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) * (0.5 * np.array(size))


def test_height_map_thin_wall_has_full_height() -> None:
    """The wall is 0.5 m off the posts and oblique to them; heights are bilinear between posts, as radio models use
    them.
    """
    wall = ObstacleHeightMap([(CUBE, np.array([0.4, 0.3, 1.5]), turned(0.3, (0.1, 12.0, 3.0)))])
    heights = wall.max_heights(np.zeros((21, 21)), -10.0, -10.0, 1.0)
    posts = np.arange(-10.0, 11.0)
    between = RegularGridInterpolator((posts, posts), heights)
    along = np.array([-np.sin(0.3), np.cos(0.3)])
    for part in np.linspace(-5.9, 5.9, 60):
        x, y = np.array([0.4, 0.3]) + part * along
        assert float(between((x, y)).item()) == pytest.approx(3.0)
    # At more than a spacing and half the thickness from the wall, and past its ends, no height is changed.
    x, y = np.meshgrid(posts, posts, indexing='ij')
    aside = np.abs((x - 0.4) * np.cos(0.3) + (y - 0.3) * np.sin(0.3))
    ahead = np.abs(-(x - 0.4) * np.sin(0.3) + (y - 0.3) * np.cos(0.3))
    far = (aside > 0.05 + np.sqrt(2.0)) | (ahead > 6.0 + np.sqrt(2.0))
    assert not heights[far].any() and set(np.unique(np.round(heights, 9))) == {0.0, 3.0}


def test_height_map_post_has_the_highest_nearby_point() -> None:
    """Reference: densely sampled points of the faces."""
    ramp = convex_hull([(x, y, z) for y in (-1.0, 1.0) for x, z in ((0.0, 0.0), (4.0, 0.0), (4.0, 2.0))])
    rock = convex_hull(scaled_rock(3)[0])
    for shape, axes, least in ((ramp, np.eye(3), 0.0), (rock, turned(0.7, (3.0, 2.4, 1.8)), -0.9)):
        middle = np.array([0.23, -0.41, 0.0])
        heights = ObstacleHeightMap([(shape, middle, axes)]).max_heights(np.full((9, 7), least), -3.0, -3.0, 1.0)
        corners = (shape.vertices @ axes.T + middle)[shape.triangles]
        part = np.linspace(0.0, 1.0, 60)
        share = np.array([(u, v, 1.0 - u - v) for u in part for v in part if u + v <= 1.0])
        points = (share @ corners).reshape(-1, 3)
        for i in range(9):
            for j in range(7):
                close = (np.abs(points[:, :2] - (i - 3.0, j - 3.0)) <= 1.0).all(axis=1)
                highest = max(points[close, 2].max(initial=least), least)
                # Points are at most 7 cm apart; faces of the rock are steeper than 45 degrees only at its rim.
                assert highest - 1e-9 <= heights[i, j] <= highest + 0.15, (i, j)


def test_height_map_without_obstacles_equals_the_terrain() -> None:
    ground = np.arange(12.0).reshape(4, 3)
    assert np.array_equal(ObstacleHeightMap([]).max_heights(ground, 0.0, 0.0, 1.0), ground)
    away = ObstacleHeightMap([(CUBE, np.array([50.0, 0.0, 5.0]), np.eye(3))])
    assert np.array_equal(away.max_heights(ground, 0.0, 0.0, 1.0), ground)
    assert away.fingerprint() != ObstacleHeightMap([(CUBE, np.array([50.0, 0.1, 5.0]), np.eye(3))]).fingerprint()
