# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled loops over bands of elements, shared among a few threads.

The kernels release the interpreter's lock and every element depends on nothing but its index, so the number of threads
changes no bit. Python threads rather than numba's own: those cannot be entered from two threads at once (workqueue) or
do not survive a fork (OpenMP).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=4)
def _pool(workers: int, process: int) -> ThreadPoolExecutor:
    # Keyed by the process as well: threads do not follow into a forked child.
    return ThreadPoolExecutor(workers, thread_name_prefix='bands')


def run_in_ranges(workers: int, kernel: Callable[..., Any], count: int, band: int, *arguments: Any) -> list[Any]:
    """Return what ``kernel(first, last, *arguments)`` returns for bands that together cover 0 <= n < count, in order.

    Args:
        workers: number of threads
        kernel: compiled, with nogil; it may write only what belongs to its own band
        count: number of elements
        band: elements per call
        arguments: further arguments of each call
    """
    bounds = [(first, min(first + band, count)) for first in range(0, count, band)]
    if workers == 1 or len(bounds) < 2:
        return [kernel(*bound, *arguments) for bound in bounds]
    pool = _pool(workers, os.getpid())
    waiting = [pool.submit(kernel, *bound, *arguments) for bound in bounds]
    return [job.result() for job in waiting]
