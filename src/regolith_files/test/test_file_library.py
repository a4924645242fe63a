# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of libraries of named files."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

from regolith_files import file_library
from regolith_files.file_library import FileLibrary
from regolith_files.problems import InputError
from regolith_files.yaml_source import YamlSource


@pytest.fixture
def soils(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileLibrary:
    """Return a library with ``sand`` and ``clay``; a package adds ``marl``, a second ``sand`` and the broken
    ``none``.
    """
    for name in ('shipped/sand', 'shipped/clay', 'package/marl', 'package/sand', 'scenarios/own'):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f'{name}.yaml').write_text(f'grain_mm: {len(name)}\n')
    module = ModuleType('a_package')
    module.__dict__.update(
        marl=tmp_path / 'package' / 'marl.yaml',
        sand=lambda: tmp_path / 'package' / 'sand.yaml',
    )
    monkeypatch.setitem(sys.modules, 'a_package', module)
    points = [EntryPoint(name, f'a_package:{name}', 'soils') for name in ('marl', 'none', 'sand')]
    monkeypatch.setattr(file_library, 'entry_points', lambda group: [p for p in points if p.group == group])
    return FileLibrary('soil', tmp_path / 'shipped', 'soils')


@pytest.fixture
def source(tmp_path: Path, soils: FileLibrary) -> YamlSource:
    file = tmp_path / 'scenarios' / 'here.yaml'
    file.write_text('soil: own.yaml\n')
    return YamlSource(file, what='keys')


def test_file_library_names_are_shipped_and_package_files(soils: FileLibrary, tmp_path: Path) -> None:
    assert soils.names() == ('clay', 'marl', 'none', 'sand') and list(soils.shipped()) == ['clay', 'sand']
    assert soils.find('sand') == tmp_path / 'shipped' / 'sand.yaml', 'no package replaces a shipped file'
    assert soils.find('marl') == tmp_path / 'package' / 'marl.yaml'
    assert soils.find('own.yaml', tmp_path / 'scenarios') == tmp_path / 'scenarios' / 'own.yaml'
    assert soils.read('marl').data == {'grain_mm': len('package/marl')}
    for missing in ('chalk', 'none'):
        with pytest.raises(InputError):
            soils.find(missing)


@pytest.mark.parametrize('given', ['sand', 'clay', 'marl', 'own.yaml'])
def test_file_library_resolve_keeps_names_and_makes_paths_absolute(
    given: str, soils: FileLibrary, source: YamlSource, tmp_path: Path
) -> None:
    """A name is valid on another machine; an absolute path is valid from another folder."""
    expected = str(tmp_path / 'scenarios' / 'own.yaml') if given.endswith('.yaml') else given
    assert soils.resolve(('soil',), given, source) == expected
    with pytest.raises(InputError, match=r'here\.yaml:1: soil = .chalk.: no such soil'):
        soils.resolve(('soil',), 'chalk', source)
