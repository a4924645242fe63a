# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of raster height fields from GeoTIFF files."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.crs import CRS
from rasterio.transform import from_origin

from regolith_terrain import FlatField
from regolith_terrain.elevation.raster import RasterField

SHARED = Path(os.environ.get('REGOLITH_SHARED', Path(__file__).parents[4] / 'shared'))
METERS = CRS.from_proj4('+proj=stere +lat_0=-90 +R=1737400 +units=m')


def write(path: Path, rows: np.ndarray, **options) -> Path:
    rows = np.asarray(rows)
    profile = {
        'driver': 'GTiff',
        'count': 1,
        'dtype': rows.dtype,
        'height': rows.shape[0],
        'width': rows.shape[1],
        'crs': METERS,
        'transform': from_origin(1000.0, 2000.0, 2.0, 2.0),
        **options,
    }
    with rasterio.open(path, 'w', **profile) as file:
        for band in range(profile['count']):
            file.write(rows, band + 1)
    return path


def test_raster_posts_are_reproduced_in_east_north_order(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(7, 9))  # row 0 is the northern row
    field = RasterField.from_file(write(tmp_path / 'a.tif', rows, crs=None), center=(1009.0, 1993.0))
    # The center is the post in row 3, column 4: columns 1001 + 2 c, rows 1999 - 2 r.
    for r in range(7):
        for c in range(9):
            z = float(field.heights(2.0 * (c - 4), -2.0 * (r - 3)))
            assert z == pytest.approx(rows[r, c] - rows[3, 4], abs=1e-15)
    assert float(field.heights(0.0, 0.0)) == 0.0


def test_raster_default_center_is_the_middle(tmp_path: Path) -> None:
    rows = np.add.outer(-np.arange(6.0), 3.0 * np.arange(8.0))
    field = RasterField.from_file(write(tmp_path / 'a.tif', rows, crs=None))
    # 3 m up per 2 m east, 1 m up per 2 m north: a plane is exact between posts too, away from the edges.
    x, y = np.array([-3.3, 0.0, 2.1]), np.array([1.7, 0.4, -0.3])
    assert field.heights(x, y) == pytest.approx(1.5 * x + 0.5 * y, abs=1e-12)


def test_raster_interpolation_is_smooth_and_of_third_order() -> None:
    def bump(x, y):
        return np.sin(0.7 * x) * np.cos(0.5 * y)

    errors = []
    for spacing in (0.5, 0.25):
        at = np.arange(-10.0, 10.0 + spacing / 2, spacing)
        field = RasterField(bump(at[:, None], at[None, :]), spacing)
        x, y = np.random.default_rng(1).uniform(-8, 8, (2, 500))
        errors.append(np.abs(field.heights(x, y) - bump(x, y)).max())
        step = 1e-6
        # The derivative is continuous at a post.
        left = (field.heights(2.0, 0.3) - field.heights(2.0 - step, 0.3)) / step
        right = (field.heights(2.0 + step, 0.3) - field.heights(2.0, 0.3)) / step
        assert abs(left - right) < 1e-4
    assert errors[0] / errors[1] > 2.0**2.7  # Keys 1981: third order


def test_raster_fingerprint_depends_on_posts_and_position(tmp_path: Path) -> None:
    rows = np.zeros((4, 4))
    other = rows.copy()
    other[2, 2] = 1e-12
    fields = [
        RasterField.from_file(write(tmp_path / 'a.tif', rows)),
        RasterField.from_file(write(tmp_path / 'b.tif', other)),
        RasterField.from_file(write(tmp_path / 'c.tif', rows), center=(1003.0, 1997.0)),
        RasterField.from_file(write(tmp_path / 'd.tif', rows), post_spacing_m=1.0),
    ]
    assert len({field.fingerprint() for field in fields}) == 4
    assert RasterField.from_file(write(tmp_path / 'e.tif', rows)).fingerprint() == fields[0].fingerprint()


