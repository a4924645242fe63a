# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of elevation models with values that are not heights or positions in meters."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.crs import CRS
from rasterio.errors import NotGeoreferencedWarning
from rasterio.transform import from_origin

from regolith_terrain.config import TerrainConfig
from regolith_terrain.elevation.plausibility import height_statistics, unusual_heights
from regolith_terrain.height_field_builder import build_height_field, build_rocks, read_elevation_model

MOON = CRS.from_proj4('+proj=stere +lat_0=-90 +R=1737400 +units=m')
EARTH = CRS.from_epsg(32633)


def hills(rows: int = 60, cols: int = 60, spacing: float = 0.5) -> np.ndarray:
    """Return gentle terrain about 150 m high, with slopes up to 0.1."""
    i, j = np.mgrid[0:rows, 0:cols]
    return 150.0 + 0.5 * spacing * np.sin(0.2 * j) * np.cos(0.25 * i)


def write(path: Path, rows: np.ndarray, crs: CRS | None = EARTH, spacing: float = 0.5, **options: object) -> Path:
    profile = {
        'driver': 'GTiff',
        'count': 1,
        'dtype': rows.dtype,
        'height': rows.shape[0],
        'width': rows.shape[1],
        'crs': crs,
        'transform': from_origin(500000.0, 5400000.0, spacing, spacing),
        **options,
    }
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', NotGeoreferencedWarning)
        with rasterio.open(path, 'w', **profile) as file:
            for band in range(profile['count']):
                file.write(rows, band + 1)
    return path


def terrain(path: Path, **more: object) -> TerrainConfig:
    return TerrainConfig.model_validate({'source': str(path), **more})


@pytest.mark.parametrize(
    ('mark', 'kind', 'spacing'),
    [
        (-32768, 'int16', 0.5),
        (-32767, 'int16', 30.0),
        (32767, 'int16', 90.0),
        (-9999, 'float32', 1.0),
        (-99999, 'float32', 250.0),
        (65535, 'uint16', 5.0),
        (0, 'float32', 0.5),
        (-9999, 'float64', 2000.0),
        (-1234, 'float32', 300.0),
    ],
)
def test_undeclared_nodata_values_are_rejected(tmp_path: Path, mark: int, kind: str, spacing: float) -> None:
    heights = hills(spacing=spacing).astype(kind)
    heights[:, :7] = mark
    path = write(tmp_path / 'sea.tif', heights, spacing=spacing)
    with pytest.raises(ValueError, match=r'420 posts \(first at row 0, column 0\) at a height of .*fix: set nodata'):
        build_height_field(terrain(path), 0)
    # With nodata declared, these posts are missing; a window without them is valid.
    with pytest.raises(ValueError, match='420 posts without a height'):
        build_height_field(terrain(path, nodata=mark), 0)
    window = {'low': [-15.0 * spacing, -20.0 * spacing], 'high': [20.0 * spacing, 20.0 * spacing]}
    field = build_height_field(terrain(path, nodata=mark, window=window), 0)
    assert field.holds(-10.0 * spacing, 0.0) and not field.holds(-25.0 * spacing, 0.0)
    assert field.heights(0.0, 0.0) == pytest.approx(0.0, abs=1e-9)


def test_interpolated_nodata_values_are_rejected_by_steps(tmp_path: Path) -> None:
    """Reprojected models have values between the nodata value and the terrain along the gap."""
    heights = hills()
    heights[:, :7] = -9999.0
    heights[:, 7] = np.linspace(-9950.0, 100.0, 60)
    with pytest.raises(ValueError, match=r'step by .* between neighbors 0\.5 m apart'):
        build_height_field(terrain(write(tmp_path / 'a.tif', heights)), 0)


@pytest.mark.parametrize(('kind', 'driver'), [('uint8', 'PNG'), ('uint16', 'PNG'), ('uint8', 'GTiff')])
def test_gray_image_without_height_scale_is_rejected(tmp_path: Path, kind: str, driver: str) -> None:
    ground = hills()
    gray = np.round((ground - ground.min()) / np.ptp(ground) * np.iinfo(kind).max).astype(kind)
    path = write(tmp_path / f'map.{driver.lower()}', gray, None, driver=driver, transform=rasterio.Affine.identity())
    with pytest.raises(ValueError, match=r'gray values .* are not heights in meters; allowed: with height_scale'):
        build_height_field(terrain(path, post_spacing_m=0.5), 0)
    scale = float(np.ptp(ground)) / np.iinfo(kind).max
    config = terrain(path, post_spacing_m=0.5, height_scale=scale, height_offset_m=float(ground.min()))
    model = read_elevation_model(config)
    # Half a gray level.
    np.testing.assert_allclose(model.posts, ground[::-1].T, atol=0.51 * scale)


def test_heights_not_in_meters_are_rejected_by_slopes(tmp_path: Path) -> None:
    """Heights in millimeters or raw counts make half of the terrain steeper than 60 degrees."""
    path = write(tmp_path / 'mm.tif', np.round(1000.0 * (hills() - 100.0)).astype(np.int32))
    with pytest.raises(ValueError, match='height_scale'):
        build_height_field(terrain(path), 0)
    model = read_elevation_model(terrain(path, height_scale=0.001, height_offset_m=100.0))
    np.testing.assert_allclose(model.posts, hills()[::-1].T, atol=0.00051)


