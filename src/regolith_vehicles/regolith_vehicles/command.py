# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The command of a driver: a twist of the base, and targets of joints by name."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_TWIST = struct.Struct('<dd')


@dataclass(frozen=True, slots=True)
class DriveCommand:
    """One cycle's command; a running gear makes targets of its actuators from it."""

    linear: float = 0.0
    """Forward speed [m/s]."""
    angular: float = 0.0
    """Yaw rate, left positive [rad/s]."""
    joints: Mapping[str, float] = field(default_factory=dict)
    """Joint -> target, in the unit of the actuator on it; the gear refuses those it cannot use by name."""

    def __iter__(self) -> Iterator[float]:
        """Yield forward speed and yaw rate."""
        yield self.linear
        yield self.angular

    @property
    def finite(self) -> bool:
        """Whether all numbers are finite."""
        return all(math.isfinite(value) for value in (self.linear, self.angular, *self.joints.values()))

    def save(self) -> bytes:
        """Return the command as bytes: equal commands, equal bytes."""
        joints = json.dumps(dict(sorted(self.joints.items()))).encode() if self.joints else b''
        return _TWIST.pack(self.linear, self.angular) + joints

    @staticmethod
    def load(blob: bytes) -> DriveCommand:
        """Return the instance that :meth:`save` wrote."""
        linear, angular = _TWIST.unpack_from(blob)
        return DriveCommand(linear, angular, json.loads(blob[_TWIST.size :] or b'{}'))

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
