# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Removal of shared memory left by terminated processes.

Fast DDS creates a segment per process, 16 MB with the Regolith profile, which only an orderly exit removes. While the
process runs, it holds a file lock on a mark next to the segment (``fastrtps_ID_el``). An unlocked mark belongs to a
terminated process.
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
"""Minimum age of a mark [s]. A newer one may not be locked yet."""


def remove_abandoned(folder: Path = _FOLDER) -> int:
    """Remove the segments of terminated processes and return their number. Segments of other users stay.

    Args:
        folder: Folder of the segments, which may be missing.
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
