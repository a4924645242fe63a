# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Pinned environment for processes of a run with determinism level ``cross_machine``."""

from __future__ import annotations

import os
import sys

from regolith_bringup.scenario.schema import Scenario
from regolith_files import InputError, Problem
from regolith_world import determinism


def restart_pinned(scenario: Scenario) -> None:
    """Restart this program with a pinned environment if the scenario guarantees ``cross_machine``.

    The C library selects its functions when a process starts. A running process therefore cannot be pinned.

    Args:
        scenario: Checked scenario.
    """
    if scenario.world.determinism == 'cross_machine' and not determinism.is_pinned(os.environ):
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], determinism.with_pins(os.environ))


def check_pinned(scenario: Scenario) -> None:
    """Refuse to run a scenario that guarantees ``cross_machine`` in a process that was not started pinned.

    Args:
        scenario: Checked scenario.

    Raises:
        InputError: If the process is not pinned. The message states the variables.
    """
    if scenario.world.determinism == 'cross_machine' and not determinism.is_pinned(os.environ):
        needed = ' '.join(f"{name}='{value}'" for name, value in determinism.pinned_variables().items())
        problem = 'cannot be guaranteed: this process was started without pinned elementary functions'
        raise InputError(Problem('world.determinism', '', problem, f'processes started with {needed}', 'cross_machine'))
