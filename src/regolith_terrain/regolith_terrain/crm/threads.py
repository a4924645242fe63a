# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled loops over bands of rows, shared among a few threads; a row depends on nothing but what is read."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

BAND = 1024
"""Rows per call."""


@lru_cache(maxsize=4)
def _pool(workers: int, process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix='crm')


def in_bands(workers: int, kernel: Callable[..., Any], count: int, *arguments: Any) -> list[Any]:
    """Return what ``kernel(first, last, *arguments)`` returns for bands that cover 0 <= n < count."""
    bounds = [(first, min(first + BAND, count)) for first in range(0, count, BAND)]
    if workers == 1 or len(bounds) < 2:
        return [kernel(*bound, *arguments) for bound in bounds]
    pool = _pool(workers, os.getpid())
    return [job.result() for job in [pool.submit(kernel, *bound, *arguments) for bound in bounds]]
