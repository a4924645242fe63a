# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith teleop``: a vehicle driven by hand, from a terminal (over ssh, too) or with a gamepad."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from regolith_bringup.commands.options import DomainOption, NamespaceOption
from regolith_files.problems import InputError, Problem

KEYS = """
        w  faster             arrow keys do the same
   a    s  stop    d  turn    space stops, too
        x  slower, back       q leaves; the vehicle stops
"""


def teleop(
    name: Annotated[str, typer.Argument(metavar='NAME', help='Vehicle; its driver is external.')],
    linear: Annotated[float, typer.Option(metavar='M/S', help='Largest forward speed.', min=0.01, max=50.0)] = 0.3,
    angular: Annotated[float, typer.Option(metavar='RAD/S', help='Largest yaw rate.', min=0.01, max=10.0)] = 0.5,
    gamepad: Annotated[
        Path | None, typer.Option(metavar='DEVICE', help='Take a gamepad, as /dev/input/js0, instead of keys.')
    ] = None,
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
) -> None:
    """Drive a vehicle by keys or gamepad: publishes /NAME/cmd_vel ten times a second."""
    from regolith_bringup.run.teleop import Gamepad, Keyboard, VehicleCommand

    if gamepad is None and not sys.stdin.isatty():
        raise InputError(Problem('teleop', '', 'stdin is no terminal', 'a terminal, or --gamepad DEVICE'))
    with VehicleCommand(name, domain, namespace) as command:
        hand: Gamepad | Keyboard
        if gamepad is not None:
            hand, told = Gamepad(gamepad, linear, angular), ': left stick drives; Ctrl-C leaves'
        else:
            hand, told = Keyboard(linear, angular), KEYS
        with hand:
            # Keys that are pressed before would be lost.
            print(f'{command.topic}{told}', file=sys.stderr)
            command.follow(hand)
