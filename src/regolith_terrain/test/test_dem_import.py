# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the import of elevation models."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.crs import CRS
from rasterio.transform import from_origin
from rasterio.warp import transform as warp

from regolith_terrain.config import TerrainConfig
from regolith_terrain.elevation.detail import roughness
from regolith_terrain.elevation.grid import LocalFrame, local_frame, locate
from regolith_terrain.elevation.import_model import ImportRequest, import_elevation_model
from regolith_terrain.elevation.open_model import open_elevation_model
from regolith_terrain.elevation.pds3 import Quantity, parse_label
from regolith_terrain.elevation.raster import RasterField
from regolith_terrain.geodesy import MOON_RADIUS_M
from regolith_terrain.height_field_builder import build_height_field
from regolith_terrain.lunar.field import LunarField
from regolith_terrain.lunar.presets import Relief, load_preset

SHARED = Path(os.environ.get('REGOLITH_SHARED', Path(__file__).parents[4] / 'shared'))
SPHERE = f'+R={MOON_RADIUS_M} +no_defs'
LONLAT = CRS.from_proj4(f'+proj=longlat {SPHERE}')
# Map, latitude and longitude of the center, distance of posts in map units.
MAPS = {
    'south': (CRS.from_proj4(f'+proj=stere +lat_0=-90 +units=m {SPHERE}'), -84.0, 60.0, 5.0),
    'north': (CRS.from_proj4(f'+proj=stere +lat_0=90 +units=m {SPHERE}'), 82.0, -100.0, 5.0),
    'equirectangular': (CRS.from_proj4(f'+proj=eqc +lat_ts=0 +units=m {SPHERE}'), 45.0, 23.0, 5.0),
    'degrees': (LONLAT, -26.0, 3.5, 5.0 / MOON_RADIUS_M * 180.0 / np.pi),
}


def ground(lat: np.ndarray, lon: np.ndarray, lat0: float, lon0: float) -> np.ndarray:
    """Return heights [m] that rise 1 in 10 to the east and 1 in 5 to the north of a point at 1000 m."""
    north = np.radians(lat - lat0) * MOON_RADIUS_M
    east = np.radians((lon - lon0 + 180.0) % 360.0 - 180.0) * MOON_RADIUS_M * np.cos(np.radians(lat0))
    return 1000.0 + 0.1 * east + 0.2 * north


