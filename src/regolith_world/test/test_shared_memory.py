# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the removal of shared memory left by terminated processes."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer

import pytest

from regolith_world.ros.shared_memory import remove_abandoned_segments


def _segment(folder: Path, number: int, age_s: float) -> Path:
    segment, mark = (folder / f'fastrtps_{number:016x}{end}' for end in ('', '_el'))
    segment.write_bytes(b'\2' * 100)
    mark.touch()
    os.utime(mark, (time.time() - age_s,) * 2)
    return mark


def test_only_old_segments_of_terminated_owners_are_removed(tmp_path: Path) -> None:
    dead, young, alive = (_segment(tmp_path, n, age) for n, age in ((1, 60.0), (2, 1.0), (3, 60.0)))
    port = tmp_path / 'fastrtps_port7411_el'
    port.touch()
    os.utime(port, (0.0, 0.0))
    (tmp_path / 'something_else').touch()
    with alive.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert remove_abandoned_segments(tmp_path) == 1
    assert not dead.exists() and len(list(tmp_path.iterdir())) == 6 and young.exists() and port.exists()
    assert remove_abandoned_segments(tmp_path / 'missing') == 0


def test_segments_whose_creator_has_ended_are_removed(tmp_path: Path) -> None:
    """Empty, as after ``shm_open``, and without the mark of a complete one."""
    states = {'port7011': b'', 'port7012': b'\1' + bytes(99), '0' * 16: bytes(100), 'port7013': b'\2' + bytes(99)}
    for name, content in states.items():
        path = tmp_path / f'fastrtps_{name}'
        path.write_bytes(content)
        os.utime(path, (time.time() - 10.0,) * 2)
    others = [tmp_path / name for name in ('fastrtps_port7011_el', 'sem.fastrtps_port7011_mutex', 'else')]
    for path in others:
        path.touch()
    assert remove_abandoned_segments(tmp_path) == 3
    assert {*tmp_path.iterdir()} == {*others, tmp_path / 'fastrtps_port7013'}
    assert remove_abandoned_segments(tmp_path / 'missing') == 0


def test_a_segment_that_is_being_created_stays(tmp_path: Path) -> None:
    path = tmp_path / 'fastrtps_port7011'
    path.touch()
    creator = Timer(0.2, path.write_bytes, [b'\2' + bytes(99)])
    creator.start()
    assert remove_abandoned_segments(tmp_path) == 0
    creator.join()
    assert path.stat().st_size == 100


@pytest.mark.ros
def test_a_node_starts_although_a_process_was_killed_while_it_created_a_port() -> None:
    """In shared memory of its own. The node would wait without end for the creator of port 7000, which all use."""
    apart = ['unshare', '--mount', *([] if os.geteuid() == 0 else ['--map-root-user'])]
    script = (
        'from rclpy.node import Node; from regolith_world.ros.shutdown import run_process; '
        'run_process(lambda: Node("x"), lambda node: 0, lambda node: [node])'
    )
    begin = 'mount -t tmpfs none /dev/shm && touch /dev/shm/fastrtps_port7000 && exec "$@"'
    try:
        subprocess.run([*apart, 'sh', '-c', begin, 'sh', 'true'], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f'shared memory of its own needs a mount namespace: {getattr(error, "stderr", None) or error}')
    environment = {**os.environ, 'ROS_DOMAIN_ID': str(1 + os.getpid() % 19)}
    command = [*apart, 'sh', '-c', begin, 'sh', sys.executable, '-c', script]
    assert subprocess.run(command, env=environment, timeout=60.0).returncode == 0


@pytest.mark.ros
def test_middleware_marks_its_segments_as_expected(tmp_path: Path) -> None:
    """A process alive locks its mark; killed, it leaves the mark behind unlocked."""
    script = 'import rclpy, time; rclpy.init(); node = rclpy.create_node("x"); print("up", flush=True); time.sleep(60)'
    surroundings = {**os.environ, 'ROS_DOMAIN_ID': str(1 + os.getpid() % 19)}
    process = subprocess.Popen([sys.executable, '-c', script], env=surroundings, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None and process.stdout.readline() == b'up\n'
        opened = {os.path.realpath(link) for link in Path(f'/proc/{process.pid}/fd').iterdir()}
        own = [Path(name) for name in opened if re.fullmatch(r'/dev/shm/fastrtps_[0-9a-f]{16}_el', name)]
        assert own, f'no mark among {sorted(opened)}'
        for mark in own:
            os.utime(mark, (time.time() - 60.0,) * 2)
        remove_abandoned_segments()
        assert all(mark.exists() for mark in own), 'taken from a living process'
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    remove_abandoned_segments()
    assert not any(mark.exists() for mark in own)
