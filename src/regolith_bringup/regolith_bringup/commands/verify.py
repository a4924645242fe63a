# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith verify``: whether a scenario keeps its promise to repeat itself to the bit.

Run again, in one process instead of many, and as other processors would run it: kernels compiled for a generic one, the
C library, BLAS and NumPy each without what it has for this one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from regolith_bringup.bag.comparison import first_difference
from regolith_world.determinism import LEVELS, TUNABLES, Level, numpy_dispatch_features, with_pins, without_capabilities
from regolith_world.ros_environment import check_ros_environment

_RECORDED = ('recording.enabled=true', 'recording.sensors=false')
_NUMPY = 'NPY_DISABLE_CPU_FEATURES'


class RunFailed(RuntimeError):
    """A run that did not come to its end; the message says why."""


class Comparison(NamedTuple):
    """A run, and the one it is compared with."""

    name: str
    """Of the run."""
    level: Level
    """That promises they are the same."""
    what: str
    """What is other, for people."""
    processes: str
    environment: Mapping[str, str]
    """Of all its processes."""
    against: str
    """Name of the other run."""


def comparisons(level: Level, processors: bool, environment: Mapping[str, str]) -> tuple[Comparison, ...]:
    """Return the runs after the first, each with the one it is compared with.

    Args:
        level: that is promised
        processors: whether other processors are tried though ``cross_machine`` is not promised
        environment: of this process; what is pinned for ``cross_machine`` stays pinned but for what is tried
    """
    promised = LEVELS.index(level)
    usual = with_pins(environment) if level == 'cross_machine' else dict(environment)
    found = [Comparison('again', 'run_to_run', 'run again', 'many', usual, 'first')]
    others = processors or level == 'cross_machine'
    if promised >= LEVELS.index('cross_process') or others:
        found.append(Comparison('one', 'cross_process', 'in one process', 'one', usual, 'first'))
    if others:
        for name, what, changed in variants(usual):
            found.append(Comparison(name, 'cross_machine', what, 'one', changed, 'one'))
    return tuple(found)


def variants(environment: Mapping[str, str]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield runs as of other processors: name, what it is for people, environment.

    NumPy's loops for wide registers are switched off, or on where they are pinned to be off.
    """
    usual = dict(environment)
    yield 'generic', 'kernels for a generic processor', {**usual, 'NUMBA_CPU_NAME': 'generic'}
    tunables = without_capabilities(usual.get(TUNABLES, ''), ('-FMA', '-FMA4', '-AVX2'))
    yield 'c_library', 'the C library without FMA and AVX2', {**usual, TUNABLES: tunables}
    yield 'blas', "OpenBLAS's oldest core", {**usual, 'OPENBLAS_CORETYPE': 'Prescott'}
    features, state = ('', 'with') if usual.get(_NUMPY) else (numpy_dispatch_features(), 'without')
    yield 'numpy', f'NumPy {state} its loops for wide registers', {**usual, _NUMPY: features}


def verify(
    scenario: str,
    options: Sequence[str],
    say: Callable[[str], None],
    keep: Path | None = None,
    promise: Level | None = None,
    processors: bool = False,
) -> dict[str, Any]:
    """Return what became of running a scenario several times in fresh processes.

    Args:
        scenario: path or name
        options: of ``./regolith run``
        say: prints a line for people
        keep: folder for the runs; None: they are removed
        promise: its ``world.determinism``; None is checked as ``cross_process`` is
        processors: whether to try other processors though ``cross_machine`` is not promised

    Returns:
        ``promises``; ``repeats``, whether nothing differed of what is promised; of each comparison its ``level``,
        ``what`` was other, whether it is ``promised`` to be the same, and the ``difference``, None where there is none

    Raises:
        RunFailed: if a run fails
    """
    check_ros_environment(os.environ)
    level: Level = promise or 'cross_process'
    found: dict[str, Any] = {'scenario': scenario, 'promises': promise, 'repeats': True, 'comparisons': []}
    with tempfile.TemporaryDirectory(prefix='regolith_verify_') as folder:
        _compare(found, level, comparisons(level, processors, os.environ), options, say, keep or Path(folder))
    return found


def _compare(
    found: dict[str, Any],
    level: Level,
    planned: Sequence[Comparison],
    options: Sequence[str],
    say: Callable[[str], None],
    folder: Path,
) -> None:
    scenario = found['scenario']
    say(f'{scenario}: first, in many processes')
    # All are pinned as the first one is, or on purpose otherwise: runs are not to pin themselves.
    plain = [*options, '--set', 'world.determinism=null']
    _run(scenario, [*plain, '--processes', 'many'], folder / 'first', planned[0].environment)
    for each in planned:
        say(f'{scenario}: {each.what}')
        _run(scenario, [*plain, '--processes', each.processes], folder / each.name, each.environment)
        difference = first_difference(folder / each.against, folder / each.name)
        promised = LEVELS.index(each.level) <= LEVELS.index(level)
        found['comparisons'].append(
            {
                'level': each.level,
                'name': each.name,
                'what': each.what,
                'promised': promised,
                'difference': None if difference is None else asdict(difference),
            }
        )
        found['repeats'] = found['repeats'] and (difference is None or not promised)
        outcome = 'the same to the bit' if difference is None else str(difference)
        say(f'  {each.level}: {outcome}' + ('' if difference is None or promised else ' (not promised)'))


def _run(scenario: str, options: Sequence[str], out: Path, environment: Mapping[str, str]) -> None:
    recorded = [argument for setting in _RECORDED for argument in ('--set', setting)]
    command = [sys.executable, '-m', 'regolith_bringup', 'run', scenario, *options, *recorded, '--no-report']
    done = subprocess.run(
        [*command, '--out', str(out)], capture_output=True, text=True, check=False, env=dict(environment)
    )
    if done.returncode:
        raise RunFailed(f'the run ended with {done.returncode}: {(done.stderr or done.stdout).strip()}')
