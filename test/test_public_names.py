# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the public names of the packages: they exist, cost nothing to import, and suffice for plug-ins."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys

import pytest
from harness import ROOT

PACKAGES = ('bringup', 'files', 'world', 'terrain', 'vehicles', 'sensors', 'comms')
PRIVATE_IN_EXAMPLES: dict[str, str] = {}
"""Modules that examples and pages import although they are not public, each with the reason."""


@pytest.mark.parametrize('package', PACKAGES)
def test_public_names_exist_and_type_checkers_see_the_same_ones(package: str) -> None:
    module = importlib.import_module(f'regolith_{package}')
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert dir(module) == module.__all__ or set(module.__all__) <= set(dir(module))
    tree = ast.parse((ROOT / 'src' / f'regolith_{package}' / f'regolith_{package}' / '__init__.py').read_text())
    seen = [
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.If)
        for inner in node.body
        if isinstance(inner, ast.ImportFrom)
        for alias in inner.names
    ]
    assert sorted(map(str, seen)) == module.__all__
    with pytest.raises(AttributeError, match='no_such_name'):
        module.no_such_name  # noqa: B018


def test_packages_import_nothing_until_a_name_is_used() -> None:
    code = (
        'import sys\n'
        + ''.join(f'import regolith_{package}\n' for package in PACKAGES)
        + "print([name for name in ('numba', 'rclpy', 'mujoco', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == '[]\n'


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
