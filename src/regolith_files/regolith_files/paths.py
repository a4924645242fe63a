# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Users' paths: all files that scenarios, models and commands name are found, or refused, here.

A path that no file system could hold counts as a missing file: for it ``os.path.isfile`` and ``os.path.exists`` are
False, where methods of :class:`pathlib.Path` raise.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from regolith_files.problems import InputError, Problem

_URL = re.compile(r'(?:^|(?<=/)(?=(?:https?|ftps?|file|package|model):))([a-z][a-z0-9+.-]+):/+', re.IGNORECASE)
"""Beginning of an address, common ones also behind a folder; :class:`pathlib.Path` leaves one slash of two."""
_KINDS = (
    (stat.S_ISDIR, 'is a folder'),
    (stat.S_ISCHR, 'is a device, not a regular file'),
    (stat.S_ISBLK, 'is a device, not a regular file'),
    (stat.S_ISFIFO, 'is a pipe, not a regular file'),
    (stat.S_ISSOCK, 'is a socket, not a regular file'),
)


def resolved(path: Path) -> Path:
    """Return the absolute path with links resolved; a path with a NUL, or in a circle of links, unchanged."""
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return path


def usable_file(given: str | Path, allowed: str, base_dir: str | Path = '.', missing: str = 'no such file') -> Path:
    """Return the absolute path of a regular file that can be read; nothing is opened, so that nothing is waited for.

    Args:
        given: Path as written, or joined to a folder.
        allowed: What the place takes, e.g. ``the path of a YAML file``.
        base_dir: Origin of relative paths.
        missing: Problem where nothing is there.

    Raises:
        InputError: With one problem whose ``where`` is the path as written, without a key.
    """
    refuse_url(given, allowed)
    path = resolved(Path(base_dir) / given)
    if problem := _problem(path, missing):
        raise InputError(Problem(str(given), '', problem, allowed))
    return path


def refuse_url(given: str | Path, allowed: str) -> None:
    """Refuse an address where a path is due; arguments as of :func:`usable_file`.

    Raises:
        InputError: Naming the address with both slashes.
    """
    if url := _URL.search(str(given)):
        scheme = url[1].lower()
        where = f'{url[1]}:{"///" if scheme == "file" else "//"}{str(given)[url.end() :]}'
        remote = scheme.startswith(('http', 'ftp'))
        fix = 'download it and write its path' if remote else 'write the path of the file'
        raise InputError(Problem(where, '', 'is a URL, and URLs are not read', f'{allowed}; fix: {fix}'))


def _problem(path: Path, missing: str) -> str:
    """Return why a path is not that of a regular file that can be read; '' if it is."""
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return f'{missing} ({path})'
    except OSError as error:
        return f'{missing} ({path}: {error.strerror})'
    if problem := next((words for of_kind, words in _KINDS if of_kind(mode)), ''):
        return problem
    return '' if os.access(path, os.R_OK) else 'cannot be read: permission denied'
