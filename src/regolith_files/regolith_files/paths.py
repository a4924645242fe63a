# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Users' paths: one that no file system could hold counts as a missing file.

For such paths ``os.path.isfile`` and ``os.path.exists`` are False, where methods of :class:`pathlib.Path` raise.
"""

from __future__ import annotations

from pathlib import Path


def resolved(path: Path) -> Path:
    """Return the absolute path with links resolved; a path with a NUL unchanged."""
    try:
        return path.resolve()
    except (OSError, ValueError):
        return path
