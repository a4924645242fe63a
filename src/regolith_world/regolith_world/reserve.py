# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Room kept on the disk for a run's last words, so that one that fills it can still say what became of it."""

from __future__ import annotations

import os
from pathlib import Path

_NAME = '.reserve'
_BYTES = 1 << 18


def keep(folder: Path) -> None:
    """Take the room in a run folder.

    :raises OSError: if there is none
    """
    with (folder / _NAME).open('wb') as stream:
        os.posix_fallocate(stream.fileno(), 0, _BYTES)


def release(folder: Path) -> None:
    """Give it back: the disk is full, or the run is over."""
    (folder / _NAME).unlink(missing_ok=True)
