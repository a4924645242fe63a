# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith verify``: check whether runs of a scenario are bit-identical.

The scenario is run again, in one process instead of many, and as on other processors. For the latter, kernels are
compiled for a generic processor, and the C library, BLAS and NumPy each run without features specific to this
processor.
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
from regolith_world import check_ros_environment, determinism

_RECORDED = ('recording.enabled=true', 'recording.sensors=false')
_NUMPY = 'NPY_DISABLE_CPU_FEATURES'


class RunFailed(RuntimeError):
    """Run that failed before its end. The message states the reason."""


class Comparison(NamedTuple):
    """Repeated run, and the run that it is compared with."""

    name: str
    """Name of the run."""
    level: determinism.Level
    """Determinism level at which both runs must be equal."""
    what: str
    """What differs from the other run, as text for messages."""
    processes: str
    environment: Mapping[str, str]
    """Environment of all processes of the run."""
    against: str
    """Name of the run to compare with."""


def comparisons(level: determinism.Level, processors: bool, environment: Mapping[str, str]) -> tuple[Comparison, ...]:
    """Return the repeated runs, each with the run that it is compared with.

    Args:
        level: Guaranteed determinism level.
        processors: Whether to emulate other processors although ``cross_machine`` is not guaranteed.
        environment: Environment of this process. Settings pinned for ``cross_machine`` stay pinned, except the tested
            one.
    """
    promised = determinism.LEVELS.index(level)
    usual = determinism.with_pins(environment) if level == 'cross_machine' else dict(environment)
    found = [Comparison('again', 'run_to_run', 'run again', 'many', usual, 'first')]
    others = processors or level == 'cross_machine'
    if promised >= determinism.LEVELS.index('cross_process') or others:
        found.append(Comparison('one', 'cross_process', 'in one process', 'one', usual, 'first'))
    if others:
        for name, what, changed in variants(usual):
            found.append(Comparison(name, 'cross_machine', what, 'one', changed, 'one'))
    return tuple(found)


def variants(environment: Mapping[str, str]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield variants that emulate other processors: name, description, environment.

    Wide-register loops of NumPy are switched off, or on where they are pinned off.
    """
    usual = dict(environment)
    yield 'generic', 'kernels for a generic processor', {**usual, 'NUMBA_CPU_NAME': 'generic'}
    tunables = determinism.without_capabilities(usual.get(determinism.TUNABLES, ''), ('-FMA', '-FMA4', '-AVX2'))
    yield 'c_library', 'the C library without FMA and AVX2', {**usual, determinism.TUNABLES: tunables}
    yield 'blas', "OpenBLAS's oldest core", {**usual, 'OPENBLAS_CORETYPE': 'Prescott'}
    features, state = ('', 'with') if usual.get(_NUMPY) else (determinism.numpy_dispatch_features(), 'without')
    yield 'numpy', f'NumPy {state} its loops for wide registers', {**usual, _NUMPY: features}


def verify(
    scenario: str,
    options: Sequence[str],
    say: Callable[[str], None],
    keep: Path | None = None,
    promise: determinism.Level | None = None,
    processors: bool = False,
) -> dict[str, Any]:
    """Run a scenario several times in new processes and return the comparisons.

    Args:
        scenario: Path or name of the scenario.
        options: Options of ``./regolith run``.
        say: Function that prints a message line.
        keep: Folder for the runs, None to remove them.
        promise: Determinism level to check, None for ``world.determinism``. No level is checked as ``cross_process``.
        processors: Whether to emulate other processors although ``cross_machine`` is not guaranteed.

    Returns:
        ``promises``; ``repeats``, whether all guaranteed comparisons are equal; for each comparison its ``level``,
        ``what`` differs in the setup, whether equality is ``promised``, and the first ``difference`` or None.

    Raises:
        RunFailed: If a run fails.
    """
    check_ros_environment(os.environ)
    level: determinism.Level = promise or 'cross_process'
    found: dict[str, Any] = {'scenario': scenario, 'promises': promise, 'repeats': True, 'comparisons': []}
    with tempfile.TemporaryDirectory(prefix='regolith_verify_') as folder:
        _compare(found, level, comparisons(level, processors, os.environ), options, say, keep or Path(folder))
    return found


def _compare(
    found: dict[str, Any],
    level: determinism.Level,
    planned: Sequence[Comparison],
    options: Sequence[str],
    say: Callable[[str], None],
    folder: Path,
) -> None:
    scenario = found['scenario']
    say(f'{scenario}: first, in many processes')
    # All are pinned as the first run is, or deliberately changed. The runs must not pin themselves.
    plain = [*options, '--set', 'world.determinism=null']
    _run(scenario, [*plain, '--processes', 'many'], folder / 'first', planned[0].environment)
    for each in planned:
        say(f'{scenario}: {each.what}')
        _run(scenario, [*plain, '--processes', each.processes], folder / each.name, each.environment)
        difference = first_difference(folder / each.against, folder / each.name)
        promised = determinism.LEVELS.index(each.level) <= determinism.LEVELS.index(level)
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
        outcome = 'bit-identical results' if difference is None else str(difference)
        say(f'  {each.level}: {outcome}' + ('' if difference is None or promised else ' (not guaranteed)'))


def _run(scenario: str, options: Sequence[str], out: Path, environment: Mapping[str, str]) -> None:
    recorded = [argument for setting in _RECORDED for argument in ('--set', setting)]
    command = [sys.executable, '-m', 'regolith_bringup', 'run', scenario, *options, *recorded, '--no-report']
    done = subprocess.run(
        [*command, '--out', str(out)], capture_output=True, text=True, check=False, env=dict(environment)
    )
    if done.returncode:
        raise RunFailed(f'the run ended with {done.returncode}: {(done.stderr or done.stdout).strip()}')
