# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Command ``terrain map``: layers of a known ground, of a run, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import rasterio
import yaml

from regolith_bringup.commands.terrain_maps import LAYERS, MapRequest, check_layers, write_maps
from regolith_files import InputError
from regolith_terrain.planning_maps import Limits

GROUND = {
    'duration_s': 2.0,
    'terrain': {'source': 'flat', 'map_size_m': 12.0, 'spacing_m': 0.02, 'soil': 'lunar_nominal'},
    'obstacles': {'crate': {'type': 'box', 'position': [2.0, -1.0], 'size': [1.0, 0.6, 0.4]}},
    'vehicles': {'rover': {'model': 'ipex', 'position': [-2.0, 2.0], 'driver': {'type': 'constant', 'speed_mps': 0.3}}},
}


def request(source: str, layers: tuple[str, ...] = tuple(LAYERS), cell: float = 0.1) -> MapRequest:
    """Return a request for a map of the whole ground, with windows of 0.5 m."""
    return MapRequest(source, layers, cell, None, (0.0, 0.0), 0.5, 0.5, 0.3, 1.0, Limits())


def scenario(folder: Path) -> str:
    file = folder / 'ground.yaml'
    file.write_text(yaml.safe_dump(GROUND, sort_keys=False), encoding='utf-8')
    return str(file)


def test_layers_of_a_flat_ground_with_a_crate(tmp_path: Path) -> None:
    about = write_maps(request(scenario(tmp_path)), tmp_path / 'maps', (), None, lambda done, what: None)
    assert about['cells'] == [120, 120] and about['origin_m'] == [-6.0, -6.0]
    assert json.loads((tmp_path / 'maps' / 'metadata.json').read_text()) == about
    with rasterio.open(tmp_path / 'maps' / 'maps.tif') as file:
        assert file.descriptions == tuple(LAYERS) and math.isnan(file.nodata)
        layers = {name: file.read(band) for band, name in enumerate(file.descriptions, 1)}
        crate, corner, aside = (file.index(x, y) for x, y in ((2.05, -0.95), (2.45, -0.75), (-3.05, 3.05)))
        assert file.xy(*crate) == pytest.approx((2.05, -0.95))
    assert layers['elevation'][crate] == pytest.approx(0.4) and layers['ground'][crate] == 0.0
    assert layers['rock_any'][crate] == layers['rock_any'][corner] == 1.0 and layers['rock_any'][aside] == 0.0
    assert layers['slope'][aside] == layers['step'][aside] == layers['traversability'][aside] == 0.0
    assert layers['cost'][aside] == 1.0 and math.isinf(layers['cost'][corner])
    assert layers['traversability'][corner] == 2.0 and 0.0 < layers['rock_area'][crate] < 0.3
    # The area of the crate, 0.6 m^2, from cells of 0.01 m^2 whose points meet it.
    assert layers['rock_any'].sum() * 0.01 == pytest.approx(0.6, abs=0.06)
    # Windows of 0.5 m leave two cells at the rim unknown.
    assert np.isnan(layers['slope'][:2]).all() and not np.isnan(layers['slope'][2:-2, 2:-2]).any()
    pixels = (tmp_path / 'maps' / 'traversability.pgm').read_bytes()
    assert pixels.startswith(b'P5\n120 120\n255\n')
    image = np.frombuffer(pixels[15:], np.uint8).reshape(120, 120)
    assert image[corner] == 100 and image[aside] == 0 and image[0, 0] == 255
    stated = yaml.safe_load((tmp_path / 'maps' / 'traversability.yaml').read_text())
    assert stated['origin'] == [-6.0, -6.0, 0.0] and stated['resolution'] == 0.1 and stated['mode'] == 'raw'


def test_bad_requests_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'--layers = slop: is unknown; allowed: .*slope'):
        check_layers(['slop'])
    with pytest.raises(InputError, match='12000 x 12000 cells over 12 m are too many'):
        write_maps(request(scenario(tmp_path), cell=0.001), tmp_path / 'maps', (), None, lambda done, what: None)
    assert not (tmp_path / 'maps').exists()


@pytest.mark.slow
@pytest.mark.ros
def test_ruts_of_a_run_are_in_its_map(tmp_path: Path) -> None:
    from regolith_bringup.cli import main

    run = tmp_path / 'run'
    with pytest.raises(SystemExit) as ended:
        main(['run', scenario(tmp_path), '--out', str(run), '--processes', 'one'])
    assert ended.value.code in (0, None)
    before, after = tmp_path / 'before', tmp_path / 'after'
    write_maps(request(str(run / 'scenario.yaml'), ('ground',)), before, (), None, lambda done, what: None)
    write_maps(request(str(run), ('ground',)), after, (), None, lambda done, what: None)
    with rasterio.open(before / 'maps.tif') as first, rasterio.open(after / 'maps.tif') as second:
        lower = first.read(1) - second.read(1)
        x, y = second.xy(*np.unravel_index(lower.argmax(), lower.shape))
    assert lower.max() > 0.005 and abs(abs(y - 2.0) - 0.203) < 0.15 and -2.5 < x < -0.9
    with pytest.raises(InputError, match='--set, --seed'):
        write_maps(request(str(run)), tmp_path / 'more', ('seed=2',), None, lambda done, what: None)
