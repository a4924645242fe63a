# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Complete runs whose real-time factor is measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from regolith_bringup.bench.isolated_domain import environment


def measured_run(scenario: str | Path, processes: str, duration_s: float, out: Path, *options: str) -> dict[str, Any]:
    """Run a scenario as ``./regolith run`` does, and return its summary.

    Args:
        scenario: Name or file of the scenario.
        processes: Value of ``--processes``.
        duration_s: Simulated duration [s].
        out: Run folder.
        options: Further options of the command.

    Raises:
        RuntimeError: If the run fails, or if it has no real-time factor because it ended before its first step.
    """
    command = [sys.executable, '-m', 'regolith_bringup', 'run', str(scenario), '--duration', str(duration_s)]
    command += ['--processes', processes, '--out', str(out), '--json', *options]
    done = subprocess.run(command, env=environment(), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f'{scenario} in {processes} ended with exit code {done.returncode}')
    summary: dict[str, Any] = json.loads(done.stdout)
    check_timed(summary, f'{scenario} in {processes}')
    return summary


def check_timed(summary: dict[str, Any], run: str) -> None:
    """Check that a run has a real-time factor and a duration in wall time, by which results are divided.

    Args:
        summary: Results of the run, with ``real_time_factor`` and ``wall_s``.
        run: Name of the run, for the error message.

    Raises:
        RuntimeError: If one of them is missing or 0, as for a run that ended before its first step.
    """
    for key in ('real_time_factor', 'wall_s'):
        if not summary.get(key):
            raise RuntimeError(
                f'{run}: {key} = {summary.get(key)!r}: was not measured; the run ended before its first step'
            )
