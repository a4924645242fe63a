# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the JSON Schemas and of the reference pages of configuration files."""

from __future__ import annotations

import importlib.util
import json
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest
import yaml

from regolith_bringup.commands import file_schemas
from regolith_bringup.commands.file_schemas import all_models, file_kinds, json_schema
from regolith_bringup.commands.new import FILES, new
from regolith_bringup.commands.schema import schema
from regolith_files.problems import InputError

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / 'src'
SHIPPED = {
    'scenario': 'regolith_bringup/config/scenarios/*.yaml',
    'vehicle': 'regolith_vehicles/regolith_vehicles/data/*/*.yaml',
    'tire': 'regolith_vehicles/regolith_vehicles/tires/data/*.yaml',
    'sensor': 'regolith_sensors/regolith_sensors/data/sensors/*.yaml',
    'soil': 'regolith_terrain/regolith_terrain/data/soils/*.yaml',
    'particle-soil': 'regolith_terrain/regolith_terrain/data/particle_soils/*.yaml',
    'terrain-preset': 'regolith_terrain/regolith_terrain/data/terrain/*.yaml',
    'radio': 'regolith_comms/regolith_comms/data/radios/*.yaml',
    'wheel-rig': 'regolith_testbeds/regolith_testbeds/data/wheel_rigs/*.yaml',
}
FILES_SHIPPED = [(kind, file) for kind, pattern in SHIPPED.items() for file in sorted(SOURCE.glob(pattern))]


@cache
def validator(kind: str) -> Any:
    return jsonschema.Draft202012Validator(json_schema(kind))


@cache
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location('reference_pages', ROOT / 'tools' / 'make_reference_pages.py')
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_kind_of_file_has_shipped_examples() -> None:
    assert set(file_kinds()) - set(SHIPPED) == {'campaign', 'experiment'}
    assert len(FILES_SHIPPED) > 50 and {kind for kind, _ in FILES_SHIPPED} == set(SHIPPED)


def test_every_key_of_the_reference_has_a_meaning() -> None:
    pages = generator()
    empty = [
        f'{kind}: {place}.{key}'
        for kind in file_kinds()
        for place, model in all_models(kind)
        for key, field in model.model_fields.items()
        if not pages.meaning(field)
    ]
    assert empty == []


def test_file_kinds_are_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    file_schemas._file_kinds.cache_clear()
    loads: list[str] = []
    load = file_schemas.load_plugins
    monkeypatch.setattr(file_schemas, 'load_plugins', lambda group, make: loads.append(group) or load(group, make))
    assert file_kinds() == file_kinds() and file_kinds() is not file_kinds()
    assert loads == ['regolith.file_kinds']


@pytest.mark.parametrize(('kind', 'file'), FILES_SHIPPED, ids=lambda value: getattr(value, 'stem', value))
def test_shipped_file_is_valid_and_names_its_schema(kind: str, file: Path) -> None:
    text = file.read_text(encoding='utf-8')
    assert [error.message for error in validator(kind).iter_errors(yaml.safe_load(text))] == []
    named = re.search(r'^# yaml-language-server: \$schema=(\S+)$', text, re.M)
    assert named and json.loads((file.parent / named[1]).read_text(encoding='utf-8')) == json_schema(kind)


def test_root_table_of_the_scenario_page_has_every_key_of_its_schema() -> None:
    """Also the sections of registered participants, which are not fields of the model."""
    root = generator().key_page('scenario').split('\n## ')[1]
    keys = re.findall(r'^\| `(\w+)` \|', root, re.M)
    assert sorted(keys) == sorted(json_schema('scenario')['$defs']['Scenario']['properties'])
    assert {'bodies', 'comms'} <= set(keys) and '[BodiesConfig](#bodiesconfig)' in root


SCENARIO: dict[str, Any] = {'vehicles': {'amber': {'model': 'viper', 'position': [0.0, 0.0]}}}
BALL = {'type': 'rigid_body', 'position': [0.0, 0.0, 1.0], 'mass_kg': 1.0, 'shape': {'kind': 'sphere', 'size_m': [0.1]}}


