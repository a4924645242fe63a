# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the interpolation of elevation models with steps."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_terrain.elevation.raster import RasterField
from regolith_terrain.lunar.field import LunarField
from regolith_terrain.lunar.presets import load_preset

SPACING = 0.5


def cells_range(posts: np.ndarray, field: RasterField, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and the highest of the four posts around each point, relative to the datum."""
    i = np.clip((x / SPACING).astype(int), 0, posts.shape[0] - 2)
    j = np.clip((y / SPACING).astype(int), 0, posts.shape[1] - 2)
    around = np.stack([posts[i + a, j + b] for a in (0, 1) for b in (0, 1)]) - field.datum
    return around.min(axis=0), around.max(axis=0)


def steps(height: float) -> dict[str, np.ndarray]:
    i, j = np.meshgrid(np.arange(16), np.arange(17), indexing='ij')
    return {
        'along x': np.where(i >= 8, -height, 0.0),
        'along y, up': np.where(j >= 9, height, 0.0),
        'diagonal': np.where(i + j >= 16, -height, 0.0),
        'corner of a mesa': np.where((i >= 8) & (j >= 8), -height, 0.0),
        'tower': np.where((i == 8) & (j == 8), height, 0.0),
        'trench': np.where((i == 7) | (i == 8), -height, 0.0),
        'stairs': -height * (i // 3).astype(float),
    }


@pytest.mark.parametrize('height', [0.5, 1.0, 5.0, 50.0])
@pytest.mark.parametrize('shape', steps(1.0))
def test_surface_stays_between_neighboring_posts_at_steps(shape: str, height: float) -> None:
    """Steps of 45 degrees and more between posts have no lip above and no ditch below."""
    posts = steps(height)[shape]
    field = RasterField(posts, SPACING, 0.0, 0.0)
    line = np.linspace(0.0, 15 * SPACING, 301)
    x, y = (a.ravel() for a in np.meshgrid(line, line, indexing='ij'))
    z, (low, high) = field.heights(x, y), cells_range(posts, field, x, y)
    # The weights of at most nine products sum to 1 within rounding.
    assert np.all(z >= low - 1e-13 * height) and np.all(z <= high + 1e-13 * height)
    i, j = np.meshgrid(np.arange(16), np.arange(17), indexing='ij')
    np.testing.assert_allclose(field.heights(i * SPACING, j * SPACING) + field.datum, posts, atol=1e-12 * height)


def test_surface_stays_between_posts_of_rough_steep_data() -> None:
    posts = np.random.default_rng(2).normal(scale=10.0, size=(30, 30))
    field = RasterField(posts, SPACING, 0.0, 0.0)
    x, y = np.random.default_rng(3).uniform(0.0, 29 * SPACING, (2, 20000))
    z, (low, high) = field.heights(x, y), cells_range(posts, field, x, y)
    assert np.all(z >= low - 1e-12) and np.all(z <= high + 1e-12)


def test_surface_at_a_step_is_smooth() -> None:
    """Slopes of both sides agree across lines of posts, at a step and where it fades into gentle terrain."""
    i, j = np.meshgrid(np.arange(20.0), np.arange(20.0), indexing='ij')
    # A scarp whose height grows from zero along y, with full, partial and no reduction.
    posts = np.where(i >= 10, -0.08 * j, 0.0) + 0.02 * np.sin(i) * np.cos(0.7 * j)
    field = RasterField(posts, SPACING, 0.0, 0.0)
    at, along = np.arange(2, 18) * SPACING, np.linspace(0.6, 8.9, 83)
    h = 1e-6
    for swap in (False, True):
        p, q = (a.ravel() for a in np.meshgrid(at, along, indexing='ij'))

        def z(d: float, p: np.ndarray = p, q: np.ndarray = q, swap: bool = swap) -> np.ndarray:
            return np.asarray(field.heights(q, p + d) if swap else field.heights(p + d, q))

        left, right = (z(0.0) - z(-h)) / h, (z(h) - z(0.0)) / h
        # Second derivatives are below 1.5 m / (0.5 m)^2 * 10 = 60 / m, times h; rounding 1e-16 / h.
        np.testing.assert_allclose(left, right, atol=1e-4)
    assert np.abs(left).max() > 0.1


def test_gentle_ground_is_unchanged_beside_a_step() -> None:
    """More than two posts from a step, heights are bit-identical to those of the same terrain without it."""
    posts = LunarField(2, load_preset('highland')).coarse_nodes(0, 40, 0, 40, 1.0)
    posts = np.ascontiguousarray(posts)
    stepped = posts.copy()
    stepped[30:] -= 20.0
    plain, changed = (RasterField(p, 1.0, 0.0, 0.0) for p in (posts, stepped))
    x, y = np.random.default_rng(1).uniform([[0.0], [0.0]], [[27.9], [39.0]], (2, 5000))
    assert np.array_equal(plain.heights(x, y) + plain.datum, changed.heights(x, y) + changed.datum)
    # Gentle models do not change: quadrics with a slope change below 0.7 per post are exact.
    i, j = np.meshgrid(np.arange(9.0), np.arange(9.0), indexing='ij')
    bowl = RasterField(0.34 * i * i - 0.2 * i * j + 30.0 * i, 1.0, 0.0, 0.0)
    a, b = np.random.default_rng(0).uniform(1.0, 7.0, (2, 200))
    np.testing.assert_allclose(bowl.heights(a, b) + bowl.datum, 0.34 * a * a - 0.2 * a * b + 30.0 * a, rtol=1e-12)


def test_five_meter_drop_has_no_lip() -> None:
    """Before a fix, the lip before a drop of 5 m between posts 0.5 m apart was 0.41 m high and stopped a rover."""
    posts = np.zeros((40, 8))
    posts[20:] = -5.0
    field = RasterField(posts, SPACING, 0.0, 0.0)
    z = field.heights(np.linspace(0.0, 19.5, 5000), 1.7)
    assert z.max() <= 1e-12 and np.all(np.diff(z) <= 1e-12)


@pytest.mark.parametrize('axis', [0, 1])
def test_slopes_count_over_the_spacing_along_their_own_axis(axis: int) -> None:
    """Posts are 4 m apart along one axis, 1 m along the other: a bend that is gentle over 4 m remains beside a far
    step.
    """
    i, j = np.meshgrid(np.arange(20.0), np.arange(20.0), indexing='ij')
    along = (i, j)[axis]
    posts = 1.2 * along * along  # second differences of 2.4 m: 0.6 over 4 m
    posts[18:, 18:] -= 500.0
    spacing = (4.0, 1.0) if axis == 0 else (1.0, 4.0)
    field = RasterField(posts, spacing, 0.0, 0.0)
    a, b = np.random.default_rng(0).uniform(1.0, 12.0, (2, 200))
    found = field.heights(a * spacing[0], b * spacing[1]) + field.datum
    np.testing.assert_allclose(found, 1.2 * (a, b)[axis] ** 2, rtol=1e-12)
