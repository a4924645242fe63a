# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What keys and the stick of a gamepad request of a vehicle; test/test_teleop.py drives one."""

from __future__ import annotations

import os
import pty
import struct
from pathlib import Path

import pytest

pytestmark = pytest.mark.ros


@pytest.mark.parametrize(
    ('keys', 'forward', 'turn'),
    [
        (b'www', 3, 0),
        (b'xx', -2, 0),
        (b'aa', 0, 2),
        (b'ddd', 0, -3),
        (b'WwA', 2, 1),
        (b'\x1b[A\x1b[A\x1b[D', 2, 1),
        (b'\x1b[B\x1b[C', -1, -1),
        (b'w' * 20, 10, 0),
        (b'x' * 20 + b'w', -9, 0),
        (b'd' * 20 + b'a', 0, -9),
        (b'wwaas', 0, 0),
        (b'xdd w', 1, 0),
        (b'kz\xff', 0, 0),
    ],
)
def test_keys_are_steps_of_speed_and_yaw_rate(keys: bytes, forward: int, turn: int) -> None:
    """Ten steps are the full speed; s and the space bar stop both."""
    from regolith_bringup.run.teleop import Keyboard

    ours, theirs = pty.openpty()
    try:
        with os.fdopen(theirs, 'rb', buffering=0) as file, Keyboard(0.5, 2.0, file) as keyboard:
            assert keyboard.press(keys)
            assert (keyboard.forward, keyboard.turn) == (forward, turn)
            wanted = keyboard.read(0.0)
            assert wanted is not None and wanted.forward == pytest.approx(0.05 * forward)
            assert wanted.yaw_rate == pytest.approx(0.2 * turn)
            assert not keyboard.press(b'q') and not keyboard.press(b'w\x04')
    finally:
        os.close(ours)


@pytest.mark.parametrize(
    ('across', 'along', 'forward', 'yaw_rate'),
    [(0, -32767, 0.5, 0.0), (0, 32767, -0.5, 0.0), (-32767, 0, 0.0, 2.0), (32767, 0, 0.0, -2.0), (500, -500, 0.0, 0.0)],
)
def test_a_stick_pushed_ahead_drives_ahead_and_to_the_left_turns_left(
    tmp_path: Path, across: int, along: int, forward: float, yaw_rate: float
) -> None:
    """Axes of Linux' joysticks point right and back; a little play about the middle is none."""
    from regolith_bringup.run.teleop import Gamepad

    device = tmp_path / 'js0'
    # Time, value, kind (2: axis, 0x80: as it was when the device was opened), number; and a button.
    events = [(0, across, 0x82, 0), (5, 1, 1, 0), (9, along, 2, 1)]
    device.write_bytes(b''.join(struct.pack('<IhBB', *event) for event in events))
    with Gamepad(device, 0.5, 2.0) as pad:
        wanted = pad.read(1.0)
        assert wanted is not None
        assert (wanted.forward, wanted.yaw_rate) == (pytest.approx(forward), pytest.approx(yaw_rate))
        assert pad.read(1.0) is None, 'the file ends: it was unplugged'
