# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``regolith terrain make`` and ``import`` as a person calls them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import rasterio

from regolith_bringup.cli import main
from regolith_terrain.config import TerrainConfig
from regolith_terrain.elevation.raster import RasterField
from regolith_terrain.height_field_builder import build_height_field, build_rocks

PRESET = {'preset': 'polar', 'seed': 5}


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(a) for a in arguments])
    return int(left.value.code or 0)


def make(out: Path, *more: object) -> int:
    return call('terrain', 'make', '--preset', 'polar', '--seed', 5, '--out', out, *more)


def test_made_files_are_the_scenarios_ground(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / 'site'
    assert make(out, '--size', 40, '--spacing', 0.25, '--center', '-100.0,60', '--json') == 0
    about = json.loads(capsys.readouterr().out)
    assert about == {'folder': str(out), **json.loads((out / 'metadata.json').read_text())}
    field = build_height_field(TerrainConfig.model_validate(PRESET), 0)
    assert about['fingerprint'] == field.fingerprint() and about['posts'] == 161
    with rasterio.open(out / 'heights.tif') as file:
        assert file.dtypes == ('float32',) and file.units == ('m',) and file.shape == (161, 161)
        assert file.xy(160, 0) == pytest.approx((-120.0, 40.0))
        z = file.read(1)[::-1].T
    assert z == pytest.approx(field.coarse_nodes(-480, -319, 160, 321, 0.25), abs=1e-5)
    with (out / 'rocks.csv').open() as text:
        rows = list(csv.reader(text))
    assert rows[0] == ['x [m]', 'y [m]', 'z [m]', 'diameter [m]', 'height [m]', 'aspect', 'yaw [rad]', 'shape']
    rocks = build_rocks(TerrainConfig.model_validate(PRESET), 0)
    assert rocks is not None
    expected = rocks.rocks_in(-120.0, -80.0, 40.0, 80.0)
    assert len(rows) - 1 == len(expected) == about['rocks'] > 20
    listed = np.array(sorted(rows[1:]), dtype=float)
    assert np.sort(listed[:, 3]) == pytest.approx(np.sort(expected.diameter), abs=1e-4)
    # What was written can be driven on.
    again = RasterField.from_file(out / 'heights.tif', center=(-100.0, 60.0))
    spots = np.random.default_rng(0).integers(-70, 70, (2, 50)) * 0.25
    at_center = field.coarse_nodes(-400, -399, 240, 241, 0.25)[0, 0]
    assert again.heights(*spots) == pytest.approx(
        [
            field.coarse_nodes(i - 400, i - 399, j + 240, j + 241, 0.25)[0, 0] - at_center
            for i, j in (spots * 4).astype(int).T
        ],
        abs=1e-5,
    )


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['make', '--preset', 'poler'], 'allowed: crater_rim, highland, lac, mare, polar (did you mean polar?)'),
        (['make'], 'needs a scenario or --preset; allowed: one of the two'),
        (['make', 'two_rovers', '--preset', 'mare'], 'needs a scenario or --preset; allowed: one of the two'),
        (['make', '--preset', 'mare', '--size', '90000', '--spacing', '0.1'], 'allowed: 3 x 3 to 1e+09'),
        (['make', '--preset', 'mare', '--center', '7'], "--center = '7': is not two numbers"),
        (['import', 'nothing.tif'], 'nothing.tif: no such file'),
        (['illumination', 'nothing.tif', '--from', '2026-11-21'], 'nothing.tif: no such file'),
        (['illumination', 'nothing.tif', '--from', 'noon'], "--from = 'noon': is no time; allowed: ISO 8601"),
        (['import', 'nothing.tif', '--north', 'up'], 'allowed: true, grid'),
        (['import', 'nothing.tif', '--preset', 'sea'], 'allowed: crater_rim, highland, lac, mare, polar'),
    ],
)
def test_wrong_arguments_say_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert call('terrain', *arguments, '--out', tmp_path / 'out') == 2
    said = capsys.readouterr()
    assert words in said.err and said.out == '' and list(tmp_path.iterdir()) == []


