# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Diagnosis of an installation: software, selected back ends, communication between nodes, problems with fixes."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from regolith_bringup.bag.message_definitions import UnknownTypeError, schema_text
from regolith_bringup.bag.topics import recorded_topics
from regolith_bringup.run.middleware import VARIABLE, middleware_environment
from regolith_bringup.run.ros_graph import listeners
from regolith_files import InputError
from regolith_world import check_ros_environment, determinism, installed_versions
from regolith_world.numerics import kernel_cache
from regolith_world.ros import remove_abandoned_segments

_FINGERPRINT = 'from regolith_world.determinism import math_fingerprint; print(math_fingerprint())'
_DISTRIBUTIONS = ('embreex', 'rasterio', 'pydantic', 'matplotlib', 'mcap', 'rosbags')
_OPTIONAL = {'warp-lang': 'particles on a graphics card', 'distributed': 'campaigns on several machines'}
_OWN = tuple(f'regolith_{name}' for name in ('world', 'terrain', 'vehicles', 'sensors', 'bringup'))
_SEGMENT = 40 << 20
"""Shared memory of two processes with the Regolith middleware profile, with margin [bytes]."""
_SPACE = 1 << 30
_HEARD_S = 20.0
"""Timeout for two nodes to start and exchange a message [wall s]. One or two seconds are usual."""
_HEAR = """
import time, rclpy
from std_msgs.msg import String
rclpy.init()
one, other = rclpy.create_node('doctor_talker'), rclpy.create_node('doctor_listener')
received = []
other.create_subscription(String, 'doctor_word', received.append, 10)
publisher = one.create_publisher(String, 'doctor_word', 10)
began = time.monotonic()
while not received:
    publisher.publish(String(data='word'))
    rclpy.spin_once(other, timeout_sec=0.05)
print(f'{time.monotonic() - began:.2f}')
"""


def diagnose() -> dict[str, Any]:
    """Return ``versions`` of installed software, selected ``backends``, ``health``, and ``problems`` with fixes.

    Shared memory of terminated processes is removed first: nodes may wait for it without end.
    """
    remove_abandoned_segments()
    problems: list[str] = []
    return {
        'versions': _versions(problems),
        'backends': _backends(problems),
        'health': _health(problems),
        'problems': problems,
    }


def _versions(problems: list[str]) -> dict[str, str]:
    found = {
        'python': platform.python_version(),
        'cores': str(os.cpu_count()),
        'ROS 2': os.environ.get('ROS_DISTRO', 'not sourced'),
    }
    for line in installed_versions():
        name, _, found[name] = line.partition(' ')
    for name in _DISTRIBUTIONS:
        found[name] = _version(name) or 'missing'
    problems += [f'{name} is not installed; run `make setup`' for name in found if found[name] == 'missing']
    for name, use in _OPTIONAL.items():
        found[name] = _version(name) or f'not installed; pip install {name} for {use}'
    absent = [name for name in ('rclpy', *_OWN) if find_spec(name) is None]
    if absent:
        problems.append(f'Python packages not found: {", ".join(absent)}; run `make setup` and use `./regolith`')
    missing = set()
    for topic in recorded_topics(['any']):
        try:
            schema_text(topic.type_name)
        except UnknownTypeError:
            missing.add(topic.type_name)
    if missing:
        problems.append(f'interfaces not built: {", ".join(sorted(missing))}; run `make setup` and use `./regolith`')
    found['arithmetic'], found['arithmetic, pinned'] = _fingerprints()
    found['ros2 launch'] = 'yes' if find_spec('launch_ros') else 'no; `./regolith run` starts the nodes itself'
    found['C compiler'] = shutil.which('cc') or 'missing (needed to build the interfaces)'
    return found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _backends(problems: list[str]) -> dict[str, str]:
    """Return the selected back end of each computation, with the reason."""
    found = {'multibody': f'MuJoCo {_version("mujoco") or "missing"}', 'rays': _rays(), 'particles': _particles()}
    folder = Path(os.environ.get(kernel_cache.VARIABLE) or '.')
    if not kernel_cache.writable(folder):
        problems.append(
            f'compiled kernels cannot be stored in {folder}: every run compiles for a minute or two; '
            f'set {kernel_cache.VARIABLE} to a writable folder'
        )
    state = 'all compiled' if kernel_cache.is_complete() else 'compiled on first use, which takes a minute or two'
    found['soil, contacts'] = f'Numba on {os.cpu_count()} cores; {state}'
    return found