def test_raster_post_spacing_and_scaled_integers(tmp_path: Path) -> None:
    rows = np.arange(12, dtype=np.int16).reshape(3, 4)
    path = write(tmp_path / 'a.tif', rows, crs=None, transform=rasterio.Affine.identity())
    with pytest.raises(ValueError, match='post_spacing_m'):
        RasterField.from_file(path)
    with rasterio.open(path, 'r+') as file:
        file.scales = (0.5,)
        file.offsets = (100.0,)
    field = RasterField.from_file(path, post_spacing_m=10.0, center=(5.0, 5.0))  # the lower left post
    assert field.datum == 104.0
    assert float(field.heights(10.0, 20.0)) == pytest.approx(100.5 - 104.0)


@pytest.mark.parametrize(
    ('options', 'words'),
    [
        ({'crs': CRS.from_epsg(4326), 'transform': from_origin(10.0, 20.0, 1e-4, 1e-4)}, 'degrees'),
        ({'crs': CRS.from_epsg(2263)}, 'meters'),
        ({'transform': from_origin(0.0, 0.0, 2.0, 3.0)}, 'not square'),
        ({'transform': from_origin(0.0, 0.0, 2.0, 2.0) @ rasterio.Affine.rotation(10.0)}, 'north to south'),
        ({'nodata': 7.0}, '1 post without a height .first at row 1, column 2.'),
        ({'count': 2}, '2 bands'),
    ],
)
def test_unusable_raster_gives_an_error_with_the_reason(tmp_path: Path, options: dict, words: str) -> None:
    rows = np.zeros((4, 5))
    rows[1, 2] = 7.0
    with pytest.raises(ValueError, match=words) as caught:
        RasterField.from_file(write(tmp_path / 'site.tif', rows, **options))
    assert 'site.tif' in str(caught.value)


def test_unreadable_raster_file_gives_an_error_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='no such file'):
        RasterField.from_file(tmp_path / 'none.tif')
    (tmp_path / 'text.tif').write_text('hello')
    with pytest.raises(ValueError, match=r'text\.tif: not a raster'):
        RasterField.from_file(tmp_path / 'text.tif')
    nan = np.zeros((3, 3))
    nan[0, 1] = np.nan
    with pytest.raises(ValueError, match='row 0, column 1'):
        RasterField.from_file(write(tmp_path / 'nan.tif', nan))
    with pytest.raises(ValueError, match='outside'):
        RasterField.from_file(write(tmp_path / 'ok.tif', np.zeros((3, 3))), center=(0.0, 0.0))


@pytest.mark.parametrize(
    ('name', 'spacing', 'low', 'high'),
    [
        ('lunar_sp_ldem6_1m_1000x1000.tif', 1.0, 1006.2815, 1090.2239),
        ('apollo16_nac_dtm_8m_1024x1024.tif', 8.0, 0.0, 391.196),
    ],
)
def test_real_elevation_models_have_published_extremes(name: str, spacing: float, low: float, high: float) -> None:
    path = SHARED / 'dem' / name
    if not path.is_file():
        pytest.skip(f'{path} is not here; set REGOLITH_SHARED to the folder that holds dem/')
    field = RasterField.from_file(path)
    assert field.spacing == spacing
    # Extremes as given in the description of the file, to its printed digits.
    assert field.posts.min() == pytest.approx(low, abs=1e-3) and field.posts.max() == pytest.approx(high, abs=1e-3)
    z = field.nodes(-100, 100, -100, 100, spacing / 3)
    assert np.all(np.isfinite(z)) and z.std() > 0.1


