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
        (['make', '--preset', 'poler'], 'allowed: crater_rim, highland, mare, polar (did you mean polar?)'),
        (['make'], 'needs a scenario or --preset; allowed: one of the two'),
        (['make', 'two_rovers', '--preset', 'mare'], 'needs a scenario or --preset; allowed: one of the two'),
        (['make', '--preset', 'mare', '--size', '90000', '--spacing', '0.1'], 'allowed: 3 x 3 to 1e+09'),
        (['make', '--preset', 'mare', '--center', '7'], "--center = '7': is not two numbers"),
        (['import', 'nothing.tif'], 'nothing.tif: no such file'),
        (['import', 'nothing.tif', '--north', 'up'], 'allowed: true, grid'),
        (['import', 'nothing.tif', '--preset', 'sea'], 'allowed: crater_rim, highland, mare, polar'),
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
