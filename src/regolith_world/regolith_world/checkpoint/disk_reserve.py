# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reserve of disk space, so that a run that fills the disk can still write its final files."""

from __future__ import annotations

import os
from pathlib import Path

_NAME = '.reserve'
_BYTES = 1 << 18


def allocate(folder: Path) -> None:
    """Allocate the reserve in a run folder.

    Args:
        folder: Folder of the run.

    Raises:
        OSError: If there is not enough space.
    """
    with (folder / _NAME).open('wb') as stream:
        os.posix_fallocate(stream.fileno(), 0, _BYTES)


def release(folder: Path) -> None:
    """Release the reserve, because the disk is full or the run has ended."""
    (folder / _NAME).unlink(missing_ok=True)
