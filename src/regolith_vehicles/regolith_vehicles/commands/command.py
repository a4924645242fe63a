# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The command of a driver: a twist of the base or what stands in its place, and targets of joints by name."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

TWIST, ACKERMANN, PEDALS = 'twist', 'ackermann', 'pedals'
"""Faces: the kinds of command that a running gear may understand, targets of joints apart."""

_TWIST = struct.Struct('<dd')


class AckermannCommand(NamedTuple):
    """A speed, and the angle of a bicycle's front wheel."""

    speed: float = 0.0
    """Forward, negative: backward [m/s]."""
    steering_angle: float = 0.0
    """Left positive [rad]."""
    steering_rate: float = 0.0
    """At which the angle is to change [rad/s]; 0: as quickly as it can."""
    acceleration: float = 0.0
    """At which the speed is to change [m/s^2]; 0: as quickly as it can."""


class PedalCommand(NamedTuple):
    """Steering wheel, pedals and gear lever."""

    steering: float = 0.0
    """-1 full right to 1 full left."""
    throttle: float = 0.0
    """0 to 1."""
    braking: float = 0.0
    """0 to 1."""
    reverse: float = 0.0
    """1: the reverse gear; else 0."""


_FACES: dict[str, type[AckermannCommand | PedalCommand]] = {ACKERMANN: AckermannCommand, PEDALS: PedalCommand}


@dataclass(frozen=True, slots=True)
class DriveCommand:
    """One cycle's command; a running gear makes targets of its actuators from it."""

    linear: float = 0.0
    """Forward speed [m/s]."""
    angular: float = 0.0
    """Yaw rate, left positive [rad/s]."""
    joints: Mapping[str, float] = field(default_factory=dict)
    """Joint -> target, in the unit of the actuator on it; the gear refuses those it cannot use by name."""
    by: AckermannCommand | PedalCommand | None = None
    """What drives in place of the twist, which is zero then."""

    def __iter__(self) -> Iterator[float]:
        """Yield forward speed and yaw rate."""
        yield self.linear
        yield self.angular

    @property
    def interface(self) -> str:
        """Kind of command."""
        return next((name for name, kind in _FACES.items() if isinstance(self.by, kind)), TWIST)

    @property
    def speed(self) -> float:
        """Forward speed it asks for [m/s]; of pedals, which ask for none, 0."""
        return self.by.speed if isinstance(self.by, AckermannCommand) else self.linear

    @property
    def finite(self) -> bool:
        """Whether all numbers are finite."""
        return all(math.isfinite(value) for value in (*self, *self.joints.values(), *(self.by or ())))

    def save(self) -> bytes:
        """Return the command as bytes: equal commands, equal bytes."""
        joints = dict(sorted(self.joints.items()))
        rest = [joints, self.interface, *self.by] if self.by is not None else joints
        return _TWIST.pack(self.linear, self.angular) + (json.dumps(rest).encode() if rest else b'')

    @staticmethod
    def load(blob: bytes) -> DriveCommand:
        """Return the instance that :meth:`save` wrote."""
        linear, angular = _TWIST.unpack_from(blob)
        rest = json.loads(blob[_TWIST.size :] or b'{}')
        if isinstance(rest, dict):
            return DriveCommand(linear, angular, rest)
        joints, face, *numbers = rest
        return DriveCommand(linear, angular, joints, _FACES[face](*numbers))

    @staticmethod
    def of(given: object) -> DriveCommand | None:
        """Return a driver's answer as a command: one already, or forward speed and yaw rate; None if neither."""
        if isinstance(given, DriveCommand):
            return given
        try:
            linear, angular = (float(value) for value in given)  # type: ignore[attr-defined]
        except (TypeError, ValueError):
            return None
        return DriveCommand(linear, angular)
