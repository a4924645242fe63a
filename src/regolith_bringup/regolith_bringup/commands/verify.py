# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith verify``: whether a scenario repeats itself to the bit, in processes of every kind."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from regolith_bringup.bag.comparison import first_difference

RUNS = (('first', 'many'), ('again', 'many'), ('one', 'one'))
"""Runs by name, each in so many processes; all are compared with the first."""
_RECORDED = ('recording.enabled=true', 'recording.sensors=false')


class RunFailed(RuntimeError):
    """A run that did not come to its end; the message says why."""


def verify(
    scenario: str, options: Sequence[str], say: Callable[[str], None], keep: Path | None = None
) -> dict[str, Any]:
    """Return what became of running a scenario three times in fresh processes, twice in many and once in one.

    :param scenario: path or name
    :param options: of ``./regolith run``
    :param say: prints a line for people
    :param keep: folder for the runs; None: they are removed
    :return: ``repeats``, whether nothing differed; of each comparison its ``difference``, None where there is none
    :raises RunFailed: if a run fails
    """
    if keep is not None:
        return _compared(scenario, options, say, keep)
    with tempfile.TemporaryDirectory(prefix='regolith_verify_') as folder:
        return _compared(scenario, options, say, Path(folder))


def _compared(scenario: str, options: Sequence[str], say: Callable[[str], None], folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {'scenario': scenario, 'repeats': True, 'comparisons': []}
    for name, processes in RUNS:
        say(f'{scenario}: {name}, in {processes} process{"es" if processes == "many" else ""}')
        _run(scenario, [*options, '--processes', processes], folder / name)
        if name == RUNS[0][0]:
            continue
        difference = first_difference(folder / RUNS[0][0], folder / name)
        what = 'run_to_run' if processes == RUNS[0][1] else 'cross_process'
        found['comparisons'].append({'level': what, 'difference': None if difference is None else asdict(difference)})
        found['repeats'] = found['repeats'] and difference is None
        say(f'  {what}: ' + ('the same to the bit' if difference is None else str(difference)))
    return found


def _run(scenario: str, options: Sequence[str], out: Path) -> None:
    recorded = [argument for setting in _RECORDED for argument in ('--set', setting)]
    command = [sys.executable, '-m', 'regolith_bringup', 'run', scenario, *options, *recorded, '--no-report']
    done = subprocess.run([*command, '--out', str(out)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RunFailed(f'the run ended with {done.returncode}: {(done.stderr or done.stdout).strip()}')
