# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""docker/Dockerfile without Docker: a linter reads it, and its own steps run on a stand-in of ROS 2 from apt."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from harness import ROOT, free_domain, new_domain
from test_without_ros import linked, needed_by

DOCKERFILE = ROOT / 'docker' / 'Dockerfile'
ROS = '/opt/ros/jazzy'
"""Where apt puts it."""


def instructions() -> list[tuple[str, str]]:
    """Return the Dockerfile's instructions with their arguments, on one line each."""
    text = re.sub(r'\\\n', ' ', re.sub(r'^#.*\n', '', DOCKERFILE.read_text(encoding='utf-8'), flags=re.MULTILINE))
    return [
        (word, ' '.join(rest.split())) for word, _, rest in (line.partition(' ') for line in text.splitlines() if line)
    ]


def lint(file: Path) -> subprocess.CompletedProcess[str]:
    call = [str(Path(sys.executable).parent / 'hadolint'), '--no-color', str(file)]
    return subprocess.run(call, capture_output=True, text=True, timeout=60)


def test_the_linter_is_content(tmp_path: Path) -> None:
    """Warnings and advice, too; and it would say so if it were not."""
    done = lint(DOCKERFILE)
    assert done.returncode == 0 and not done.stdout, done.stdout
    worse = tmp_path / 'Dockerfile'
    worse.write_text(
        DOCKERFILE.read_text(encoding='utf-8').replace('install -y', 'install').replace(':jazzy-ros-base-noble', '')
    )
    assert {'DL3014', 'DL3006'} <= set(re.findall(r'DL\d+', lint(worse).stdout))


def test_it_names_what_is_here() -> None:
    """What it copies and starts, and the packages that the README has a user install by apt."""
    found = instructions()
    told = dict(found)
    assert told['ENTRYPOINT'] == f'["{told["WORKDIR"]}/regolith"]' and (ROOT / 'regolith').is_file()
    (apt,) = [rest for word, rest in found if word == 'RUN' and 'apt-get' in rest]
    readme = re.search(r'sudo apt install (.*)', (ROOT / 'README.md').read_text(encoding='utf-8'))
    assert readme is not None and set(readme[1].split()) <= set(apt.split())


@pytest.fixture
def ros(tmp_path: Path) -> Path:
    """Return the ROS 2 of this machine where apt has put one, else what stands in for it.

    That is ROS's own packages out of the virtual environment, with the Python packages that apt brings along, and none of
    those that only pip has.
    """
    if Path(ROS).is_dir():
        return Path(ROS)
    prefix = Path(sys.prefix)
    files = [ROOT / 'tools' / name for name in ('requirements.txt', 'requirements-build.txt')]
    lines = [line for file in files for line in file.read_text(encoding='utf-8').splitlines() if line[:1].isalpha()]
    of_pip = set(needed_by(lines)) - {'numpy', 'pyyaml', 'packaging', 'typing-extensions'}
    # Not what is built here.
    installed = [d for d in metadata.distributions() if Path(str(d.locate_file(''))).is_relative_to(prefix)]
    named = {re.sub(r'[-_.]+', '-', d.metadata['Name']).lower(): d for d in installed}
    site = linked([d for name, d in named.items() if name not in of_pip and 'regolith' not in name], tmp_path / 'site')
    libraries = [p for p in os.environ['LD_LIBRARY_PATH'].split(':') if Path(p).is_relative_to(prefix)]
    setup = tmp_path / 'jazzy' / 'setup.bash'
    setup.parent.mkdir()
    values = {
        'AMENT_PREFIX_PATH': prefix,
        'CMAKE_PREFIX_PATH': prefix,
        'LD_LIBRARY_PATH': ':'.join(libraries),
        'PYTHONPATH': site,
        'ROS_DISTRO': 'jazzy',
        'ROS_VERSION': '2',
        'ROS_PYTHON_VERSION': '3',
    }
    setup.write_text(''.join(f"export {name}='{value}'\n" for name, value in values.items()))
    return setup.parent


@pytest.mark.slow
@pytest.mark.ros
@pytest.mark.timeout(2400)
def test_its_steps_after_apt_run(tmp_path: Path, ros: Path) -> None:
    """In the order of the file, in a clone, as its shell runs them; then what a container of it does."""
    clone, domain = tmp_path / 'image', new_domain()
    subprocess.run(['git', 'clone', '-q', str(ROOT), str(clone)], check=True, timeout=120)
    image = {name: value for name, value in os.environ.items() if name.startswith('PIP_') or 'proxy' in name.lower()}
    image |= {'HOME': os.environ['HOME'], 'PATH': os.defpath, 'ROS_DOMAIN_ID': str(domain)}
    found = instructions()
    told = dict(found)
    steps = [rest for word, rest in found if word == 'RUN' and 'apt-get' not in rest]
    assert steps and told['COPY'] == '. .'
    entry = str(clone) + re.findall(r'"([^"]+)"', told['ENTRYPOINT'])[0].removeprefix(told['WORKDIR'])
    said = ''
    try:
        for step in [*steps, f'{entry} run two_rovers --duration 1 --out {tmp_path / "run"}']:
            step = step.replace(ROS, str(ros))
            done = subprocess.run(
                ['/bin/bash', '-o', 'pipefail', '-c', step],
                cwd=clone,
                env=image,
                capture_output=True,
                text=True,
                timeout=1800,
            )
            assert done.returncode == 0, f'{step}\n{done.stdout}\n{done.stderr}'
            said += done.stdout
    finally:
        free_domain(domain)
    assert 'using ROS 2 jazzy as sourced' in said
    assert (tmp_path / 'run' / 'report.html').is_file()
    # What is the system's was not installed again.
    assert not list((clone / '.venv').glob('lib/python3*/site-packages/rclpy'))
