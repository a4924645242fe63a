# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What one wheel costs: the benchmark behind ``bench scm``."""

from __future__ import annotations

import time

import numpy as np
from numba import njit

from regolith_terrain.config import load_soil
from regolith_terrain.scm import MODES, OK, STAT_COUNT, STAT_LOADED_NODES, cylinder_wrench, make_scratch
from regolith_terrain.soil_grid import SoilGrid
from regolith_terrain.surface import FlatField

# A VIPER wheel under a quarter of the rover's lunar weight.
_RADIUS, _HALF_WIDTH, _SPACING = 0.25, 0.15, 0.02


def scm_cost(mode: str = 'regolith', sinkage_m: float = 0.03, repeats: int = 7) -> dict[str, float]:
    """Measure the soil contact kernel on a wheel that rolls at 20 % slip through lunar soil.

    :param mode: 'regolith' or 'reference'
    :param sinkage_m: of the wheel bottom [m]
    :param repeats: the least of so many passes over 0.4 m of virgin soil counts
    :return: ``us_per_wheel_step`` [us], ``loaded_nodes`` (mean per step)
    """
    soil = load_soil('lunar_nominal').parameters()
    grid = SoilGrid(FlatField(), _SPACING)
    scratch = make_scratch(np.hypot(_RADIUS, _HALF_WIDTH), _SPACING)
    steps = 2000
    best = np.inf
    loaded = 0.0
    for _ in range(repeats + 1):  # the first pass compiles
        window = grid.window(-20, 50, -20, 20)
        shear = np.zeros((*window.shape, 2))
        start = time.perf_counter()
        loaded = _roll(
            window.base, window.normal, window.level_initial, window.level, window.sinkage_plastic,
            window.sigma_yield, window.touched,
            window.i0, window.j0, _SPACING, soil, sinkage_m, steps, MODES[mode], shear, scratch.floats, scratch.ints,
        )  # fmt: skip
        best = min(best, time.perf_counter() - start)
    return {'us_per_wheel_step': 1e6 * best / steps, 'loaded_nodes': float(loaded)}


@njit(cache=True, nogil=True, error_model='numpy')
def _roll(  # type: ignore[no-untyped-def]
    base, normal, level_initial, level, sinkage_plastic, sigma_yield, touched, i0, j0, spacing, soil, sinkage, steps,
    mode, shear, scratch_float, scratch_int,
):  # fmt: skip
    center = np.array([0.0, 0.0, _RADIUS - sinkage])
    axis = np.array([0.0, 1.0, 0.0])
    velocity = np.array([0.2, 0.0, 0.0])
    angular_velocity = np.array([0.0, 1.0, 0.0])
    force, torque, stats = np.zeros(3), np.zeros(3), np.zeros(STAT_COUNT)
    loaded = 0.0
    for _ in range(steps):
        status = cylinder_wrench(
            base, normal, level_initial, level, sinkage_plastic, sigma_yield, touched, i0, j0, spacing, soil, _RADIUS,
            _HALF_WIDTH, center, axis, velocity, angular_velocity, 1e-3, mode, shear, scratch_float, scratch_int,
            force, torque, stats,
        )  # fmt: skip
        if status != OK:
            return np.nan
        loaded += stats[STAT_LOADED_NODES]
        center[0] += 1e-3 * velocity[0]
    return loaded / steps