def write_map(path: Path, name: str, shape: tuple[int, int] = (61, 71), **changes: object) -> Path:
    crs, lat0, lon0, s = MAPS[name]
    (x0,), (y0,) = warp(LONLAT, crs, [lon0], [lat0])
    rows, cols = shape
    x = x0 + (np.arange(cols) - cols // 2) * s
    y = y0 - (np.arange(rows) - rows // 2) * s
    grid = np.broadcast_arrays(x[None, :], y[:, None])
    lon, lat = (np.array(v).reshape(shape) for v in warp(crs, LONLAT, grid[0].ravel(), grid[1].ravel()))
    z = ground(lat, lon, lat0, lon0)
    profile = {
        'driver': 'GTiff',
        'count': 1,
        'dtype': 'float64',
        'height': rows,
        'width': cols,
        'crs': crs,
        'transform': from_origin(x[0] - s / 2, y[0] + s / 2, s, s),
    }
    unit = changes.pop('unit', None)
    profile.update(changes)
    with rasterio.open(path, 'w', **profile) as file:
        for band in range(profile['count']):
            file.write(z.astype(profile['dtype']), band + 1)
        if unit:
            file.set_band_unit(1, unit)
    return path


def write_pds3(folder: Path, z: np.ndarray, *, attached: bool, kind: str, **changes: str) -> Path:
    """Write a polar image of 5 m posts around the map position (20 km, 30 km), with an attached or detached label."""
    types = {'LSB_INTEGER': '<i2', 'MSB_INTEGER': '>i2', 'PC_REAL': '<f4', 'IEEE_REAL': '>f4'}
    rows, cols = z.shape
    items = {
        'SAMPLE_TYPE': kind,
        'SAMPLE_BITS': str(8 * np.dtype(types[kind]).itemsize),
        'UNIT': 'METER',
        'SCALING_FACTOR': '0.5',
        'OFFSET': '1737400. <METER>',
        'LINES': str(rows),
        'LINE_SAMPLES': str(cols),
        'MAP_SCALE': '5.0 <M/PIXEL>',
        'MAP_PROJECTION_TYPE': '"POLAR STEREOGRAPHIC"',
        'TARGET_NAME': 'MOON',
        'POINTER': '"SITE.IMG"',
        'A_AXIS_RADIUS': '1737.4 <KM>',
        'SAMPLE_PROJECTION_OFFSET': repr(-20000.0 / 5.0),
        'LINE_PROJECTION_OFFSET': repr(30000.0 / 5.0),
        **changes,
    }
    scale, offset = (float(items[key].split()[0]) for key in ('SCALING_FACTOR', 'OFFSET'))
    per_unit = 1000.0 if items['UNIT'] == 'KILOMETER' else 1.0
    radius = MOON_RADIUS_M if offset * per_unit > 1e6 else 0.0
    data = ((z + radius) / per_unit - offset) / scale
    data = (np.round(data) if types[kind][1] == 'i' else data).astype(types[kind])
    record = 512
    if attached:
        items['POINTER'] = '9'
    text = f"""PDS_VERSION_ID            = PDS3
/* a comment = with an equals sign */
RECORD_TYPE = FIXED_LENGTH
RECORD_BYTES = {record}
^IMAGE = {items['POINTER']}
TARGET_NAME = {items['TARGET_NAME']}
DESCRIPTION = "A text of
   LINES = 3 that are none of the image's."
OBJECT = IMAGE
  LINES = {items['LINES']}
  LINE_SAMPLES = {items['LINE_SAMPLES']}
  SAMPLE_TYPE = {items['SAMPLE_TYPE']}
  SAMPLE_BITS = {items['SAMPLE_BITS']}
  UNIT = {items['UNIT']}
  SCALING_FACTOR = {items['SCALING_FACTOR']}
  OFFSET = {items['OFFSET']}
  MISSING_CONSTANT = -32768
END_OBJECT = IMAGE
OBJECT = IMAGE_MAP_PROJECTION
  MAP_PROJECTION_TYPE = {items['MAP_PROJECTION_TYPE']}
  A_AXIS_RADIUS = {items['A_AXIS_RADIUS']}
  CENTER_LATITUDE = -90.0 <DEG>
  CENTER_LONGITUDE = 0.0 <DEG>
  MAP_SCALE = {items['MAP_SCALE']}
  LINE_PROJECTION_OFFSET = {items['LINE_PROJECTION_OFFSET']} <PIXEL>
  SAMPLE_PROJECTION_OFFSET = {items['SAMPLE_PROJECTION_OFFSET']} <PIXEL>
END_OBJECT = IMAGE_MAP_PROJECTION
END
""".replace('\n', '\r\n').encode()
    folder.mkdir(exist_ok=True)
    if attached:
        assert len(text) <= 8 * record
        (folder / 'SITE.IMG').write_bytes(text.ljust(8 * record) + data.tobytes())
        return folder / 'SITE.IMG'
    (folder / 'SITE.IMG').write_bytes(data.tobytes())
    (folder / 'SITE.LBL').write_bytes(text)
    return folder / 'SITE.LBL'


@pytest.mark.parametrize('name', MAPS)
def test_map_projections_give_meters_east_and_north(tmp_path: Path, name: str) -> None:
    _, lat0, lon0, _ = MAPS[name]
    field = RasterField.from_file(write_map(tmp_path / 'a.tif', name), center=(lat0, lon0))
    x, y = np.random.default_rng(0).uniform(-90.0, 90.0, (2, 200))
    # The true east and north of the test deviate from the frame by d^2 tan(lat) / R, 5 cm here. Slopes of 0.2 turn this
    # into a centimeter.
    assert field.heights(x, y) == pytest.approx(0.1 * x + 0.2 * y, abs=0.02)
    assert field.datum == pytest.approx(1000.0, abs=1e-6)
    west, east, south, north = field.extent
    assert west < -90.0 and east > 90.0 and south < -90.0 and north > 90.0
    # Along the map axes, meters are also meters on the ground.
    along = local_frame(open_elevation_model(tmp_path / 'a.tif'), (lat0, lon0), 'grid')
    true = local_frame(open_elevation_model(tmp_path / 'a.tif'), (lat0, lon0))
    a, b, c, d = along.jacobian
    assert abs(b) < 1e-6 * abs(a) and abs(c) < 1e-6 * abs(d) and a > 0 and d > 0
    expected = {'south': -60.0, 'north': -100.0}.get(name, 0.0)
    assert true.grid_north_deg == pytest.approx(expected, abs=1e-4) and along.grid_north_deg == 0.0


def test_local_frame_at_the_pole_has_the_map_axes(tmp_path: Path) -> None:
    path = tmp_path / 'pole.tif'
    with rasterio.open(
        path,
        'w',
        driver='GTiff',
        count=1,
        dtype='float32',
        height=5,
        width=5,
        crs=MAPS['south'][0],
        transform=from_origin(-10.0, 10.0, 4.0, 4.0),
    ) as file:
        file.write(np.zeros((5, 5), np.float32), 1)
    frame = local_frame(open_elevation_model(path), (-90.0, 12.0))
    assert frame.jacobian == pytest.approx((1.0, 0.0, 0.0, 1.0), abs=1e-5)


def test_local_frame_misfit_matches_the_map_scale(tmp_path: Path) -> None:
    grid = open_elevation_model(write_map(tmp_path / 'a.tif', 'south'))
    frame = local_frame(grid, (-84.0, 60.0))
    near, far = frame.misfit_m(grid, 500.0), frame.misfit_m(grid, 5000.0)
    assert far / near == pytest.approx(100.0, rel=0.05)  # grows with the square of the distance
    # The stereographic scale 2 / (1 + sin lat) changes by tan((90 - lat) / 2) / R per meter.
    assert near == pytest.approx(0.5 * 500.0**2 * np.tan(np.radians(3.0)) / MOON_RADIUS_M, rel=0.2)
    assert LocalFrame(0.0, 0.0, (1.0, 0.0, 0.0, 1.0), None, None, 0.0).misfit_m(grid, 1e4) == 0.0


@pytest.mark.parametrize('attached', [True, False])
@pytest.mark.parametrize('kind', ['LSB_INTEGER', 'MSB_INTEGER', 'PC_REAL', 'IEEE_REAL'])
def test_pds3_image_has_correct_posts(tmp_path: Path, kind: str, attached: bool) -> None:
    z = np.round(np.random.default_rng(3).normal(0.0, 300.0, (40, 50)))
    changes = {} if kind.endswith('INTEGER') else {'SCALING_FACTOR': '1.0', 'OFFSET': '0.0', 'UNIT': 'KILOMETER'}
    grid = open_elevation_model(write_pds3(tmp_path / 'a', z, attached=attached, kind=kind, **changes))
    assert (grid.rows, grid.cols) == z.shape
    assert grid.read(0, 40, 0, 50) == pytest.approx(z, abs=1e-4)
    assert grid.map_xy(0, 0) == pytest.approx((20000.0, 30000.0)) and grid.map_xy(2, 3) == pytest.approx((20015, 29990))
    if not attached and kind == 'LSB_INTEGER':
        # The image alone is enough to find its label; GDAL, which is independent of this code, reads the same numbers.
        assert np.array_equal(
            open_elevation_model(tmp_path / 'a' / 'SITE.IMG').read(0, 40, 0, 50), grid.read(0, 40, 0, 50)
        )
        with rasterio.open(tmp_path / 'a' / 'SITE.LBL') as other:
            assert other.read(1) * 0.5 == pytest.approx(z)
            assert other.xy(0, 0) == pytest.approx(grid.map_xy(0, 0))


@pytest.mark.parametrize(
    'changes',
    [
        {'OFFSET': '1736900. <METER>'},  # a radius other than the axis, as in LOLA files
        {'SCALING_FACTOR': '0.25', 'OFFSET': '-320.5'},
        {'SCALING_FACTOR': '2.0', 'OFFSET': '64.0'},
        {'SCALING_FACTOR': '0.0005', 'OFFSET': '1737.1', 'UNIT': 'KILOMETER'},
    ],
)
def test_pds3_heights_are_scaled_before_the_offset_is_added(tmp_path: Path, changes: dict) -> None:
    """PDS Standards 3.8: true value = stored value x SCALING_FACTOR + OFFSET, in UNIT; radii become heights."""
    z = 2.0 * np.round(np.random.default_rng(3).normal(0.0, 300.0, (7, 9))) + (
        0.0 if '-320.5' not in changes.values() else -0.5
    )
    grid = open_elevation_model(write_pds3(tmp_path / 'a', z, attached=False, kind='LSB_INTEGER', **changes))
    assert grid.read(0, 7, 0, 9) == pytest.approx(z, abs=1e-6)
    assert grid.read(2, 5, 3, 4) == pytest.approx(z[2:5, 3:4], abs=1e-6)


def test_pds3_posts_without_a_height_are_nan(tmp_path: Path) -> None:
    z = np.arange(12.0).reshape(3, 4)
    path = write_pds3(tmp_path / 'a', z, attached=False, kind='LSB_INTEGER', OFFSET='0.0')
    image = path.with_suffix('.IMG')
    data = np.frombuffer(image.read_bytes(), '<i2').copy()
    data[5] = -32768
    image.write_bytes(data.tobytes())
    read = open_elevation_model(path).read(0, 3, 0, 4)
    assert np.isnan(read[1, 1]) and np.isnan(read).sum() == 1 and read[2, 3] == 11.0


def test_parse_label_gives_items_of_a_pds3_label() -> None:
    label = parse_label(
        'A = 3 <M>\nB = "x = 1\n  y"\nC = (1, 2.5 <KM>)\nOBJECT = D\n E = -1E3\nEND_OBJECT\nEND\nF = 1\n'
    )
    assert label == {
        'A': Quantity(3.0, 'M'),
        'B': 'x = 1 y',
        'C': [Quantity(1.0), Quantity(2.5, 'KM')],
        'D': {'E': Quantity(-1000.0)},
    }


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({'UNIT': 'FEET'}, r'IMAGE\.UNIT.*FEET.*allowed: METER'),
        ({'MAP_SCALE': '5.0 <MILE/PIXEL>'}, 'MAP_SCALE.*MILE'),
        ({'MAP_PROJECTION_TYPE': 'SINUSOIDAL'}, 'MAP_PROJECTION_TYPE.*SINUSOIDAL.*allowed: POLAR'),
        ({'TARGET_NAME': 'MARS'}, 'TARGET_NAME.*MARS.*allowed: MOON'),
        ({'LINES': '400'}, 'bytes where the label states .*is truncated'),
        ({'LINES': '"many"'}, r'IMAGE\.LINES.*not a number'),
        ({'SAMPLE_TYPE': 'VAX_REAL'}, r'IMAGE\.SAMPLE_TYPE.*allowed'),
        ({'POINTER': '"OTHER.IMG"'}, 'no such file OTHER.IMG'),
        ({'A_AXIS_RADIUS': '3396.19 <KM>'}, 'another body .radius 3396.2 km'),
    ],
)
def test_pds3_invalid_label_gives_an_error_with_the_reason(tmp_path: Path, changes: dict, words: str) -> None:
    kind = changes.pop('SAMPLE_TYPE', 'LSB_INTEGER')
    path = write_pds3(tmp_path, np.zeros((20, 30)), attached=False, kind='LSB_INTEGER', **changes)
    path.write_bytes(path.read_bytes().replace(b'SAMPLE_TYPE = LSB_INTEGER', f'SAMPLE_TYPE = {kind}'.encode()))
    with pytest.raises(ValueError, match=words) as caught:
        import_elevation_model(ImportRequest(path), tmp_path / 'out')
    assert 'SITE' in str(caught.value) and not (tmp_path / 'out').exists()


