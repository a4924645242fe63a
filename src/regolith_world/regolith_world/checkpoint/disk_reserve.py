# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A reserve of disk space, so that a run that fills the disk can still write its end."""

from __future__ import annotations

import os
from pathlib import Path

_NAME = '.reserve'
_BYTES = 1 << 18


def allocate(folder: Path) -> None:
    """Reserve the space in a run folder.

    Raises:
        OSError: if there is too little
    """
    with (folder / _NAME).open('wb') as stream:
        os.posix_fallocate(stream.fileno(), 0, _BYTES)


def release(folder: Path) -> None:
    """Release the space: the disk is full, or the run is over."""
    (folder / _NAME).unlink(missing_ok=True)
