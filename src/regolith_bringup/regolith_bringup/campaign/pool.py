# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Workers of a campaign: processes of this machine, or workers of a Dask scheduler."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from regolith_files import InputError, Problem
from regolith_world import end_with_process
from regolith_world.numerics import kernel_cache

Task = tuple[str, Callable[..., Any], tuple[Any, ...]]
"""Name, function of a module, arguments."""
Done = tuple[str, Any, BaseException | None]
"""Name, returned value, raised exception."""


def run_all(tasks: Sequence[Task], workers: int, scheduler: str = '') -> Iterator[Done]:
    """Run tasks in parallel and yield each result as soon as it is available.

    If a worker process terminates, all tasks running in the pool at that time fail with it. They are repeated one by
    one, which identifies the task that terminates its worker.

    Args:
        tasks: Tasks to run.
        workers: Number of processes on this machine.
        scheduler: Address of a Dask scheduler whose workers are used instead.

    Raises:
        InputError: If the scheduler cannot be reached, or Dask is not installed.
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
            yield name, value, RuntimeError('its process terminated, maybe for lack of memory') if died else error


def _attempted(tasks: Sequence[Task], workers: int, scheduler: str) -> Iterator[Done]:
    with _executor(min(workers, len(tasks)), scheduler) as executor:
        waiting = iter(tasks)
        running: dict[Future[Any], str] = {}
        # A scheduler gets all tasks at once, to distribute them. A local pool gets few, so that it can stop early.
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
        # After an interrupt, do not wait for running tasks.
        for process in list((pool._processes or {}).values()):
            process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


def _begin(parent: int) -> None:
    """Leave Ctrl-C to the parent process, and end together with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_process(parent)
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
        problem = f'no scheduler with workers found: {" ".join(str(error).split())[:120]}'
        raise InputError(Problem('--scheduler', '', problem, 'an address such as tcp://host:8786', scheduler)) from None
    return client
