# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Watchdog of the world's process: a file that the process rewrites and a supervisor watches.

The text of the file is the number of iterations of the main loop, 0 before it begins. A thread rewrites the file once
per second, also while the main loop computes or kernels compile. If it is not rewritten, the process is stopped, frozen
or gets no processor time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

FILE = 'alive'
"""Name of the file in the run folder."""
PERIOD_S = 1.0
"""Period of writes, wall time [s]."""
LOOP = 20.0
"""Factor on the limit for the main loop, because compiling kernels takes minutes."""


class Alive:
    """Writer of the file until :meth:`stop`, or until its process ends.

    Args:
        file: The file, written at once.
        period_s: Period of writes, wall time [s].
    """

    def __init__(self, file: Path, period_s: float = PERIOD_S) -> None:
        self._file, self._period_s = file, period_s
        self.turns = 0
        """Number of iterations of the main loop, which increments it."""
        self._over = Event()
        self._write()
        self._thread = Thread(target=self._go_on, name='alive', daemon=True)
        self._thread.start()

    def _write(self) -> None:
        with suppress(OSError):  # a full disk: the time of the write changes with the next one
            self._file.write_text(f'{self.turns}\n')

    def _go_on(self) -> None:
        while not self._over.wait(self._period_s):
            self._write()

    def stop(self) -> None:
        """End the thread and remove the file."""
        self._over.set()
        self._thread.join()
        self._file.unlink(missing_ok=True)


class Watch:
    """Watch on the file of another process.

    Only changes count, not the file's time: clocks may jump, and the watching process may have been stopped itself.

    Args:
        file: The file.
        limit_s: Wall time without a write after which the process counts as unresponsive [s].
        clock: Function that returns wall time [s].
    """

    def __init__(self, file: Path, limit_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._file, self._limit_s, self._clock = file, limit_s, clock
        self._seen = self._text = ''
        self._looked = self._written = self._turned = clock()

    def problem(self) -> str:
        """Return the problem of the process, '' if there is none. Call it more often than the file is written."""
        now = self._clock()
        if now - self._looked > 0.5 * self._limit_s:
            # This process itself has not run for some time.
            self._written = self._turned = now
        self._looked = now
        try:
            seen, text = str(self._file.stat().st_mtime_ns), self._file.read_text()
        except OSError:  # not started, or ended
            self._written = self._turned = now
            return ''
        if seen != self._seen:
            self._seen, self._written = seen, now
        if (text and text != self._text) or text.strip() == '0':  # the main loop has not begun
            self._text, self._turned = text, now
        if now - self._written > self._limit_s:
            return f'its process has not run for {self._limit_s:g} s: it is stopped, or gets no processor time'
        if now - self._turned > LOOP * self._limit_s:
            return f'its main loop has not turned for {LOOP * self._limit_s:g} s'
        return ''
