# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What every driver is: a pure function of time, true state, live inputs and an explicit state."""

from __future__ import annotations

import math
import struct
from abc import ABC, abstractmethod
from collections.abc import Mapping

from regolith_vehicles.commands.command import DriveCommand
from regolith_world.cycle.records import BodyState

LIVE = struct.Struct('<?dd')
"""A latched command: whether it is new, forward speed [m/s], yaw rate [rad/s]."""


class DriverError(RuntimeError):
    """A driver returned no finite command; the message names the driver."""


class Driver(ABC):
    """Base of all drivers. Everything that evolves must be in :meth:`save`; no clock, no random numbers."""

    wants_live_input = False
    """Whether :meth:`receive` is to be called with the input latched for each cycle."""

    @abstractmethod
    def command(self, t_ns: int, base: BodyState) -> DriveCommand:
        """Return the command of a cycle; a pair of forward speed [m/s] and yaw rate [rad/s] will do, too.

        Called once per attempt at a cycle, with the committed state at its start.

        Args:
            t_ns: Start of the cycle [ns].
            base: Committed pose and twist of the base in the world.
        """

    def encode(self, wanted: DriveCommand | None) -> bytes:
        """Return the live input of a cycle as bytes, to be latched, recorded and fed back.

        Here only a twist is told on; drivers that know of other faces have an encoding of their own.

        Args:
            wanted: Last command from outside since the cycle before, its twist NaN where only targets of joints came;
                None: nothing came.
        """
        if wanted is None or math.isnan(wanted.linear) or wanted.by is not None:
            return LIVE.pack(False, 0.0, 0.0)
        return LIVE.pack(True, *wanted)

    def receive(self, t_ns: int, live: bytes) -> None:  # noqa: B027  most drivers have no use for it
        """Take the live input latched for the cycle that starts at t_ns [ns]."""

    def set_fill_levels(self, fill_levels: Mapping[str, float]) -> None:  # noqa: B027  nor for tools
        """Take how full each of the vehicle's tools is, 0 to 1, at the start of the cycle, before its command."""

    def save(self) -> bytes:
        """Return the exact state."""
        return b''

    def restore(self, blob: bytes) -> None:  # noqa: B027  nor any state
        """Restore what :meth:`save` returned."""
