# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Long experiments: a sequence of cases that Ctrl-C stops and a checkpoint continues."""

from __future__ import annotations

import io
import json
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np
from pydantic import Field, model_validator

from regolith_files import Section, usable_file
from regolith_testbeds.settings import Tick

PARTS = 10_000
"""Number of progress units per case."""
_FORMAT = 1
_LONGEST_HEAD = 100_000_000
"""Most bytes read from a file that may not be a checkpoint."""
_FREE = ('resume', 'checkpoint', 'threads')
"""Settings that do not change the result."""
_ROUNDING = ('device',)
"""Settings that change only the rounding of the result. A checkpoint may be continued with other values of them."""
Part = Callable[[float], None]
"""Progress callback with the completed fraction."""


class ResumableRun(Protocol):
    """Case in progress that can be saved and resumed bit-identically."""

    @property
    def part(self) -> float:
        """Completed fraction; 1 at the end."""

    def advance(self, tick: Part) -> None:
        """Advance for a few seconds of wall time at most, else call ``tick``, which may raise
        :class:`RunInterrupted`.
        """

    def row(self) -> dict[str, Any]:
        """Return the results, None for those not yet known."""

    def save(self) -> bytes:
        """Return the complete state after the last :meth:`advance`; before the first one nothing is needed."""

    def load(self, saved: bytes) -> None:
        """Restore the result of :meth:`save` in a run of the same case."""


class RunInterrupted(Exception):
    """A run was interrupted by the user."""


class Resumable(Section):
    """Settings of an experiment that can be stopped and continued."""

    resume: str | None = Field(
        default=None,
        description='Checkpoint to continue from; other settings must equal those of the checkpoint, except'
        ' threads and device.',
    )
    checkpoint: str | None = Field(
        default=None,
        description='Checkpoint file that Ctrl-C writes; none: the file of resume, or a new file in this folder.',
    )

    @model_validator(mode='before')
    @classmethod
    def _of_the_checkpoint(cls, values: Any) -> Any:
        if not isinstance(values, dict) or not isinstance(values.get('resume'), str):
            return values
        return {**_head(values['resume'], cls)['settings'], **values}

    @model_validator(mode='after')
    def _as_in_the_checkpoint(self) -> Resumable:
        if self.resume is not None:
            before, now = _head(self.resume, type(self))['settings'], given_settings(self)
            for key in sorted({*before, *now}):
                if key not in _ROUNDING and before.get(key) != now.get(key):
                    raise ValueError(
                        f'{key} = {now.get(key)!r}: differs from the checkpoint {self.resume}; '
                        f'allowed: {before.get(key)!r}'
                    )
        folder = Path(self.checkpoint or self.resume or '.').parent
        if (self.checkpoint or self.resume) and not (folder.is_dir() and os.access(folder, os.W_OK)):
            key, file = ('resume', self.resume) if self.checkpoint is None else ('checkpoint', self.checkpoint)
            raise ValueError(f'{key} = {file!r}: cannot be written; allowed: a file in a folder that can be written to')
        return self


def given_settings(settings: Resumable) -> dict[str, Any]:
    """Return the given settings that affect the result, in their JSON form."""
    given: dict[str, Any] = settings.model_dump(mode='json', exclude_unset=True, exclude=set(_FREE))
    return given


