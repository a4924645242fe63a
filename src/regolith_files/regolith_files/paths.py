# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths as people write them: what no file system could hold is a file that is not there, and no error of its own.

``os.path.isfile`` and ``os.path.exists`` say so, where methods of :class:`pathlib.Path` raise.
"""

from __future__ import annotations

from pathlib import Path


def resolved(path: Path) -> Path:
    """Return a path made absolute, links followed; one with a NUL in it as it is."""
    try:
        return path.resolve()
    except (OSError, ValueError):
        return path