EARTH = CRS.from_epsg(32633)


def test_map_of_the_earth_gives_true_meters(tmp_path: Path) -> None:
    """Points of a UTM map, given by latitude and longitude, match the curvature radii of the ellipsoid.

    At the edge of the zone, grid north is 2.1 degrees off true north, and map meters are 0.04 % off.
    """
    lat0, lon0, s = 45.0, 18.0, 2.0
    degrees = CRS.from_epsg(4326)
    (x0,), (y0,) = warp(degrees, EARTH, [lon0], [lat0])
    x, y = x0 + (np.arange(101) - 50) * s, y0 - (np.arange(101) - 50) * s
    grid = np.broadcast_arrays(x[None, :], y[:, None])
    lon, lat = (np.array(v).reshape(101, 101) for v in warp(EARTH, degrees, grid[0].ravel(), grid[1].ravel()))
    # WGS 84 at 45 degrees, by hand: M = 6367381.8 m, N = 6388838.3 m.
    north = np.radians(lat - lat0) * 6367381.8
    east = np.radians(lon - lon0) * 6388838.3 * np.cos(np.radians(lat0))
    profile = {
        'driver': 'GTiff',
        'count': 1,
        'dtype': 'float64',
        'height': 101,
        'width': 101,
        'crs': EARTH,
        'transform': from_origin(x[0] - s / 2, y[0] + s / 2, s, s),
    }
    with rasterio.open(tmp_path / 'earth.tif', 'w', **profile) as file:
        file.write(300.0 + 0.1 * east + 0.2 * north, 1)
    for center in ((lat0, lon0), (x0, y0)):
        field = RasterField.from_file(tmp_path / 'earth.tif', center=center)
        at = np.random.default_rng(0).uniform(-60.0, 60.0, (2, 100))
        # Meridians deviate from the frame by d^2 tan(lat) / R, 1.4 mm at 95 m; a slope of 0.2 turns this into 0.3 mm.
        assert field.heights(*at) == pytest.approx(0.1 * at[0] + 0.2 * at[1], abs=1e-3)
    frame = local_frame(open_elevation_model(tmp_path / 'earth.tif'), (lat0, lon0))
    assert frame.grid_north_deg == pytest.approx(2.12, abs=0.02)  # (18 - 15) sin 45, to the east
    assert (frame.latitude_deg, frame.longitude_deg) == pytest.approx((lat0, lon0), abs=1e-9)
    about = import_elevation_model(ImportRequest(tmp_path / 'earth.tif', (lat0, lon0), 80.0), tmp_path / 'out')
    assert about['body'] == 'earth' and about['height_at_center_m'] == pytest.approx(300.0, abs=1e-6)
    again = RasterField.from_file(tmp_path / 'out' / 'heights.tif')
    assert again.heights(20.0, -10.0) == pytest.approx(0.0, abs=1e-3) and again.holds(40.0, 40.0)