def sweep(settings: Resumable, begin: Callable[[int], ResumableRun], count: int, tick: Tick) -> list[dict[str, Any]]:
    """Run all cases and return one row per case; ``incomplete`` marks a case that Ctrl-C or an error ended.

    A case stopped by Ctrl-C is the last row, and its ``checkpoint`` is the file to continue from. A second Ctrl-C ends
    the process. A case that fails has ``problem`` in its row; the other cases are still run.

    Args:
        settings: Settings of the experiment.
        begin: Function that returns the run of a case by its number, without long computation.
        count: Number of cases.
        tick: Progress callback.
    """
    rows: list[dict[str, Any]] = []
    saved = b''
    if settings.resume is not None:
        head = _head(settings.resume, type(settings))
        rows, saved = head['rows'], _body(settings.resume)
    with _asked() as asked:
        for number in range(len(rows), count):

            def progress(part: float, done: int = PARTS * number) -> None:
                tick(done + int(PARTS * min(1.0, part)), PARTS * count)
                if asked():
                    raise RunInterrupted

            run = begin(number)
            if saved:
                run.load(saved)
            saved = b''
            try:
                progress(run.part)
                while run.part < 1.0:
                    run.advance(progress)
                    if run.part < 1.0:
                        progress(run.part)
                rows.append({**run.row(), 'incomplete': False})
            except RunInterrupted:
                file = _write(settings, rows, run.save())
                return [*rows, {**run.row(), 'incomplete': True, 'checkpoint': str(file)}]
            except (
                FloatingPointError,
                ValueError,
            ) as error:  # for example diverging soil, or a wheel below the surface
                if count == 1:
                    raise ValueError(str(error)) from error
                rows.append({**(run.row() if run.part < 1.0 else {}), 'incomplete': True, 'problem': str(error)})
    tick(PARTS * count, PARTS * count)
    return rows


def packed(**arrays: Any) -> bytes:
    """Return arrays, numbers and bytes as one block of bytes."""
    stream = io.BytesIO()
    parts: dict[str, Any] = {k: np.frombuffer(v, np.uint8) if isinstance(v, bytes) else v for k, v in arrays.items()}
    np.savez(stream, **parts)
    return stream.getvalue()


def unpacked(saved: bytes) -> dict[str, np.ndarray]:
    """Return the values given to :func:`packed` as arrays; bytes are returned as uint8 arrays.

    Raises:
        ValueError: If the data is damaged.
    """
    try:
        with np.load(io.BytesIO(saved), allow_pickle=False) as found:
            return dict(found)
    except (BadZipFile, EOFError):
        raise ValueError(f'saved state of {len(saved)} bytes is damaged; allowed: a whole one') from None


@contextmanager
def _asked() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether Ctrl-C was pressed; a second Ctrl-C has its default effect."""
    pressed = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: Any) -> None:
        pressed.append(number)
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, stop)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


def _write(settings: Resumable, rows: list[dict[str, Any]], saved: bytes) -> Path:
    """Write a checkpoint: a line of JSON, then the state of the run."""
    bench = _bench(type(settings))
    head = {'format': _FORMAT, 'bench': bench, 'settings': given_settings(settings), 'rows': rows}
    given = settings.checkpoint or settings.resume
    file = Path(given) if given is not None else _free_name(bench.rpartition('.')[2].replace('_', '-'))
    aside = file.with_name(f'{file.name}.part')
    aside.write_bytes(json.dumps(head).encode() + b'\n' + saved)
    os.replace(aside, file)
    return file


def _free_name(name: str) -> Path:
    folder = Path() if os.access('.', os.W_OK) else Path(tempfile.gettempdir())
    number = 1
    while (file := folder / f'{name}-{number}.checkpoint').exists():
        number += 1
    return file


def _bench(model: type[Resumable]) -> str:
    return model.__module__


def _head(file: str, model: type[Resumable]) -> dict[str, Any]:
    """Return the header of a checkpoint.

    Raises:
        ValueError: If the file is not a checkpoint of this experiment.
    """
    usable_file(file, 'a checkpoint of this experiment that Ctrl-C left')
    try:
        with Path(file).open('rb') as stream:
            head = json.loads(stream.readline(_LONGEST_HEAD))
    except (OSError, ValueError):
        head = None
    if not isinstance(head, dict) or (head.get('format'), head.get('bench')) != (_FORMAT, _bench(model)):
        raise ValueError(f'resume {file!r}: does not match; allowed: a checkpoint of this experiment that Ctrl-C left')
    return head


def _body(file: str) -> bytes:
    with Path(file).open('rb') as stream:
        stream.readline()
        return stream.read()
