# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Driver of a vehicle with tools that accepts dig goals in addition to commands, and cancels them."""

from __future__ import annotations

from collections.abc import Mapping

from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.drivers.driver import Driver
from regolith_vehicles.drivers.live_input import DigOrder, LiveInput
from regolith_vehicles.drivers.task_config import TasksDriverConfig
from regolith_vehicles.drivers.tasks import TasksDriver
from regolith_world.cycle import BodyState, StateField, StateLayout, state_fields


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
        StateField('drivers', bytes, ('rest',)),
    )
    wants_live_input = True
    accepts_orders = True

    def __init__(self, driver: Driver) -> None:
        """Wrap a driver that accepts live inputs."""
        self._driver = driver
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

    def receive(self, t_ns: int, live: LiveInput) -> None:
        """Begin or cancel a goal, and pass the input to the other driver; see the base class."""
        if live.order is not None:
            self.taken, self.since_ns = self.taken + 1, t_ns
            self._begin(live.order)
        self._driver.receive(t_ns, live)

    @property
    def goal(self) -> bytes:
        """Active goal; empty: none."""
        return self._order

    @goal.setter
    def goal(self, order: bytes) -> None:
        self._begin(DigOrder.load(order))

    def _begin(self, order: DigOrder) -> None:
        self._order, self._task = order.save(), None
        if order.goal is not None:
            self._task = TasksDriver(TasksDriverConfig(tasks=(order.goal,)), self.since_ns)

    @property
    def drivers(self) -> bytes:
        """States of the driver of the goal, if any, and of the other one."""
        return (b'' if self._task is None else self._task.save()) + self._driver.save()

    @drivers.setter
    def drivers(self, blob: bytes) -> None:
        at = 0
        if self._task is not None:
            at = len(self._task.save())
            self._task.restore(blob[:at])
        self._driver.restore(blob[at:])

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
            self._begin(DigOrder())
        return command
