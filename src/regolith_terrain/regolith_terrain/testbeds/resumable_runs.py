# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Long experiments: cases one after the other, each a run that Ctrl-C stops and a checkpoint takes up again."""

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

from regolith_files.paths import usable_file
from regolith_files.section import Section
from regolith_terrain.testbeds.settings import Tick

PARTS = 10_000
"""Into which progress of a case is divided."""
_FORMAT = 1
_LONGEST_HEAD = 100_000_000
"""Of a file that may not be a checkpoint, at most this much is read [bytes]."""
_FREE = ('resume', 'checkpoint', 'threads')
"""Settings that change nothing about the outcome."""
_ROUNDING = ('device',)
"""Settings that change its rounding: a checkpoint has them, and may be gone on from with others."""
Part = Callable[[float], None]
"""Progress callback: the part that is done."""


class ResumableRun(Protocol):
    """A case on its way. Gone on with from :meth:`load`, it has the same bits as if nothing had happened."""

    @property
    def part(self) -> float:
        """Return the part that is done; at 1 it is over."""

    def advance(self, tick: Part) -> None:
        """Go on for some seconds of wall time at most, else call ``tick``, which may raise :class:`RunInterrupted`."""

    def row(self) -> dict[str, Any]:
        """Return its figures, None for those that are not known yet."""

    def save(self) -> bytes:
        """Return everything that evolves, as it was after the last :meth:`advance`; nothing before the first."""

    def load(self, saved: bytes) -> None:
        """Restore what :meth:`save` returned, in a run of the same case."""


class RunInterrupted(Exception):
    """Somebody asked a run to stop."""


class Resumable(Section):
    """Settings of an experiment that can be stopped and gone on with."""

    resume: str | None = Field(
        default=None, description='Checkpoint to go on from; other settings are those in it, threads and device apart.'
    )
    checkpoint: str | None = Field(
        default=None, description='File that Ctrl-C leaves; none: that gone on from, or a new one in this folder.'
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
    """Return the settings that were given and tell about the outcome, as JSON has them."""
    given: dict[str, Any] = settings.model_dump(mode='json', exclude_unset=True, exclude=set(_FREE))
    return given


def sweep(settings: Resumable, begin: Callable[[int], ResumableRun], count: int, tick: Tick) -> list[dict[str, Any]]:
    """Return a row per case; ``incomplete`` says whether Ctrl-C came before it was over.

    Then it is the last one, and its ``checkpoint`` is the file to go on from. A second Ctrl-C ends the process. A case
    that fails is incomplete, too, and says its ``problem``; the others are run all the same.

    Args:
        begin: Returns the run of a case by its number, quickly.
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
            except (FloatingPointError, ValueError) as error:  # as soil that flies apart, a wheel that sinks in whole
                if count == 1:
                    raise ValueError(str(error)) from error
                rows.append({**(run.row() if run.part < 1.0 else {}), 'incomplete': True, 'problem': str(error)})
    tick(PARTS * count, PARTS * count)
    return rows


def packed(**arrays: Any) -> bytes:
    """Return arrays, numbers and bytes in one piece."""
    stream = io.BytesIO()
    parts: dict[str, Any] = {k: np.frombuffer(v, np.uint8) if isinstance(v, bytes) else v for k, v in arrays.items()}
    np.savez(stream, **parts)
    return stream.getvalue()


def unpacked(saved: bytes) -> dict[str, np.ndarray]:
    """Return what :func:`packed` was given, as arrays; bytes as arrays of them.

    Raises:
        ValueError: If it is damaged.
    """
    try:
        with np.load(io.BytesIO(saved), allow_pickle=False) as found:
            return dict(found)
    except (BadZipFile, EOFError):
        raise ValueError(f'saved state of {len(saved)} bytes is damaged; allowed: a whole one') from None


@contextmanager
def _asked() -> Iterator[Callable[[], bool]]:
    """Give a function that says whether Ctrl-C was pressed; pressed again, it does what it always did."""
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
    """Return what a checkpoint says about itself.

    Raises:
        ValueError: If it is none of this experiment.
    """
    usable_file(file, 'a checkpoint of this experiment that Ctrl-C left')
    try:
        with Path(file).open('rb') as stream:
            head = json.loads(stream.readline(_LONGEST_HEAD))
    except (OSError, ValueError):
        head = None
    if not isinstance(head, dict) or (head.get('format'), head.get('bench')) != (_FORMAT, _bench(model)):
        raise ValueError(f'resume {file!r}; allowed: a checkpoint of this experiment that Ctrl-C left')
    return head


def _body(file: str) -> bytes:
    with Path(file).open('rb') as stream:
        stream.readline()
        return stream.read()
