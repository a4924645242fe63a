# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Workers of a campaign: processes of this machine, or those behind a Dask scheduler."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from regolith_files.problems import InputError, Problem
from regolith_world.node_main import end_with
from regolith_world.numerics import kernel_cache

Task = tuple[str, Callable[..., Any], tuple[Any, ...]]
"""Name, function of a module, arguments."""
Done = tuple[str, Any, BaseException | None]
"""Name, what was returned, what was raised."""


def run_all(tasks: Sequence[Task], workers: int, scheduler: str = '') -> Iterator[Done]:
    """Run tasks side by side and yield what came of each as soon as it has come.

    A worker that dies takes those with it that run beside it; they are run again, one by one, so that it is known which
    of them kills its worker.

    Args:
        workers: number of processes of this machine
        scheduler: address of a Dask scheduler, whose workers are taken instead

    Raises:
        InputError: if the scheduler cannot be reached, or Dask is not installed
    """
    unclear = []
    for each in _attempted(tasks, workers, scheduler):
        if isinstance(each[2], BrokenProcessPool):
            unclear.append(each[0])
        else:
            yield each
    for task in (task for task in tasks if task[0] in unclear):
        for name, value, error in _attempted([task], 1, scheduler):
            died = isinstance(error, BrokenProcessPool)
            yield name, value, RuntimeError('its process died; it may have lacked memory') if died else error


def _attempted(tasks: Sequence[Task], workers: int, scheduler: str) -> Iterator[Done]:
    with _executor(min(workers, len(tasks)), scheduler) as executor:
        waiting = iter(tasks)
        running: dict[Future[Any], str] = {}
        # A scheduler gets all at once, to spread them; a pool that is told to end shall not have many before it.
        ahead = len(tasks) if scheduler else workers + 1

        def fill() -> None:
            for name, function, arguments in waiting:
                try:
                    running[executor.submit(function, *arguments)] = name
                except BrokenProcessPool as error:
                    failed: Future[Any] = Future()
                    failed.set_exception(error)
                    running[failed] = name
                if len(running) >= ahead:
                    return

        fill()
        while running:
            future = next(as_completed(running))
            name, error = running.pop(future), future.exception()
            fill()
            yield name, None if error is not None else future.result(), error


@contextmanager
def _executor(workers: int, scheduler: str) -> Iterator[Executor]:
    if scheduler:
        client = _dask(scheduler)
        try:
            yield client.get_executor(pure=False)
        finally:
            client.close()
        return
    pool = ProcessPoolExecutor(
        workers, multiprocessing.get_context('spawn'), initializer=_begin, initargs=(os.getpid(),)
    )
    try:
        yield pool
    except BaseException:
        # Whoever is interrupted does not wait for what runs.
        for process in list((pool._processes or {}).values()):
            process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


def _begin(parent: int) -> None:
    """Leave Ctrl-C to the process that the person sees, and end with it however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent)
    kernel_cache.configure()


def _dask(scheduler: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        problem = 'needs Dask, which is not installed'
        raise InputError(Problem('--scheduler', '', problem, "none, or pip install 'distributed'", scheduler)) from None
    make: Any = Client
    try:
        client = make(scheduler, timeout=10, set_as_default=False)
        client.wait_for_workers(1, timeout=10)
    except (OSError, ValueError, TimeoutError) as error:
        problem = f'no scheduler with workers there: {" ".join(str(error).split())[:120]}'
        raise InputError(Problem('--scheduler', '', problem, 'an address such as tcp://host:8786', scheduler)) from None
    return client