@pytest.mark.parametrize(
    ('changes', 'request_changes', 'words'),
    [
        (
            {'crs': CRS.from_proj4('+proj=stere +lat_0=-90 +R=1737400 +units=us-ft')},
            {},
            'US survey foot; allowed: meters',
        ),
        ({'crs': CRS.from_proj4('+proj=stere +lat_0=-90 +R=1737400 +units=km')}, {}, 'kilometre; allowed: meters'),
        ({'unit': 'ft'}, {}, "heights are in 'ft'; allowed: meters"),
        ({'nodata': 'first'}, {}, '1 post without a height .first at row 0, column 0'),
        ({'count': 3}, {}, '3 bands; allowed: one'),
        ({'transform': from_origin(0.0, 0.0, 5.0, 7.0)}, {}, 'not square'),
        ({'dtype': 'complex64'}, {}, 'complex64; allowed: real numbers'),
        ({}, {'center': (-30.0, 60.0)}, 'is outside the map; as latitude, longitude it is map x'),
        ({}, {'center': (-84.0, 60.0), 'size_m': 2000.0}, 'out of the map; allowed: x'),
        ({}, {'center': (-84.0, 60.0), 'size_m': 100.0, 'upsample_m': 9.0}, 'upsample 9.0 m; allowed: 0.01 m to 5'),
    ],
)
def test_import_invalid_raster_gives_an_error_with_the_reason(
    tmp_path: Path, changes: dict, request_changes: dict, words: str
) -> None:
    if changes.get('nodata') == 'first':
        with rasterio.open(write_map(tmp_path / 'a.tif', 'south')) as file:
            changes = {'nodata': float(file.read(1)[0, 0])}
    path = write_map(tmp_path / 'site.tif', 'south', **changes)
    with pytest.raises(ValueError, match=words) as caught:
        import_elevation_model(ImportRequest(path, **request_changes), tmp_path / 'out')
    text = str(caught.value)
    assert 'site.tif' in text or 'upsample' in text
    assert not (tmp_path / 'out').exists() and not list(tmp_path.glob('.out*'))


