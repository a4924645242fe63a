# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Manual ``cmd_vel`` commands from keys or a gamepad."""

from __future__ import annotations

import errno
import os
import select
import stat
import struct
import sys
import termios
import time
import tty
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Protocol

from geometry_msgs.msg import Twist, TwistStamped

from regolith_bringup.run.graph_client import GraphClient
from regolith_files import InputError, Problem

PERIOD_S = 0.1
STEPS = 10
"""Number of key presses from rest to full speed."""
_ARROWS = {b'\x1b[A': 'w', b'\x1b[B': 'x', b'\x1b[D': 'a', b'\x1b[C': 'd'}
_EVENT = struct.Struct('<IhBB')
_AXIS, _INITIAL, _FULL = 0x02, 0x80, 32767.0
_DEAD = 0.08
"""Dead zone of a stick as a fraction of its range [-]."""


class TeleopCommand(NamedTuple):
    """Requested velocities of a vehicle."""

    forward: float
    """Forward speed [m/s]."""
    yaw_rate: float
    """Yaw rate, positive to the left [rad/s]."""


class TeleopInput(Protocol):
    """Input device: keys or a stick."""

    def read(self, timeout_s: float) -> TeleopCommand | None:
        """Wait up to a time [s] for input and return the command, or None to quit."""


