# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Parallel execution of kernels over image bands with the threads of the sensors."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from regolith_world.numerics import parallel_ranges


def worker_count() -> int:
    """Return the number of threads: ``REGOLITH_SENSOR_THREADS``, else the available cores, at most 8."""
    asked = os.environ.get('REGOLITH_SENSOR_THREADS', '')
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return min(len(os.sched_getaffinity(0)), 8)


def run_in_ranges(kernel: Callable[..., Any], count: int, band: int, *arguments: Any) -> None:
    """Run a kernel over bands of elements; see :func:`regolith_world.numerics.parallel_ranges.run_in_ranges`."""
    parallel_ranges.run_in_ranges(worker_count(), kernel, count, band, *arguments)
