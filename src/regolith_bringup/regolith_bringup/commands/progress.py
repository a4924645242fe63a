# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress on stderr: a bar on a terminal, a line now and then in a log."""

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
"""After which a log has its first line [s]: what is done sooner needs none."""
EVERY_S = 30.0
"""Between two lines in a log [s]."""


class ProgressEstimate:
    """Share of some work that is done, and the time that the rest will take if it goes on as it did.

    Args:
        what: name of the work
        clock: wall time [s]
    """

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.what, self._clock = what, clock
        self._began = clock()
        self._first: tuple[float, float] | None = None  # work gone on with begins at some share
        self._last = (self._began, 0.0)
        self.begun = False
        """Whether anything was heard of it."""

    def tell(self, done: float, of: float) -> None:
        """Take how much is done; ``of`` 0: nobody knows of how much."""
        self.begun = True
        if of > 0.0:
            self._last = self._clock(), min(1.0, done / of)
            self._first = self._first or self._last

    @property
    def left_s(self) -> float | None:
        """Return the time left [s], None where nothing is known: before a second call, or when that time is over."""
        if self._first is None or self._last[1] <= self._first[1]:
            return None
        (since, share), (now, reached) = self._first, self._last
        left = (now - since) * (1.0 - reached) / (reached - share) - (self._clock() - now)
        return left if left > 0.0 else None

    def __str__(self) -> str:
        """Return the time left in words, '' where nothing is known."""
        left = self.left_s
        return '' if left is None else f'about {duration_text(max(1.0, left))} left'

    def line(self) -> str:
        """Return a line for a log."""
        so_far = f'{duration_text(self._clock() - self._began)} so far'
        if self._first is None:
            return f'{self.what}: {so_far}'
        return f'{self.what}: {100.0 * self._last[1]:.0f} %, {str(self) or so_far}'


def duration_text(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 90.0:
        return f'{seconds:.0f} s'
    return f'{seconds / 60.0:.0f} min' if seconds < 5400.0 else f'{seconds / 3600.0:.1f} h'


@contextmanager
def progress(
    what: str, *, quiet: bool = False, first_s: float = FIRST_S, every_s: float = EVERY_S
) -> Iterator[Callable[..., None]]:
    """Give a function that takes (done, of) and, if it has one, the name of the stage; show it, from its first call on.

    Args:
        what: name of the work
        quiet: whether to show nothing
        first_s: after which a log has its first line [s]
        every_s: between two lines in a log [s]
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

    # The library's own estimate forgets what is older than half a minute, which here may be before the last call.
    columns = (TextColumn('{task.description}'), BarColumn(), TaskProgressColumn(), TextColumn('{task.fields[work]}'))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(work.what, total=None, visible=False, work=work)

        def show(done: float, of: float, stage: str = work.what) -> None:
            work.tell(done, of)
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
        work.tell(done, of)

    # Not from the calls: between two of them a minute may pass.
    speaker = Thread(target=speak, name='progress', daemon=True)
    speaker.start()
    try:
        yield show
    finally:
        ended.set()
        speaker.join()
