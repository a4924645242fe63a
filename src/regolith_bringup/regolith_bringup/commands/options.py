# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from regolith_files.problems import InputError, Problem

JsonOption = Annotated[bool, typer.Option('--json', help='Print one JSON value on stdout and nothing else there.')]
DomainOption = Annotated[str | None, typer.Option('--domain', metavar='N', help='ROS domain. Default: ROS_DOMAIN_ID.')]
NamespaceOption = Annotated[str, typer.Option('--namespace', metavar='NAME', help='Of the run.')]


def parse_end(seconds: float | None) -> float | None:
    """Return the end that was asked for [s]; None if it is behind everything."""
    from regolith_files.section import LONGEST_S  # with pydantic, which is slow to import

    return None if seconds is None or seconds > LONGEST_S else seconds


def parse_real_time_factor(text: str, option: str) -> float:
    """Return simulated seconds per wall second of a text; inf for ``max``.

    Args:
        option: that it was given to

    Raises:
        InputError: if it is no pace
    """
    if text == 'max':
        return math.inf
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 1e-3 <= value <= 1e6:
        raise InputError(Problem(option, '', 'is no pace', 'max, or a number from 0.001 to 1000000', text))
    return value
