# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all."""

from __future__ import annotations

from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Replace a file's content so that readers see the old or the new one, never a part.

    Raises:
        OSError: If that cannot be; nothing is left of the attempt then.
    """
    temporary = path.with_name(path.name + '.tmp')
    try:
        temporary.write_bytes(content.encode('utf-8') if isinstance(content, str) else content)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