def test_import_other_invalid_file_gives_an_error_with_the_reason(tmp_path: Path) -> None:
    cut = write_map(tmp_path / 'cut.tif', 'south', (300, 300))
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    array = tmp_path / 'a.npy'
    np.save(array, np.zeros((4, 4, 4)))
    (tmp_path / 'bare.img').write_bytes(b'\0' * 100)
    flat = tmp_path / 'flat.npy'
    np.save(flat, np.zeros((4, 4)))
    for path, words in (
        (cut, 'cut.tif: (its heights cannot be read|not a raster)'),
        (array, r'shape \(4, 4, 4\)'),
        (tmp_path / 'bare.img', 'no PDS3 label'),
        (flat, 'allowed: post_spacing_m'),
        (tmp_path / 'none.tif', 'no such file'),
    ):
        with pytest.raises(ValueError, match=words):
            import_elevation_model(ImportRequest(path), tmp_path / 'out')
    full = tmp_path / 'full'
    full.mkdir()
    (full / 'mine.txt').write_text('keep')
    with pytest.raises(ValueError, match='not empty'):
        import_elevation_model(ImportRequest(flat, post_spacing_m=1.0), full)
    assert [p.name for p in full.iterdir()] == ['mine.txt']


def test_numpy_model_rows_run_from_north_to_south(tmp_path: Path) -> None:
    np.save(tmp_path / 'a.npy', np.add.outer(-2.0 * np.arange(7.0), np.arange(9.0)).astype(np.float32))
    import_elevation_model(ImportRequest(tmp_path / 'a.npy', post_spacing_m=2.0), tmp_path / 'out')
    field = build_height_field(TerrainConfig.model_validate({'source': str(tmp_path / 'out' / 'heights.tif')}), 0)
    assert float(field.heights(2.0, 2.0)) == pytest.approx(0.5 * 2.0 + 1.0 * 2.0)


