# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled loops over ranges of elements, distributed over a few threads.

The kernels release the interpreter lock, and every element depends on its index only. So the number of threads changes
no bit. Python threads are used because Numba's cannot be entered from two threads at once (workqueue) or do not survive
a fork (OpenMP).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=4)
def _pool(workers: int, process: int) -> ThreadPoolExecutor:
    # Keyed by the process too, because threads do not exist in a forked child.
    return ThreadPoolExecutor(workers, thread_name_prefix='bands')


def run_in_ranges(workers: int, kernel: Callable[..., Any], count: int, band: int, *arguments: Any) -> list[Any]:
    """Return the results of ``kernel(first, last, *arguments)`` for ranges that cover 0 <= n < count, in order.

    Args:
        workers: Number of threads.
        kernel: Compiled function with nogil. It may write only to elements of its own range.
        count: Number of elements.
        band: Elements per call.
        *arguments: Further arguments of each call.
    """
    bounds = [(first, min(first + band, count)) for first in range(0, count, band)]
    if workers == 1 or len(bounds) < 2:
        return [kernel(*bound, *arguments) for bound in bounds]
    pool = _pool(workers, os.getpid())
    waiting = [pool.submit(kernel, *bound, *arguments) for bound in bounds]
    return [job.result() for job in waiting]
