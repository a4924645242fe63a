# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The cost of a continuum of particles: the benchmark ``bench crm``."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from regolith_terrain.crm import markers
from regolith_terrain.crm.bed import Bed
from regolith_terrain.crm.soil import Discretisation, load_particle_soil
from regolith_world.machine_score import machine_score

COUNTS = (10_000, 50_000, 200_000)
_REPEATS = 3
_PARTICLE_STEPS = 600_000
"""Of one pass."""


def crm(counts: tuple[int, ...] = COUNTS) -> dict[str, Any]:
    """Measure cubes of soil at rest that repeat themselves sideways, with some 80 neighbours each inside.

    :param counts: about how many particles of soil
    :return: ``particle_steps_per_s``, count -> threads -> steps of one particle per wall second (best of several
        passes), each step two evaluations, lists of neighbours made anew once in a pass; ``evaluations_per_s``,
        twice that, with one thread; ``neighbours``, mean of a list; ``bytes_per_particle``, all arrays and a saved
        copy; by count.
        ``machine_score``, see :func:`regolith_world.machine_score.machine_score`
    """
    keys = ('particle_steps_per_s', 'evaluations_per_s', 'neighbours', 'bytes_per_particle')
    found: dict[str, dict[str, Any]] = {key: {} for key in keys}
    scores = [machine_score()]
    for count in counts:
        rates = {}
        for workers in (1, 2):
            bed = _cube(count, workers)
            bed.step(1e-4)
            steps = max(3, round(_PARTICLE_STEPS / count))
            best = np.inf
            for _ in range(_REPEATS):
                begin = time.perf_counter()
                bed.sort()
                for _ in range(steps):
                    bed.step(1e-4)
                best = min(best, time.perf_counter() - begin)
            rates[str(workers)] = bed.soil_count * steps / best
            scores.append(machine_score(1))
        found['particle_steps_per_s'][str(count)] = rates
        found['evaluations_per_s'][str(count)] = 2.0 * rates['1']
        found['neighbours'][str(count)] = bed.neighbours
        found['bytes_per_particle'][str(count)] = (bed.nbytes + len(bed.save())) / len(bed.particles)
    return {**found, 'machine_score': max(scores), 'machine_scores': scores, 'cores': os.cpu_count()}


def _cube(count: int, workers: int) -> Bed:
    side = round(count ** (1.0 / 3.0))
    spacing = 0.01
    settings = Discretisation(spacing_m=spacing)
    high = (side * spacing,) * 3
    under = markers.floor((0.0, 0.0, 0.0), high, spacing)
    filled = markers.lattice((0.0, 0.0, 0.0), high, spacing)
    bed = Bed(
        load_particle_soil('lunar_regolith'), settings, (0.0, 0.0, -1.62), filled, under,
        np.zeros(len(under), np.int32), workers=workers, period=(high[0], high[1]),
    )
    bed.lay_at_rest(high[2])
    return bed
