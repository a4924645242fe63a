# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Latch of a vehicle's live inputs: one per cycle, the same for every attempt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.commands.command_interfaces import CommandedGear, joint_rejection, rejection
from regolith_vehicles.drivers.live_input import DigOrder, LiveInput
from regolith_vehicles.drivers.task_config import DigConfig


class InputLatch:
    """Commands, joint targets and dig goals that arrive between cycles.

    What arrived before the first EVOLVE of a cycle is the input of this cycle.
    """

    def __init__(self, gear: CommandedGear, with_orders: bool, with_releases: bool = False) -> None:
        """Begin without input.

        Args:
            gear: Running gear that the commands are for.
            with_orders: Whether the driver accepts dig orders.
            with_releases: Whether the vehicle has dispensers.
        """
        self._gear, self._with = gear, (with_orders, with_releases)
        self._arrived = LiveInput()
        self._latched: tuple[int, LiveInput, bytes] = (-1, LiveInput(), b'')

    def set_command(self, wanted: DriveCommand) -> str:
        """Store a command of any command interface; return the problem, '' if it was accepted."""
        problem = rejection(wanted, self._gear)
        if not problem:
            self._arrived = replace(self._arrived, command=wanted)
        return problem

    def set_joint_targets(self, joints: Mapping[str, float]) -> str:
        """Store targets of commanded joints within their limits; return the problem, '' if they were accepted.

        The last target of each joint applies.

        Args:
            joints: Targets by joint name, in the units of their actuators.
        """
        problem = joint_rejection(joints, self._gear)
        if not problem:
            self._arrived = replace(self._arrived, joints={**self._arrived.joints, **joints})
        return problem

    def set_dig_goal(self, goal: DigConfig | None) -> None:
        """Store a dig goal; None: cancel the active goal."""
        self._arrived = replace(self._arrived, order=DigOrder(goal))

    def add_release(self, dispenser: str) -> None:
        """Store the order to release an object from a dispenser."""
        self._arrived = replace(self._arrived, releases=(*self._arrived.releases, dispenser))

    def pending_releases(self, dispenser: str) -> int:
        """Return the number of stored orders for a dispenser that no cycle has latched yet."""
        return self._arrived.releases.count(dispenser)

    def latch(self, cycle: int, recorded: Mapping[int, bytes]) -> tuple[LiveInput, bytes]:
        """Return the input of a cycle and its bytes.

        Args:
            cycle: Number of the cycle.
            recorded: Recorded inputs by cycle, which replace what arrived.
        """
        if self._latched[0] != cycle:
            arrived, self._arrived = self._arrived, LiveInput()
            blob = recorded.get(cycle)
            if blob is None:
                self._latched = cycle, arrived, arrived.save(*self._with)
            else:
                # Orders wait for the first cycle that is not recorded.
                self._arrived = LiveInput(order=arrived.order, releases=arrived.releases)
                self._latched = cycle, LiveInput.load(blob, *self._with), blob
        return self._latched[1:]

    def release(self) -> None:
        """Discard the latched input; the next cycle gets what arrived since."""
        self._latched = (-1, LiveInput(), b'')
