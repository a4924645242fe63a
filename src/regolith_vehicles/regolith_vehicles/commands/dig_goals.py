# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A vehicle with tools that is driven from outside: besides commands it takes orders to dig, and calls them off."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping

from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.drivers.driver import Driver
from regolith_vehicles.drivers.task_config import DigConfig, TasksDriverConfig
from regolith_vehicles.drivers.tasks import TasksDriver
from regolith_world.cycle.records import BodyState

_LENGTH = struct.Struct('<q')
_HEAD = struct.Struct('<qqq')
_NONE = -1
"""Length of no order; an empty one calls off what is under way."""


class DigGoalDriver(Driver):
    """Works off an order to dig; without one, or once it is done, it does what another driver does.

    Orders are live inputs: latched with the first attempt at a cycle, recorded, and fed back by replay and rewind. The
    state is the order under way with its progress, the number of orders so far, and the other driver's state.
    """

    wants_live_input = True

    def __init__(self, driver: Driver) -> None:
        """Stand in for a driver that takes live inputs."""
        self._driver = driver
        self._pending: bytes | None = None
        self._order = b''
        self._task: TasksDriver | None = None
        self._levels: Mapping[str, float] = {}
        self.taken = 0
        """Number of orders that were taken, with those that called one off."""
        self.since_ns = 0
        """When the last one was [ns]."""

    @property
    def active(self) -> bool:
        """Whether it works off an order."""
        return self._task is not None

    def set_goal(self, dig: DigConfig | None) -> None:
        """Take an order with the next latched input; None: call off the present one."""
        self._pending = b'' if dig is None else json.dumps(dig.model_dump(mode='json'), sort_keys=True).encode()

    def encode(self, wanted: DriveCommand | None) -> bytes:
        """Return the order, if there is a new one, and the other driver's live input; see the base class."""
        order, self._pending = self._pending, None
        head = _LENGTH.pack(_NONE if order is None else len(order))
        return head + (order or b'') + self._driver.encode(wanted)

    def receive(self, t_ns: int, live: bytes) -> None:
        """Take a latched order and the rest of the input; see the base class."""
        (length,) = _LENGTH.unpack_from(live)
        end = _LENGTH.size + max(length, 0)
        if length != _NONE:
            self._take(live[_LENGTH.size : end], t_ns)
            self.taken, self.since_ns = self.taken + 1, t_ns
        self._driver.receive(t_ns, live[end:])

    def _take(self, order: bytes, t_ns: int) -> None:
        self._order = order
        self._task = None
        if order:
            self._task = TasksDriver(TasksDriverConfig.model_validate({'tasks': [json.loads(order)]}), t_ns)

    def set_fill_levels(self, fill_levels: Mapping[str, float]) -> None:
        """Take how full the tools are; see the base class."""
        self._levels = fill_levels
        self._driver.set_fill_levels(fill_levels)

    def command(self, t_ns: int, base: BodyState) -> DriveCommand:
        """Return the command of the order under way, else the other driver's; see the base class."""
        other = self._driver.command(t_ns, base)
        if self._task is None:
            return DriveCommand.of(other) or DriveCommand()
        self._task.set_fill_levels(self._levels)
        command = self._task.command(t_ns, base)
        if self._task.done:
            self._take(b'', t_ns)
        return command

    def save(self) -> bytes:
        """Return order, progress, number of orders and the other driver's state."""
        progress = b'' if self._task is None else self._task.save()
        head = _HEAD.pack(len(self._order), self.taken, self.since_ns)
        return head + self._order + progress + self._driver.save()

    def restore(self, blob: bytes) -> None:
        """Restore what :meth:`save` returned."""
        length, self.taken, self.since_ns = _HEAD.unpack_from(blob)
        end = _HEAD.size + length
        self._take(blob[_HEAD.size : end], self.since_ns)
        if self._task is not None:
            size = len(self._task.save())
            self._task.restore(blob[end : end + size])
            end += size
        self._driver.restore(blob[end:])
