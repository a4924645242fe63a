# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmark ``bench crm``: computing time of CRM."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from regolith_terrain.crm import (
    SMOOTHING_PRESSED,
    VISCOSITY_SLOW,
    Device,
    Discretization,
    ParticleBed,
    bed_class,
    boundary_markers,
    load_particle_soil,
    missing_gpu_requirement,
)
from regolith_testbeds.crm.baseline import evaluations_per_s
from regolith_testbeds.crm.climb import COURANT, CrmClimb
from regolith_testbeds.slope_climb import load_wheel_rig
from regolith_world.numerics import measure_machine_score

COUNTS = (10_000, 50_000, 200_000)
_REPEATS = 3
_PARTICLE_STEPS = 600_000
"""Number of particle steps of one pass."""
_CARD_STEPS = 50
"""Number of steps of one pass on a GPU."""


def crm(counts: tuple[int, ...] = COUNTS, wheel_spacing: float = 0.009) -> dict[str, Any]:
    """Measure periodic cubes of soil at rest, with about 80 neighbors per particle.

    Args:
        counts: Approximate numbers of soil particles.
        wheel_spacing: Particle spacing under the wheel [m].

    Returns:
        ``particle_steps_per_s``, count -> threads -> steps of one particle per wall second (best of several passes).
        Each step has two evaluations, and particles are sorted once per pass. ``cuda`` is beside the threads if a GPU
        is available. ``evaluations_per_s``, by count, twice that with one thread. ``of_plain``, by count, evaluations
        relative to the minimal particle code with as many threads, timed at the same time
        (:mod:`regolith_testbeds.crm.baseline`). ``mean_neighbors``, by count, mean length of a list.
        ``bytes_per_particle``, by count, all arrays and a saved copy. ``wheel``, the rig ``grc1_mgru3`` on 10 degrees
        with two threads: ``seconds_per_second``, wall per simulated time, of ``elements`` particles in the trough with
        a step of ``step_s``. ``machine_score``, see
        :func:`regolith_world.numerics.machine_score.measure_machine_score`.
    """
    keys = ('particle_steps_per_s', 'evaluations_per_s', 'of_plain', 'mean_neighbors', 'bytes_per_particle')
    found: dict[str, dict[str, Any]] = {key: {} for key in keys}
    scores = [measure_machine_score()]
    for count in counts:
        rates, shares = {}, {}
        for workers in (1, 2):
            bed = _cube(count, workers, 'cpu')
            rates[str(workers)] = _rate(bed, max(3, round(_PARTICLE_STEPS / count)))
            shares[str(workers)] = 2.0 * rates[str(workers)] / evaluations_per_s(count, workers)
            scores.append(measure_machine_score(1))
        if missing_gpu_requirement() is None:
            rates['cuda'] = _rate(_cube(count, 1, 'cuda'), _CARD_STEPS)
        found['particle_steps_per_s'][str(count)] = rates
        found['evaluations_per_s'][str(count)] = 2.0 * rates['1']
        found['of_plain'][str(count)] = shares
        found['mean_neighbors'][str(count)] = bed.mean_neighbors
        found['bytes_per_particle'][str(count)] = (bed.nbytes + len(bed.save())) / len(bed.particles)
    return {
        **found,
        'wheel': _wheel(wheel_spacing),
        'machine_score': max(scores),
        'machine_scores': scores,
        'cores': os.cpu_count(),
    }


def _wheel(spacing: float) -> dict[str, float]:
    rig = load_wheel_rig('grc1_mgru3')
    settings = Discretization(
        spacing_m=spacing,
        smoothing_ratio=SMOOTHING_PRESSED,
        artificial_viscosity=VISCOSITY_SLOW,
        courant_number=COURANT,
    )
    climb = CrmClimb(rig, 10.0, load_particle_soil(rig.particle_soil), settings, workers=2)
    climb.advance(lambda part: None)
    wall, since = time.perf_counter(), climb.wheel.t
    climb.advance(lambda part: None)
    wall = time.perf_counter() - wall
    return {'seconds_per_second': wall / (climb.wheel.t - since), 'elements': climb.bed.soil_count, 'step_s': climb.dt}


def _rate(bed: ParticleBed, steps: int) -> float:
    """Return the steps of one particle per wall second: the best of several passes, after one step to compile."""
    bed.step(1e-4)
    best = np.inf
    for _ in range(_REPEATS):
        begin = time.perf_counter()
        bed.sort()
        for _ in range(steps):
            bed.step(1e-4)  # waits for the device, which returns forces on the floor
        best = min(best, time.perf_counter() - begin)
    return bed.soil_count * steps / best


def _cube(count: int, workers: int, device: Device) -> ParticleBed:
    side = round(count ** (1.0 / 3.0))
    spacing = 0.01
    settings = Discretization(spacing_m=spacing)
    high = (side * spacing,) * 3
    under = boundary_markers.floor((0.0, 0.0, 0.0), high, spacing)
    filled = boundary_markers.lattice((0.0, 0.0, 0.0), high, spacing)
    bed = bed_class(device)(
        load_particle_soil('lunar_regolith'),
        settings,
        (0.0, 0.0, -1.62),
        filled,
        under,
        np.zeros(len(under), np.int32),
        workers=workers,
        period=(high[0], high[1]),
    )
    bed.lay_at_rest(high[2])
    return bed
