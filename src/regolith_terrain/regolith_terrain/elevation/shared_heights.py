# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Cache of posts of large elevation models, memory-mapped by all processes of a machine.

The first process that needs a window of a file reads and checks it and writes the heights to the user's cache folder
(``$XDG_CACHE_HOME`` or ``~/.cache``, ``regolith/elevation``). Other processes map that file, so its pages are in memory
once. A changed file, window or interpretation of its values creates another copy. The newest eight are kept.
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
"""Smallest number of posts that are shared; fewer need less than 2 MB in each process."""
_KEPT = 8
_FORMAT = 1


def cache_folder() -> Path | None:
    """Return the folder of the copies; None without a folder that only this user can write to."""
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
    """Return an array read from a file, mapped from the copy of another process if it exists.

    Args:
        path: Path of the elevation model.
        request: Other values on which the array depends; its ``repr`` is compared.
        count: Number of posts; small arrays are read by each process.
        read: Function that returns the array, C-contiguous; called without a copy.

    Returns:
        The array. If it is mapped, its pages are shared and changes stay in this process.
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
    """Return the mapped array of a file, whose pages are read when used; None without a file."""
    try:
        # Copy on write: Numba would compile separate kernels for read-only arrays.
        found: Floats = np.load(copy, mmap_mode='c', allow_pickle=False).view(np.ndarray)
    except (OSError, ValueError, EOFError):
        return None
    return found


def _write(copy: Path, array: Floats) -> None:
    """Write a copy atomically, and remove all except the newest few."""
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
