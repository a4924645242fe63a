# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Options common to several commands."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from regolith_files import InputError, Problem

JsonOption = Annotated[bool, typer.Option('--json', help='Print the result as one JSON value on stdout.')]
DomainOption = Annotated[
    str | None, typer.Option('--domain', metavar='N', help='ROS domain of the run. Default: ROS_DOMAIN_ID.')
]
NamespaceOption = Annotated[str, typer.Option('--namespace', metavar='NAME', help='Namespace of the run.')]


def parse_end(seconds: float | None) -> float | None:
    """Return the requested end time [s], or None if it is beyond the longest possible run."""
    from regolith_files import LONGEST_DURATION_S  # with pydantic, which is slow to import

    return None if seconds is None or seconds > LONGEST_DURATION_S else seconds


def parse_real_time_factor(text: str, option: str) -> float:
    """Return the real-time factor given by a text, inf for ``max``.

    Args:
        text: Text of the option.
        option: Name of the option, for error messages.

    Raises:
        InputError: If the text is not a real-time factor.
    """
    if text == 'max':
        return math.inf
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 1e-3 <= value <= 1e6:
        raise InputError(
            Problem(option, '', 'is not a real-time factor', 'max, or a number from 0.001 to 1000000', text)
        )
    return value
