# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of map, matching and hazards on known terrain."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autonomy_stack.attitude import turn
from autonomy_stack.elevation_map import ElevationMap
from autonomy_stack.hazards import Limits, assess, planes
from autonomy_stack.matching import match

LIMITS = Limits()


def rolling(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return heights of ground with hollows and swells of some decimeters [m]."""
    return 0.25 * np.sin(0.7 * x) * np.cos(0.9 * y) + 0.15 * np.sin(1.7 * x + 0.5) + 0.1 * np.cos(1.3 * y)


def surveyed(heights, half: float = 8.0, per_m: int = 20) -> ElevationMap:
    """Return a complete map of a ground."""
    ground = ElevationMap(half_m=half)
    side = np.arange(-half + 0.5 / per_m, half, 1.0 / per_m)
    x, y = (a.ravel() for a in np.meshgrid(side, side))
    ground.add(np.stack([x, y, heights(x, y)], axis=1))
    return ground


def test_map_of_plane_has_its_heights_and_slopes() -> None:
    ground = surveyed(lambda x, y: 0.1 * x - 0.2 * y + 3.0)
    x, y = np.array([0.33, -4.1, 5.0]), np.array([1.0, 2.22, -3.7])
    height, along_x, along_y, known = ground.height(x, y)
    assert known.all()
    assert height == pytest.approx(0.1 * x - 0.2 * y + 3.0, abs=1e-9)
    assert along_x == pytest.approx(0.1, abs=1e-9) and along_y == pytest.approx(-0.2, abs=1e-9)
    assert not ground.height(np.array([8.0]), np.array([0.0]))[3].any(), 'its rim is known on one side only'


def test_cell_maximum_not_confirmed_by_newer_points_is_lowered() -> None:
    ground = ElevationMap(half_m=2.0, remembers=10.0)
    low = np.tile([[0.1, 0.1, 0.0]], (100, 1))
    ground.add(low)
    for _ in range(30):
        ground.add(low[:10] + [0.0, 0.0, 0.5])
    i, j, _ = ground.indices(np.array([0.1]), np.array([0.1]))
    assert ground.mean[i[0], j[0]] == pytest.approx(0.5, abs=1e-3)
    for _ in range(30):
        ground.add(low[:10])
    assert ground.top[i[0], j[0]] == pytest.approx(0.0, abs=1e-3)


def test_match_finds_position_error() -> None:
    """An error of 6 cm ahead and 4 cm to the side, with 1 cm of noise, is found to 1.5 cm, a thirteenth of a cell."""
    rng = np.random.default_rng(3)
    ground = surveyed(rolling)
    x, y = rng.uniform(-6.0, 6.0, size=(2, 4000))
    off = np.array([0.06, -0.04, 0.03])
    seen = np.stack([x, y, rolling(x, y) + 0.01 * rng.normal(size=4000)], axis=1)
    found = match(ground, seen + off, off)
    assert found is not None and found.shift == pytest.approx(-off, abs=0.015)
    assert np.degrees(found.rotation) == pytest.approx(np.zeros(3), abs=0.05)
    assert 0.005 < found.residual < 0.03


def test_match_on_level_ground_corrects_height_only() -> None:
    ground = surveyed(lambda x, y: 0.0 * x)
    x, y = np.random.default_rng(4).uniform(-5.0, 5.0, size=(2, 2000))
    found = match(ground, np.stack([x, y, np.full(2000, 0.02)], axis=1), np.zeros(3))
    assert found is not None and found.shift[:2] == pytest.approx([0.0, 0.0], abs=1e-4)
    assert found.rotation[2] == 0.0, 'level ground does not show the heading'
    # The prior reduces the shift by a thirtieth: 2000 points count as 67 of 3 cm, the prior as one of 2 cm.
    assert found.shift[2] == pytest.approx(-0.02 / (1.0 + 30.0 / 2000.0 * (0.03 / 0.02) ** 2), abs=1e-4)


def test_match_finds_attitude_error() -> None:
    """A tilt of 0.7 degrees as of an accelerometer bias, and 0.3 degrees of heading: to 0.1 degrees, without a shift.

    A shift alone would explain it by a decimeter or more.
    """
    rng = np.random.default_rng(7)
    ground = surveyed(rolling)
    x, y = rng.uniform(-6.0, 6.0, size=(2, 4000))
    place = np.array([-3.0, 1.0, 0.5])
    wrong = np.radians([0.5, -0.5, 0.3])
    seen = np.stack([x, y, rolling(x, y) + 0.01 * rng.normal(size=4000)], axis=1)
    found = match(ground, (seen - place) @ turn(wrong).T + place, place, prior_rad=math.radians(1.0))
    assert found is not None
    assert np.degrees(found.rotation) == pytest.approx(-np.degrees(wrong), abs=0.1)
    assert found.shift == pytest.approx(np.zeros(3), abs=0.02)


def test_outliers_do_not_move_the_rover() -> None:
    """A tenth of the points is half a meter above the ground, as of another rover: the error is at most 2 cm."""
    rng = np.random.default_rng(5)
    ground = surveyed(rolling)
    x, y = rng.uniform(-6.0, 6.0, size=(2, 4000))
    z = rolling(x, y) + 0.01 * rng.normal(size=4000)
    z[:400] += 0.5
    found = match(ground, np.stack([x, y, z], axis=1), np.zeros(3))
    assert found is not None and np.abs(found.shift).max() < 0.02


def test_match_with_few_known_points_returns_none() -> None:
    assert match(ElevationMap(half_m=4.0), np.zeros((1000, 3)), np.zeros(3)) is None


def test_planes_are_fitted_to_known_cells() -> None:
    """Slope and height of a plane with every other cell unknown."""
    x, y = np.meshgrid(np.arange(30) * 0.2, np.arange(30) * 0.2, indexing='ij')
    height = 50.0 + 0.3 * x + 0.1 * y
    height[(np.arange(900) % 2 == 0).reshape(30, 30)] = np.nan
    fitted = planes(height, 3, 0.2)
    inner = (slice(4, -4), slice(4, -4))
    assert fitted.slope[inner] == pytest.approx(math.atan(math.hypot(0.3, 0.1)), abs=1e-6)
    assert fitted.level[inner] == pytest.approx((50.0 + 0.3 * x + 0.1 * y)[inner], abs=1e-6)
    assert fitted.deviation[inner] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize(('slope_deg', 'blocked'), [(5.0, False), (15.0, False), (21.0, True)])
def test_slopes_are_hazards_from_the_limit_on(slope_deg: float, blocked: bool) -> None:
    found = assess(surveyed(lambda x, y: math.tan(math.radians(slope_deg)) * x), LIMITS)
    inner = (slice(10, -10), slice(10, -10))
    assert np.degrees(found.slope[inner]) == pytest.approx(slope_deg, abs=0.1)
    assert bool(found.blocked[inner].all()) == blocked and bool(found.blocked[inner].any()) == blocked
    # In a cell of 0.2 m on a slope the maximum is above the mean by half of the rise.
    assert np.nanmax(found.step[inner]) < 0.1


@pytest.mark.parametrize(('rock_m', 'blocked'), [(0.1, False), (0.3, True)])
def test_rocks_are_hazards_by_their_height(rock_m: float, blocked: bool) -> None:
    """A rock of 30 cm on a slope of 10 degrees blocks its surroundings within the clearance, not beyond."""
    half_rock, grade = 0.15, math.tan(math.radians(10.0))
    found = assess(surveyed(lambda x, y: grade * x + rock_m * (np.maximum(np.abs(x), np.abs(y)) < half_rock)), LIMITS)
    middle = len(found.blocked) // 2
    assert bool(found.blocked[middle, middle]) == blocked
    far = round((LIMITS.clearance_m + LIMITS.footprint_m + half_rock + 0.3) / 0.2)
    assert not found.blocked[middle + far, middle]
    assert found.blocked.any() == blocked


def test_unseen_ground_is_expensive_but_not_blocked() -> None:
    found = assess(ElevationMap(half_m=4.0), LIMITS)
    assert not found.blocked.any() and np.isnan(found.slope).all()
    assert (found.cost == 2.0).all()
