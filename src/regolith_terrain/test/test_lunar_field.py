# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of lunar terrain: heights depend on seed and position only."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_terrain.config import TerrainConfig
from regolith_terrain.height_field import FlatField
from regolith_terrain.height_field_builder import build_height_field, build_rocks
from regolith_terrain.lunar import craters as model
from regolith_terrain.lunar.degradation import profile_table
from regolith_terrain.lunar.field import LunarField
from regolith_terrain.lunar.presets import load_preset
from regolith_terrain.tile_pyramid import TILE, TilePyramid


def test_lunar_field_blocks_and_points_are_bit_identical() -> None:
    field = LunarField(11, load_preset('polar'))
    block = field.nodes(-900, -800, 2000, 2080, 0.02)
    x, y = np.arange(-900, -800) * 0.02, np.arange(2000, 2080) * 0.02
    assert field.heights(x[:, None], y[None, :]).tobytes() == block.tobytes()
    assert field.heights(x, y[7]).tobytes() == block[:, 7].tobytes()
    assert field.nodes(-850, -840, 2013, 2044, 0.02).tobytes() == block[50:60, 13:44].tobytes()
    backwards = field.heights(x[::-1, None], y[None, ::-1])
    assert backwards[::-1, ::-1].tobytes() == block.tobytes()
    shuffled = np.random.default_rng(0).permutation(block.size)
    xs, ys = (a.ravel()[shuffled] for a in np.broadcast_arrays(x[:, None], y[None, :]))
    assert field.heights(xs, ys).tobytes() == block.ravel()[shuffled].tobytes()
    # The same holds for distant points, without gathering every crater between them.
    far = field.nodes(-20, 30, 5, 25, 150.0)
    assert far[7, 3] == field.heights(-13 * 150.0, 8 * 150.0)
    coarse = field.coarse_nodes(-100, 100, 0, 150, 0.5)
    assert field.coarse_nodes(-10, 20, 70, 90, 0.5).tobytes() == coarse[90:120, 70:90].tobytes()


def test_lunar_field_depends_on_seed_and_preset() -> None:
    field = LunarField(1, load_preset('mare'))
    assert float(field.heights(0.0, 0.0)) == 0.0
    others = [LunarField(2, load_preset('mare')), LunarField(1, load_preset('polar'))]
    assert len({f.fingerprint() for f in (field, *others)}) == 3
    assert LunarField(1, load_preset('mare')).fingerprint() == field.fingerprint()
    for other in others:
        assert not np.array_equal(other.nodes(0, 20, 0, 20, 0.5), field.nodes(0, 20, 0, 20, 0.5))


def test_ground_is_continuously_differentiable() -> None:
    preset = load_preset('mare')
    # Smooth texture, so that only the craters could cause kinks.
    smooth = preset.model_copy(update={'texture': preset.texture.model_copy(update={'inner_scale_m': 2.0})})
    field = LunarField(2, smooth)
    x = np.linspace(-300.0, 300.0, 4000)
    jumps = []
    for step in (1e-4, 1e-5):
        left = (field.heights(x, 3.0) - field.heights(x - step, 3.0)) / step
        right = (field.heights(x + step, 3.0) - field.heights(x, 3.0)) / step
        jumps.append(np.abs(right - left).max())
    # The difference is curvature times step, about 50 / m on rims of 0.15 m; a kink would remain.
    assert jumps[0] < 50.0 * 1e-4 and jumps[1] < 50.0 * 1e-5 + 1e-9


def crater(age: float, layer: int, x: float, radius: float) -> np.ndarray:
    out = np.zeros(model.CRATER_COLUMNS)
    out[[model.AGE, model.CLASS, model.X, model.RADIUS, model.DEPTH]] = age, layer, x, radius, 0.2 * 2.0 * radius
    return out


def laid(*craters: np.ndarray) -> np.ndarray:
    x, y = np.linspace(-8.0, 8.0, 81), np.linspace(-8.0, 8.0, 81)
    out, layers = np.zeros((81, 81)), np.empty((81, 81, 3))
    order = sorted(craters, key=lambda c: -c[model.AGE])
    model.lay_craters(x, y, np.array(order), profile_table(), 0, layers, out)
    return out


