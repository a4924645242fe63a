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

import pytest

from regolith_bringup.run.shared_memory import remove_abandoned


def _segment(folder: Path, number: int, age_s: float) -> Path:
    segment, mark = (folder / f'fastrtps_{number:016x}{end}' for end in ('', '_el'))
    segment.write_bytes(b'0' * 100)
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
        assert remove_abandoned(tmp_path) == 1
    assert not dead.exists() and len(list(tmp_path.iterdir())) == 6 and young.exists() and port.exists()
    assert remove_abandoned(tmp_path / 'missing') == 0


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
        remove_abandoned()
        assert all(mark.exists() for mark in own), 'taken from a living process'
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    remove_abandoned()
    assert not any(mark.exists() for mark in own)
