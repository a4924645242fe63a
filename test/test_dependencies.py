# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dependencies resolve: every key of every package.xml, by rosdep itself, whose database of ours stands in a file here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
DATABASE = ROOT / 'tools' / 'rosdep.yaml'
PUBLIC = {
    'python3-hypothesis',
    'python3-jsonschema',
    'python3-matplotlib',
    'python3-numpy',
    'python3-opencv',
    'python3-pytest',
    'python3-scipy',
    'python3-yaml',
}
"""Keys of the public database, which is on the network: ``tools/check_packages.py`` has them, too."""
NOT_AS_WHEELS = {'launch', 'launch_ros'}
"""Packages of Jazzy that PyPI does not have: with them comes ``ros2 launch``, without them ``./regolith`` is all."""
SYSTEMS = ('ubuntu:noble', 'debian:bookworm')
Resolve = Callable[[str, list[str]], set[str]]


def manifests() -> list[Path]:
    return sorted([*ROOT.glob('src/*/package.xml'), *ROOT.glob('underlay/*/package.xml')])


def keys(manifest: Path) -> set[str]:
    """Return everything that a package depends on, in whatever way."""
    tags = {e.tag for e in ElementTree.parse(manifest).getroot()}
    depends = {tag for tag in tags if tag == 'depend' or tag.endswith('_depend')}
    return {e.text or '' for e in ElementTree.parse(manifest).getroot() if e.tag in depends}


def ros_packages() -> set[str]:
    """Return the ROS packages that are here: of the wheels or of the system, and ours."""
    prefixes = [Path(p) for p in os.environ['AMENT_PREFIX_PATH'].split(os.pathsep) if p]
    found = {p.name for prefix in prefixes for p in prefix.glob('share/ament_index/resource_index/packages/*')}
    return found | {manifest.parent.name for manifest in manifests()}


@pytest.fixture(scope='module')
def resolve(tmp_path_factory: pytest.TempPathFactory) -> Resolve:
    """Return a function that queries rosdep for the keys it resolves on a system, with our database alone: no network."""
    folder = tmp_path_factory.mktemp('rosdep')
    (folder / 'sources').mkdir()
    (folder / 'sources' / '50-regolith.list').write_text(f'yaml {DATABASE.as_uri()}\n')
    (folder / 'jazzy.yaml').write_text(
        '%YAML 1.1\n---\nrelease_platforms: {ubuntu: [noble], debian: [bookworm]}\nrepositories: {}\ntype: distribution\nversion: 2\n'
    )
    (folder / 'index-v4.yaml').write_text(
        '%YAML 1.1\n---\ndistributions:\n  jazzy:\n    distribution: [jazzy.yaml]\n    distribution_status: active\n'
        '    distribution_type: ros2\n    python_version: 3\ntype: index\nversion: 4\n'
    )
    apart = {
        **os.environ,
        'ROS_HOME': str(folder / 'home'),
        'ROSDEP_SOURCE_PATH': str(folder / 'sources'),
        'ROSDISTRO_INDEX_URL': (folder / 'index-v4.yaml').as_uri(),
        'ROS_PYTHON_VERSION': '3',
        'ROS_DISTRO': 'jazzy',
    }
    rosdep = str(Path(sys.executable).parent / 'rosdep')
    subprocess.run([rosdep, 'update'], env=apart, check=True, capture_output=True, timeout=60)

    def ask(system: str, keys: list[str]) -> set[str]:
        call = [rosdep, 'resolve', '--rosdistro', 'jazzy', '--os', system, *keys]
        told = subprocess.run(call, env=apart, capture_output=True, text=True, timeout=60).stdout
        # A heading for each key, the installer, and what it is to install.
        return {key for key in keys if re.search(rf'^#ROSDEP\[{key}\]\n#(?:apt|pip)\n\S', told, re.MULTILINE)}

    return ask


@pytest.mark.seconds
def test_every_dependency_resolves(resolve: Resolve) -> None:
    """Ours, ROS's, the public database's; all else by the file that is shipped, on both systems."""
    known = ros_packages() | NOT_AS_WHEELS | PUBLIC
    wanted = {key for manifest in manifests() for key in keys(manifest)} - known
    assert len(wanted) > 10 and all(key.startswith('python3-') for key in wanted), wanted
    for system in SYSTEMS:
        assert resolve(system, sorted(wanted)) == wanted
    assert resolve(SYSTEMS[0], ['python3-numba-pip', 'python3-nothing-pip']) == {'python3-numba-pip'}


def test_what_pip_brings_is_what_set_up_installs() -> None:
    """The names of PyPI behind the keys are those of the requirements; nothing stands in the database in vain."""
    database = yaml.safe_load(DATABASE.read_text(encoding='utf-8'))
    lines = [
        line for file in ROOT.glob('tools/requirements*.txt') for line in file.read_text(encoding='utf-8').splitlines()
    ]
    required = {re.split(r'[<>=\[ ]', line)[0] for line in lines if line and not line.startswith('#')}
    of_pip = {
        name
        for rule in database.values()
        for system in rule.values()
        if 'pip' in system
        for name in system['pip']['packages']
    }
    assert of_pip and of_pip <= required, of_pip - required
    asked = {key for manifest in manifests() for key in keys(manifest)}
    assert set(database) <= asked, set(database) - asked
    sys.path.insert(0, str(ROOT / 'tools'))
    import check_packages

    assert set(check_packages.PUBLIC_KEYS) == PUBLIC
