# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Speed score of this machine: a fixed compiled loop, timed together with every reported speed."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from regolith_world.numerics.kernel_options import kernel

_ROUNDS = 2_000_000
_TABLE = 4096


def measure_machine_score(repeats: int = 3) -> float:
    """Return millions of iterations of the loop per second on one thread; the best of several passes.

    An iteration resembles the work of substeps: a square root, a division, a chain of products, a look-up in a small
    table. The loop never changes, so that results of different years can be compared.

    Args:
        repeats: Number of passes.
    """
    table = np.linspace(0.1, 1.0, _TABLE)
    _loop(table, 10)
    best = np.inf
    for _ in range(repeats):
        begin = time.perf_counter()
        _loop(table, _ROUNDS)
        best = min(best, time.perf_counter() - begin)
    return float(1e-6 * _ROUNDS / best)


@kernel
def _loop(table: NDArray[np.float64], rounds: int) -> float:
    """Return a number that no compiler can compute in advance."""
    x, at = 0.5, 0
    for _ in range(rounds):
        at = (at * 1103 + 12345) % table.shape[0]
        x = np.sqrt(x * table[at] + 0.25) / (x + table[at] * 0.5 + 0.1)
    return float(x)