def test_lunar_field_young_craters_erase_smaller_older_ones() -> None:
    big_young, big_old = crater(1.0, 2, 0.0, 4.0), crater(3.0, 2, 0.0, 4.0)
    small = crater(2.0, 0, 1.0, 0.6)
    inside = (slice(40, 50), slice(38, 43))
    assert np.array_equal(laid(big_young, small)[inside], laid(big_young)[inside])
    assert laid(big_old, small) == pytest.approx(laid(big_old) + laid(small), abs=1e-12)
    # Beyond the reach of both, the small crater does not change the terrain.
    assert np.array_equal(laid(big_young, small)[0], laid(big_young)[0])


@pytest.mark.seconds
def test_lunar_field_slopes_match_published_medians() -> None:
    median = {}
    for name in ('mare', 'polar', 'highland'):
        z = LunarField(4, load_preset(name)).coarse_nodes(-400, 400, -400, 400, 2.0)
        median[name] = np.degrees(np.arctan(np.median(np.abs(z[8:] - z[:-8]) / 16.0)))
    # Rosenburg et al. 2011, bidirectional slopes at 17 m: maria about 2 deg, highlands 7.5 deg with the walls of
    # craters larger than any here; polar plains between.
    assert 0.7 < median['mare'] < 2.5 < median['highland'] < 9.0
    assert median['mare'] < median['polar'] < median['highland']


def test_tile_pyramid_tiles_join_and_are_bounded_in_number() -> None:
    field = LunarField(7, load_preset('highland'))
    pyramid, other = TilePyramid(field, 0.05, capacity=6), TilePyramid(field, 0.05)
    keys = [(level, i, j) for level in (0, 2, 5) for i in (-1, 0) for j in (0, 1)]
    first = [pyramid.tile(*key).copy() for key in keys]
    for key, tile in reversed(list(zip(keys, first, strict=True))):
        assert other.tile(*key).tobytes() == tile.tobytes()
        assert pyramid.tile(*key).tobytes() == tile.tobytes()
    assert len(pyramid) == 6 and len(other) == len(keys)
    for level in (0, 2, 5):
        assert np.array_equal(other.tile(level, -1, 0)[TILE], other.tile(level, 0, 0)[0])
        assert np.array_equal(other.tile(level, 0, 0)[:, TILE], other.tile(level, 0, 1)[:, 0])
    assert np.array_equal(other.tile(0, 0, 0), field.nodes(0, TILE + 1, 0, TILE + 1, 0.05))
    # A coarse level omits detail finer than its spacing (1.6 m), some decimeters in height, and keeps the rest.
    fine = field.nodes(0, (TILE + 1) * 32, 0, 33, 0.05)[::32, ::32]
    assert np.abs(other.tile(5, 0, 0)[:, :2] - fine).std() < 0.15 < fine.std()
    with pytest.raises(ValueError):
        other.tile(0, 0, 0)[0, 0] = 1.0
    with pytest.raises(ValueError, match='level -1'):
        other.tile(-1, 0, 0)
    assert TilePyramid(FlatField(), 0.1).tile(3, 4, 5).shape == (TILE + 1, TILE + 1)


def test_terrain_config_preset_builds_field_with_rocks() -> None:
    config = TerrainConfig.model_validate({'preset': 'polar', 'seed': 5})
    field = build_height_field(config, 0)
    assert isinstance(field, LunarField) and field.fingerprint() == LunarField(5, load_preset('polar')).fingerprint()
    rocks = build_rocks(config, 0)
    assert rocks is not None and len(rocks.rocks_in(0.0, 20.0, 0.0, 20.0)) > 0
    assert build_rocks(TerrainConfig.model_validate({'preset': 'polar', 'rocks': False}), 0) is None
    assert build_rocks(TerrainConfig.model_validate({'source': 'flat'}), 0) is None
    with pytest.raises(ValidationError, match=r'allowed: .*highland, lac, mare, polar'):
        TerrainConfig.model_validate({'preset': 'ocean'})
    with pytest.raises(ValidationError, match='applies only to procedural terrain'):
        TerrainConfig.model_validate({'preset': 'mare', 'source': 'flat'})
    with pytest.raises(ValueError, match=r'allowed: .*highland, lac, mare, polar'):
        load_preset('ocean')
