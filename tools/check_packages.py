#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Check packages as ament's linters do: license headers, package.xml, versions, change logs.

Further checks: fragments of the change logs are as towncrier expects them, every import of a package is declared, every
declaration is used, and rosdep knows every key. The tool needs no installation of ament.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
LICENSE = 'SPDX-License-Identifier: Apache-2.0'

KEYS = {
    'collada': 'python3-pycollada-pip',
    'cv2': 'python3-opencv',
    'embreex': 'python3-embreex-pip',
    'gymnasium': 'python3-gymnasium-pip',
    'hypothesis': 'python3-hypothesis',
    'jsonschema': 'python3-jsonschema',
    'llvmlite': 'python3-numba-pip',
    'matplotlib': 'python3-matplotlib',
    'mcap': 'python3-mcap-pip',
    'mcap_ros2': 'python3-mcap-ros2-support-pip',
    'mujoco': 'python3-mujoco-pip',
    'numba': 'python3-numba-pip',
    'numpy': 'python3-numpy',
    'pydantic': 'python3-pydantic-pip',
    'pydantic_core': 'python3-pydantic-pip',
    'pytest': 'python3-pytest',
    'rasterio': 'python3-rasterio',
    'rich': 'python3-rich',
    'rosbags': 'python3-rosbags-pip',
    'pyarrow': 'python3-pyarrow-pip',
    'rerun': 'python3-rerun-sdk-pip',
    'rerun_cli': 'python3-rerun-sdk-pip',
    'distributed': 'python3-distributed-pip',
    'scipy': 'python3-scipy',
    'setproctitle': 'python3-setproctitle',
    'typer': 'python3-typer-pip',
    'astronomy': 'python3-astronomy-engine-pip',
    'warp': 'python3-warp-pip',
    'xacro': 'python3-xacro-pip',
    'yaml': 'python3-yaml',
    'urdf_parser_py': 'python3-urdf-parser-py-pip',
    'zstandard': 'python3-zstandard',
}
"""rosdep key by Python module. Any other imported module is a ROS package of the same name."""
OPTIONAL_KEYS = (
    'python3-astronomy-engine-pip',
    'python3-distributed-pip',
    'python3-gymnasium-pip',
    'python3-rerun-sdk-pip',
    'python3-warp-pip',
)
"""Optional dependencies: imported on use, and declared for the tests only."""
PUBLIC_KEYS = (
    'python3-hypothesis',
    'python3-jsonschema',
    'python3-matplotlib',
    'python3-numpy',
    'python3-opencv',
    'python3-pytest',
    'python3-scipy',
    'python3-yaml',
)
"""Keys of the public rosdep database for all supported distributions; other keys are in tools/rosdep.yaml."""
MAX_FRAGMENT = 200
"""Maximum length of the line of a fragment."""