def test_height_scale_of_the_user_replaces_that_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / 'a.tif', np.arange(100, 120, dtype=np.int16).reshape(4, 5))
    with rasterio.open(path, 'r+') as file:
        file.scales, file.offsets = (0.5,), (10.0,)
    assert read_elevation_model(terrain(path)).posts[0, -1] == 60.0
    assert read_elevation_model(terrain(path, height_offset_m=-3.0)).posts[0, -1] == 57.0
    assert read_elevation_model(terrain(path, height_scale=2.0, height_offset_m=-3.0)).posts[0, -1] == 197.0


def test_map_in_degrees_is_rejected(tmp_path: Path) -> None:
    arc_second = 1.0 / 3600.0
    bare = write(tmp_path / 'a.tif', hills(), None, transform=from_origin(10.5, 46.2, arc_second, arc_second))
    with pytest.raises(ValueError, match='look like degrees'):
        build_height_field(terrain(bare), 0)
    # One spacing for both directions is wrong by cos(latitude).
    named = write(
        tmp_path / 'b.tif', hills(), CRS.from_epsg(4326), transform=from_origin(10.5, 38.0, arc_second, arc_second)
    )
    for more in ({}, {'post_spacing_m': 30.9}):
        with pytest.raises(ValueError, match=r'in degrees.*reproject'):
            build_height_field(terrain(named, **more), 0)


def test_steep_but_possible_model_gives_a_warning() -> None:
    cliff = np.where(np.arange(200)[:, None] < 100, 0.0, -60.0) + hills(200, 40, 2.0)
    found = height_statistics(cliff, 2.0)
    assert found.step == pytest.approx(60.0, abs=1.0) and found.step_at[0] == 99
    ((problem, remedy),) = unusual_heights(found, 2.0)
    assert 'step by' in problem and 'nodata' in remedy
    assert unusual_heights(height_statistics(hills(), 0.5), 0.5) == []


@pytest.mark.parametrize(('scale', 'spacing'), [(1e-3, 0.5), (1.0, 500.0)])
def test_model_that_is_too_flat_gives_a_warning(scale: float, spacing: float) -> None:
    """Both are flatter than any terrain except a salt flat; an exactly level model is intended."""
    ((problem, remedy),) = unusual_heights(height_statistics(scale * hills(), spacing), spacing)
    assert 'less than' in problem and 'terrain.height_scale' in remedy and 'terrain.post_spacing_m' in remedy
    assert unusual_heights(height_statistics(np.zeros((9, 9)), 0.5), 0.5) == []


def test_hill_on_a_plain_gives_no_warning() -> None:
    """More than half of the posts are nearly level; in kilometers the hill would be level, too."""
    y, x = np.mgrid[-50.0:50.0:0.5, -50.0:50.0:0.5]
    hill = 5.0 * np.exp(-(x * x + y * y) / 80.0) + 1e-5 * x
    assert height_statistics(hill, 0.5).median_slope < 3e-4
    assert unusual_heights(height_statistics(hill, 0.5), 0.5) == []
    ((problem, _),) = unusual_heights(height_statistics(hill / 1000.0, 0.5), 0.5)
    assert 'less than' in problem


def test_height_statistics_match_their_definition() -> None:
    heights = np.random.default_rng(1).normal(size=(1100, 37)).cumsum(axis=0)
    found = height_statistics(heights, 2.0)
    down, along = np.abs(np.diff(heights, axis=0)), np.abs(np.diff(heights, axis=1))
    assert found.step == max(down.max(), along.max())
    assert (found.low, found.high) == (heights.min(), heights.max())
    low = np.sort(heights.ravel())
    assert found.gap_low == low[1] - low[0] and found.gap_high == low[-1] - low[-2]
    assert found.median_slope == pytest.approx(np.median(np.maximum(down[:, :-1], along[:-1])) / 2.0, rel=1e-12)


@pytest.mark.parametrize('row', [0, 300, 510, 511, 512, 513, 700, 1023, 1024, 1098])
@pytest.mark.parametrize('axis', [0, 1])
def test_largest_step_is_reported_with_its_position(row: int, axis: int) -> None:
    """Covers the first rows, later ones and the borders of the blocks in which heights are read, along both axes."""
    heights = np.zeros((1100, 37))
    if axis == 0:
        heights[row + 1 :] = 60.0
        heights[row + 1 :, 20] = 61.0
    else:
        heights[row, 21:] = 61.0
        heights[:, 21:] += 0.5
    found = height_statistics(heights, 2.0)
    assert found.step_at == (row, 20) and found.step == (61.0 if axis == 0 else 61.5)
    (problem, _), *_ = unusual_heights(found, 2.0, (1000, 200))
    assert f'(row {row + 1000}, column 220)' in problem


def test_detail_default_applies_to_lunar_maps_only(tmp_path: Path) -> None:
    """On a map of the Earth, no detail is added unless the scenario sets it."""
    ground = hills(spacing=5.0)
    for crs, lunar in ((MOON, True), (EARTH, False), (CRS.from_proj4('+proj=eqc +R=3396190 +units=m'), False)):
        path = write(tmp_path / 'a.tif', ground, crs, 5.0)
        plain, asked = terrain(path), terrain(path, detail={'preset': 'highland'})
        assert (build_height_field(plain, 1).detail is not None) is lunar
        assert (build_rocks(plain, 1) is not None) is lunar
        assert build_height_field(asked, 1).detail is not None and build_rocks(asked, 1) is not None
