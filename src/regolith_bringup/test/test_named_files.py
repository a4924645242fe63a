# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that scenarios, models and commands name: a folder, device, pipe or URL is refused as what it is, by its key."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from regolith_bringup.campaign.config import load_campaign
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError

KINDS = {
    'folder': 'is a folder',
    'pipe': 'is a pipe, not a regular file',
    '/dev/zero': 'is a device, not a regular file',
    'http://x/y.stl': 'is a URL, and URLs are not read',
    'gone': 'no such ',
}
SCENARIO = 'terrain: {source: flat}\nvehicles: {rover: {position: [0.0, 0.0]}}\n'
KEYS = {
    'terrain.source': 'terrain.source={}',
    'terrain.soil': 'terrain.soil={}',
    'terrain.preset': 'terrain.preset={}',
    'obstacles.a.path': 'obstacles.a={{type: mesh, position: [5.0, 0.0], path: "{}"}}',
    'vehicles.rover.model': 'vehicles.rover.model={}',
    'vehicles.rover.sensors.c.model': 'vehicles.rover.sensors.c={{model: "{}"}}',
    'comms.graph': 'comms.graph={}',
    'comms.tiles': 'comms.tiles={}',
    'comms.radio': 'comms.radio={}',
}


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp('named')
    (where / 'folder').mkdir()
    os.mkfifo(where / 'pipe')
    (where / 'a.yaml').write_text(SCENARIO)
    return where


@pytest.mark.parametrize('given', KINDS)
@pytest.mark.parametrize('key', KEYS)
def test_keys_of_files_name_what_is_there_instead(
    folder: Path, monkeypatch: pytest.MonkeyPatch, key: str, given: str
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(InputError) as caught:
        load_scenario('a.yaml', [KEYS[key].format(given)])
    text = str(caught.value)
    assert f"{key} = '{given}': {KINDS[given]}" in text and len(text.splitlines()) == 1, text
    assert ('; fix: download it' in text) is given.startswith('http')


@pytest.mark.parametrize('given', KINDS)
def test_models_of_vehicles_name_the_key_of_their_mjcf_file(folder: Path, given: str) -> None:
    from regolith_vehicles.description.model_files import VEHICLE_LIBRARY, load_vehicle_model

    text = VEHICLE_LIBRARY.find('viper').read_text().replace('mjcf: viper.xml', f'mjcf: "{given}"')
    assert f'"{given}"' in text
    (folder / 'own.yaml').write_text(text)
    with pytest.raises(InputError, match=rf"own\.yaml:\d+: mjcf = '{given}': {KINDS[given]}[^\n]*$"):
        load_vehicle_model(folder / 'own.yaml')


@pytest.mark.parametrize('given', KINDS)
def test_campaigns_name_what_is_there_in_place_of_them_and_of_their_scenario(folder: Path, given: str) -> None:
    with pytest.raises(InputError, match=rf'{given}: {KINDS[given]}[^\n]*$'):
        load_campaign(Path(given) if given.startswith(('/', 'http')) else folder / given)
    (folder / 'sweep.yaml').write_text(f'scenario: "{given}"\nduration_s: 1.0\nvary: {{seed: [1, 2]}}\n')
    with pytest.raises(InputError, match=rf"sweep\.yaml:1: scenario = '{given}': {KINDS[given]}[^\n]*$"):
        load_campaign(folder / 'sweep.yaml')


@pytest.mark.parametrize(
    ('name', 'words'),
    [
        ('one.npy', ': 1 x 1 posts are too few; allowed: '),
        ('spike.npy', ': 1 post (first at row 2, column 3) at a height of 5000 m, '),
        ('text.tif', ': not a raster that can be read: not recognized as '),
        ('text.npy', ': not a NumPy array that can be read'),
    ],
)
def test_elevation_models_are_named_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    spike = np.random.default_rng(1).uniform(0.0, 1.0, (9, 9))
    spike[2, 3] = 5000.0
    np.save(tmp_path / 'one.npy', np.zeros((1, 1)))
    np.save(tmp_path / 'spike.npy', spike)
    for text in ('text.tif', 'text.npy'):
        (tmp_path / text).write_text('secret\n')
    (tmp_path / 'a.yaml').write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        load_scenario('a.yaml', [f'terrain={{source: {name}, post_spacing_m: 1.0}}'])
    text = str(caught.value)
    assert f"terrain.source = '{tmp_path / name}'{words}" in text and 'secret' not in text, text
    assert text.partition('terrain.source')[2].count(name) == 1 and text.count('; allowed: ') == 1
