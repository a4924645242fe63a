# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress on stderr: a bar on a terminal, occasional lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

FIRST_S = 10.0
"""Time before the first line in a log [wall s]. Shorter work prints none."""
EVERY_S = 30.0
"""Time between two lines in a log [wall s]."""


class ProgressEstimate:
    """Completed fraction of a task, and an estimate of the remaining time at constant speed.

    Args:
        what: Name of the task.
        clock: Function that returns the wall time [s].
    """

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.what, self._clock = what, clock
        self._began = clock()
        self._first: tuple[float, float] | None = None  # resumed work starts at a fraction above 0
        self._last = (self._began, 0.0)
        self.begun = False
        """Whether progress was reported at least once."""

    def update(self, done: float, of: float) -> None:
        """Record the completed amount. A total ``of`` 0 means that the total is unknown."""
        self.begun = True
        if of > 0.0:
            self._last = self._clock(), min(1.0, done / of)
            self._first = self._first or self._last

    @property
    def left_s(self) -> float | None:
        """Return the remaining time [s], None if unknown: before the second report, or when the estimate has passed."""
        if self._first is None or self._last[1] <= self._first[1]:
            return None
        (since, share), (now, reached) = self._first, self._last
        left = (now - since) * (1.0 - reached) / (reached - share) - (self._clock() - now)
        return left if left > 0.0 else None

    def __str__(self) -> str:
        """Return the remaining time as text, '' if unknown."""
        left = self.left_s
        return '' if left is None else f'about {duration_text(max(1.0, left))} left'

    def line(self) -> str:
        """Return a progress line for a log."""
        so_far = f'{duration_text(self._clock() - self._began)} so far'
        if self._first is None:
            return f'{self.what}: {so_far}'
        return f'{self.what}: {100.0 * self._last[1]:.0f} %, {str(self) or so_far}'


def duration_text(seconds: float) -> str:
    """Return a duration as human-readable text."""
    if seconds < 90.0:
        return f'{seconds:.0f} s'
    return f'{seconds / 60.0:.0f} min' if seconds < 5400.0 else f'{seconds / 3600.0:.1f} h'


@contextmanager
def progress(
    what: str, *, quiet: bool = False, first_s: float = FIRST_S, every_s: float = EVERY_S
) -> Iterator[Callable[..., None]]:
    """Yield a function that takes (done, total) and optionally the name of the stage, and displays progress.

    The display starts with the first call.

    Args:
        what: Name of the task.
        quiet: Whether to display nothing.
        first_s: Time before the first line in a log [wall s].
        every_s: Time between two lines in a log [wall s].
    """
    from rich.console import Console

    work = ProgressEstimate(what)
    console = Console(stderr=True)
    if quiet:
        yield lambda done, of, stage=what: None
    elif console.is_terminal and not console.is_dumb_terminal:
        with _bar(work, console) as show:
            yield show
    else:
        with _lines(work, first_s, every_s) as show:
            yield show


@contextmanager
def _bar(work: ProgressEstimate, console: Console) -> Iterator[Callable[..., None]]:
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    # The estimate of the library discards data older than 30 s, which may be before the last call.
    columns = (TextColumn('{task.description}'), BarColumn(), TaskProgressColumn(), TextColumn('{task.fields[work]}'))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(work.what, total=None, visible=False, work=work)

        def show(done: float, of: float, stage: str = work.what) -> None:
            work.update(done, of)
            bar.update(task, completed=done, total=of or None, visible=True, description=stage)

        yield show


@contextmanager
def _lines(work: ProgressEstimate, first_s: float, every_s: float) -> Iterator[Callable[..., None]]:
    ended = Event()

    def speak() -> None:
        wait = first_s
        while not ended.wait(wait):
            if work.begun:
                print(work.line(), file=sys.stderr, flush=True)
            wait = every_s

    def show(done: float, of: float, stage: str = work.what) -> None:
        work.update(done, of)

    # A timer prints the lines, because a minute may pass between two calls.
    speaker = Thread(target=speak, name='progress', daemon=True)
    speaker.start()
    try:
        yield show
    finally:
        ended.set()
        speaker.join()
