# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Every kind of file is found, read and refused in the same way."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from regolith_bringup.scenario import load_scenario
from regolith_comms.radio_config import RADIOS, load_radio
from regolith_files.file_library import FileLibrary
from regolith_files.problems import InputError
from regolith_sensors.config.imu import ImuConfig
from regolith_sensors.sensor_models import SENSORS, load_sensor
from regolith_terrain.config import SOILS, load_soil
from regolith_terrain.lunar.presets import PRESET_LIBRARY, load_preset
from regolith_vehicles.description.model_files import VEHICLE_LIBRARY, load_vehicle_model

KINDS: dict[str, tuple[FileLibrary, Callable[[Any], Any], str, str]] = {
    # kind: (library, loader, one that ships, a key of its that holds a number)
    'soil': (SOILS, load_soil, 'chrono_lunar', 'k_phi'),
    'radio': (RADIOS, load_radio, 'lunar_uhf', 'max_range_m'),
    'sensor': (SENSORS, lambda name: load_sensor(name, ImuConfig), 'imu_mems', 'rate_hz'),
    'vehicle': (VEHICLE_LIBRARY, lambda name: load_vehicle_model(name)[0], 'viper', 'substep_s'),
    'preset': (PRESET_LIBRARY, load_preset, 'mare', 'description'),
}
kinds = pytest.mark.parametrize('kind', KINDS)


def shipped(kind: str) -> tuple[FileLibrary, Callable[[Any], Any], dict[str, Any], str]:
    library, load, name, key = KINDS[kind]
    path = library.find(name)
    values = yaml.safe_load(path.read_text(encoding='utf-8'))
    if kind == 'vehicle':
        values['mjcf'] = str(path.parent / values['mjcf'])
    return library, load, values, key


@kinds
def test_numbers_are_numbers_however_they_are_written(kind: str, tmp_path: Path) -> None:
    _, load, values, key = shipped(kind)
    file = tmp_path / 'mine.yaml'
    found = []
    for number in ('0.001', '1e-3', '1.0e-3'):
        text = yaml.safe_dump({k: v for k, v in values.items() if k != key})
        file.write_text(f'{text}{key}: {number if kind != "preset" else "text"}\n', encoding='utf-8')
        load_preset.cache_clear()
        found.append(load(str(file)).model_dump())
    assert found[0] == found[1] == found[2]


@kinds
def test_a_key_that_stands_twice_is_refused_with_both_its_lines(kind: str, tmp_path: Path) -> None:
    _, load, values, key = shipped(kind)
    text = yaml.safe_dump(values)
    file = tmp_path / 'mine.yaml'
    file.write_text(f'{text}{key}: 1.0\n', encoding='utf-8')
    first = next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith(f'{key}:'))
    last = len(text.splitlines()) + 1
    with pytest.raises(
        InputError, match=rf'mine\.yaml:{last}: {key}: is given twice, first in line {first}; allowed: '
    ):
        load(str(file))


@kinds
def test_an_unknown_key_is_named_with_its_line(kind: str, tmp_path: Path) -> None:
    _, load, values, key = shipped(kind)
    file = tmp_path / 'mine.yaml'
    file.write_text(f'{key}x: 1.0\n' + yaml.safe_dump(values), encoding='utf-8')
    with pytest.raises(InputError, match=rf'mine\.yaml:1: {key}x = 1.0: unknown key; allowed: .*did you mean {key}\?'):
        load(str(file))


@kinds
def test_unknown_name_is_refused_with_known_names(kind: str) -> None:
    library, load, _, _ = shipped(kind)
    wrong = KINDS[kind][2] + 'z'
    with pytest.raises(
        InputError, match=rf"{kind}: '{wrong}': no such {kind}.*allowed: .*did you mean {KINDS[kind][2]}\?"
    ):
        load(wrong)
    assert KINDS[kind][2] in library.names()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that brings one file of each kind under the name ``toy``, one broken entry, and one of our own names."""
    info = tmp_path / 'toy_moon-0.1.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: toy_moon\nVersion: 0.1\n')
    points, code = [], []
    for kind, (library, _, name, _) in KINDS.items():
        values = shipped(kind)[2]
        if 'name' in values:
            values['name'] = 'toy'
        (tmp_path / f'{kind}.yaml').write_text(yaml.safe_dump(values), encoding='utf-8')
        points.append(f'[{library.group}]\ntoy = toy_moon:{kind}\nlost = toy_moon:nothing\n{name} = toy_moon:nothing\n')
        code.append(f'def {kind}():\n    return {str(tmp_path / f"{kind}.yaml")!r}\n')
    (info / 'entry_points.txt').write_text(''.join(points))
    (tmp_path / 'toy_moon.py').write_text('\n'.join(code))
    monkeypatch.syspath_prepend(str(tmp_path))
    load_preset.cache_clear()
    yield tmp_path
    sys.modules.pop('toy_moon', None)
    load_preset.cache_clear()


@kinds
def test_an_installed_package_brings_files_under_names(kind: str, installed: Path) -> None:
    library, load, _, _ = shipped(kind)
    ours = KINDS[kind][2]
    assert 'toy' in library.names() and library.find('toy') == installed / f'{kind}.yaml'
    assert load('toy').model_dump(exclude={'name', 'mjcf'}) == load(ours).model_dump(exclude={'name', 'mjcf'})
    with pytest.raises(
        InputError, match=r"'lost': 'lost' .* of package toy_moon 0\.1 cannot be loaded: AttributeError"
    ):
        load('lost')


def test_a_scenario_names_them_all(installed: Path) -> None:
    """By name, and by paths relative to itself, which resolving makes absolute."""
    for given, found in (('toy', 'toy'), ('{}.yaml', str(installed / '{}.yaml'))):
        names = {kind: given.format(kind) for kind in KINDS}
        content = {
            'terrain': {'source': 'procedural', 'preset': names['preset'], 'rocks': False, 'soil': names['soil']},
            'vehicles': {
                'amber': {'model': names['vehicle'], 'position': [0, 0], 'sensors': {'imu': {'model': names['sensor']}}}
            },
            'comms': {'radio': names['radio'], 'margin_m': 1.0},
        }
        (installed / 'mine.yaml').write_text(yaml.safe_dump(content), encoding='utf-8')
        scenario = load_scenario(installed / 'mine.yaml').scenario
        assert (
            scenario.terrain.preset == found.format('preset') and scenario.terrain.soil.k_phi == load_soil('toy').k_phi
        )
        assert scenario.vehicles['amber'].model == found.format('vehicle')
        assert scenario.vehicles['amber'].sensors['imu']['model']['type'] == 'imu'
        assert scenario.comms is not None and scenario.comms.radio == found.format('radio')
