# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The doctor: what is well, and what is wrong with environments made so on purpose."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.seconds]


def told(**environment: str) -> tuple[int, dict[str, Any]]:
    """Return exit code and findings in an environment changed so; '' takes a variable away."""
    changed = {key: value for key, value in {**os.environ, 'ROS_DOMAIN_ID': '7', **environment}.items() if value}
    done = subprocess.run(
        [sys.executable, '-m', 'regolith_bringup', 'doctor', '--json'],
        env=changed,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)


def test_all_is_well_here() -> None:
    code, found = told()
    assert (code, found['problems']) == (0, [])
    assert found['backends']['rays'].startswith('Embree 4 on the processor')
    assert float(found['health']['nodes hear each other'].split()[1]) < 10.0  # term: JSON key
    assert found['health']['ROS domain'].startswith('7; ')


def test_a_middleware_that_is_not_there_is_named() -> None:
    code, found = told(RMW_IMPLEMENTATION='rmw_nowhere_cpp')
    assert code == 1 and found['health']['nodes hear each other'] == 'no'  # term: JSON key
    (problem,) = found['problems']
    assert "RMW_IMPLEMENTATION = 'rmw_nowhere_cpp': is not installed; allowed: rmw_fastrtps_cpp" in problem


@pytest.mark.slow
def test_interfaces_that_are_not_built_are_named() -> None:
    """A shell that has the Python packages, and not what AMENT_PREFIX_PATH leads to."""
    prefixes = os.environ['AMENT_PREFIX_PATH'].split(':')
    kept = ':'.join(p for p in prefixes if not (Path(p) / 'share' / 'regolith_msgs').is_dir())
    code, found = told(AMENT_PREFIX_PATH=kept)
    (problem, *_) = [each for each in found['problems'] if 'interfaces' in each]
    assert code == 1 and 'regolith_msgs/msg/Cycle' in problem and '`make setup`' in problem


def test_a_profile_that_is_not_there_is_named(tmp_path: Path) -> None:
    code, found = told(FASTRTPS_DEFAULT_PROFILES_FILE=str(tmp_path / 'gone.xml'))
    assert code == 1
    (problem,) = found['problems']
    assert problem.startswith("environment: FASTRTPS_DEFAULT_PROFILES_FILE = '/")
    assert problem.endswith(': is not a file; allowed: an XML file of Fast DDS profiles, or unset')


def test_a_domain_out_of_range_is_a_problem() -> None:
    code, found = told(ROS_DOMAIN_ID='9999')
    assert code == 1 and found['health']['nodes hear each other'] == 'no'  # term: JSON key
    assert found['problems'] == ["environment: ROS_DOMAIN_ID = '9999': is not a ROS domain; allowed: 0 to 232"]


def test_what_is_not_installed_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    from regolith_bringup.run import doctor

    known = doctor._version
    monkeypatch.setattr(doctor, '_version', lambda name: None if name == 'rasterio' else known(name))
    problems: list[str] = []
    assert doctor._versions(problems)['rasterio'] == 'missing'
    assert problems == ['rasterio is not installed; run `make setup`']


GB = 1 << 30


@pytest.mark.parametrize(
    ('free', 'lacking'),
    [
        ({'/dev/shm': 41 << 20, '.': GB}, []),
        ({'/dev/shm': 39 << 20, '.': 2 * GB}, ['shared memory: 39 MB free in /dev/shm, less than 40 MB; remove ']),
        ({'/dev/shm': GB, '.': 1023 << 20}, ['disk: 1023 MB free in CWD, less than 1024 MB; free disk space']),
        ({'/dev/shm': 0, '.': 0}, ['shared memory: 0 MB free', 'disk: 0 MB free']),
        ({'.': GB}, []),
    ],
    ids=['enough', 'no shared memory', 'no disk', 'neither', 'unknown'],
)
def test_free_space_and_not_the_size_of_a_disk_counts(
    free: dict[str, int], lacking: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of large disks with so much free space, in the two folders; what cannot be found out is not a problem."""
    from regolith_bringup.run import doctor

    def usage(folder: str) -> Any:
        known = free.get('.' if folder == str(tmp_path) else folder)
        if known is None:
            raise FileNotFoundError(folder)
        return shutil._ntuple_diskusage(500 * GB, 500 * GB - known, known)  # type: ignore[attr-defined]

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor.shutil, 'disk_usage', usage)
    monkeypatch.setattr(doctor, '_heard', lambda environment: ('after 1 s', ''))
    monkeypatch.setattr(doctor, 'check_ros_environment', lambda environment: None)
    problems: list[str] = []
    found = doctor._health(problems)
    assert len(problems) == len(lacking)
    for problem, start in zip(problems, lacking, strict=True):
        assert problem.startswith(start.replace('CWD', str(tmp_path)))
    for what, folder in (('shared memory', '/dev/shm'), ('disk', '.')):
        where = tmp_path if folder == '.' else folder
        assert found[what] == (f'{free[folder] / GB:.1f} GB free in {where}' if folder in free else 'unknown')
