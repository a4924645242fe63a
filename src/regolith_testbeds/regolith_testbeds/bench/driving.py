# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmark of vehicle simulation cost."""

from __future__ import annotations

import platform
import time

import numpy as np

from regolith_terrain import FlatField, SlipSinkageConfig, load_soil
from regolith_terrain.grid import SoilGrid
from regolith_terrain.scm import NOTHING_MOVES
from regolith_vehicles import load_vehicle_model
from regolith_vehicles.agent import Vehicle
from regolith_vehicles.dynamics import wheel_commands


def viper_cost(
    simulated_s: float = 2.0, repeats: int = 3, mode: str = 'regolith', model: str = 'viper'
) -> dict[str, float | int | str]:
    """Return the cost of one VIPER-like rover on flat ``chrono_lunar`` soil: 2 cm grid, 1 ms substeps, 20 ms cycles.

    It is the best of several runs at 0.2 m/s after 1 s of acceleration. All of a cycle counts (soil window, substeps,
    shear memory, wheel states, applying the changes, commit), but not publishing and the world's part.

    Args:
        simulated_s: Simulated time of each run [s].
        repeats: Number of runs.
        mode: Mode of the soil model.
        model: Name of a known vehicle, e.g. 'viper'.
    """
    config, mjcf = load_vehicle_model(model)
    soil = load_soil('chrono_lunar')
    rules = SlipSinkageConfig().parameters() if mode == 'regolith' else NOTHING_MOVES
    cycle_ns = 20_000_000
    best, substep = np.inf, np.inf
    loaded = 0
    for _ in range(repeats):
        grid = SoilGrid(FlatField(), 0.02)
        vehicle = Vehicle('bench', config, mjcf, grid, soil, 1.62, mode, displacement=rules)
        vehicle.place(0.0, 0.0, 0.0)
        speeds, angles = wheel_commands(vehicle.body.layout, 0.2, 0.0)
        cycles = round(simulated_s * 1e9 / cycle_ns)
        for k in range(50 + cycles):
            if k == 50:
                begin, begin_cpu = time.perf_counter(), time.process_time()
            grid.apply(vehicle.evolve(cycle_ns, speeds, angles))
            vehicle.commit()
        best = min(best, (time.perf_counter() - begin) / simulated_s)
        substep = min(substep, (time.process_time() - begin_cpu) / (cycles * 20))
        loaded = sum(wheel.contact_nodes for wheel in vehicle.wheel_states())
    return {
        'compute_per_sim_s': float(best),
        'real_time_factor': float(1.0 / best),
        'cpu_us_per_substep': float(substep * 1e6),
        'contact_nodes': loaded,
        'grid_spacing_m': 0.02,
        'substep_s': config.substep_s,
        'cycle_s': cycle_ns * 1e-9,
        'mode': mode,
        'processor': platform.processor() or platform.machine(),
    }
