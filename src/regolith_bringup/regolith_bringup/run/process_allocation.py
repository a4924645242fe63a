# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Allocation of vehicles to processes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from regolith_files import InputError, Problem, allowed_names

NAMES = ('one', 'many', 'auto')
MOST = 1000
"""Maximum number of processes."""
Processes = Literal['one', 'many', 'auto'] | int
"""Process allocation: 'one' = everything in one process, 'many' = one process per vehicle, 'auto' = a number of vehicle
processes that suits the number of cores, or the number of vehicle processes."""
ABOUT = (
    "'one': world, terrain and vehicles in one process; 'many': one process per vehicle; 'auto': as many vehicle "
    'processes as suit the cores; N: number of vehicle processes'
)


def parse_processes(text: str) -> Processes:
    """Return the process allocation given by a text.

    Args:
        text: Text of the option.

    Raises:
        InputError: If the text is not a value of :data:`Processes`.
    """
    for name in NAMES:
        if text == name:
            return name  # type: ignore[return-value]  # mypy: the text of a Literal
    if text.isascii() and text.isdecimal() and 1 <= int(text) <= MOST:
        return int(text)
    allowed = f'a number from 1 to {MOST}, {allowed_names(NAMES, text)}'
    raise InputError(Problem('--processes', '', 'is not a number of processes or one of the names', allowed, text))


@dataclass(frozen=True)
class ProcessAllocation:
    """Vehicles by process, and threads per process."""

    processes: str
    """'one', 'many' or the number of processes, for the summary."""
    groups: tuple[tuple[str, ...], ...] = ()
    """Names of the vehicles in each process. Empty: all are in the world process."""
    threads: int = 1
    """Number of threads in each of these processes."""


def allocate_processes(processes: Processes, vehicles: Sequence[str], cores: int | None = None) -> ProcessAllocation:
    """Return the vehicles of each process.

    Neighbors in name order go to different processes, so that vehicles of one type are distributed over all processes.

    Args:
        processes: Requested allocation.
        vehicles: Sorted vehicle names.
        cores: Number of cores of the processor, None for those usable by this process.
    """
    cores = usable_cores() if cores is None else cores
    if processes == 'one':
        return ProcessAllocation('one')
    if processes == 'many':
        return ProcessAllocation('many', tuple((name,) for name in vehicles))
    if processes == 'auto':
        if cores < MANY_CORES or len(vehicles) < FEW:
            return ProcessAllocation('one')
        processes = min(cores, len(vehicles))
    count = min(int(processes), max(1, len(vehicles)))
    groups = tuple(tuple(vehicles[k::count]) for k in range(count)) if vehicles else ()
    return ProcessAllocation(str(count), groups, max(1, cores // count))


FEW = 4
"""Number of vehicles below which they share one process, where they need no messages."""
MANY_CORES = 3
"""Number of cores below which one process keeps all cores busy."""


def usable_cores() -> int:
    """Return the number of cores usable by this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
