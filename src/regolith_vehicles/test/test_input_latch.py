# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the latch of live inputs: one per cycle, recorded ones first."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from regolith_vehicles.agent.input_latch import InputLatch
from regolith_vehicles.commands.command import ACKERMANN, TWIST, AckermannCommand, DriveCommand, PedalCommand
from regolith_vehicles.drivers.live_input import DigOrder, LiveInput
from regolith_vehicles.drivers.task_config import DigConfig

GEAR = SimpleNamespace(faces=(TWIST, ACKERMANN), joints=('arm', 'boom'), joint_limits={'arm': (-1.0, 1.0)})
DIG = DigConfig(type='dig', target_fill=0.5)


def latch(with_orders: bool = True) -> InputLatch:
    return InputLatch(GEAR, with_orders)


def test_input_is_latched_at_the_first_attempt_of_a_cycle() -> None:
    """Later commands are for the next cycle; the last command and the last target of each joint apply."""
    made = latch()
    assert not made.set_command(DriveCommand(0.1)) and not made.set_command(DriveCommand(0.2))
    assert not made.set_joint_targets({'arm': 0.1, 'boom': 0.2}) and not made.set_joint_targets({'arm': 0.3})
    first, blob = made.latch(4, {})
    assert first == LiveInput(DriveCommand(0.2), {'arm': 0.3, 'boom': 0.2})
    assert LiveInput.load(blob, with_order=True) == first
    made.set_command(DriveCommand(by=AckermannCommand(0.5, 0.1)))
    assert made.latch(4, {}) == (first, blob)
    assert made.latch(5, {})[0] == LiveInput(DriveCommand(by=AckermannCommand(0.5, 0.1)))
    assert made.latch(6, {})[0] == LiveInput()


@pytest.mark.parametrize('with_orders', [False, True])
def test_recorded_input_replaces_what_arrived_except_a_dig_order(with_orders: bool) -> None:
    """An order waits for the first cycle that is not recorded: its sender waits for the goal."""
    made, given = latch(with_orders), LiveInput(DriveCommand(-0.3), {'boom': 2.0})
    recorded = {7: given.save(with_orders)}
    made.set_command(DriveCommand(0.1))
    if with_orders:
        made.set_dig_goal(DIG)
    assert made.latch(7, recorded) == (given, recorded[7])
    assert made.latch(8, recorded)[0] == LiveInput(order=DigOrder(DIG) if with_orders else None)


def test_released_latch_gives_the_same_cycle_what_arrived_since() -> None:
    """A rewind repeats the same cycle."""
    made = latch()
    made.set_command(DriveCommand(0.1))
    made.latch(4, {})
    made.release()
    made.set_command(DriveCommand(0.2))
    assert made.latch(4, {})[0] == LiveInput(DriveCommand(0.2))


def test_rejected_commands_are_not_latched() -> None:
    made = latch()
    assert made.set_command(DriveCommand(by=PedalCommand())).startswith('driver_inputs: is not supported')
    assert made.set_command(DriveCommand(float('nan'))).startswith('cmd_vel: linear.x is nan')
    assert made.set_joint_targets({'arm': 1.1}) == 'joint_command: target of arm is 1.1; allowed: -1 to 1'
    assert made.latch(0, {})[0] == LiveInput()
