# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes of a run that promises the same bits on other machines: started with everything pinned."""

from __future__ import annotations

import os
import sys

from regolith_bringup.scenario.schema import Scenario
from regolith_files.problems import InputError, Problem
from regolith_world.determinism import is_pinned, pinned_variables, with_pins


def restart_pinned(scenario: Scenario) -> None:
    """Start this program again with everything pinned, if the scenario promises ``cross_machine``.

    The C library chooses its functions when a process starts, so that it is too late for one that runs.
    """
    if scenario.world.determinism == 'cross_machine' and not is_pinned(os.environ):
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], with_pins(os.environ))


def check_pinned(scenario: Scenario) -> None:
    """Refuse to run in this process what promises ``cross_machine``, if it was not started pinned.

    Raises:
        InputError: naming the variables
    """
    if scenario.world.determinism == 'cross_machine' and not is_pinned(os.environ):
        needed = ' '.join(f"{name}='{value}'" for name, value in pinned_variables().items())
        problem = 'cannot be promised: this process was started without what pins elementary functions'
        raise InputError(Problem('world.determinism', '', problem, f'processes started with {needed}', 'cross_machine'))
