# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths as people write them: what no file system could hold is a file that is not there, and no error of its own."""

from __future__ import annotations

from pathlib import Path


def resolved(path: Path) -> Path:
    """Return a path made absolute; one with a NUL in it as it is."""
    try:
        return path.resolve()
    except (OSError, ValueError):
        return path


def is_file(path: Path) -> bool:
    """Return whether a path is a file that can be looked at: not where a name is too long or a folder closed."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def exists(path: Path) -> bool:
    """Return whether there is anything that can be looked at."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
