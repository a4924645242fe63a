# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Interface of drivers: pure functions of time, true state, live inputs and an explicit state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.drivers.live_input import LiveInput
from regolith_world.cycle import BodyState, StateLayout


class DriverError(RuntimeError):
    """Error of a driver that did not return a finite command; the message names the driver."""


class Driver(ABC):
    """Base class of drivers. The complete state must be in :meth:`save`; clocks and random numbers are forbidden."""

    STATE = StateLayout('a driver')
    """Declared state."""
    wants_live_input = False
    """Whether :meth:`receive` is called with the latched input of each cycle."""
    accepts_orders = False
    """Whether live inputs may have dig orders."""

    @abstractmethod
    def command(self, t_ns: int, base: BodyState) -> DriveCommand:
        """Return the command of a cycle; a pair of forward speed [m/s] and yaw rate [rad/s] is also accepted.

        It is called once per attempt at a cycle, with the committed state at its start.

        Args:
            t_ns: Simulated time at the start of the cycle [ns].
            base: Committed pose and twist of the base in the world frame.
        """

    def receive(self, t_ns: int, live: LiveInput) -> None:  # noqa: B027  most drivers do not use it
        """Process the live input latched for the cycle that starts at t_ns [ns]."""

    def set_fill_levels(self, fill_levels: Mapping[str, float]) -> None:  # noqa: B027  most drivers do not use it
        """Store the fill level of each tool, 0 to 1, at the start of the cycle, before its command."""

    def releases(self, t_ns: int) -> tuple[str, ...]:
        """Return the dispensers that release an object at the end of the cycle that starts at t_ns [ns].

        It is called after :meth:`command`.
        """
        return ()

    def save(self) -> bytes:
        """Return the exact state."""
        return self.STATE.pack(self)

    def restore(self, blob: bytes) -> None:
        """Restore the state from :meth:`save`."""
        self.STATE.unpack(self, blob)