def complaints() -> list[str]:
    """Return one line per problem."""
    found = []
    tracked = subprocess.run(['git', 'ls-files'], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in tracked:
        path = ROOT / name
        if path.suffix in ('.py', '.sh') and path.stat().st_size and LICENSE not in path.read_text()[:400]:
            found.append(f'{name}: no line "{LICENSE}" at its head')
        if path.is_file() and path.stat().st_size > 2_000_000:
            found.append(f'{name}: {path.stat().st_size} bytes; files over 2 MB do not belong in git')
    versions = {}
    for manifest in sorted((*ROOT.glob('src/*/package.xml'), *ROOT.glob('examples/*/package.xml'))):
        package = ElementTree.parse(manifest).getroot()
        where = manifest.relative_to(ROOT)
        name = package.findtext('name', '')
        versions[name] = package.findtext('version', '')
        if package.get('format') != '3':
            found.append(f'{where}: format is {package.get("format")}, expected 3')
        if name != manifest.parent.name:
            found.append(f'{where}: name is {name}, the folder {manifest.parent.name}')
        if package.findtext('license') != 'Apache-2.0':
            found.append(f'{where}: license is {package.findtext("license")}')
        if not (manifest.parent / 'CHANGELOG.rst').is_file():
            found.append(f'{where.parent}: no CHANGELOG.rst')
        found += fragment_complaints(manifest.parent / 'changes')
        found += dependency_complaints(manifest, package)
        setup = manifest.parent / 'setup.py'
        if setup.is_file():
            stated = re.search(r"version='([^']+)'", setup.read_text())
            if stated is None or stated[1] != versions[name]:
                found.append(f'{setup.relative_to(ROOT)}: version differs from package.xml ({versions[name]})')
    if len(set(versions.values())) > 1:
        found.append(f'versions differ: {versions}')
    return found


def fragment_complaints(folder: Path) -> list[str]:
    """Check the fragments of a change log: ``ID.KIND.rst`` with one line, which is a sentence."""
    towncrier = tomllib.loads((ROOT / 'pyproject.toml').read_text())['tool']['towncrier']
    kinds = [kind['directory'] for kind in towncrier['type']]
    found = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        text = path.read_text(encoding='utf-8').removesuffix('\n')
        where = path.relative_to(ROOT)
        if not re.fullmatch(rf'[\w+-]+\.({"|".join(kinds)})\.rst', path.name):
            found.append(f'{where}: name is not ID.KIND.rst; allowed KIND: {", ".join(kinds)}')
        if '\n' in text or not 0 < len(text) <= MAX_FRAGMENT or not text.endswith('.'):
            found.append(f'{where}: is not one line of up to {MAX_FRAGMENT} characters that ends with a period')
        if re.search(r'(?<!`)`(?!`)[^`]*`(?!`)', text):
            found.append(f'{where}: code has single backticks; in reStructuredText it has two')
    return found


def dependency_complaints(manifest: Path, package: ElementTree.Element) -> list[str]:
    """Compare the declared dependencies of a package with the imports of its Python files."""
    where = manifest.relative_to(ROOT)
    name = package.findtext('name', '')
    declared = {tag: {e.text or '' for e in package.findall(tag)} for tag in ('depend', 'exec_depend', 'test_depend')}
    running = declared['depend'] | declared['exec_depend']
    known = {*PUBLIC_KEYS, *yaml.safe_load((ROOT / 'tools' / 'rosdep.yaml').read_text())}
    found = [
        f'{where}: key {key} is neither public nor in tools/rosdep.yaml'
        for key in sorted(running | declared['test_depend'])
        if key.startswith('python3-') and key not in known
    ]
    files = [p for folder in (name, 'launch') for p in sorted((manifest.parent / folder).rglob('*.py'))]
    tests = sorted((manifest.parent / 'test').glob('*.py'))
    if not files:
        return found
    needed = imported(files) - {name}
    optional = needed & set(OPTIONAL_KEYS) & declared['test_depend']
    needed -= optional
    found += [f'{where}: {key} is imported and not declared' for key in sorted(needed - running)]
    own = {path.stem for path in tests}
    tested = imported(tests) - {name} - own
    allowed = running | declared['test_depend']
    found += [f'{where}: {key} is imported by tests and not declared' for key in sorted(tested - allowed)]
    # Interfaces may be used by type name only.
    text = ''.join(path.read_text() for path in files)
    unused = {key for key in running - needed if f'{key}/' not in text}
    found += [f'{where}: {key} is declared and not used' for key in sorted(unused)]
    idle = declared['test_depend'] - tested
    found += [f'{where}: {key} is declared for tests and not used by them' for key in sorted(idle)]
    return found


def imported(files: Iterable[Path]) -> set[str]:
    """Return the keys of all imports of Python files, without the standard library."""
    modules = set()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(), str(path))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.split('.')[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                modules.add(node.module.split('.')[0])
    return {KEYS.get(module, module) for module in modules - sys.stdlib_module_names}


if __name__ == '__main__':
    problems = complaints()
    print('\n'.join(problems) if problems else 'packages: all checks passed')
    sys.exit(bool(problems))