def test_imported_model_equals_the_original(tmp_path: Path) -> None:
    path = write_map(tmp_path / 'a.tif', 'south')
    about = import_elevation_model(ImportRequest(path, (-84.0, 60.0), 150.0), tmp_path / 'out')
    assert about == json.loads((tmp_path / 'out' / 'metadata.json').read_text())
    assert about['grid_north_deg'] == pytest.approx(-60.0, abs=1e-4) and about['size_m'] == 150.0
    assert sorted(p.name for p in (tmp_path / 'out').iterdir()) == ['heights.tif', 'hillshade.png', 'metadata.json']
    direct = RasterField.from_file(path, center=(-84.0, 60.0))
    again = RasterField.from_file(tmp_path / 'out' / 'heights.tif')
    x, y = np.random.default_rng(1).uniform(-75.0, 75.0, (2, 300))
    assert again.heights(x, y) == pytest.approx(direct.heights(x, y), abs=1e-6)
    assert again.posts.size < direct.posts.size


@pytest.mark.seconds
@pytest.mark.parametrize('north', ['true', pytest.param('grid', marks=pytest.mark.slow)])
def test_upsampling_keeps_posts_and_adds_detail(tmp_path: Path, north: str) -> None:
    path = write_map(tmp_path / 'a.tif', 'south')
    request = ImportRequest(path, (-84.0, 60.0), 24.0, north=north, upsample_m=0.1, preset='polar', seed=4)
    import_elevation_model(request, tmp_path / 'out')
    rough = RasterField.from_file(tmp_path / 'out' / 'heights.tif')
    smooth = RasterField.from_file(path, center=(-84.0, 60.0), north=north)
    x, y = smooth.post_places()
    near = np.maximum(np.abs(x), np.abs(y)) < 12.0
    assert near.sum() > 15
    # Absolute heights at the posts, as in the file.
    assert rough.heights(x[near], y[near]) + rough.datum == pytest.approx(smooth.posts[near], abs=1e-4)
    xs, ys = np.random.default_rng(2).uniform(-11.0, 11.0, (2, 2000))
    between = rough.heights(xs, ys) + rough.datum - smooth.heights(xs, ys) - smooth.datum
    assert 0.01 < between.std() < 0.5
    # The scenario section gives the same detail, computed on demand.
    section = {'source': str(path), 'center': [-84.0, 60.0], 'north': north, 'detail': {'preset': 'polar'}, 'seed': 4}
    lazy = build_height_field(TerrainConfig.model_validate(section), 0)
    assert isinstance(lazy, RasterField) and lazy.detail is not None
    assert lazy.heights(x[near], y[near]) + lazy.datum == pytest.approx(smooth.posts[near], abs=1e-9)
    block = lazy.nodes(-30, 40, 100, 150, 0.05)
    at_x, at_y = np.arange(-30, 40) * 0.05, np.arange(100, 150) * 0.05
    assert lazy.heights(at_x[:, None], at_y[None, :]).tobytes() == block.tobytes()
    fresh = build_height_field(TerrainConfig.model_validate(section), 0)
    assert fresh.nodes(0, 10, 120, 130, 0.05).tobytes() == block[30:40, 20:30].tobytes()
    assert fresh.fingerprint() == lazy.fingerprint() != smooth.fingerprint()
    # The coarse heights have no detail.
    assert lazy.coarse_nodes(0, 5, 0, 5, 5.0) + lazy.datum == pytest.approx(
        smooth.nodes(0, 5, 0, 5, 5.0) + smooth.datum, abs=1e-9
    )


