# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A sourced ROS 2 in short: its Python, which lacks all that only pip brings, runs what we install.

What colcon of the system installs begins with that Python, and ``ros2 launch`` runs under it; both find our packages
and pip's by what ``install/env.sh`` puts on PYTHONPATH where a ROS 2 was sourced at set-up. The Python that the virtual
environment was made from stands in for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from harness import ROOT

SYSTEM_PYTHON = str(getattr(sys, '_base_executable'))  # noqa: B009  not known to type checkers
PIP_ONLY = ('numba', 'mujoco', 'embreex', 'mcap', 'rosbags')


@pytest.fixture(scope='module')
def sourced(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment of a shell that sourced a ROS 2, then what set-up wrote for it."""
    file = tmp_path_factory.mktemp('env') / 'env.sh'
    # Of what the tests run with, the part that is not ours: nothing, or what the ROS 2 sourced at set-up has put there.
    theirs = [p for p in os.environ.get('PYTHONPATH', '').split(':') if p and not Path(p).is_relative_to(ROOT)]
    ros = {
        'PYTHONPATH': ':'.join(theirs),
        'HOME': os.environ['HOME'],
        'PATH': '/usr/bin:/bin',
        'ROS_DISTRO': 'jazzy',
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        'AMENT_PREFIX_PATH': os.environ['AMENT_PREFIX_PATH'],
        'LD_LIBRARY_PATH': os.environ['LD_LIBRARY_PATH'],
    }
    subprocess.run([ROOT / 'tools' / 'setup.sh', 'env', str(file)], env=ros, cwd=ROOT, check=True, timeout=60)
    told = subprocess.run(
        ['/bin/bash', '-c', '. "$0"; env -0', str(file)],
        env=ros,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return dict(line.split('=', 1) for line in told.stdout.split('\0') if '=' in line)


def test_the_systems_python_has_none_of_it_by_itself() -> None:
    """Else what follows would say nothing."""
    found = f'from importlib.util import find_spec; print([n for n in {PIP_ONLY} if find_spec(n)])'
    done = subprocess.run([SYSTEM_PYTHON, '-c', found], env={'PATH': '/usr/bin:/bin'}, capture_output=True, text=True)
    assert (done.stdout.strip(), Path(SYSTEM_PYTHON).is_relative_to(ROOT)) == ('[]', False), done.stderr


def test_paths_of_ones_own_are_kept() -> None:
    """Plug-ins and messages of a workspace of one's own are found behind what is ours."""
    mine = {'PYTHONPATH': '/mine/python', 'AMENT_PREFIX_PATH': '/mine/share', 'LD_LIBRARY_PATH': '/mine/lib'}
    script = '. install/env.sh; printf "%s\n" "$PYTHONPATH" "$AMENT_PREFIX_PATH" "$LD_LIBRARY_PATH"'
    told = subprocess.run(
        ['/bin/bash', '-c', script], env={'PATH': '/usr/bin:/bin', **mine}, cwd=ROOT, capture_output=True, text=True
    )
    for line, path in zip(told.stdout.splitlines(), mine.values(), strict=True):
        assert path in line.split(':')[1:], told.stderr


def test_launch_files_load_under_the_systems_python(sourced: dict[str, str]) -> None:
    found = f'from importlib.util import find_spec; assert all(find_spec(n) for n in {PIP_ONLY})'
    script = f'{found}; import rclpy, pydantic, regolith_bringup.run.node_plan; print("all there")'
    done = subprocess.run([SYSTEM_PYTHON, '-c', script], env=sourced, capture_output=True, text=True)
    assert done.stdout.strip() == 'all there', done.stderr


@pytest.mark.parametrize(
    ('package', 'executable'),
    [('regolith_world', 'world_node'), pytest.param('regolith_vehicles', 'vehicle_node', marks=pytest.mark.slow)],
)
def test_executables_of_the_systems_colcon_start(
    package: str, executable: str, sourced: dict[str, str], tmp_path: Path
) -> None:
    """Without a scenario a node says what it lacks, with exit code 2: its imports are behind it then."""
    installed = (ROOT / 'install' / package / 'lib' / package / executable).read_text()
    first, _, rest = installed.partition('\n')
    assert first.startswith('#!')
    copy = tmp_path / package / executable
    copy.parent.mkdir()
    copy.write_text(f'#!{SYSTEM_PYTHON}\n{rest}')
    copy.chmod(0o755)
    done = subprocess.run(
        [str(copy)], env={**sourced, 'ROS_DOMAIN_ID': '19'}, capture_output=True, text=True, timeout=60
    )
    assert 'ModuleNotFoundError' not in done.stderr and done.returncode == 2, done.stderr
    assert 'scenario_file' in done.stderr
