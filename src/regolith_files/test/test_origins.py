# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Where messages say that a value comes from, when options of the command line replace parts of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from regolith_files.yaml_source import Origin, YamlSource

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


def test_all_below_a_replaced_key_comes_from_the_option(source: YamlSource) -> None:
    """And nothing else: the lines that stood there before would mislead."""
    file = source.file
    assert source.where(('terrain', 'soil', 'friction')) == f'{file}:5'
    source.override(('terrain',), {'soil': {'friction': 2}}, OPTION)
    for path in (('terrain',), ('terrain', 'soil'), ('terrain', 'soil', 'friction'), ('terrain', 'spacing_m')):
        assert source.where(path) == OPTION
    assert source.where(('name',)) == f'{file}:1' and source.where(('vehicles', 'amber', 'model')) == f'{file}:7'


def test_relative_paths_are_those_of_what_gave_them(source: YamlSource, tmp_path: Path) -> None:
    (tmp_path / 'sweeps').mkdir()
    source.override(('terrain', 'source'), 'model.tif', Origin('sweep.yaml:7', tmp_path / 'sweeps'))
    assert source.base_dir(('terrain', 'source')) == tmp_path / 'sweeps'
    assert source.base_dir(('terrain', 'soil')) == tmp_path.resolve()


def test_a_mapping_made_by_a_misspelled_option_names_the_key_that_was_meant(source: YamlSource) -> None:
    """Whatever is wrong below it."""
    source.override(('vehicels', 'amber', 'model'), 'viper', '--set vehicels.amber.model=viper')
    for path in (('vehicels', 'amber'), ('vehicels', 'amber', 'model')):
        assert '(did you mean vehicles?)' in source.problem(path, 'is not a key', 'some').allowed
    assert 'did you mean' not in source.problem(('vehicles', 'amber'), 'is not a key', 'some').allowed


def test_entries_of_lists_have_lines_of_their_own(tmp_path: Path) -> None:
    """In blocks and in brackets, of mappings and of plain values."""
    file = tmp_path / 'lists.yaml'
    file.write_text('way:\n  - [0, 0]\n  - [1,\n     2]\nregions:\n- name: a\n  size: 1\n\n- name: b\n  size: 2\n')
    source = YamlSource(file, what='keys')
    expected = {
        ('way', 0): 2, ('way', 1): 3, ('way', 1, 0): 3, ('way', 1, 1): 4, ('regions', 0): 6, ('regions', 1): 9,
        ('regions', 1, 'size'): 10,
    }
    assert {path: source.where(path) for path in expected} == {p: f'{file}:{line}' for p, line in expected.items()}
