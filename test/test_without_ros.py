# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The core without ROS, and the distribution regolith-sim that brings it to where pip is all there is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from configparser import ConfigParser
from email import message_from_bytes
from importlib import import_module, metadata
from pathlib import Path
from xml.etree import ElementTree

import pytest
from harness import ROOT, command, environment, free_domain, new_domain
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from regolith_bringup.run.simulation import Simulation

DISTRIBUTION = ROOT / 'packaging' / 'regolith-sim'
PACKAGES = sorted(path.parent.name for path in ROOT.glob('src/*/setup.py'))
ROS = ('rclpy', 'std_msgs', 'regolith_msgs', 'simulation_interfaces', 'ament_index_python')


@pytest.fixture(scope='module')
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built with the checkout's setuptools."""
    folder = tmp_path_factory.mktemp('wheel')
    build = [
        sys.executable,
        '-m',
        'pip',
        'wheel',
        '-q',
        '--no-deps',
        '--no-build-isolation',
        '-w',
        folder,
        DISTRIBUTION,
    ]
    subprocess.run([*map(str, build)], check=True, capture_output=True, timeout=120)
    (made,) = folder.glob('*.whl')
    return made


def example() -> str:
    """Return the program in the distribution's README."""
    (block,) = re.findall(r'```python\n(.*?)```', (DISTRIBUTION / 'README.md').read_text(encoding='utf-8'), re.DOTALL)
    return str(block)


def needed_by(requirements: Iterable[str]) -> dict[str, metadata.Distribution]:
    """Return what pip would install for these requirements, as it is installed here."""
    waiting, found = [Requirement(line) for line in requirements], {}
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name in found or (wanted.marker is not None and not wanted.marker.evaluate({'extra': ''})):
            continue
        found[name] = metadata.distribution(wanted.name)
        waiting += [Requirement(line) for line in found[name].requires or ()]
    return found


def linked(distributions: Iterable[metadata.Distribution], folder: Path) -> Path:
    """Make a folder of links to the modules of these distributions and of no others."""
    folder.mkdir()
    for distribution in distributions:
        listed = {path.parts[0] for path in distribution.files or () if path.parts[0] != '..'}
        # Packages of the system may keep no list of their files.
        for top in sorted(listed or set((distribution.read_text('top_level.txt') or '').split())):
            link, target = folder / top, Path(str(distribution.locate_file(top)))
            # Some list what they never installed.
            if target.exists() and not link.exists():
                link.symlink_to(target)
    return folder


def run_without_ros(python: list[str], program: str, path: str, folder: Path) -> tuple[str, dict[str, bool]]:
    """Run a program in a bare environment; return the first line it printed, and which parts of ROS it could import."""
    there = f'import importlib.util, json; print(json.dumps({{n: bool(importlib.util.find_spec(n)) for n in {ROS}}}))'
    bare = {'HOME': str(folder), 'PATH': os.defpath, **({'PYTHONPATH': path} if path else {})}
    if path and 'NUMBA_CACHE_DIR' in os.environ:
        bare['NUMBA_CACHE_DIR'] = os.environ['NUMBA_CACHE_DIR']
    done = subprocess.run(
        [*python, '-c', f'{program}\n{there}'], env=bare, cwd=folder, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return lines[0], json.loads(lines[-1])


@pytest.mark.seconds
@pytest.mark.slow
def test_the_core_runs_where_there_is_no_ros(tmp_path: Path) -> None:
    """The sources, with what the distribution requires and nothing else: ROS cannot be imported, the hash is the same."""
    lines = (ROOT / 'tools' / 'requirements.txt').read_text(encoding='utf-8').splitlines()
    needed = needed_by(line for line in lines if line and not line.startswith('#'))
    site = linked(needed.values(), tmp_path / 'site')
    sources = [str(Path(import_module(name).__file__ or '').parents[1]) for name in PACKAGES]
    bare = [getattr(sys, '_base_executable', sys.executable), '-S', '-s']
    said, ros = run_without_ros(bare, example(), os.pathsep.join([*sources, str(site)]), tmp_path)
    assert not any(ros.values()), ros
    assert said == Simulation.load('two_rovers').run(3.0)


@pytest.mark.seconds
@pytest.mark.slow
def test_the_wheel_holds_all_that_the_packages_have(wheel: Path) -> None:
    """Every tracked file of every package, the shipped scenarios, all extension points except commands, one version, the license."""
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        (info,) = {name.split('/')[0] for name in held if '.dist-info/' in name}
        about = message_from_bytes(archive.read(f'{info}/METADATA'))
        points = ConfigParser(delimiters=['='])
        points.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their capitals
        points.read_string(archive.read(f'{info}/entry_points.txt').decode())
    listed = subprocess.run(['git', 'ls-files', 'src'], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    parts = [Path(line).parts for line in listed.splitlines()]
    wanted = {'/'.join(p[2:]) for p in parts if p[1] in PACKAGES and p[2] == p[1]}
    wanted |= {f'regolith_bringup/{"/".join(p[2:])}' for p in parts if p[2:4] == ('config', 'scenarios')}
    assert len(wanted) > 500
    assert wanted <= held, sorted(wanted - held)
    assert any(name.endswith('LICENSE') for name in held)
    versions = {ElementTree.parse(path).getroot().findtext('version') for path in ROOT.glob('src/*/package.xml')}
    assert versions == {about['Version']}
    for name in PACKAGES:
        for point in metadata.distribution(name).entry_points:
            if point.group not in ('console_scripts', 'regolith.commands'):
                assert points[point.group][point.name] == point.value


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_pip_alone_brings_two_rovers_to_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    """As a user has it: a new virtual environment, pip install, Python; the hash is that of a run of ROS nodes."""
    python = tmp_path / 'venv' / 'bin' / 'python'
    bare = {'HOME': str(tmp_path), 'PATH': os.defpath}
    bare |= {name: value for name, value in os.environ.items() if name.startswith('PIP_') or 'proxy' in name.lower()}
    for call in (
        [getattr(sys, '_base_executable', sys.executable), '-m', 'venv', python.parents[1]],
        [python, '-m', 'pip', 'install', '-q', '--no-compile', '-c', ROOT / 'tools' / 'constraints.txt', wheel],
    ):
        done = subprocess.run([*map(str, call)], env=bare, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr
    said, ros = run_without_ros([str(python)], example(), '', tmp_path)
    assert not any(ros.values()), ros
    domain = new_domain()
    try:
        done = subprocess.run(
            command('run', 'two_rovers', '--duration', 3, '--out', tmp_path / 'run', '--json'),
            env=environment(domain),
            capture_output=True,
            text=True,
            timeout=300,
        )
    finally:
        free_domain(domain)
    assert done.returncode == 0, done.stderr
    assert said == json.loads(done.stdout)['state_hash']
