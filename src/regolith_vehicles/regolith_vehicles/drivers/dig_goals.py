# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Driver of a vehicle with tools that accepts dig goals in addition to commands, and cancels them."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping

from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.drivers.driver import Driver
from regolith_vehicles.drivers.task_config import DigConfig, TasksDriverConfig
from regolith_vehicles.drivers.tasks import TasksDriver
from regolith_world.cycle import BodyState, Saved, StateField, StateLayout, state_fields

_LENGTH = struct.Struct('<q')
_NONE = -1
"""Length that encodes no goal; an empty goal cancels the active one."""


class DigGoalDriver(Driver):
    """Driver that performs a dig goal; without an active goal it returns another driver's command.

    Goals are live inputs: latched with the first attempt at a cycle, recorded, and repeated by replay and rewind. The
    state is the active goal with its progress, the number of goals so far, and the other driver's state.
    """

    STATE = StateLayout(
        'a driver with dig goals',
        StateField('length', 'q'),
        *state_fields('q', 'taken', 'since_ns'),
        StateField('goal', bytes, ('length',)),
        StateField('_task', Saved),
        StateField('other', bytes, ('rest',)),
    )
    wants_live_input = True

    def __init__(self, driver: Driver) -> None:
        """Wrap a driver that accepts live inputs."""
        self._driver = driver
        self._pending: bytes | None = None
        self._order = b''
        self._task: TasksDriver | None = None
        self._levels: Mapping[str, float] = {}
        self.taken = 0
        """Number of accepted goals and cancellations."""
        self.since_ns = 0
        """Simulated time of the last one [ns]."""

    @property
    def active(self) -> bool:
        """Whether a goal is active."""
        return self._task is not None

    def set_goal(self, dig: DigConfig | None) -> None:
        """Set a goal with the next latched input; None: cancel the active goal."""
        self._pending = b'' if dig is None else json.dumps(dig.model_dump(mode='json'), sort_keys=True).encode()

    def encode(self, wanted: DriveCommand | None) -> bytes:
        """Return a new goal, if any, and the other driver's live input; see the base class."""
        order, self._pending = self._pending, None
        head = _LENGTH.pack(_NONE if order is None else len(order))
        return head + (order or b'') + self._driver.encode(wanted)

    def receive(self, t_ns: int, live: bytes) -> None:
        """Process a latched goal and the rest of the input; see the base class."""
        (length,) = _LENGTH.unpack_from(live)
        end = _LENGTH.size + max(length, 0)
        if length != _NONE:
            self.taken, self.since_ns = self.taken + 1, t_ns
            self.goal = live[_LENGTH.size : end]
        self._driver.receive(t_ns, live[end:])

    @property
    def goal(self) -> bytes:
        """Active goal; empty: none."""
        return self._order

    @goal.setter
    def goal(self, order: bytes) -> None:
        self._order = order
        self._task = None
        if order:
            self._task = TasksDriver(TasksDriverConfig.model_validate({'tasks': [json.loads(order)]}), self.since_ns)

    @property
    def other(self) -> bytes:
        """State of the other driver."""
        return self._driver.save()

    @other.setter
    def other(self, blob: bytes) -> None:
        self._driver.restore(blob)

    def set_fill_levels(self, fill_levels: Mapping[str, float]) -> None:
        """Store the fill levels of the tools; see the base class."""
        self._levels = fill_levels
        self._driver.set_fill_levels(fill_levels)

    def command(self, t_ns: int, base: BodyState) -> DriveCommand:
        """Return the command of the active goal, else the other driver's; see the base class."""
        other = self._driver.command(t_ns, base)
        if self._task is None:
            return DriveCommand.of(other) or DriveCommand()
        self._task.set_fill_levels(self._levels)
        command = self._task.command(t_ns, base)
        if self._task.done:
            self.goal = b''
        return command
