# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What driving costs: one wheel, one rover, and the whole demo."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def scm() -> dict[str, Any]:
    """Measure the soil contact of one wheel and one rover with its four, single-threaded.

    :return: ``us_per_wheel_step`` [us], ``loaded_nodes`` under that wheel, and of the rover ``viper_compute_per_sim_s``
        (wall seconds per simulated second), ``viper_us_per_substep`` [us of processor time], ``viper_loaded_nodes``
    """
    from regolith_terrain.bench import scm_cost
    from regolith_vehicles.bench import viper_cost

    wheel, viper = scm_cost(), viper_cost()
    return {
        **wheel,
        'viper_compute_per_sim_s': viper['compute_per_sim_s'],
        'viper_speed': viper['speed'],
        'viper_us_per_substep': viper['cpu_us_per_substep'],
        'viper_loaded_nodes': viper['loaded_nodes'],
        'grid_m': viper['grid_m'],
        'substep_s': viper['substep_s'],
        'cores': os.cpu_count(),
    }


def two_rovers(duration_s: float = 10.0) -> dict[str, Any]:
    """Measure the demo with recording, as ``./regolith run two_rovers`` runs it: in many processes, then in one.

    :param duration_s: simulated time of each run
    :return: ``many_processes`` and ``one_process``, each with ``speed`` (simulated seconds per wall second),
        ``compute_per_sim_s`` (its inverse), ``cycles_per_s`` and ``lost`` (messages missing in the bag)
    """
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix='regolith_bench_') as folder:
        # The first run compiles what no cache holds yet, and is not counted.
        for key, processes, length in (('', 'one', 0.5), ('many_processes', 'many', duration_s),
                                       ('one_process', 'one', duration_s)):  # fmt: skip
            summary = _run(processes, length, Path(folder) / (key or 'warm_up'))
            if key:
                result[key] = {
                    'speed': summary['speed'],
                    'compute_per_sim_s': summary['compute_per_sim_s'],
                    'cycles_per_s': summary['cycles'] / summary['wall_s'],
                    'lost': summary['bag']['lost'],
                }
    return {**result, 'simulated_s': duration_s, 'cores': os.cpu_count()}


def _run(processes: str, duration_s: float, out: Path) -> dict[str, Any]:
    command = [
        sys.executable, '-m', 'regolith_bringup.cli', 'run', 'two_rovers', '--duration', str(duration_s),
        '--processes', processes, '--out', str(out), '--json',
    ]  # fmt: skip
    environment = {**os.environ, 'ROS_DOMAIN_ID': str(20 + os.getpid() % 81)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f'two_rovers ended with exit code {done.returncode}')
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary
