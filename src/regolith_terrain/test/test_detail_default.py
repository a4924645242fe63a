# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the default detail below the posts of elevation models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig
from regolith_terrain.elevation.detail import detail_field, roughness
from regolith_terrain.elevation.raster import RasterField
from regolith_terrain.height_field_builder import build_height_field, build_rocks
from regolith_terrain.lunar.field import LunarField
from regolith_terrain.lunar.presets import load_preset
from regolith_terrain.lunar.rocks import RockField


def config(path: Path, **more: object) -> TerrainConfig:
    return TerrainConfig.model_validate({'source': str(path), 'post_spacing_m': 4.0, **more})


@pytest.fixture(scope='module')
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an elevation model of 60 x 60 posts 4 m apart."""
    path = tmp_path_factory.mktemp('dem') / 'model.npy'
    np.save(path, LunarField(2, load_preset('highland')).coarse_nodes(-30, 30, -30, 30, 4.0))
    return path


def test_elevation_model_has_craters_and_rocks_by_default(model: Path) -> None:
    field, smooth = (build_height_field(config(model, **more), 1) for more in ({}, {'detail': 'none'}))
    assert isinstance(field, RasterField) and isinstance(field.detail, LunarField)
    assert isinstance(smooth, RasterField) and smooth.detail is None and field.fingerprint() != smooth.fingerprint()
    # The default equals this explicit detail.
    asked = build_height_field(config(model, detail={'preset': 'highland'}), 1)
    assert asked.fingerprint() == field.fingerprint()
    found = field.detail.craters_in(-40.0, 40.0, -40.0, 40.0)
    assert len(found) > 100 and found.diameter.max() <= 8.0
    rocks = build_rocks(config(model), 1)
    assert rocks is not None
    catalog = rocks.rocks_in(-40.0, 40.0, -40.0, 40.0)
    assert len(catalog) > 50
    # Rocks are on the terrain for wheels, not on the detail alone.
    np.testing.assert_allclose(catalog.z, field.heights(catalog.x, catalog.y), atol=1e-9)
    assert build_rocks(config(model, detail='none'), 1) is None and build_rocks(config(model, rocks=False), 1) is None


def test_elevation_model_with_fine_or_few_posts_has_no_detail(tmp_path: Path) -> None:
    """The posts are as close as the detail, or too few to derive the roughness."""
    for count, spacing in ((20, 0.1), (8, 4.0)):
        path = tmp_path / f'{count}.npy'
        np.save(path, np.random.default_rng(1).normal(size=(count, count)))
        plain = TerrainConfig.model_validate({'source': str(path), 'post_spacing_m': spacing})
        field = build_height_field(plain, 1)
        assert isinstance(field, RasterField) and field.detail is None and build_rocks(plain, 1) is None


def test_raster_field_has_continuous_curvature_at_posts() -> None:
    """Slope and curvature are continuous at posts: one-sided second differences agree, which cubics do not ensure."""
    # Gentle terrain: around steeper posts the curvature is reduced, see test_steep_models.py.
    posts = 0.2 * np.random.default_rng(3).normal(size=(12, 12))
    field = RasterField(posts, 2.0, 0.0, 0.0)
    x = np.arange(3, 9) * 2.0
    y = np.full_like(x, 7.3)
    h = 1e-3

    def bend(side: float) -> np.ndarray:
        z = [field.heights(x + side * k * h, y) for k in range(3)]
        return (z[2] - 2.0 * z[1] + z[0]) / h**2

    # The third derivative, about 2 m / (2 m)^3, times 2 h, and rounding of 1e-16 / h^2.
    np.testing.assert_allclose(bend(1.0), bend(-1.0), atol=0.01)
    assert np.abs(bend(1.0)).max() > 0.04
    # The posts remain, and quadrics are reproduced.
    np.testing.assert_allclose(field.heights(x, 8.0) + field.datum, posts[3:9, 4], atol=1e-12)
    i, j = np.meshgrid(np.arange(9.0), np.arange(9.0), indexing='ij')
    bowl = RasterField(0.3 * i * i - 0.2 * i * j + 0.1 * j * j + i, 1.0, 0.0, 0.0)
    a, b = np.array([2.3, 4.7, 5.5]), np.array([3.1, 2.9, 4.4])
    np.testing.assert_allclose(bowl.heights(a, b) + bowl.datum, 0.3 * a * a - 0.2 * a * b + 0.1 * b * b + a, rtol=1e-12)


@pytest.mark.parametrize('turn_deg', [0.0, 30.0])
def test_rock_field_has_rocks_only_within_the_model(turn_deg: float) -> None:
    """Beyond the edge, the terrain is a continuation without data, so it has no rocks."""
    preset = load_preset('highland')
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    posts = LunarField(2, preset).coarse_nodes(-10, 11, -10, 11, 2.0)
    ground = RasterField(posts, 2.0, jacobian=(c, s, -s, c)).with_detail(LunarField(5, preset))
    free = RockField(LunarField(5, preset)).rocks_in(-60.0, 60.0, -60.0, 60.0)
    found = RockField(LunarField(5, preset), (), ground).rocks_in(-60.0, 60.0, -60.0, 60.0)
    along, across = c * free.x + s * free.y, -s * free.x + c * free.y
    within = (np.abs(along) <= 20.0) & (np.abs(across) <= 20.0)
    assert 0 < within.sum() < len(free)
    assert sorted(zip(found.x, found.y)) == sorted(zip(free.x[within], free.y[within]))
    assert all(ground.holds(x, y) for x, y in zip(found.x, found.y))


def random_walks(n: int, step: float) -> np.ndarray:
    """Return terrain with random walks as profiles along x and y: Hurst exponent 1/2, deviation ``step`` at one
    post.
    """
    rng = np.random.default_rng(3)
    along_x, along_y = (np.cumsum(rng.normal(0.0, step, n)) for _ in range(2))
    return np.add.outer(along_x, along_y)


def test_roughness_of_random_walks_equals_their_step() -> None:
    """The median at a lag of four posts has n / 4 independent differences, so its error is about 4 %."""
    deviation, hurst = roughness(random_walks(2000, 0.3), 5.0)
    assert hurst == pytest.approx(0.5, abs=0.05) and deviation == pytest.approx(0.3, rel=0.08)


@pytest.mark.parametrize('spacing', [0.1, 4.0, 20.0])
@pytest.mark.parametrize('craters', [True, False])
def test_detail_field_extrapolates_the_roughness_of_the_posts(spacing: float, craters: bool) -> None:
    posts, preset = random_walks(60, 0.3) + np.linspace(0.0, 5.0, 60) ** 2, load_preset('highland')
    deviation, hurst = roughness(posts, spacing)
    made = detail_field(posts, spacing, 7, preset, finest_m=0.1, craters=craters)
    relief, found = made.preset.relief, made.preset.craters
    for lag in (0.1, 0.5 * spacing, spacing):
        continued = deviation * (lag / spacing) ** hurst
        assert relief.rms_deviation_m * (lag / relief.lag_m) ** relief.hurst == pytest.approx(continued, rel=1e-12)
    assert (relief.inner_scale_m, relief.outer_scale_m, made.seed) == (0.1, 2.0 * spacing, 7)
    texture = made.preset.texture
    assert texture.outer_scale_m == min(preset.texture.outer_scale_m, 2.0 * spacing) and texture.inner_scale_m == 0.1
    # Posts 0.1 m apart are too close for craters with the minimum diameter of 0.15 m.
    has = craters and 2.0 * spacing >= 2.0 * preset.craters.min_diameter_m
    assert found.equilibrium_density == (preset.craters.equilibrium_density if has else 0.0)
    assert found.max_diameter_m == 2.0 * spacing


def test_detail_field_inner_scale_respects_its_limits() -> None:
    posts, preset = random_walks(60, 0.3), load_preset('highland')
    for spacing, finest, inner in ((4.0, 0.25, 0.25), (0.2, 0.5, 0.2)):
        assert detail_field(posts, spacing, 1, preset, finest_m=finest).preset.relief.inner_scale_m == inner
    assert detail_field(posts, 4.0, 1, preset).preset.relief.inner_scale_m == 0.05
