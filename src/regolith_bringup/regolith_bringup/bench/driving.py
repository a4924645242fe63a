# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Driving benchmarks: one wheel, one rover, and the complete demo."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

from regolith_bringup.bench.measured_run import measured_run

FLEETS = (1, 2, 4, 16)
"""Numbers of rovers in one process."""


def scm() -> dict[str, Any]:
    """Measure soil contact: one wheel, one rover, and fleets of rovers in one process.

    Returns:
        For one wheel ``us_per_wheel_step`` [us] at ``contact_nodes``. For one rover on one thread: wall seconds per
        simulated second ``viper_compute_per_sim_s`` (cylinders) and ``grousered_compute_per_sim_s``,
        ``viper_us_per_substep`` [us of processor time], ``viper_contact_nodes``. For fleets on two threads, not
        recorded: ``real_time_factor_by_vehicles``, simulated seconds per wall second by number of rovers.
    """
    from regolith_testbeds import scm_cost, viper_cost

    wheel, viper, grousered = scm_cost(), viper_cost(), viper_cost(model='viper_grousered')
    return {
        **wheel,
        'viper_compute_per_sim_s': viper['compute_per_sim_s'],
        'viper_real_time_factor': viper['real_time_factor'],
        'viper_us_per_substep': viper['cpu_us_per_substep'],
        'viper_contact_nodes': viper['contact_nodes'],
        'grousered_compute_per_sim_s': grousered['compute_per_sim_s'],
        'real_time_factor_by_vehicles': {str(n): fleet_speed(n) for n in FLEETS},
        'grid_spacing_m': viper['grid_spacing_m'],
        'substep_s': viper['substep_s'],
        'cores': os.cpu_count(),
    }


def fleet_speed(vehicles: int, simulated_s: float = 2.0, repeats: int = 3, threads: int = 2) -> float:
    """Return the real-time factor of rovers that drive side by side in one process.

    Flat ``chrono_lunar`` soil, 2 cm grid, 1 ms substeps, 20 ms cycles, 0.2 m/s. The best segment after 1 s counts.

    Args:
        vehicles: Number of rovers.
        simulated_s: Length of a segment [s].
        repeats: Number of segments.
        threads: Number of threads that compute rovers.
    """
    from regolith_bringup.run.simulation import Simulation
    from regolith_bringup.scenario.schema import Scenario

    driver = {'type': 'constant', 'speed_mps': 0.2}
    scenario = Scenario.model_validate(
        {
            'name': 'fleet',
            'terrain': {'source': 'flat', 'spacing_m': 0.02, 'soil': 'chrono_lunar'},
            'vehicles': {
                f'rover_{k:02d}': {'model': 'viper', 'position': [8.0 * (k % 4), 4.0 * (k // 4)], 'driver': driver}
                for k in range(vehicles)
            },
        }
    )
    simulation = Simulation(scenario, threads=threads)
    simulation.run(1.0)
    best = 0.0
    for k in range(repeats):
        start = time.perf_counter()
        simulation.run(1.0 + (k + 1) * simulated_s)
        best = max(best, simulated_s / (time.perf_counter() - start))
    return best


def two_rovers(duration_s: float = 10.0) -> dict[str, Any]:
    """Measure the demo with recording, as ``./regolith run two_rovers`` runs it: in many processes, then in one.

    Args:
        duration_s: Simulated duration of each run [s].

    Returns:
        ``many_processes`` and ``one_process``, each with ``real_time_factor``, ``compute_per_sim_s`` (its inverse),
        ``cycles_per_s`` and ``lost`` (messages missing in the bag).

    Raises:
        RuntimeError: If a run fails or has no real-time factor.
    """
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix='regolith_bench_') as folder:
        # The first run compiles missing kernels and is not counted.
        for key, processes, length in (
            ('', 'one', 0.5),
            ('many_processes', 'many', duration_s),
            ('one_process', 'one', duration_s),
        ):
            summary = measured_run('two_rovers', processes, length, Path(folder) / (key or 'warm_up'))
            if key:
                result[key] = {
                    'real_time_factor': summary['real_time_factor'],
                    'compute_per_sim_s': 1.0 / summary['real_time_factor'],
                    'cycles_per_s': summary['cycles'] / summary['wall_s'],
                    'lost': summary['bag']['lost'],
                }
    return {**result, 'simulated_s': duration_s, 'cores': os.cpu_count()}