def test_a_folder_in_use_stays_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'notes.txt').write_text('mine')
    assert make(tmp_path, '--size', 10) == 2
    assert 'not empty' in capsys.readouterr().err and [p.name for p in tmp_path.iterdir()] == ['notes.txt']


def test_import_of_an_array(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / 'hill.npy', np.add.outer(-0.5 * np.arange(40.0), np.zeros(40)))
    given = ('terrain', 'import', tmp_path / 'hill.npy', '--post-spacing', 5, '--center', '100,100', '--size', 20)
    assert call(*given, '--upsample', 0.5, '--json', '--out', tmp_path / 'out') == 0
    about = json.loads(capsys.readouterr().out)
    assert about['posts_between'] == 9 and about['post_spacing_m'] == pytest.approx([0.5, 0.5])
    field = RasterField.from_file(tmp_path / 'out' / 'heights.tif')
    # Rows run south: 0.1 up per m north, at the posts 2.5 m beside the center and every 5 m on.
    posts = np.array([-7.5, -2.5, 2.5, 7.5])
    assert field.heights(2.5, posts) + field.datum == pytest.approx(-0.5 * 39 + 0.1 * (100.0 - 2.5 + posts), abs=1e-9)


def test_info_describes_elevation_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heights = np.round(500.0 + 20.0 * np.sin(np.mgrid[0:40, 0:50][1] / 6.0)).astype(np.uint16)
    for driver, name in (('GTiff', 'a.tif'), ('PNG', 'a.png')):
        with rasterio.open(tmp_path / name, 'w', driver=driver, count=1, dtype='uint16', height=40, width=50) as file:
            file.write(heights, 1)
    np.save(tmp_path / 'a.npy', heights)
    for name, more in (('a.tif', ()), ('a.npy', ()), ('a.png', ('--height-scale', 1.0))):
        assert call('terrain', 'info', tmp_path / name, '--post-spacing', 4.0, *more) == 0
        about = json.loads(capsys.readouterr().out)
        assert (about['rows'], about['columns'], about['post_spacing_m']) == (40, 50, 4.0)
        assert (about['width_m'], about['height_m']) == (196.0, 156.0)
        assert (about['lowest_m'], about['highest_m']) == (480.0, 520.0)
        assert about['problems'] == [] and about['body'] is None and 0.0 < about['median_slope_deg'] < 45.0
    # What cannot be terrain is described, too, with the reason.
    heights[:, 0] = 65535
    np.save(tmp_path / 'a.npy', heights)
    assert call('terrain', 'info', tmp_path / 'a.npy', '--post-spacing', 4.0) == 0
    (problem,) = json.loads(capsys.readouterr().out)['problems']
    assert 'mark for posts without a height' in problem
    assert call('terrain', 'info', tmp_path / 'a.npy', '--post-spacing', 4.0, '--nodata', 65535) == 0
    about = json.loads(capsys.readouterr().out)
    assert about['posts_without_height'] == 40 and about['highest_m'] == 520.0
    for arguments in (('a.png', '--post-spacing', 4.0), ('a.npy',), ('a.tif', '--set', 'terrain.seed=1')):
        assert call('terrain', 'info', tmp_path / arguments[0], *arguments[1:]) == 2
    assert call('terrain', 'info', 'two_rovers', '--nodata', 3) == 2


POLAR = '+proj=stere +lat_0=-90 +lon_0=0 +R=1737400 +units=m +no_defs'


def write_model(path: Path, heights: np.ndarray, spacing: float, crs: str = POLAR) -> Path:
    """Write heights, rows from north to south, around the origin of a map."""
    half = 0.5 * spacing * len(heights)
    place = rasterio.transform.from_origin(-half, half, spacing, spacing)
    shape = {'height': heights.shape[0], 'width': heights.shape[1], 'count': 1, 'dtype': 'float64'}
    with rasterio.open(
        path, 'w', driver='GTiff', transform=place, crs=rasterio.crs.CRS.from_string(crs), **shape
    ) as file:
        file.write(heights, 1)
    return path


def layer(folder: Path, name: str) -> np.ndarray:
    with rasterio.open(folder / f'{name}.tif') as file:
        return np.asarray(file.read(1))


def test_illumination_of_a_bowl_at_the_pole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a bowl of depth 0.1 widths at the pole the sun never reaches 0.838 of the radius."""
    x = (np.arange(81) - 40) * 1.0
    radius = np.hypot(x[:, None], x[None])
    site = write_model(tmp_path / 'bowl.tif', 6.4 * np.minimum(0.0, (radius / 32.0) ** 2 - 1.0), 1.0)
    period = ('--from', '2026-11-21T12:00Z', '--days', 30, '--step', 12, '--azimuths', 72)
    assert call('terrain', 'illumination', site, *period, '--json', '--out', tmp_path / 'out') == 0
    about = json.loads(capsys.readouterr().out)
    assert about['latitude_deg'] == pytest.approx(-90.0, abs=1e-3) and about['size_m'] == pytest.approx(80.0, abs=1e-3)
    dark, lit = layer(tmp_path / 'out', 'permanent_shadow') > 0, layer(tmp_path / 'out', 'sunlit_share')
    assert dark.shape == lit.shape == (81, 81)
    # Half a post, and 0.1 degrees of the horizon.
    assert radius[dark].max() / 32.0 == pytest.approx(0.838, abs=0.03)
    assert (lit[dark] == 0.0).all() and lit[radius > 33.0].max() > 0.9
    assert about['permanent_shadow_share'] == pytest.approx(dark.mean())
    assert (tmp_path / 'out' / 'illumination.png').stat().st_size > 10_000

    # A ring of mountains 3 km away and 300 m high, 5.7 degrees, takes all the light of the site.
    y = (np.arange(201) - 100) * 50.0
    away = np.hypot(y[:, None], y[None])
    ring = write_model(tmp_path / 'ring.tif', 300.0 * np.exp(-(((away - 3000.0) / 500.0) ** 2)), 50.0)
    more = ('--farther', ring, '--every', 8, '--json', '--out', tmp_path / 'ringed')
    assert call('terrain', 'illumination', site, *period, *more) == 0
    about = json.loads(capsys.readouterr().out)
    assert about['permanent_shadow_share'] == 1.0 and about['sunlit_share_highest'] == 0.0
    assert layer(tmp_path / 'ringed', 'sunlit_share').shape == (11, 11)

    # One 100 km away and 2.5 km high, 1.4 degrees on a plane, is below the horizon: the surface drops by 2.9 km.
    y = (np.arange(121) - 60) * 2000.0
    away = np.hypot(y[:, None], y[None])
    ring = write_model(tmp_path / 'far.tif', 2500.0 * np.exp(-(((away - 1e5) / 4000.0) ** 2)), 2000.0)
    more = ('--farther', ring, '--every', 8, '--json', '--out', tmp_path / 'hidden')
    assert call('terrain', 'illumination', site, *period, *more) == 0
    assert layer(tmp_path / 'hidden', 'sunlit_share').max() > 0.9


def test_illumination_refuses_models_that_are_not_of_the_site(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heights = 0.1 * np.arange(49.0).reshape(7, 7)
    moon = write_model(tmp_path / 'moon.tif', heights, 10.0)
    earth = write_model(tmp_path / 'earth.tif', heights, 10.0, 'EPSG:32633')
    wide = write_model(tmp_path / 'wide.tif', heights, 40.0)
    start = ('--from', '2026-11-21T12:00Z', '--days', 1)
    for arguments, words in (
        ((earth,), 'earth.tif: is not on the Moon (earth); allowed: a model with a lunar reference system'),
        ((moon, '--farther', earth), 'earth.tif: is not on the Moon'),
        ((moon, '--farther', moon), 'are not coarser than those of the model before it; allowed: above 10 m'),
        ((moon, '--farther', wide, '--farther', wide), 'of the model before it; allowed: above 40 m'),
        ((moon, '--size', 200), 'leaves the map'),
        ((moon, '--size', 15), 'allowed: 20 to'),
        ((moon, '--center', '0,5000'), 'center 0, 5000 is outside the map'),
        ((moon, '--days', 1, '--step', 48), 'allowed: at least one step'),
    ):
        assert call('terrain', 'illumination', *arguments, *start, '--out', tmp_path / 'out') == 2
        assert words in capsys.readouterr().err
        assert not (tmp_path / 'out').exists()
