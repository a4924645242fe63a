# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Removal of shared memory left by terminated processes.

Fast DDS creates a segment per process, 16 MB with the Regolith profile, which only an orderly exit removes. While the
process runs, it holds a file lock on a mark next to the segment (``fastrtps_ID_el``). An unlocked mark belongs to a
terminated process.

Each port is a segment, too, and processes of all ROS domains share those from 7000 on. A process that is killed while
it creates one leaves it incomplete. Every later process that opens this port then waits in ``rclpy.create_node``
without end, because ``boost::interprocess`` waits for the creator (Fast DDS 2.14).
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from contextlib import suppress
from pathlib import Path

_FOLDER = Path('/dev/shm')
_NAME = re.compile(r'fastrtps_([0-9a-f]{16}(_el)?|port[0-9]+)')
_YOUNG_S = 10.0
"""Minimum age of a mark [s]. A newer one may not be locked yet."""
_COMPLETE = b'\x02'
"""First byte of a complete segment: ``InitializedSegment`` of ``boost::interprocess``."""
_CREATION_S = 2.0
"""Time after which an incomplete segment has no creator [s]. A running creator completes it by two system calls."""


def remove_abandoned_segments(folder: Path = _FOLDER) -> int:
    """Remove the segments of terminated processes and return their number. Segments of other users stay.

    Call it before the first ROS node of a process. It takes 1 ms per 100 files, or up to :data:`_CREATION_S` if a
    creator was killed just now.

    Args:
        folder: Folder of the segments, which may be missing.
    """
    removed = 0
    for path in _segments(folder):
        with suppress(OSError):
            if path.endswith('_el'):
                if _age_s(path) > _YOUNG_S and _is_unlocked(path):
                    with suppress(FileNotFoundError):
                        os.unlink(path.removesuffix('_el'))
                    os.unlink(path)
                    removed += 1
            elif _stays_incomplete(path):
                os.unlink(path)
                removed += 1
    return removed


def _segments(folder: Path) -> list[str]:
    """Return the paths of the segments and marks of this user."""
    try:
        with os.scandir(folder) as entries:
            return sorted(e.path for e in entries if _NAME.fullmatch(e.name) and e.stat().st_uid == os.geteuid())
    except FileNotFoundError:
        return []


def _age_s(path: str) -> float:
    return time.time() - os.stat(path).st_mtime


def _stays_incomplete(segment: str) -> bool:
    while not _is_complete(segment):
        if _age_s(segment) > _CREATION_S:
            return True
        time.sleep(0.05)
    return False


def _is_complete(segment: str) -> bool:
    file = os.open(segment, os.O_RDONLY)
    try:
        return os.read(file, 1) == _COMPLETE
    finally:
        os.close(file)


def _is_unlocked(mark: str) -> bool:
    lock = os.open(mark, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True
