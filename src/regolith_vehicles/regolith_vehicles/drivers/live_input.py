# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Live input of a vehicle in one cycle: a command of any command interface, joint targets, dig order and releases.

It is latched once per cycle. Its bytes are part of the state hash and of the log of live inputs, from which replay and
rewind read it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.drivers.task_config import DigConfig

_LENGTH = struct.Struct('<q')
_NO_ORDER = -1
_NO_COMMAND, _COMMAND, _JOINTS_ONLY = range(3)


class DigOrder(NamedTuple):
    """Order to begin a dig goal, or to cancel the active one."""

    goal: DigConfig | None = None
    """The goal; None: cancel."""

    def save(self) -> bytes:
        """Return the order as bytes; none for a cancellation."""
        return b'' if self.goal is None else json.dumps(self.goal.model_dump(mode='json'), sort_keys=True).encode()

    @staticmethod
    def load(blob: bytes) -> DigOrder:
        """Return the order with the bytes from :meth:`save`."""
        if not blob:
            return DigOrder()
        return DigOrder(DigConfig.model_validate(json.loads(blob)))


@dataclass(frozen=True, slots=True)
class LiveInput:
    """What arrived from outside since the previous cycle."""

    command: DriveCommand | None = None
    """Last command of a command interface, without joint targets; None: no command."""
    joints: Mapping[str, float] = field(default_factory=dict)
    """Last target of each joint that received one, by name."""
    order: DigOrder | None = None
    """Last dig order; None: no order. Only vehicles with tools receive orders."""
    releases: tuple[str, ...] = ()
    """Names of the dispensers that are to release an object, in order. Only vehicles with dispensers receive them."""

    def save(self, with_order: bool = False, with_releases: bool = False) -> bytes:
        """Return the input as bytes.

        Args:
            with_order: Whether the driver accepts dig orders (:attr:`Driver.accepts_orders`).
            with_releases: Whether the vehicle has dispensers.
        """
        if with_releases:
            releases = ' '.join(self.releases).encode()
            return _LENGTH.pack(len(releases)) + releases + self.save(with_order)
        head = b''
        if with_order:
            order = None if self.order is None else self.order.save()
            head = _LENGTH.pack(_NO_ORDER) if order is None else _LENGTH.pack(len(order)) + order
        if self.command is not None:
            kind, command = _COMMAND, self.command
        else:
            kind, command = _JOINTS_ONLY if self.joints else _NO_COMMAND, DriveCommand()
        return head + bytes([kind]) + replace(command, joints=self.joints).save()

    @staticmethod
    def load(blob: bytes, with_order: bool = False, with_releases: bool = False) -> LiveInput:
        """Return the input with the bytes from :meth:`save`."""
        if with_releases:
            (length,) = _LENGTH.unpack_from(blob)
            end = _LENGTH.size + length
            releases = tuple(blob[_LENGTH.size : end].decode().split())
            return replace(LiveInput.load(blob[end:], with_order), releases=releases)
        at, order = 0, None
        if with_order:
            (length,) = _LENGTH.unpack_from(blob)
            at = _LENGTH.size + max(length, 0)
            order = None if length == _NO_ORDER else DigOrder.load(blob[_LENGTH.size : at])
        command = DriveCommand.load(blob[at + 1 :])
        given = replace(command, joints={}) if blob[at] == _COMMAND else None
        return LiveInput(given, command.joints, order)
