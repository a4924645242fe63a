# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Minimal particle code as a benchmark reference: density and pressure force of a fluid.

Particles are sorted into cells, and each checks the 27 surrounding cells twice: for its density and for the pressure
force. With a reach of two spacings it has about 33 neighbors. A step is one evaluation.
"""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm import arrays, boundary_markers, find_cells, sorted_rows
from regolith_terrain.grid import Floats
from regolith_world.numerics import kernel, parallel_ranges

_BAND = 512


@kernel(views_only=True)
def _densities(
    a: int,
    b: int,
    place: Floats,
    cell: NDArray[np.int64],
    first: arrays.Rows,
    size: NDArray[np.int64],
    reach: float,
    density: Floats,
) -> None:
    column, plane = size[2], size[1] * size[2]
    for row in range(a, b):
        total = 0.0
        for i in range(-1, 2):
            for j in range(-1, 2):
                run = cell[row] + i * plane + j * column
                for other in range(first[run - 1], first[run + 2]):
                    dx, dy = place[row, 0] - place[other, 0], place[row, 1] - place[other, 1]
                    dz = place[row, 2] - place[other, 2]
                    left = 1.0 - math.sqrt(dx * dx + dy * dy + dz * dz) / reach
                    if left > 0.0:
                        total += left * left * left
        density[row] = total


@kernel(views_only=True)
def _forces(
    a: int,
    b: int,
    place: Floats,
    cell: NDArray[np.int64],
    first: arrays.Rows,
    size: NDArray[np.int64],
    reach: float,
    density: Floats,
    force: Floats,
) -> None:
    column, plane = size[2], size[1] * size[2]
    for row in range(a, b):
        fx = fy = fz = 0.0
        own = (density[row] - 1.0) / (density[row] * density[row])
        for i in range(-1, 2):
            for j in range(-1, 2):
                run = cell[row] + i * plane + j * column
                for other in range(first[run - 1], first[run + 2]):
                    dx, dy = place[row, 0] - place[other, 0], place[row, 1] - place[other, 1]
                    dz = place[row, 2] - place[other, 2]
                    r = math.sqrt(dx * dx + dy * dy + dz * dz)
                    left = 1.0 - r / reach
                    if left > 0.0 and r > 0.0:
                        push = (own + (density[other] - 1.0) / (density[other] * density[other])) * left * left / r
                        fx, fy, fz = fx + push * dx, fy + push * dy, fz + push * dz
        force[row, 0], force[row, 1], force[row, 2] = fx, fy, fz


def evaluations_per_s(count: int, workers: int, repeats: int = 5) -> float:
    """Return the number of density and force evaluations per second, best of several passes.

    The time includes sorting.

    Args:
        count: Approximate number of particles in a cube.
        workers: Number of threads.
        repeats: Number of passes.
    """
    side = round(count ** (1.0 / 3.0))
    place = np.hstack((boundary_markers.lattice((0.0,) * 3, (float(side),) * 3, 1.0), np.zeros((side**3, 1))))
    n, reach = len(place), 2.0
    low, edges = np.full(3, -reach), np.full(3, reach)
    size = np.full(3, math.ceil(side / reach) + 2, np.int64)
    cell, order = np.empty(n, np.int64), np.empty(n, np.int32)
    density, force = np.empty(n), np.empty((n, 3))
    best = math.inf
    for _ in range(repeats + 1):
        begin = time.perf_counter()
        first = np.zeros(int(np.prod(size)) + 1, np.int32)
        find_cells(place, low, edges, size, cell)
        sorted_rows(cell, first, order)
        place, cell = place[order], cell[order]
        parallel_ranges.run_in_ranges(workers, _densities, n, _BAND, place, cell, first, size, reach, density)
        parallel_ranges.run_in_ranges(workers, _forces, n, _BAND, place, cell, first, size, reach, density, force)
        best = min(best, time.perf_counter() - begin)
    return n / best
