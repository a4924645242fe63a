# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith teleop``: drive a vehicle from a terminal (also over ssh) or with a gamepad."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from regolith_bringup.commands.options import DomainOption, NamespaceOption
from regolith_files import InputError, Problem

KEYS = """
        w  faster             arrow keys do the same
   a    s  stop    d  turn    space also stops
        x  slower, back       q quits and stops the vehicle
"""


def teleop(
    name: Annotated[str, typer.Argument(metavar='NAME', help='Vehicle with an external driver.')],
    linear: Annotated[
        float, typer.Option(metavar='M/S', help='Maximum forward speed [m/s].', min=0.01, max=50.0)
    ] = 0.3,
    angular: Annotated[
        float, typer.Option(metavar='RAD/S', help='Maximum yaw rate [rad/s].', min=0.01, max=10.0)
    ] = 0.5,
    gamepad: Annotated[
        Path | None, typer.Option(metavar='DEVICE', help='Use a gamepad, e.g. /dev/input/js0, instead of keys.')
    ] = None,
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
) -> None:
    """Drive a vehicle with keys or a gamepad: publish /NAME/cmd_vel ten times per second."""
    from regolith_bringup.run.teleop import Gamepad, Keyboard, VehicleCommand

    if gamepad is None and not sys.stdin.isatty():
        raise InputError(Problem('teleop', '', 'stdin is not a terminal', 'a terminal, or --gamepad DEVICE'))
    with VehicleCommand(name, domain, namespace) as command:
        hand: Gamepad | Keyboard
        if gamepad is not None:
            hand, help_text = Gamepad(gamepad, linear, angular), ': drive with the left stick; Ctrl-C quits'
        else:
            hand, help_text = Keyboard(linear, angular), KEYS
        with hand:
            # Created first, because keys pressed earlier would be lost.
            print(f'{command.topic}{help_text}', file=sys.stderr)
            command.follow(hand)
