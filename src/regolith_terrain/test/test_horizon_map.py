# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Horizon maps against closed forms and against a search over all posts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain.horizons import NO_GROUND_M, UNIT_RAD, HorizonMap, Posts, make_horizon_map

MOON_RADIUS_M = 1737400.0
ROUNDING_RAD = 0.5 * UNIT_RAD


def rough(rows: int, cols: int, seed: int = 3) -> Posts:
    heights = np.random.default_rng(seed).normal(0.0, 2.0, (rows, cols))
    return Posts(heights, -7.0, 11.0, 3.0)


def searched(posts: Posts, i: int, j: int, di: int, dj: int, radius: float) -> float:
    """Return the elevation of the horizon at a post along a line of posts, by a search over all of them [rad].

    Outside the posts is a sphere at their lowest height.
    """
    best, n = -math.atan(math.sqrt(2.0 * (posts.heights[i, j] - posts.heights.min()) / radius)), 1
    rows, cols = posts.heights.shape
    while 0 <= i + n * di < rows and 0 <= j + n * dj < cols:
        s = posts.spacing * n * math.hypot(di, dj)
        rise = posts.heights[i + n * di, j + n * dj] - posts.heights[i, j]
        best = max(best, math.atan(rise / s - s / (2.0 * radius)))
        n += 1
    return best


@pytest.mark.parametrize('radius', [math.inf, 500.0])
def test_horizon_along_lines_of_posts_is_that_of_a_search(radius: float) -> None:
    posts = rough(14, 9)
    found = make_horizon_map(posts, 8, radius)
    steps = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]  # clockwise from north
    for number, (di, dj) in enumerate(steps):
        expected = [[searched(posts, i, j, di, dj, radius) for j in range(9)] for i in range(14)]
        error = found.elevations[number] * UNIT_RAD - np.array(expected)
        assert np.abs(error).max() < 1.01 * ROUNDING_RAD, number
    if radius == math.inf:
        assert (found.elevations[2][-1] == 0).all() and (found.elevations[6][0] == 0).all(), 'a plane outside'


def test_ridge_has_the_elevation_of_its_crest() -> None:
    i = np.arange(121.0)
    profile = 12.0 * np.cos(np.clip((i - 100.0) / 20.0, -1.0, 1.0) * math.pi / 2.0) ** 2  # 20 posts to either side
    found = make_horizon_map(Posts(np.repeat(profile[:, None], 401, axis=1), 0.0, 0.0, 5.0), 72)
    for number in range(6, 31):  # toward the ridge
        azimuth = 2.0 * math.pi * number / 72
        for i in (0, 30, 60):
            t = np.linspace(1.0, 1900.0, 20001)
            x = np.clip((i * 5.0 + t * math.sin(azimuth)) / 5.0 - 100.0, -20.0, 20.0) / 20.0
            expected = math.atan((12.0 * np.cos(x * math.pi / 2.0) ** 2 / t).max())
            assert found.elevations[number, i, 200] * UNIT_RAD == pytest.approx(expected, abs=math.radians(0.02))
    assert found.elevations[18, 0, 200] * UNIT_RAD == pytest.approx(math.atan(12.0 / 500.0), abs=math.radians(0.02))
    assert (found.elevations[54, :60] <= 0).all(), 'no ridge behind'


def test_cone_on_a_plane_has_the_horizon_of_its_silhouette() -> None:
    size, spacing, height, base = 161, 2.0, 30.0, 50.0  # 25 posts over the radius
    x = (np.arange(size) - 80) * spacing
    away = np.hypot(x[:, None], x[None])
    posts = Posts(np.maximum(0.0, height * (1.0 - away / base)), x[0], x[0], spacing)
    found = make_horizon_map(posts, 360)
    errors = []
    for px, py in ((-100.0, 0.0), (60.0, 90.0), (-70.0, -70.0)):
        i, j = round((px - x[0]) / spacing), round((py - x[0]) / spacing)
        for number in range(360):
            azimuth = math.radians(number)
            t = np.linspace(0.05, 250.0, 20001)
            line = np.maximum(
                0.0, height * (1.0 - np.hypot(px + t * math.sin(azimuth), py + t * math.cos(azimuth)) / base)
            )
            expected = math.atan((line / t).max())
            errors.append(abs(math.degrees(found.elevations[number, i, j] * UNIT_RAD - expected)))
    # The side of the cone is smoothed over one post, 0.6 degrees to either side of its silhouette.
    assert len(errors) > 1000 and np.quantile(errors, 0.99) < 0.1 and max(errors) < 0.25
    assert np.mean(errors) < 0.01


