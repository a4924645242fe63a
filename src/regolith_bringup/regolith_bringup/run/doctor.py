# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Installed versions, and problems that would stop a run."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from typing import Any

from regolith_bringup.bag.message_definitions import UnknownTypeError, schema_text
from regolith_bringup.bag.topics import recorded_topics
from regolith_world.determinism import fingerprint, pinned, unpinnable

_FINGERPRINT = 'from regolith_world.determinism import fingerprint; print(fingerprint())'
_DISTRIBUTIONS = ('numpy', 'numba', 'mujoco', 'rasterio', 'pydantic', 'matplotlib', 'mcap', 'rosbags')
_OWN = ('regolith_world', 'regolith_terrain', 'regolith_vehicles', 'regolith_bringup')


def diagnose() -> dict[str, Any]:
    """Return {'versions': installed packages, 'problems': missing ones, with remedies}."""
    problems: list[str] = []
    versions = {
        'python': platform.python_version(),
        'cores': str(os.cpu_count()),
        'ROS 2': os.environ.get('ROS_DISTRO', 'not sourced'),
        'discovery range': os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET (default)'),
    }
    for name in _DISTRIBUTIONS:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = 'missing'
            problems.append(f'{name} is not installed; run `make setup`')
    absent = [name for name in ('rclpy', *_OWN) if find_spec(name) is None]
    if absent:
        problems.append(f'Python packages not found: {", ".join(absent)}; run `make setup` and use `./regolith`')
    missing = []
    for topic in recorded_topics(['any']):
        try:
            schema_text(topic.type_name)
        except UnknownTypeError:
            missing.append(topic.type_name)
    if missing:
        problems.append(f'interfaces not built: {", ".join(sorted(set(missing)))}; run `make setup`')
    versions['arithmetic'], versions['arithmetic, pinned'] = _fingerprints()
    versions['ros2 launch'] = 'yes' if find_spec('launch_ros') else 'no; `./regolith run` starts the nodes itself'
    versions['C compiler'] = shutil.which('cc') or 'missing (needed to build the interfaces)'
    return {'versions': versions, 'problems': problems}


def _fingerprints() -> tuple[str, str]:
    """Return what tells this machine's elementary functions from another's: as they are, and with everything pinned."""
    if reason := unpinnable():
        return fingerprint(), f'nothing pins {reason}'
    # The C library chooses when a process starts.
    command = [sys.executable, '-c', _FINGERPRINT]
    done = subprocess.run(command, env=pinned(os.environ), capture_output=True, text=True, check=False)
    return fingerprint(), done.stdout.strip() or 'cannot be told'
