# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths in configuration files and on the command line, checked before use.

A path that no file system can hold counts as a missing file. For such a path ``os.path.isfile`` and ``os.path.exists``
return False, where methods of :class:`pathlib.Path` raise.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from regolith_files.problems import InputError, Problem

_URL = re.compile(r'(?:^|(?<=/)(?=(?:https?|ftps?|file|package|model):))([a-z][a-z0-9+.-]+):/+', re.IGNORECASE)
"""Start of a URL, for common schemes also after a folder; :class:`pathlib.Path` reduces two slashes to one."""
_KINDS = (
    (stat.S_ISDIR, 'is a folder'),
    (stat.S_ISCHR, 'is a device, not a regular file'),
    (stat.S_ISBLK, 'is a device, not a regular file'),
    (stat.S_ISFIFO, 'is a pipe, not a regular file'),
    (stat.S_ISSOCK, 'is a socket, not a regular file'),
)


def resolved(path: Path) -> Path:
    """Return the absolute path with links resolved.

    A path that contains NUL or a cycle of links is returned unchanged.
    """
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return path


def usable_file(given: str | Path, allowed: str, base_dir: str | Path = '.', missing: str = 'no such file') -> Path:
    """Return the absolute path of a readable regular file.

    The file is not opened, so that a pipe or a device cannot block.

    Args:
        given: Path as written, or joined to a folder.
        allowed: Allowed values of the key, e.g. ``the path of a YAML file``.
        base_dir: Base folder of relative paths.
        missing: Text of the problem if the file does not exist.

    Raises:
        InputError: If the file cannot be used. The error has one problem without a key; its ``where`` is the path as
            written.
    """
    refuse_url(given, allowed)
    path = resolved(Path(base_dir) / given)
    if problem := _problem(path, f'{missing}{_where(Path(base_dir), given)}'):
        raise InputError(Problem(str(given), '', problem, allowed))
    return path


def refuse_url(given: str | Path, allowed: str) -> None:
    """Raise an error if a URL is given instead of a path; arguments as of :func:`usable_file`.

    Raises:
        InputError: If a URL is given. The message shows it with both slashes.
    """
    if url := _URL.search(str(given)):
        scheme = url[1].lower()
        where = f'{url[1]}:{"///" if scheme == "file" else "//"}{str(given)[url.end() :]}'
        remote = scheme.startswith(('http', 'ftp'))
        fix = 'download it and write its path' if remote else 'write the path of the file'
        raise InputError(Problem(where, '', 'is a URL, and URLs are not read', f'{allowed}; fix: {fix}'))


def _where(base_dir: Path, given: str | Path) -> str:
    """Return the full path of a missing file with links as written, in parentheses; '' if it is written in full."""
    full = os.path.abspath(base_dir / given)
    return '' if full == str(given) else f' ({full})'


def _problem(path: Path, missing: str) -> str:
    """Return the reason why a path is not a readable regular file; '' if it is one."""
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return missing
    except OSError as error:
        return f'{missing}: {error.strerror}'
    if problem := next((words for of_kind, words in _KINDS if of_kind(mode)), ''):
        return problem
    return '' if os.access(path, os.R_OK) else 'cannot be read: permission denied'