def _rays() -> str:
    version = _version('embreex')
    return f'Embree 4 on the processor (embreex {version})' if version else 'none: embreex is missing'


def _particles() -> str:
    try:
        from regolith_terrain.crm import missing_gpu_requirement
    except ImportError as error:
        return f'none: {error}'
    missing = missing_gpu_requirement()
    return f'the processor; missing for a graphics card: {missing}' if missing else 'a graphics card, through Warp'


def _health(problems: list[str]) -> dict[str, str]:
    """Return the state of shared memory, disk, ROS domain and communication."""
    found = {}
    for what, folder, least in (('shared memory', '/dev/shm', _SEGMENT), ('disk', os.getcwd(), _SPACE)):
        free = _free(folder)
        found[what] = 'unknown' if free is None else f'{free / 2**30:.1f} GB free in {folder}'
        if free is not None and free < least:
            remedy = (
                'remove files of terminated processes (rm /dev/shm/fastrtps_*, with no node running), or run with '
                f'{VARIABLE} set to config/fastdds_udp.xml'
                if what == 'shared memory'
                else 'free disk space, or use --out'
            )
            problems.append(f'{what}: {free >> 20} MB free in {folder}, less than {least >> 20} MB; {remedy}')
    domain = os.environ.get('ROS_DOMAIN_ID') or '0'
    busy = listeners(int(domain)) if domain.isdecimal() else 0
    found['ROS domain'] = (
        f'{domain}; {f"{busy} ports in use on it: others are there" if busy else "nobody is on it"}'  # term: inner text
    )
    environment = {**os.environ, **middleware_environment(os.environ)}
    found['profile'] = environment.get(VARIABLE, 'none')
    try:
        check_ros_environment(os.environ)
    except InputError as error:
        problems.append(str(error))
        return {**found, 'nodes hear each other': 'no'}  # term: JSON key
    heard, why = _heard(environment)
    found['nodes hear each other'] = heard  # term: JSON key
    if why:
        problems.append(f'nodes cannot communicate: {why}')
    return found


def _free(folder: str) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _heard(environment: dict[str, str]) -> tuple[str, str]:
    """Return the time in which two nodes exchanged a message as text, and the problem or ''."""
    command = [sys.executable, '-c', _HEAR]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_HEARD_S, check=False)
    except subprocess.TimeoutExpired:
        return 'no', (
            f'no message between two nodes within {_HEARD_S:g} s; check firewall, ROS_AUTOMATIC_DISCOVERY_RANGE '
            f'({environment.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "unset")}) and {VARIABLE}'
        )
    if done.returncode == 0:
        return f'after {done.stdout.strip()} s', ''
    said = next((line.strip() for line in reversed(done.stderr.splitlines()) if line.strip()), 'no output')
    return 'no', f'{said}; run `make setup` and use `./regolith`'


def _fingerprints() -> tuple[str, str]:
    """Return fingerprints of the elementary functions of this machine: unpinned and pinned."""
    if reason := determinism.unpinnable_reason():
        return determinism.math_fingerprint(), f'cannot pin {reason}'
    # The C library selects its functions when a process starts.
    command = [sys.executable, '-c', _FINGERPRINT]
    done = subprocess.run(command, env=determinism.with_pins(os.environ), capture_output=True, text=True, check=False)
    return determinism.math_fingerprint(), done.stdout.strip() or 'cannot be determined'
