# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Atomic writing of files."""

from __future__ import annotations

from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Replace the content of a file atomically: a reader sees the old or the new content.

    Args:
        path: File to write.
        content: New content; text is encoded as UTF-8.

    Raises:
        OSError: If the file cannot be written. The temporary file is removed.
    """
    temporary = path.with_name(path.name + '.tmp')
    try:
        temporary.write_bytes(content.encode('utf-8') if isinstance(content, str) else content)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
