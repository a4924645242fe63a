# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the dig goal driver: goals as live inputs, execution, cancellation and saved state."""

from __future__ import annotations

import numpy as np

from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.drivers.builtin import make_driver
from regolith_vehicles.drivers.config import ExternalDriverConfig
from regolith_vehicles.drivers.dig_goals import DigGoalDriver
from regolith_vehicles.drivers.live_input import DigOrder, LiveInput
from regolith_vehicles.drivers.task_config import DigConfig
from regolith_vehicles.tools.dig_check import idle_drums
from regolith_world.cycle.records import BodyState

STEP_NS = 20_000_000
NOTHING = LiveInput()
ORDER = LiveInput(order=DigOrder(DigConfig(type='dig', target_fill=0.5, speed_mps=0.04, joints={'drum': 2.0})))
BASE = BodyState('m', np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3), np.zeros(3))


def fresh() -> DigGoalDriver:
    """Return a driver that also follows commands, each for 0.5 s."""
    return DigGoalDriver(make_driver(ExternalDriverConfig(timeout_s=0.5)))


def step(driver: DigGoalDriver, n: int, level: float = 0.0, live: LiveInput = NOTHING) -> DriveCommand:
    """Run cycle n; return the command."""
    driver.receive(n * STEP_NS, live)
    driver.set_fill_levels({'drum': level})
    return driver.command(n * STEP_NS, BASE)


def test_dig_goal_is_performed_and_then_commands_apply_again() -> None:
    """While it digs, no other command applies. When the drum is full it stops and follows the next command."""
    driver = fresh()
    driver.receive(0, LiveInput(DriveCommand(0.3, 0.0)))
    assert driver.command(0, BASE).linear == 0.3 and not driver.active
    command = step(driver, 1, live=ORDER)
    assert driver.active and driver.taken == 1 and driver.since_ns == STEP_NS
    assert (command.linear, command.joints) == (0.04, {'drum': 2.0})
    driver.receive(2 * STEP_NS, LiveInput(DriveCommand(0.3, 0.0)))
    assert driver.command(2 * STEP_NS, BASE).linear == 0.04
    step(driver, 3, level=0.5)
    assert not driver.active and driver.taken == 1
    assert step(driver, 4, level=0.5).linear == 0.3  # The command of cycle 2 has not expired yet.
    assert step(driver, 40, level=0.5).linear == 0.0


def test_dig_goal_is_canceled() -> None:
    """An empty goal cancels the current one and counts as a goal."""
    driver = fresh()
    step(driver, 0, live=ORDER)
    command = step(driver, 1, live=LiveInput(order=DigOrder()))
    assert not driver.active and driver.taken == 2 and command.linear == 0.0 and not command.joints


def test_discarded_attempt_and_replay_have_the_same_dig_goal() -> None:
    """The recorded live input of the first attempt leads to the same state."""
    driver, replayed = fresh(), fresh()
    before = driver.save()
    first = step(driver, 0, live=ORDER)
    state = driver.save()
    driver.restore(before)
    assert not driver.active and driver.taken == 0
    assert step(driver, 0, live=ORDER) == first and driver.save() == state
    recorded = LiveInput.load(ORDER.save(with_order=True), with_order=True)
    assert step(replayed, 0, live=recorded) == first and replayed.save() == state


def test_dig_goal_continues_from_saved_state() -> None:
    """From the middle of a goal to the timeout of the task."""
    driver, other = fresh(), fresh()
    for n in range(200):
        step(driver, n, level=0.1, live=NOTHING if n else ORDER)
    other.restore(driver.save())
    assert other.save() == driver.save() and other.active
    for n in range(200, 6100):
        assert step(other, n, level=0.1) == step(driver, n, level=0.1)
    assert not driver.active and not other.active and driver.save() == other.save()


def test_dig_goal_for_drum_at_rest_names_the_drum() -> None:
    """No tools means all. A drum without a target does not fill; a named, full, turning or held drum is no problem."""
    config, _ = load_vehicle_model('rassor')
    goals = dict.fromkeys(config.joints, 0.0)

    def problem(tools: tuple[str, ...] = (), full: str = '', **joints: float) -> str:
        order = DigConfig(type='dig', target_fill=0.5, tools=tools, joints=joints)
        return idle_drums(config, order, goals, {full: 0.6})

    waits = problem(drum_front=2.0)
    assert 'drum_rear (target of joint drum_rear: 0)' in waits and 'or only the tools that dig: drum_front' in waits
    assert 'drum_front (' not in waits
    assert 'drum_rear: -1' in problem(drum_front=2.0, drum_rear=-1.0)
    assert not problem(drum_front=2.0, drum_rear=2.0)
    assert not problem(('drum_front',), drum_front=2.0)
    assert not problem(drum_front=2.0, full='drum_rear')
    # The last target of a drum counts only where it is held without a command.
    goals['drum_rear'] = 2.0
    assert problem(drum_front=2.0)
    held = config.joints['drum_rear'].model_copy(update={'on_timeout': 'hold'})
    config = config.model_copy(update={'joints': {**config.joints, 'drum_rear': held}})
    assert not problem(drum_front=2.0)
