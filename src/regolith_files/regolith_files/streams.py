# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are closed, or that cannot be written: a command continues, and reports it in one line.

A closed stream is replaced by the null device. So is standard output once its reader has left (as ``head`` does) or the
disk is full; the latter is an input error. What cannot be written to standard error is lost without an error.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import Any, NoReturn, TextIO

from regolith_files.problems import InputError, Problem


def open_streams(*, lossy: bool = False) -> None:
    """Give this process its three standard streams; for the first statement of a program.

    Without it, the next file that the process opens takes the number of a closed stream, and prints go into it.

    Args:
        lossy: Whether text that cannot be written to standard output is lost without an error, too.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is the missing one.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdin = sys.stdin or os.fdopen(0, encoding='utf-8', closefd=False)
    kind = _Lossy if lossy else _Checked
    sys.stdout = kind(_binary(1), **_like(sys.stdout))
    sys.stderr = _Lossy(_binary(2), **{**_like(sys.stderr), 'line_buffering': True})


def flush_output() -> None:
    """Write what standard output still holds.

    Raises:
        InputError: If it cannot be written.
    """
    if sys.stdout is not None:
        sys.stdout.flush()


def _binary(number: int) -> Any:
    # Not what the former stream wrote to: in a forked process the number leads to another file than it was opened for.
    return os.fdopen(number, 'wb', closefd=False)


def _like(stream: TextIO | None) -> dict[str, Any]:
    if stream is None:
        return {'encoding': 'utf-8', 'errors': 'replace'}
    return {
        'encoding': stream.encoding,
        'errors': stream.errors,
        'line_buffering': stream.line_buffering,
        'write_through': getattr(stream, 'write_through', False),
    }


class _Checked(io.TextIOWrapper):
    """Standard output."""

    def write(self, text: str, /) -> int:
        """Write, as far as it can be written."""
        try:
            return super().write(text)
        except OSError as error:
            self._dropped(error)
            return len(text)

    def flush(self) -> None:
        """Flush, as far as it can be flushed."""
        try:
            super().flush()
        except OSError as error:
            self._dropped(error)

    def _dropped(self, error: OSError) -> None:
        """Drop what is left and what will follow, so the interpreter's own flush at exit does not fail again."""
        with suppress(OSError):
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.close(nothing)
        if error.errno != errno.EPIPE:
            _refuse(error)


def _refuse(error: OSError) -> NoReturn:
    raise InputError(Problem('stdout', '', f'cannot be written: {error.strerror}', 'a writable file, or none (>&-)'))


class _Lossy(io.TextIOWrapper):
    """Standard error."""

    def write(self, text: str, /) -> int:
        """Write, or lose the text."""
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Flush, or lose the text."""
        with suppress(OSError):
            super().flush()