def test_curvature_of_the_body_lowers_far_terrain() -> None:
    spacing, radius = 500.0, MOON_RADIUS_M
    heights = np.full((121, 5), 300.0)
    heights[100] = 2300.0
    found = make_horizon_map(Posts(heights, 0.0, 0.0, spacing), 4, radius)
    for i in (0, 40, 80, 96):
        g = (100 - i) * spacing / radius
        high, low = radius + 2300.0, radius + 300.0
        exact = math.atan((high * math.cos(g) - low) / (high * math.sin(g)))
        # Distances are those on the sphere: at a height z they are longer by z / R, up to half of it as an angle.
        bound = 0.5 * 2300.0 / radius + ROUNDING_RAD
        assert found.elevations[1, i, 2] * UNIT_RAD == pytest.approx(exact, abs=bound), i


def test_viewer_above_the_ground_sees_farther() -> None:
    heights = np.zeros((41, 3))
    heights[40] = 10.0
    low, high = (make_horizon_map(Posts(heights, 0.0, 0.0, 4.0), 4, height_m=h) for h in (0.0, 10.0))
    assert low.elevations[1, 0, 1] * UNIT_RAD == pytest.approx(math.atan(10.0 / 160.0), abs=ROUNDING_RAD)
    assert high.elevations[1, 0, 1] == 0


def test_coarser_terrain_counts_only_outside_the_finer_grid() -> None:
    flat = Posts(np.zeros((41, 41)), -20.0, -20.0, 1.0)
    x = (np.arange(101) - 50) * 10.0
    heights = np.zeros((101, 101))
    heights[48:53, 48:53] = 100.0  # a hill that the finer grid does not have: x, y within -20 and 20 m
    heights[90] = 50.0  # a wall at x = 400 m
    coarse = Posts(heights, x[0], x[0], 10.0)
    found = make_horizon_map(flat, 4, farther=[coarse])
    for i in (0, 20, 33):
        away = 400.0 - (i - 20.0)
        assert found.elevations[1, i, 20] * UNIT_RAD == pytest.approx(math.atan(50.0 / away), abs=math.radians(0.02)), i
    inner = (slice(1, -1), slice(1, -1))
    assert (np.abs(found.elevations[3][inner]) <= 1).all(), 'the hill inside the finer grid is not seen'


def test_two_coarser_grids_give_the_highest_horizon() -> None:
    flat = Posts(np.zeros((21, 21)), -10.0, -10.0, 1.0)
    middle, far = np.zeros((41, 41)), np.zeros((41, 41))
    middle[30], far[:, 35] = 20.0, 400.0
    posts = [Posts(middle, -100.0, -100.0, 5.0), Posts(far, -1000.0, -1000.0, 50.0)]
    found = make_horizon_map(flat, 4, farther=posts)
    assert found.elevations[1, 10, 10] * UNIT_RAD == pytest.approx(math.atan(20.0 / 50.0), abs=math.radians(0.02))
    assert found.elevations[0, 10, 10] * UNIT_RAD == pytest.approx(math.atan(400.0 / 750.0), abs=math.radians(0.02))


def test_posts_without_ground_are_below_every_horizon() -> None:
    heights = np.zeros((21, 5))
    heights[10:] = NO_GROUND_M
    flat = Posts(np.zeros((5, 5)), 0.0, 0.0, 1.0)
    found = make_horizon_map(flat, 8, farther=[Posts(heights, -10.0, -10.0, 10.0)])
    assert (found.elevations == 0).all()


def test_every_nth_post_and_threads_give_the_same_values() -> None:
    posts = rough(24, 17)
    whole = make_horizon_map(posts, 24, 4000.0)
    some = make_horizon_map(posts, 24, 4000.0, every=4, threads=3)
    assert np.array_equal(some.elevations, whole.elevations[:, ::4, ::4])
    assert (some.spacing, some.x0, some.y0) == (12.0, -7.0, 11.0)


def test_elevation_between_azimuths_is_linear_and_periodic() -> None:
    values = np.array([100, 300, -500, 900], dtype=np.int16).reshape(4, 1, 1)
    found = HorizonMap(values, 0.0, 0.0, 1.0)
    for azimuth_deg, expected in ((0.0, 1.0), (45.0, 2.0), (337.5, 3.0), (-22.5, 3.0), (360.0, 1.0), (202.5, -1.5)):
        assert math.degrees(found.elevation(math.radians(azimuth_deg))[0, 0]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'azimuths': 0}, 'allowed: at least 1'),
        ({'every': 0}, 'allowed: at least 1'),
        ({'radius_m': 0.0}, 'above 0'),
        ({'azimuths': 10**8}, 'allowed: 2 GB; fix: fewer azimuths, or every n-th post'),
    ],
)
def test_values_out_of_range_are_refused(change: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_horizon_map(rough(5, 5), **change)  # type: ignore[arg-type]
