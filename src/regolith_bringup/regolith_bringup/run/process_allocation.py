# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""In how many processes the vehicles of a run are, and who shares one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from regolith_files.problems import InputError, Problem, allowed_names

NAMES = ('one', 'many', 'auto')
MOST = 1000
"""Largest number of processes that can be asked for."""
Processes = Literal['one', 'many', 'auto'] | int
"""'one': everything in one process; 'many': each vehicle in its own; a number: the vehicles in so many; 'auto': in as
many as suit the processor's cores."""
ABOUT = (
    "'one': world, ground and vehicles in one; 'many': one per vehicle; a number: vehicles in so many; 'auto': in as "
    'many as suit the cores'
)


def parse_processes(text: str) -> Processes:
    """Return what a text asks for.

    Raises:
        InputError: if it is nothing of :data:`Processes`
    """
    for name in NAMES:
        if text == name:
            return name  # type: ignore[return-value]  # mypy: the text of a Literal
    if text.isascii() and text.isdecimal() and 1 <= int(text) <= MOST:
        return int(text)
    allowed = f'a number from 1 to {MOST}, {allowed_names(NAMES, text)}'
    raise InputError(Problem('--processes', '', 'is no number of processes, and no name of one', allowed, text))


@dataclass(frozen=True)
class ProcessAllocation:
    """Vehicles by process."""

    processes: str
    """'one', 'many' or their number, for the run's summary."""
    groups: tuple[tuple[str, ...], ...] = ()
    """Names of the vehicles that share a process; none: all are in that of the world."""
    threads: int = 1
    """In each of these processes."""


def allocate_processes(processes: Processes, vehicles: Sequence[str], cores: int | None = None) -> ProcessAllocation:
    """Return who shares a process.

    Neighbours by name go to different processes, so that vehicles of one kind are spread over all.

    Args:
        vehicles: names, sorted
        cores: of the processor; None: those this process may use
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
"""Fewer vehicles than this are together in one process, where they cost no messages."""
MANY_CORES = 3
"""On fewer cores than this one process keeps all of them busy."""


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