@pytest.mark.parametrize('hurst', [0.6, 0.9])
def test_roughness_recovers_deviation_and_hurst_exponent(hurst: float) -> None:
    preset = load_preset('mare')
    relief = Relief(outer_scale_m=2000.0, inner_scale_m=2.0, hurst=hurst, rms_deviation_m=0.4, lag_m=5.0)
    no_craters = preset.craters.model_copy(update={'equilibrium_density': 0.0})
    flat = preset.texture.model_copy(update={'rms_deviation_m': 0.0})
    kept = {'relief': relief, 'texture': flat, 'craters': no_craters}
    posts = LunarField(6, preset.model_copy(update=kept)).nodes(0, 300, 0, 300, 5.0)
    tilted = posts + np.add.outer(0.3 * 5.0 * np.arange(300), np.zeros(300))
    for z in (posts, tilted):
        deviation, found = roughness(z, 5.0)
        # Gradient noise is a sum of octaves with a ripple of a tenth.
        assert found == pytest.approx(hurst, abs=0.1) and deviation == pytest.approx(0.4, rel=0.3)
    assert roughness(np.add.outer(3.0 * np.arange(50.0), -2.0 * np.arange(50.0)), 1.0) == (0.0, 0.95)
    with pytest.raises(ValueError, match='at least 9 x 9'):
        roughness(np.zeros((8, 99)), 1.0)


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('name', 'center', 'post_spacing'),
    [
        ('lunar_sp_ldem6_1m_1000x1000.tif', (-83.892, 59.174), 1.0028),
        ('apollo16_nac_dtm_8m_1024x1024.tif', (3000.0, 4000.0), 8.0),
    ],
)
def test_real_models_import_and_upsample(
    tmp_path: Path, name: str, center: tuple[float, float], post_spacing: float
) -> None:
    path = SHARED / 'dem' / name
    if not path.is_file():
        pytest.skip(f'{path} is not here; set REGOLITH_SHARED to the folder that holds dem/')
    about = import_elevation_model(ImportRequest(path, center, 10.0, upsample_m=0.1), tmp_path / 'out')
    assert about['misfit_m'] < 1e-4 and about['post_spacing_m'][0] <= 0.1
    field = RasterField.from_file(tmp_path / 'out' / 'heights.tif')
    source = RasterField.from_file(path, center=center)
    # Map meters are 2 / (1 + sin lat) times those on the ground.
    x, y = source.post_places()
    assert np.hypot(x[1, 0] - x[0, 0], y[1, 0] - y[0, 0]) == pytest.approx(
        post_spacing if source.spacing == 8.0 else 2.0 - post_spacing, abs=1e-4
    )
    near = np.maximum(np.abs(x), np.abs(y)) < 5.0
    assert field.heights(x[near], y[near]) + field.datum == pytest.approx(source.posts[near], abs=1e-4)


