# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the driver that digs, hauls and dumps, on an ideal unicycle with an ideal drum."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.drivers.builtin import Driver, make_driver
from regolith_vehicles.drivers.task_config import TasksDriverConfig
from regolith_world.cycle.records import BodyState
from regolith_world.numerics.rotation import from_yaw

STEP_S = 0.02


def driver_of(*tasks: Mapping[str, Any], **settings: Any) -> Any:
    """Return a driver with these tasks."""
    return make_driver(TasksDriverConfig.model_validate({'tasks': tasks, **settings}))


class Machine:
    """Unicycle with a drum that fills at 5 %/s while digging is commanded, and empties at the same rate."""

    def __init__(self, driver: Driver, x: float = 0.0, y: float = 0.0, heading: float = 0.0) -> None:
        self.driver, self.x, self.y, self.heading, self.level, self.t = driver, x, y, heading, 0.0, 0.0

    def step(self) -> DriveCommand:
        """Run one cycle; return the command."""
        base = BodyState('m', np.array([self.x, self.y, 0.0]), from_yaw(self.heading), np.zeros(3), np.zeros(3))
        self.driver.set_fill_levels({'drum': self.level})
        command = self.driver.command(round(self.t * 1e9), base)
        self.level = min(
            max(
                self.level
                + 0.05 * math.copysign(1.0, command.joints.get('drum', 0.0)) * ('drum' in command.joints) * STEP_S,
                0.0,
            ),
            1.0,
        )
        self.heading += command.angular * STEP_S
        self.x += command.linear * math.cos(self.heading) * STEP_S
        self.y += command.linear * math.sin(self.heading) * STEP_S
        self.t += STEP_S
        return command

    def run(self, seconds: float) -> None:
        """Run for a time [s]."""
        for _ in range(round(seconds / STEP_S)):
            self.step()


DIG = {'type': 'dig', 'target_fill': 0.5, 'joints': {'drum': 2.0}, 'initial_wait_s': 1.0}
DUMP = {'type': 'dump', 'joints': {'drum': -2.0}}


@pytest.mark.parametrize('backwards', [False, True])
@pytest.mark.parametrize(('x', 'y'), [(3.0, 0.0), (2.0, 2.0), (-1.5, 0.4), (0.0, -1.0)])
def test_haul_reaches_the_goal_forward_or_in_reverse(x: float, y: float, backwards: bool) -> None:
    """It ends within 5 cm of the goal from any side, and drives with the correct end ahead all the way."""
    driver = driver_of({'type': 'haul', 'goal': (x, y), 'reverse': backwards})
    machine = Machine(driver)
    while driver.done == 0:
        linear, _ = machine.step()
        assert linear <= 0.0 if backwards else linear >= 0.0
        assert machine.t < 60.0
    assert math.dist((machine.x, machine.y), (x, y)) < 0.06


def test_tasks_dig_haul_and_dump_are_repeated() -> None:
    """Twice: 10 s to fill to one half after standing 1 s, the same to empty; then it stands."""
    driver = driver_of(DIG, {'type': 'haul', 'goal': (1.0, 0.0)}, DUMP, {'type': 'haul', 'goal': (0.0, 0.0)}, repeat=2)
    machine = Machine(driver)
    first = machine.step()
    assert tuple(first) == (0.0, 0.0) and first.joints == {'drum': 2.0}
    machine.run(1.5)
    assert machine.step().linear == 0.05
    levels = []
    while driver.done < 8:
        done = driver.done
        machine.step()
        if driver.done > done:
            levels.append(round(machine.level, 2))
        assert machine.t < 300.0
    assert levels == [0.5, 0.5, 0.0, 0.0] * 2
    last = machine.step()
    assert tuple(last) == (0.0, 0.0) and not last.joints


def test_task_is_aborted_after_its_timeout() -> None:
    """A drum that no longer fills: the next task begins after the timeout; a finished one takes no cycle."""
    driver = driver_of(
        DUMP, {'type': 'dig', 'target_fill': 0.5, 'timeout_s': 2.0}, {'type': 'haul', 'goal': (1.0, 0.0)}
    )
    machine = Machine(driver)
    machine.step()
    assert driver.done == 1
    machine.run(1.9)
    assert driver.done == 1 and machine.step().linear == 0.05
    machine.run(0.2)
    assert driver.done == 2 and machine.step().linear == 0.2


def test_driver_continues_from_saved_state() -> None:
    """Restored within a turn, it commands the same as the first driver."""
    tasks = DIG, {'type': 'haul', 'goal': (-1.0, 0.5)}, DUMP
    machine = Machine(driver_of(*tasks))
    machine.run(12.0)
    other = Machine(driver_of(*tasks), machine.x, machine.y, machine.heading)
    other.level, other.t = machine.level, machine.t
    other.driver.restore(machine.driver.save())
    for _ in range(2000):
        assert machine.step() == other.step()
    assert machine.driver.save() == other.driver.save()


@pytest.mark.parametrize(
    ('task', 'levels', 'over'),
    [
        ({'type': 'dig', 'target_fill': 0.5}, (0.6, 0.2), False),
        ({'type': 'dig', 'target_fill': 0.5}, (0.2, 0.6), False),
        ({'type': 'dig', 'target_fill': 0.5}, (0.5, 0.6), True),
        ({'type': 'dump', 'target_fill': 0.1}, (0.0, 0.2), False),
        ({'type': 'dump', 'target_fill': 0.1}, (0.2, 0.0), False),
        ({'type': 'dump', 'target_fill': 0.1}, (0.1, 0.0), True),
        ({'type': 'dig', 'target_fill': 0.5, 'tools': ['front']}, (0.6, 0.2), True),
        ({'type': 'dig', 'target_fill': 0.5, 'tools': ['front']}, (0.2, 0.6), False),
        ({'type': 'dump', 'target_fill': 0.1, 'tools': ['rear']}, (0.9, 0.0), True),
        ({'type': 'dump', 'target_fill': 0.1, 'tools': ['rear']}, (0.0, 0.9), False),
        ({'type': 'dig', 'target_fill': 0.5, 'tools': ['front', 'rear']}, (0.6, 0.2), False),
    ],
)
def test_task_ends_when_all_its_tools_are_full_or_empty(
    task: dict[str, Any], levels: tuple[float, float], over: bool
) -> None:
    """All tools of the vehicle count if a task names none; otherwise only the named ones."""
    driver = driver_of(task)
    driver.set_fill_levels(dict(zip(('front', 'rear'), levels)))
    driver.command(0, BodyState('m', np.zeros(3), from_yaw(0.0), np.zeros(3), np.zeros(3)))
    assert driver.done == int(over)