@pytest.mark.parametrize('jacobian', [(1.0, 0.0, 0.0, 1.0), (2.0, 0.0, 0.0, 0.5), (0.5, 0.0, 0.0, 4.0)])
def test_raster_extent_with_unequal_scales_matches_the_posts(jacobian: tuple[float, ...]) -> None:
    """For maps with degrees of unequal length, the corners are inside and points beyond any side are outside."""
    field = RasterField(np.zeros((6, 9)), (2.0, 3.0), -3.0, -7.0, jacobian=jacobian)
    west, east, south, north = field.extent
    x, y = field.post_places()
    assert field.extent == pytest.approx((x.min(), x.max(), y.min(), y.max()), abs=1e-12)
    inward = 1e-9
    for px, py in ((west + inward, south + inward), (east - inward, north - inward)):
        assert field.holds(px, py)
    for px, py in ((west - 0.01, 0.0), (east + 0.01, 0.0), (0.0, south - 0.01), (0.0, north + 0.01)):
        assert not field.holds(px, py)


@pytest.mark.parametrize('shape', [(4, 11), (11, 4)])
def test_raster_containment_of_many_points_equals_single_points(shape: tuple[int, int]) -> None:
    """Covers non-square maps, along, across and oblique."""
    turned = (math.cos(0.3), math.sin(0.3), -math.sin(0.3), math.cos(0.3))
    for jacobian in ((1.0, 0.0, 0.0, 1.0), turned):
        field = RasterField(np.zeros(shape), (2.0, 3.0), -3.0, -7.0, jacobian=jacobian)
        x, y = (each.ravel() for each in np.meshgrid(np.arange(-35.0, 35.5, 1.7), np.arange(-35.0, 35.5, 1.3)))
        inside = field.inside(x, y)
        assert 0 < inside.sum() < len(x)
        assert inside.tolist() == [field.holds(float(a), float(b)) for a, b in zip(x, y)]


def test_ground_beyond_the_edge_is_continuous_and_becomes_level() -> None:
    """Features of the edge do not extend outward as streaks; far away the height is the mean of the edge."""
    k, width = np.arange(81.0), 0.5 * 80.0
    posts = 0.6 * np.sin(2.0 * np.pi * k[None, :] / 16.0) + 0.03 * k[:, None]  # ridges along x, on a slope
    field = RasterField(posts, 1.0)
    y = np.linspace(-1.5 * width, 1.5 * width, 1201)
    inside, beyond = (field.heights(np.full(y.size, width + off), y) for off in (-1e-7, 1e-7))
    assert np.abs(beyond - inside).max() < 1e-6
    # Around the whole model, steps of 10 cm make no step in height: at most the slope of the edge.
    turn = np.linspace(0.0, 2.0 * np.pi, 6000)
    for off in (10.0, 31.0, 45.0, 80.0):
        far = 2.0 * (width + off)
        ring = np.clip(far * np.stack((np.cos(turn), np.sin(turn))), -width - off, width + off)
        z = field.heights(*ring)
        step = np.hypot(*np.diff(ring, axis=1))
        assert (np.abs(np.diff(z)) <= 0.5 * step + 1e-9).all()
        assert z.max() + field.datum <= posts.max() + 1e-9 and z.min() + field.datum >= posts.min() - 1e-9
    # Near the edge its height continues; the mean over whole ridges and valleys to each side leaves nothing of them.
    along = np.linspace(-0.5 * width, 0.5 * width, 401)
    ripple = [np.ptp(field.heights(np.full(401, width + off), along)) for off in (0.0, 29.0, 64.0, 2000.0)]
    assert ripple[0] == ripple[1] > 1.1 and ripple[2] < 0.3 and ripple[3] < 0.01
    assert float(field.heights(1e6, 0.0)) + field.datum == pytest.approx(np.trapezoid(posts[-1]) / 80.0, abs=1e-4)
    # Coarse nodes of a model with detail show the same ground, without the detail.
    coarse = field.with_detail(FlatField()).coarse_nodes(-40, 41, -40, 41, 4.0)
    assert np.array_equal(coarse, field.nodes(-40, 41, -40, 41, 4.0))
    # Level posts have level ground around them.
    level = RasterField(np.full((5, 7), 3.0), 2.0)
    assert np.abs(level.heights(np.array([50.0, -50.0, 3.0]), np.array([80.0, 1.0, -90.0]))).max() < 1e-12
