# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Posts of large elevation models as a file that all processes of a machine map into memory.

The first process that needs a window of a file reads and checks it and writes the heights to the user's cache folder
(``$XDG_CACHE_HOME`` or ``~/.cache``, ``regolith/elevation``). The others map that file: its pages are in memory once.
A changed file, window or statement about its values makes another copy. The newest eight are kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHARED_FROM = 250_000
"""Fewest posts that are shared; fewer take less than 2 MB in each process."""
_KEPT = 8
_FORMAT = 1


def cache_folder() -> Path | None:
    """Return the folder of the copies; None if no folder can be made that other users cannot write to."""
    home = os.environ.get('XDG_CACHE_HOME') or (f'{os.environ["HOME"]}/.cache' if os.environ.get('HOME') else '')
    candidates = ([Path(home)] if home else []) + [Path(tempfile.gettempdir()) / f'regolith-{os.getuid()}']
    for candidate in candidates:
        folder = candidate / 'regolith' / 'elevation'
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            about = folder.stat()
            if about.st_uid == os.getuid() and not about.st_mode & 0o022 and os.access(folder, os.W_OK):
                return folder
    return None


def shared(path: Path, request: object, count: int, read: Callable[[], Floats]) -> Floats:
    """Return an array that ``read`` makes of a file, from the copy that another process made if there is one.

    Args:
        path: Of the elevation model.
        request: What else the array depends on; its ``repr`` is compared.
        count: Of posts; few are read by each process.
        read: Returns the array, C-contiguous; called where no copy exists.

    Returns:
        The array; where it is mapped, its pages are shared and changes to it stay in this process.
    """
    folder = cache_folder() if count >= SHARED_FROM else None
    if folder is None:
        return read()
    about = path.stat()
    what = repr((_FORMAT, str(path.resolve()), about.st_size, about.st_mtime_ns, request))
    copy = folder / f'{hashlib.sha256(what.encode()).hexdigest()}.npy'
    mapped = _mapped(copy)
    if mapped is not None:
        return mapped
    array = np.ascontiguousarray(read(), dtype=np.float64)
    with contextlib.suppress(OSError):
        _write(copy, array)
    mapped = _mapped(copy)
    return array if mapped is None else mapped


def _mapped(copy: Path) -> Floats | None:
    """Return the array in a file, its pages read when they are used; None if there is none."""
    try:
        # Copy on write: Numba compiles other kernels for arrays that cannot be written.
        found: Floats = np.load(copy, mmap_mode='c', allow_pickle=False).view(np.ndarray)
    except (OSError, ValueError, EOFError):
        return None
    return found


def _write(copy: Path, array: Floats) -> None:
    """Write a copy at once or not at all, and remove those beyond the newest few."""
    handle, name = tempfile.mkstemp(dir=copy.parent, suffix='.part')
    try:
        with os.fdopen(handle, 'wb') as file:
            np.save(file, array, allow_pickle=False)
        Path(name).replace(copy)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    copies = sorted(copy.parent.glob('*.npy'), key=lambda one: (one.stat().st_mtime_ns, one.name))
    for old in copies[:-_KEPT]:
        old.unlink(missing_ok=True)
