# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scaling benchmark: many rovers in one or several processes, and the cost of recording."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

import yaml

from regolith_bringup.bench.measured_run import measured_run

FLEETS = (1, 2, 4, 8, 16)
"""Numbers of rovers."""
_UNRECORDED = ('--rtf', 'max', '--no-record')
_UNREPORTED = ('--rtf', 'max', '--no-report')


def scaling(numbers: tuple[int, ...] = FLEETS, simulated_s: float = 4.0) -> dict[str, Any]:
    """Measure complete runs as ``./regolith run`` starts them: rovers side by side, with ``one`` and ``auto``
    processes.

    Flat ``chrono_lunar`` soil, 2 cm grid, 0.2 m/s, not recorded. The first run is not counted.

    Args:
        numbers: Numbers of rovers.
        simulated_s: Simulated duration of each run [s].

    Returns:
        ``one`` and ``auto``, each number of rovers (as text) -> simulated seconds per wall second. ``auto_processes``,
        number of rovers -> selected number of processes. ``recorded``, see :func:`recording_cost`.
    """
    found: dict[str, Any] = {'one': {}, 'auto': {}, 'auto_processes': {}}
    with tempfile.TemporaryDirectory(prefix='regolith_bench_') as folder:
        measured_run(_fleet(Path(folder), 1), 'one', 0.2, Path(folder) / 'warm_up', *_UNRECORDED)
        for n in numbers:
            scenario = _fleet(Path(folder), n)
            for processes in ('one', 'auto'):
                out = Path(folder) / f'{n}_{processes}'
                summary = measured_run(scenario, processes, simulated_s, out, *_UNRECORDED)
                found[processes][str(n)] = summary['real_time_factor']
                if processes == 'auto':
                    found['auto_processes'][str(n)] = summary['processes']
    return {**found, 'recorded': recording_cost(), 'unit': 'simulated seconds per wall second'}


def recording_cost(simulated_s: float = 10.0, repeats: int = 3) -> dict[str, Any]:
    """Measure ``two_rovers`` in one process, alternately with and without recording.

    Args:
        simulated_s: Simulated duration of each run [s].
        repeats: Number of runs of each kind.

    Returns:
        ``real_time_factor`` with recording and ``unrecorded_real_time_factor``, medians, and
        ``recorded_to_unrecorded``, the median of their ratios.
    """
    pairs = []
    with tempfile.TemporaryDirectory(prefix='regolith_bench_') as folder:
        for k in range(repeats):
            plain = measured_run('two_rovers', 'one', simulated_s, Path(folder) / f'plain_{k}', *_UNRECORDED)
            recorded = measured_run('two_rovers', 'one', simulated_s, Path(folder) / f'recorded_{k}', *_UNREPORTED)
            pairs.append((recorded['real_time_factor'], plain['real_time_factor']))
    return {
        'real_time_factor': statistics.median(recorded for recorded, _ in pairs),
        'unrecorded_real_time_factor': statistics.median(plain for _, plain in pairs),
        'recorded_to_unrecorded': statistics.median(recorded / plain for recorded, plain in pairs),
    }


def _fleet(folder: Path, rovers: int) -> Path:
    driver = {'type': 'constant', 'speed_mps': 0.2}
    content = {
        'name': 'fleet',
        'real_time_factor': 'max',
        'world': {'checkpoint_period_s': 1e9},
        'terrain': {'source': 'flat', 'spacing_m': 0.02, 'soil': 'chrono_lunar'},
        'vehicles': {
            f'rover_{k:02d}': {'model': 'viper', 'position': [8.0 * (k % 4), 4.0 * (k // 4)], 'driver': driver}
            for k in range(rovers)
        },
    }
    path = folder / f'fleet_{rovers}.yaml'
    path.write_text(yaml.safe_dump(content), encoding='utf-8')
    return path
