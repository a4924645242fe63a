# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared memory that dead processes left behind.

Fast DDS gives every process a segment, 16 MB with our profile, which only an orderly end removes. The process holds a
file lock on a mark beside the segment (``fastrtps_ID_el``) as long as it lives; an unlocked mark is that of a dead one.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from pathlib import Path

_FOLDER = Path('/dev/shm')
_MARK = re.compile(r'fastrtps_[0-9a-f]{16}_el')
_YOUNG_S = 10.0
"""A mark younger than this may not have been locked yet."""


def remove_abandoned(folder: Path = _FOLDER) -> int:
    """Remove the segments of dead processes and return their number; segments of other users stay.

    Args:
        folder: of the segments; a missing one has none
    """
    removed = 0
    oldest = time.time() - _YOUNG_S
    for mark in sorted(folder.glob('fastrtps_*_el')):
        try:
            if _MARK.fullmatch(mark.name) and mark.stat().st_mtime < oldest and _unlocked(mark):
                mark.with_name(mark.name.removesuffix('_el')).unlink(missing_ok=True)
                mark.unlink(missing_ok=True)
                removed += 1
        except OSError:
            continue
    return removed


def _unlocked(mark: Path) -> bool:
    lock = os.open(mark, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True
