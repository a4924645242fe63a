# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the end of a process after a time limit."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

pytest.importorskip('rclpy', reason='needs a ROS 2 environment')

STUCK = """
import ctypes
from regolith_world.ros.shutdown import exit_after
exit_after({seconds}, {code})
print('stuck', flush=True)
ctypes.PyDLL(None).sleep(60)  # holds the interpreter's lock, as rclpy does while Fast DDS destroys a participant
"""


@pytest.mark.alone
@pytest.mark.parametrize(('seconds', 'code'), [(0.3, 0), (1.2, 3)])
def test_exit_after_ends_a_process_with_a_blocked_interpreter_lock(seconds: float, code: int) -> None:
    script = STUCK.format(seconds=seconds, code=code)
    with subprocess.Popen([sys.executable, '-c', script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b'stuck\n'
        start = time.monotonic()
        assert process.wait(30.0) == code
        assert seconds - 0.2 < time.monotonic() - start < seconds + 20.0  # not the minute of the blocked call


def test_exit_after_does_not_affect_a_process_that_ends_in_time() -> None:
    script = 'from regolith_world.ros.shutdown import exit_after; exit_after(60.0, 5)'
    assert subprocess.run([sys.executable, '-c', script], check=False, timeout=30.0).returncode == 0