class Keyboard:
    """Keys of the terminal: each press changes the speed by one step. For use in a ``with`` statement.

    Args:
        linear: Maximum forward speed [m/s].
        angular: Maximum yaw rate [rad/s].
        stream: Terminal to read from, None for standard input.
    """

    def __init__(self, linear: float, angular: float, stream: Any = None) -> None:
        self._file = (stream or sys.stdin).fileno()
        self._linear, self._angular = linear, angular
        self.forward = self.turn = 0
        """Speed and yaw rate in steps."""

    def __enter__(self) -> Keyboard:
        """Read keys unbuffered and without echo. Ctrl-C keeps its function."""
        self._before = termios.tcgetattr(self._file)
        tty.setcbreak(self._file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restore the terminal settings."""
        termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)

    def read(self, timeout_s: float) -> TeleopCommand | None:
        """Return the command after the pressed keys, or None for q or a closed terminal."""
        if select.select([self._file], [], [], timeout_s)[0]:
            pressed = os.read(self._file, 256)
            if not pressed or not self.press(pressed):
                return None
        return TeleopCommand(self.forward / STEPS * self._linear, self.turn / STEPS * self._angular)

    def press(self, keys: bytes) -> bool:
        """Process keys. Return False for a key that quits."""
        for sequence, key in _ARROWS.items():
            keys = keys.replace(sequence, key.encode())
        for key in keys.decode('ascii', 'ignore').lower():
            match key:
                case 'w' | 'x':
                    self.forward = max(-STEPS, min(STEPS, self.forward + (1 if key == 'w' else -1)))
                case 'a' | 'd':
                    self.turn = max(-STEPS, min(STEPS, self.turn + (1 if key == 'a' else -1)))
                case 's' | ' ':
                    self.forward = self.turn = 0
                case 'q' | '\x04':
                    return False
        return True


class Gamepad:
    """Stick of a gamepad, read by the Linux joystick interface, for use in a ``with`` statement.

    Args:
        device: Device file, e.g. /dev/input/js0.
        linear: Forward speed at full deflection [m/s].
        angular: Yaw rate at full deflection [rad/s].

    Raises:
        InputError: If the device cannot be read.
    """

    def __init__(self, device: Path, linear: float, angular: float) -> None:
        self._linear, self._angular = linear, angular
        self._axes: dict[int, float] = {}
        try:
            self._file = os.open(device, os.O_RDONLY | os.O_NONBLOCK)
            if not stat.S_ISCHR(os.fstat(self._file).st_mode) and not os.path.isfile(device):
                os.close(self._file)
                raise OSError(errno.ENODEV, 'is not a device')
        except OSError as error:
            found = ', '.join(sorted(map(str, Path('/dev/input').glob('js*')))) or 'none found'
            problem = f'cannot be read: {error.strerror}'
            raise InputError(Problem('--gamepad', '', problem, found, str(device))) from None

    def __enter__(self) -> Gamepad:
        """Return this object."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the device."""
        os.close(self._file)

    def read(self, timeout_s: float) -> TeleopCommand | None:
        """Return the command after stick movements, or None if the device was unplugged."""
        if select.select([self._file], [], [], timeout_s)[0]:
            try:
                data = os.read(self._file, 64 * _EVENT.size)
            except OSError:
                return None
            if not data:
                return None
            self.move(data)
        return TeleopCommand(-self._axis(1) * self._linear, -self._axis(0) * self._angular)

    def move(self, data: bytes) -> None:
        """Process events of the device."""
        for start in range(0, len(data) - _EVENT.size + 1, _EVENT.size):
            _, value, kind, number = _EVENT.unpack_from(data, start)
            if kind & ~_INITIAL == _AXIS:
                self._axes[number] = value / _FULL

    def _axis(self, number: int) -> float:
        value = max(-1.0, min(1.0, self._axes.get(number, 0.0)))
        return 0.0 if abs(value) < _DEAD else value


class VehicleCommand(GraphClient):
    """Publisher of ``cmd_vel`` of a vehicle, for use in a ``with`` statement.

    Raises:
        InputError: On entering, if no node subscribes to it.
    """

    def __init__(self, vehicle: str, domain: str | None = None, namespace: str = '') -> None:
        super().__init__(domain, namespace)
        self.topic = f'{self.root}/{vehicle}/cmd_vel'

    def entered(self) -> None:
        """Find the subscriptions, and which of the two message types they use."""
        listeners: list[Any] = []

        def heard() -> bool:
            listeners[:] = self.node.get_subscriptions_info_by_topic(self.topic)
            return bool(listeners)

        if not self.wait(heard, self.DISCOVERY_TIMEOUT_S):
            driven = sorted(
                name.removesuffix('/cmd_vel').removeprefix(f'{self.root}/')
                for name, _ in self.node.get_topic_names_and_types()
                if name.endswith('/cmd_vel') and self.node.count_subscribers(name)
            )
            allowed = ', '.join(driven) or 'a vehicle of a run on this domain with driver: {type: external}'
            raise InputError(Problem('teleop', '', f'no node subscribes to {self.topic}', allowed))
        stamped = 'TwistStamped' in listeners[0].topic_type
        self._publisher = self.node.create_publisher(TwistStamped if stamped else Twist, self.topic, 10)
        self._stamped = stamped

    def follow(self, hand: TeleopInput) -> None:
        """Publish commands of an input device until it quits, then a stop."""
        due = 0.0
        printed = None
        try:
            while True:
                wanted = hand.read(PERIOD_S)
                if wanted is None:
                    return
                if wanted != printed:
                    printed = wanted
                    words = f'\r{wanted.forward:+6.2f} m/s {wanted.yaw_rate:+6.2f} rad/s '
                    print(words, end='', file=sys.stderr, flush=True)
                elif time.monotonic() < due:
                    continue
                due = time.monotonic() + PERIOD_S
                self._publish(wanted)
        except KeyboardInterrupt:
            return
        finally:
            for _ in range(3):
                self._publish(TeleopCommand(0.0, 0.0))
                time.sleep(0.02)
            print(file=sys.stderr)

    def _publish(self, wanted: TeleopCommand) -> None:
        twist = Twist()
        twist.linear.x, twist.angular.z = float(wanted.forward), float(wanted.yaw_rate)
        if self._stamped:
            message = TwistStamped(twist=twist)
            message.header.stamp = self.node.get_clock().now().to_msg()
            self._publisher.publish(message)
        else:
            self._publisher.publish(twist)
