# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled loops over bands of an image, shared among a few threads.

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


def worker_count() -> int:
    """Return the number of threads: ``REGOLITH_SENSOR_THREADS``, else the cores this process may use, at most 8."""
    asked = os.environ.get('REGOLITH_SENSOR_THREADS', '')
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return min(len(os.sched_getaffinity(0)), 8)


@lru_cache(maxsize=1)
def _pool(workers: int, process: int) -> ThreadPoolExecutor:
    # Keyed by the process as well: threads do not follow into a forked child.
    return ThreadPoolExecutor(workers, thread_name_prefix='sensor')


def in_bands(kernel: Callable[..., Any], count: int, band: int, *arguments: Any) -> None:
    """Call ``kernel(first, last, *arguments)`` for bands that together cover 0 <= n < count.

    :param kernel: compiled, with nogil; it may write only what belongs to its own band
    :param count: number of elements
    :param band: elements per call
    :param arguments: further arguments of each call
    """
    workers = worker_count()
    bounds = [(first, min(first + band, count)) for first in range(0, count, band)]
    if workers == 1 or len(bounds) < 2:
        for first, last in bounds:
            kernel(first, last, *arguments)
        return
    waiting = [_pool(workers, os.getpid()).submit(kernel, *bound, *arguments) for bound in bounds]
    for job in waiting:
        job.result()
