# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Command of a driver: a twist of the base or its replacement, and joint targets by name."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

TWIST, ACKERMANN, PEDALS = 'twist', 'ackermann', 'pedals'
"""Command interfaces that a running gear can support, in addition to joint targets."""

_TWIST = struct.Struct('<dd')


class AckermannCommand(NamedTuple):
    """Ackermann command: a speed, and the angle of a bicycle's front wheel."""

    speed: float = 0.0
    """Forward speed [m/s], negative for reverse."""
    steering_angle: float = 0.0
    """Steering angle [rad], positive to the left."""
    steering_rate: float = 0.0
    """Rate of change of the angle [rad/s]; 0: without limit."""
    acceleration: float = 0.0
    """Rate of change of the speed [m/s^2]; 0: without limit."""


class PedalCommand(NamedTuple):
    """Driver inputs: steering, throttle, braking and gear."""

    steering: float = 0.0
    """Steering, -1 full right to 1 full left."""
    throttle: float = 0.0
    """Throttle, 0 to 1."""
    braking: float = 0.0
    """Braking, 0 to 1."""
    reverse: float = 0.0
    """1 for the reverse gear, else 0."""


_FACES: dict[str, type[AckermannCommand | PedalCommand]] = {ACKERMANN: AckermannCommand, PEDALS: PedalCommand}


@dataclass(frozen=True, slots=True)
class DriveCommand:
    """Command of one cycle, from which a running gear computes actuator targets."""

    linear: float = 0.0
    """Forward speed [m/s]."""
    angular: float = 0.0
    """Yaw rate, positive to the left [rad/s]."""
    joints: Mapping[str, float] = field(default_factory=dict)
    """Joint targets by name, in the units of the actuators; the running gear refuses unknown joints."""
    by: AckermannCommand | PedalCommand | None = None
    """Command in place of the twist, which is then zero; None: the twist applies."""
    wheels: Mapping[str, float] = field(default_factory=dict)
    """Factors on the speeds of wheels by name, 0 to 1; wheels without a factor have the speed of the command."""

    def __iter__(self) -> Iterator[float]:
        """Yield forward speed and yaw rate."""
        yield self.linear
        yield self.angular

    @property
    def interface(self) -> str:
        """Command interface of the command."""
        return next((name for name, kind in _FACES.items() if isinstance(self.by, kind)), TWIST)

    @property
    def speed(self) -> float:
        """Requested forward speed [m/s]; 0 for driver inputs, which do not request a speed."""
        return self.by.speed if isinstance(self.by, AckermannCommand) else self.linear

    @property
    def finite(self) -> bool:
        """Whether all numbers are finite."""
        return all(math.isfinite(value) for value in self._numbers())

    def _numbers(self) -> Iterator[float]:
        yield from self
        yield from self.joints.values()
        yield from self.wheels.values()
        yield from self.by or ()

    def save(self) -> bytes:
        """Return the command as bytes; equal commands have equal bytes."""
        joints, wheels = dict(sorted(self.joints.items())), dict(sorted(self.wheels.items()))
        rest: object = [joints, self.interface, *self.by] if self.by is not None else joints
        if wheels:
            rest = [joints, self.interface, wheels, *(self.by or ())]
        return _TWIST.pack(self.linear, self.angular) + (json.dumps(rest).encode() if rest else b'')

    @staticmethod
    def load(blob: bytes) -> DriveCommand:
        """Return the command with the state from :meth:`save`."""
        linear, angular = _TWIST.unpack_from(blob)
        rest = json.loads(blob[_TWIST.size :] or b'{}')
        if isinstance(rest, dict):
            return DriveCommand(linear, angular, rest)
        joints, face, *numbers = rest
        wheels = numbers.pop(0) if numbers and isinstance(numbers[0], dict) else {}
        by = _FACES[face](*numbers) if face in _FACES else None
        return DriveCommand(linear, angular, joints, by, wheels)

    @staticmethod
    def of(given: object) -> DriveCommand | None:
        """Return a driver's result as a command.

        It can be a command, or a pair of forward speed and yaw rate; None if it is neither.
        """
        if isinstance(given, DriveCommand):
            return given
        try:
            linear, angular = (float(value) for value in given)  # type: ignore[attr-defined]
        except (TypeError, ValueError):
            return None
        return DriveCommand(linear, angular)
