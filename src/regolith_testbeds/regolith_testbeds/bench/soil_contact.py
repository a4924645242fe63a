# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmark ``bench scm``: computing time of one wheel on SCM soil."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from regolith_terrain import FlatField, load_soil
from regolith_terrain.contact import CONTACT_OK, STAT_LOADED_NODES, Shapes, Wrench, cylinder, make_wrench, reach
from regolith_terrain.grid import Floats, SoilGrid
from regolith_terrain.scm import MODES, NOTHING_MOVES, Ground, Scratch, body_wrench, make_scratch, scm_ground
from regolith_world.numerics import kernel

# A VIPER wheel under a quarter of the rover's lunar weight has a sinkage of 2 cm. Here the sinkage loads 200 nodes.
_RADIUS, _WIDTH, _SPACING = 0.25, 0.30, 0.02


def scm_cost(
    mode: str = 'regolith', sinkage_m: float = 0.13, repeats: int = 7, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Measure the computing time of the SCM kernel for a wheel that rolls at 20 % slip on lunar soil.

    Args:
        mode: Contact formulation, 'regolith' or 'reference'.
        sinkage_m: Sinkage of the wheel [m].
        repeats: Number of passes over 0.4 m of undisturbed soil, of which the fastest counts.
        clock: Function that returns the time [s].

    Returns:
        ``us_per_wheel_step`` [us], ``contact_nodes`` (mean per step).
    """
    soils = load_soil('lunar_nominal').parameters()[None, :]
    grid = SoilGrid(FlatField(), _SPACING)
    shape = cylinder(_RADIUS, _WIDTH)
    scratch = make_scratch(reach(shape), _SPACING)
    steps = 2000
    best = np.inf
    loaded = 0.0
    for _ in range(repeats + 1):  # the first pass compiles
        window = grid.window(-20, 50, -20, 20)
        shear = np.zeros((*window.shape, 2))
        start = clock()
        loaded = _roll(
            scm_ground(window),
            soils,
            NOTHING_MOVES,
            MODES[mode],
            shape,
            sinkage_m,
            steps,
            shear,
            scratch,
            make_wrench(),
        )
        best = min(best, clock() - start)
    return {'us_per_wheel_step': 1e6 * best / steps, 'contact_nodes': float(loaded)}


@kernel
def _roll(
    ground: Ground,
    soils: Floats,
    rules: Floats,
    mode: int,
    shape: Shapes,
    sinkage: float,
    steps: int,
    shear: Floats,
    scratch: Scratch,
    wrench: Wrench,
) -> float:
    """Return the mean number of loaded nodes of a rolling wheel; NaN outside the window."""
    center = np.array([0.0, 0.0, _RADIUS - sinkage])
    rotation = np.eye(3)
    velocity = np.array([0.2, 0.0, 0.0])
    angular_velocity = np.array([0.0, 1.0, 0.0])
    loaded = 0.0
    part = np.int64(0)  # a plain 0 would compile the contact again, for the literal
    for _ in range(steps):
        status = body_wrench(
            ground,
            soils,
            rules,
            mode,
            1e-3,
            shape,
            part,
            center,
            rotation,
            velocity,
            angular_velocity,
            shear,
            scratch,
            wrench,
        )
        if status != CONTACT_OK:
            return np.nan
        loaded += wrench.stats[STAT_LOADED_NODES]
        center[0] += 1e-3 * velocity[0]
    return loaded / steps
