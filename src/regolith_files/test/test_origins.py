# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the origin of values in messages when command line options replace parts of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from regolith_files.problems import InputError
from regolith_files.yaml_source import ValueOrigin, YamlSource

TEXT = """name: two
terrain:
  spacing_m: 0.04
  soil:
    friction: 0.8
vehicles:
  amber: {model: viper}
"""
OPTION = '--set terrain={soil: {friction: 2}}'


@pytest.fixture
def source(tmp_path: Path) -> YamlSource:
    file = tmp_path / 'two.yaml'
    file.write_text(TEXT)
    return YamlSource(file, what='keys')


def test_yaml_source_override_sets_origin_of_all_keys_below(source: YamlSource) -> None:
    """Only these keys change their origin; the lines of the replaced values are removed."""
    file = source.file
    assert source.where(('terrain', 'soil', 'friction')) == f'{file}:5'
    source.override(('terrain',), {'soil': {'friction': 2}}, OPTION)
    for path in (('terrain',), ('terrain', 'soil'), ('terrain', 'soil', 'friction'), ('terrain', 'spacing_m')):
        assert source.where(path) == OPTION
    assert source.where(('name',)) == f'{file}:1' and source.where(('vehicles', 'amber', 'model')) == f'{file}:7'


def test_yaml_source_base_dir_is_that_of_the_origin(source: YamlSource, tmp_path: Path) -> None:
    (tmp_path / 'sweeps').mkdir()
    source.override(('terrain', 'source'), 'model.tif', ValueOrigin('sweep.yaml:7', tmp_path / 'sweeps'))
    assert source.base_dir(('terrain', 'source')) == tmp_path / 'sweeps'
    assert source.base_dir(('terrain', 'soil')) == tmp_path.resolve()


def test_yaml_source_misspelled_option_suggests_the_key(source: YamlSource) -> None:
    """The suggestion appears in problems of every key below the misspelled one."""
    source.override(('vehicels', 'amber', 'model'), 'viper', '--set vehicels.amber.model=viper')
    for path in (('vehicels', 'amber'), ('vehicels', 'amber', 'model')):
        assert '(did you mean vehicles?)' in source.problem(path, 'is not a key', 'some').allowed
    assert 'did you mean' not in source.problem(('vehicles', 'amber'), 'is not a key', 'some').allowed


def test_yaml_source_list_items_have_their_own_lines(tmp_path: Path) -> None:
    """This holds in block and flow style, for mappings and for plain values."""
    file = tmp_path / 'lists.yaml'
    file.write_text('way:\n  - [0, 0]\n  - [1,\n     2]\nregions:\n- name: a\n  size: 1\n\n- name: b\n  size: 2\n')
    source = YamlSource(file, what='keys')
    expected = {
        ('way', 0): 2,
        ('way', 1): 3,
        ('way', 1, 0): 3,
        ('way', 1, 1): 4,
        ('regions', 0): 6,
        ('regions', 1): 9,
        ('regions', 1, 'size'): 10,
    }
    assert {path: source.where(path) for path in expected} == {p: f'{file}:{line}' for p, line in expected.items()}


@pytest.mark.parametrize('empty', ['', ' null', ' ~', ' {}'])
@pytest.mark.parametrize(
    'path',
    [('light', 'x'), ('light', 'sun', 'elevation_deg'), ('vehicles', 'amber', 'x'), ('vehicles', 'amber', 'mast', 'x')],
)
def test_yaml_source_override_below_an_empty_section_fills_it(
    path: tuple[str, ...], empty: str, tmp_path: Path
) -> None:
    """The result equals that of an option below a missing section; the other keys keep values and lines."""
    file = tmp_path / 'empty.yaml'
    file.write_text(f'name: two\nlight:{empty}\nvehicles:\n  basalt: {{model: viper}}\n  amber:{empty}\n')
    source = YamlSource(file, what='keys')
    option = f'--set {".".join(path)}=1'
    source.override(path, 1, option)
    value: Any = source.data
    for part in path:
        value = value[part]
    assert value == 1 and source.where(path) == option
    assert source.data['name'] == 'two' and source.data['vehicles']['basalt'] == {'model': 'viper'}
    assert source.where(('vehicles', 'basalt', 'model')) == f'{file}:4'


@pytest.mark.parametrize('value', [0, False, '', [], 0.5])
def test_yaml_source_override_below_a_scalar_gives_an_error(value: object) -> None:
    """Values that Python evaluates as false are values: no section replaces them."""
    source = YamlSource.of({'light': value}, 'values')
    with pytest.raises(InputError, match='cannot be set'):
        source.override(('light', 'x'), 1, '--set light.x=1')
    assert source.data == {'light': value}


def test_yaml_source_override_sets_list_items_by_index() -> None:
    """Covers the first item, the last item and a missing key of an item; an index out of range states the allowed
    ones.
    """
    source = YamlSource.of({'way': [[0, 1], [2, 3]], 'regions': [{'name': 'a'}, None]}, 'values')
    source.override(('way', '0', '1'), 9, '--set way.0.1=9')
    source.override(('way', 1), [7], '--set way.1=[7]')
    source.override(('regions', '0', 'size', 'x'), 2, '--set regions.0.size.x=2')
    assert source.data['way'] == [[0, 9], [7]] and source.data['regions'][0] == {'name': 'a', 'size': {'x': 2}}
    for index in ('2', '-1', 'x'):
        with pytest.raises(InputError, match='an index from 0 to 1'):
            source.override(('way', index), 0, f'--set way.{index}=0')


def test_yaml_source_override_does_not_change_the_given_value() -> None:
    """One mapping can be given to several sources, as in a sweep."""
    given: dict[str, Any] = {'sun': {'azimuth_deg': 10}}
    one, other = YamlSource.of({}, 'one'), YamlSource.of({}, 'other')
    for source in (one, other):
        source.override(('light',), given, '--set light')
    one.override(('light', 'sun', 'azimuth_deg'), 90, '--set light.sun.azimuth_deg=90')
    assert one.data['light']['sun']['azimuth_deg'] == 90
    assert given == other.data['light'] == {'sun': {'azimuth_deg': 10}}
