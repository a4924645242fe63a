# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of public names: they exist, cost nothing to import, and suffice for plug-ins and other packages."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import ROOT

PACKAGES = ('bringup', 'files', 'world', 'terrain', 'vehicles', 'sensors', 'testbeds', 'comms')
PRIVATE_IN_EXAMPLES: dict[str, str] = {}
"""Modules that examples and pages import although they are not public, each with the reason."""
PRIVATE_BETWEEN_PACKAGES: dict[str, str] = {}
"""Names that packages import from each other although they are not public, each with the reason."""
OPTIONAL = {'regolith_terrain.crm.device'}
"""Sub-packages whose import needs an optional dependency."""


def sources() -> dict[str, Path]:
    """Return all modules of the packages by name; a package has the name of its folder."""
    found = {}
    for package in PACKAGES:
        root = ROOT / 'src' / f'regolith_{package}'
        for path in sorted((root / root.name).rglob('*.py')):
            parts = path.relative_to(root).with_suffix('').parts
            found['.'.join(parts[:-1] if parts[-1] == '__init__' else parts)] = path
    return found


SOURCES = sources()
FOLDERS = [name for name, path in SOURCES.items() if path.name == '__init__.py' and name not in OPTIONAL]
PUBLIC = [name for name in FOLDERS if '__all__' in SOURCES[name].read_text(encoding='utf-8')]
"""Packages and sub-packages with public names."""


@pytest.mark.parametrize('package', PUBLIC)
def test_public_names_exist_and_type_checkers_see_the_same_ones(package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
        # Its import would replace the public name.
        assert f'{package}.{name}' not in SOURCES or getattr(module, name) is sys.modules[f'{package}.{name}']
    assert dir(module) == module.__all__ or set(module.__all__) <= set(dir(module))
    seen = [
        alias.asname
        for node in ast.walk(ast.parse(SOURCES[package].read_text(encoding='utf-8')))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname is not None
    ]
    assert sorted(map(str, seen)) == module.__all__
    with pytest.raises(AttributeError, match='no_such_name'):
        module.no_such_name  # noqa: B018


def test_packages_import_nothing_until_a_name_is_used() -> None:
    code = (
        'import sys\n'
        + ''.join(f'import {package}\n' for package in FOLDERS)
        + "print([name for name in ('numba', 'numpy', 'rclpy', 'mujoco', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True, timeout=60)
    assert len(FOLDERS) > 50
    assert done.stdout == '[]\n'


def test_check_of_a_scenario_loads_no_compiler_or_physics() -> None:
    """They take a quarter of a second each time, and every run begins with a check."""
    command = [sys.executable, '-X', 'importtime', '-m', 'regolith_bringup', 'check', 'two_rovers']
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    loaded = {line.rpartition('|')[2].strip() for line in done.stderr.splitlines() if line.startswith('import time:')}
    assert 'regolith_bringup.scenario.loading' in loaded
    assert not loaded & {'numba', 'scipy', 'mujoco', 'embreex', 'rclpy'}


def names_of_other_packages(module: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield (package or module, name) of what a module imports from other packages; '' for the module itself."""
    own = {module.partition('.')[0], 'regolith_msgs'}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found = [(alias.name, '') for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found = [(str(node.module), alias.name) for alias in node.names]
        else:
            continue
        yield from (pair for pair in found if pair[0].startswith('regolith_') and pair[0].partition('.')[0] not in own)


def is_public(package: str, name: str) -> bool:
    """Return whether a name may be imported from a package: a public name, or a sub-package."""
    if not name:
        return package in FOLDERS
    return f'{package}.{name}' in FOLDERS or (package in PUBLIC and name in importlib.import_module(package).__all__)


def test_packages_import_public_names_of_each_other_only() -> None:
    private = {
        f'{module}: {package} {name}'
        for module, path in SOURCES.items()
        for package, name in names_of_other_packages(module, path.read_text(encoding='utf-8'))
        if not is_public(package, name) and f'{package}.{name}' not in PRIVATE_BETWEEN_PACKAGES
    }
    assert private == set()


def test_imports_of_private_names_are_found() -> None:
    """The reader of imports finds what it must, and takes sub-packages and public modules as public."""
    text = (
        'import regolith_world.world\nfrom regolith_msgs.msg import Cycle\n'
        'def f():\n    from regolith_terrain.config import TerrainConfig\n    from regolith_vehicles.agent import agent\n'
    )
    found = list(names_of_other_packages('regolith_vehicles.wheels', text))
    assert found == [('regolith_world.world', ''), ('regolith_terrain.config', 'TerrainConfig')]
    assert not any(is_public(*pair) for pair in found)
    assert is_public('regolith_terrain', 'scm') and is_public('regolith_world.ros', 'qos')


def names_in(module: str) -> set[str]:
    """Return all names that a module may have: what it defines and imports, and its modules."""
    found = {name.rpartition('.')[2] for name in SOURCES if name.rpartition('.')[0] == module}
    if module in PUBLIC:
        found |= set(importlib.import_module(module).__all__)
    for node in ast.walk(ast.parse(SOURCES[module].read_text(encoding='utf-8'))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
    return found


def test_names_that_tests_and_tools_import_exist() -> None:
    """Also those imported inside functions, which run seldom."""
    files = [*(ROOT / 'tools').glob('*.py'), *(ROOT / 'test').glob('*.py'), *(ROOT / 'src').glob('*/test/*.py')]
    missing, names = set(), {}
    for path in files:
        # Much faster than parsing all files.
        for module, several in re.findall(
            r'^\s*from (regolith_[\w.]+) import (\([^)]*\)|[^(\n]*)$', path.read_text(encoding='utf-8'), re.M
        ):
            if module in SOURCES:
                if module not in names:
                    names[module] = names_in(module)
                known = names[module]
                for imported in re.findall(r'(?<!as )\b\w+\b(?=\s*(?:,|\)|$| as ))', re.sub(r'#.*', '', several)):
                    if imported not in known:
                        missing.add(f'{path.name}: {module} {imported}')
    assert len(names) > 200
    assert missing == set()


def test_examples_and_pages_import_public_names_only() -> None:
    sources = {file.name: file.read_text(encoding='utf-8') for file in (ROOT / 'examples').rglob('*.py')}
    pages = [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *(ROOT / 'docs').rglob('*.md')]
    for page in pages:
        if 'reference' not in page.parts:
            sources[page.name] = '\n'.join(re.findall(r'^```python\n(.*?)^```', page.read_text(), re.M | re.S))
    private = {
        f'{name}: {module}'
        for name, text in sources.items()
        for module in re.findall(r'^\s*(?:from|import) (regolith_(?!msgs)\w+\.[\w.]+)', text, re.M)
        if module not in PRIVATE_IN_EXAMPLES
    }
    assert private == set()


def test_api_pages_are_those_of_the_source() -> None:
    """A change of a public signature shows in docs/reference/api.txt."""
    done = subprocess.run(
        [sys.executable, str(ROOT / 'tools' / 'make_api_pages.py'), '--check'],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    names = (ROOT / 'docs' / 'reference' / 'api.txt').read_text(encoding='utf-8').splitlines()
    assert len(names) > 300 and len(names) == len(set(names))
