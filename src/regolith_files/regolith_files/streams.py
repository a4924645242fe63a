# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Standard streams that stay usable if they are closed or cannot be written.

A closed stream is replaced by the null device. The same applies to standard output if its reader has ended (as ``head``
does) or the disk is full. A full disk is an input error, reported in one line. Text that cannot be written to standard
error is dropped without an error.
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
    """Open the three standard streams of this process. A program calls it first.

    Without it, the next file that the process opens gets the number of a closed stream, and prints go into that file.

    Args:
        lossy: Whether text that cannot be written to standard output is also dropped without an error.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is that of the missing stream.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdin = sys.stdin or os.fdopen(0, encoding='utf-8', closefd=False)
    kind = _Lossy if lossy else _Checked
    sys.stdout = kind(_binary(1), **_like(sys.stdout))
    sys.stderr = _Lossy(_binary(2), **{**_like(sys.stderr), 'line_buffering': True})


def flush_output() -> None:
    """Flush standard output.

    Raises:
        InputError: If standard output cannot be written.
    """
    if sys.stdout is not None:
        sys.stdout.flush()


def _binary(number: int) -> Any:
    # Not the buffer of the former stream: in a forked process the number can refer to another file.
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
    """Standard output that continues into the null device after an error."""

    def write(self, text: str, /) -> int:
        """Write the text as far as possible."""
        try:
            return super().write(text)
        except OSError as error:
            self._dropped(error)
            return len(text)

    def flush(self) -> None:
        """Flush the buffer as far as possible."""
        try:
            super().flush()
        except OSError as error:
            self._dropped(error)

    def _dropped(self, error: OSError) -> None:
        """Redirect the stream to the null device, so that the final flush of the interpreter succeeds."""
        with suppress(OSError):
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.close(nothing)
        if error.errno != errno.EPIPE:
            _refuse(error)


def _refuse(error: OSError) -> NoReturn:
    raise InputError(Problem('stdout', '', f'cannot be written: {error.strerror}', 'a writable file, or none (>&-)'))


class _Lossy(io.TextIOWrapper):
    """Stream that drops text it cannot write."""

    def write(self, text: str, /) -> int:
        """Write the text, or drop it."""
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the buffer, or drop its content."""
        with suppress(OSError):
            super().flush()
