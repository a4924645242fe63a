# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmark ``bench dem``: computing time of DEM."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from regolith_terrain.grid import Floats
from regolith_testbeds.dem.assembly import Assembly
from regolith_testbeds.dem.beds import GrainBin, Grains
from regolith_testbeds.dem.bodies import Body, wheel
from regolith_testbeds.dem.packing import lattice, settle
from regolith_world.numerics import measure_machine_score

COUNTS = (10_000, 50_000)
_STEPS, _REPEATS = 100, 5
_SETTLING_S = 0.35
_DEPTH = 0.15
"""Depth of the bed [m]; its sides follow from the number of grains."""
_WHEEL_STEPS = 200


def dem(counts: tuple[int, ...] = COUNTS) -> dict[str, Any]:
    """Measure grains at rest in a bin, spheres of 7 mm with five contacts, and a wheel on the smallest bed.

    Args:
        counts: Numbers of grains.

    Returns:
        ``steps_per_s``, count -> threads -> grain-steps per wall second (best of several). ``contacts_per_grain``,
        ``contacts_per_s`` (contact evaluations, one thread) and ``bytes_per_grain``, by count.
        ``wheel_compute_per_sim_s``, wall seconds of one thread per simulated second of a wheel on the smallest bed, at
        the step of ``wheel_step_s``. ``machine_score``, see
        :func:`regolith_world.numerics.machine_score.measure_machine_score`.
    """
    grains = Grains(radius_m=0.007, youngs_modulus_pa=5e6, restitution=0.1)
    keys = ('steps_per_s', 'contacts_per_grain', 'contacts_per_s', 'bytes_per_grain')
    found: dict[str, dict[str, Any]] = {key: {} for key in keys}
    scores = [measure_machine_score()]
    small = None
    for count in counts:
        bed = _bed(grains, count)
        small = small or bed
        rates = {}
        for threads in (1, 2):
            rates[str(threads)] = _rate(bed, threads)
            scores.append(measure_machine_score())
        found['steps_per_s'][str(count)] = rates
        found['contacts_per_grain'][str(count)] = bed.touching / count
        found['contacts_per_s'][str(count)] = rates['1'] * bed.touching / count
        found['bytes_per_grain'][str(count)] = bed.bytes_per_grain
    assert small is not None
    wheeled = _with_wheel(small, Grains(radius_m=0.007))
    begin = time.perf_counter()
    wheeled.advance(_WHEEL_STEPS)
    per_step = (time.perf_counter() - begin) / _WHEEL_STEPS
    return {
        **found,
        'wheel_compute_per_sim_s': per_step / wheeled.dt,
        'wheel_step_s': wheeled.dt,
        'wheel_grains': len(wheeled.grains.mass),
        'machine_score': max(scores),
        'machine_scores': scores,
        'cores': os.cpu_count(),
    }


def _bed(grains: Grains, count: int) -> Assembly:
    """Return a number of grains at rest in a bin twice as long as wide."""
    area = count * 4.0 / 3.0 * np.pi * grains.radius_m**3 / 0.62 / _DEPTH
    bin_ = GrainBin(length_m=float(np.sqrt(2.0 * area)), width_m=float(np.sqrt(0.5 * area)), depth_m=_DEPTH)
    scale = grains.scales(1, 'grain', count)
    rim = float(scale.max())
    half = 0.5 * np.array([bin_.length_m, bin_.width_m]) - rim

    def inside(places: Floats) -> Floats:
        return np.asarray((np.abs(places) <= half).all(axis=1))

    place = lattice(1, 'grain', count, rim, inside, -bin_.depth_m, float(half.max()))
    place[:, 0] += 0.5 * bin_.length_m
    bed = Assembly(place, scale, grains.material(), bodies=[bin_.walls(grains)])
    settle(bed, _SETTLING_S)
    return bed


def _rate(bed: Assembly, threads: int) -> float:
    """Return grain-steps per wall second of a bed, the best of several passes."""
    again = Assembly(bed.grains.place, bed.grains.scale, bed.material, gravity=bed.gravity.tolist(), threads=threads)
    again.bodies, again.laws = bed.bodies, bed.laws
    again.load(bed.save())
    again.advance(5)
    best = np.inf
    for _ in range(_REPEATS):
        begin = time.perf_counter()
        again.advance(_STEPS)
        best = min(best, time.perf_counter() - begin)
    return float(len(bed.grains.mass) * _STEPS / best)


def _with_wheel(bed: Assembly, grains: Grains) -> Assembly:
    """Return a bed with a rotating wheel, at stiffness and step of the wheel testbed."""
    material = grains.material()
    top = float((bed.grains.place[:, 2] + bed.grains.scale).max())
    middle = float(bed.grains.place[:, 0].mean())
    rotor = Body(
        wheel(0.225, 0.2, 24, 0.03, 0.005),
        material,
        place=(middle, 0.0, top + 0.255),
        spin=(0.0, 0.8, 0.0),
        mass=17.5,
        free=(True, False, True),
    )
    low, high = bed.grains.place.min(axis=0), bed.grains.place.max(axis=0)
    walls = GrainBin(
        length_m=float(high[0] - low[0]) + 0.1, width_m=float(high[1] - low[1]) + 0.1, depth_m=float(-low[2]) + 0.01
    ).walls(grains)
    made = Assembly(bed.grains.place, bed.grains.scale, material, bodies=[walls, rotor])
    made.advance(50)
    return made