@pytest.mark.parametrize(
    ('kind', 'content', 'valid'),
    [
        ('scenario', SCENARIO, True),
        ('scenario', {**SCENARIO, 'duratoin': 3}, False),
        ('scenario', {**SCENARIO, 'duration_s': 'long'}, False),
        ('scenario', {**SCENARIO, 'duration_s': -1.0}, False),
        ('scenario', {'vehicles': {'amber': {'model': 'viper'}}}, False),
        ('scenario', {'vehicles': {'amber': {'model': 'viper', 'position': [0.0, 0.0], 'mass_scale': -1.0}}}, False),
        ('scenario', {**SCENARIO, 'terrain': {'ground': 'rigid'}}, False),
        ('scenario', {**SCENARIO, 'terrain': {'soil': 'lunar_nominal'}}, True),
        ('scenario', {**SCENARIO, 'objects': {'ball': BALL}}, True),
        ('scenario', {**SCENARIO, 'objects': {'ball': {**BALL, 'type': 'free_body'}}}, False),
        ('scenario', {**SCENARIO, 'objects': {'ball': {**BALL, 'mass_kg': 0.0}}}, False),
        ('scenario', {**SCENARIO, 'comms': {'radio': 'subt_competition'}}, True),
        ('scenario', {**SCENARIO, 'comms': {'tile_m': 10.0}}, False),
        ('sensor', {'type': 'imu', 'rate_hz': 100.0, 'gyroscope': {'noise_density': 1e-3}}, True),
        ('sensor', {'type': 'imu', 'rate_hz': 100.0, 'gyroscope': {'white': 1e-3}}, False),
        ('campaign', {'scenario': 'two_rovers', 'vary': {'seed': [1, 2]}}, True),
        ('campaign', {'vary': {'seed': [1, 2]}}, False),
    ],
)
def test_schema_accepts_valid_and_refuses_invalid_content(kind: str, content: dict[str, Any], valid: bool) -> None:
    assert validator(kind).is_valid(content) is valid


@pytest.mark.parametrize('kind', file_kinds())
def test_reference_page_describes_every_key_once(kind: str) -> None:
    page = generator().key_page(kind)
    models = all_models(kind)
    rows = re.findall(r'^\| `(\w+)` \|.*\| ([^|]*) \|$', page.replace('\\|', '/'), re.M)
    sections = file_schemas.participant_sections(kind)
    assert len(rows) == sum(len(model.model_fields) for _, model in models) + len(sections)
    assert [key for key, text in rows if len(text.split()) < 2] == []


def test_command_line_page_describes_every_option() -> None:
    page = generator().command_page()
    assert page.count('## `./regolith ') > 40
    rows = re.findall(r'^\| (`-.*?) \| .* \| (.*?) \|$', page, re.M)
    assert len(rows) > 100 and [option for option, text in rows if len(text.split()) < 2] == []


def test_new_files_name_an_existing_schema(tmp_path: Path) -> None:
    for kind in FILES:
        new(kind, f'my_{kind}', tmp_path)
        text = (tmp_path / f'my_{kind}.yaml').read_text(encoding='utf-8')
        named = re.match(r'# yaml-language-server: \$schema=(\S+)\n', text)
        assert named and json.loads(Path(named[1]).read_text(encoding='utf-8')) == json_schema(kind)
        assert validator(kind).is_valid(yaml.safe_load(text))


def test_schema_command_prints_lists_and_writes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    schema('radio')
    assert json.loads(capsys.readouterr().out) == json_schema('radio')
    schema()
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(file_kinds())
    schema('tire', tmp_path / 'tire.json')
    assert capsys.readouterr().out == f'{tmp_path}/tire.json\n'
    assert json.loads((tmp_path / 'tire.json').read_text()) == json_schema('tire')
    with pytest.raises(InputError, match=r'schema: radoi: is not a kind of file; allowed: .*did you mean radio'):
        schema('radoi')
    with pytest.raises(InputError, match='cannot be written'):
        schema('tire', tmp_path)
