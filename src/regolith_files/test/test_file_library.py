# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Files by name: shipped ones and those of installed packages; a user's own by path."""

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
    """Return a library with ``sand`` and ``clay``; a package has ``marl`` and another ``sand``, and ``none`` is broken."""
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


def test_names_are_those_shipped_and_those_of_packages(soils: FileLibrary, tmp_path: Path) -> None:
    assert soils.names() == ('clay', 'marl', 'none', 'sand') and list(soils.shipped()) == ['clay', 'sand']
    assert soils.find('sand') == tmp_path / 'shipped' / 'sand.yaml', 'no package replaces what ships'
    assert soils.find('marl') == tmp_path / 'package' / 'marl.yaml'
    assert soils.find('own.yaml', tmp_path / 'scenarios') == tmp_path / 'scenarios' / 'own.yaml'
    assert soils.read('marl').data == {'grain_mm': len('package/marl')}
    for missing in ('chalk', 'none'):
        with pytest.raises(InputError):
            soils.find(missing)


@pytest.mark.parametrize('given', ['sand', 'clay', 'marl', 'own.yaml'])
def test_names_stay_in_resolved_files_and_paths_become_absolute(
    given: str, soils: FileLibrary, source: YamlSource, tmp_path: Path
) -> None:
    """A name means the same on another machine; a path means the same from another folder."""
    expected = str(tmp_path / 'scenarios' / 'own.yaml') if given.endswith('.yaml') else given
    assert soils.resolve(('soil',), given, source) == expected
    with pytest.raises(InputError, match=r'here\.yaml:1: soil = .chalk.: no such soil'):
        soils.resolve(('soil',), 'chalk', source)