def test_roughness_covers_both_directions() -> None:
    """Terrain that is three times as rough along x as along y keeps its roughness when rotated by 90 degrees."""
    rng = np.random.default_rng(1)
    x, y = (np.cumsum(rng.standard_normal(80)) for _ in 'xy')
    posts = 3.0 * x[:, None] + y[None, :]
    assert roughness(posts, 1.0) == roughness(np.ascontiguousarray(posts.T), 1.0)


@pytest.mark.parametrize(('first_deg', 'given_deg'), [(200.0, -159.9), (-160.0, 200.1), (10.0, 10.1), (10.0, -349.9)])
def test_map_center_is_found_for_any_longitude_convention(tmp_path: Path, first_deg: float, given_deg: float) -> None:
    """Maps in degrees may count from 0 to 360 or from -180 to 180, and so may the center of a scenario."""
    profile = {'driver': 'GTiff', 'count': 1, 'dtype': 'float64', 'height': 21, 'width': 21, 'crs': LONLAT}
    with rasterio.open(tmp_path / 'a.tif', 'w', **profile, transform=from_origin(first_deg, 5.0, 0.01, 0.01)) as file:
        file.write(np.zeros((21, 21)), 1)
    grid = open_elevation_model(tmp_path / 'a.tif')
    x, y = locate(grid, (4.9, given_deg))
    assert (x, y) == pytest.approx((first_deg + 0.1, 4.9), abs=1e-9)
