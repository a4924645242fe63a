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
_MARK = re.compile(r'fastrtps_[0-9a-f]{16}_el')
_YOUNG_S = 10.0
"""Minimum age of a mark [s]. A newer one may not be locked yet."""
_SEGMENT = re.compile(r'fastrtps_([0-9a-f]{16}|port[0-9]+)')
_COMPLETE = b'\x02'
"""First byte of a complete segment: ``InitializedSegment`` of ``boost::interprocess``."""
_CREATION_S = 2.0
"""Time after which an incomplete segment has no creator [s]. Creation takes microseconds."""


def remove_abandoned_segments(folder: Path = _FOLDER) -> int:
    """Remove the segments of terminated processes and return their number. Segments of other users stay.

    Call it before the first ROS node of a process. It takes 2 ms, or up to :data:`_CREATION_S` if a creator was killed
    just now.

    Args:
        folder: Folder of the segments, which may be missing.
    """
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return 0
    removed = 0
    for path in (folder / name for name in names):
        with suppress(OSError):
            if _MARK.fullmatch(path.name) and _age_s(path) > _YOUNG_S and _is_unlocked(path):
                path.with_name(path.name.removesuffix('_el')).unlink(missing_ok=True)
                path.unlink(missing_ok=True)
                removed += 1
            elif _SEGMENT.fullmatch(path.name) and path.stat().st_uid == os.geteuid() and _stays_incomplete(path):
                path.unlink()
                removed += 1
    return removed


def _age_s(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def _stays_incomplete(segment: Path) -> bool:
    while not _is_complete(segment):
        if _age_s(segment) > _CREATION_S:
            return True
        time.sleep(0.05)
    return False


def _is_complete(segment: Path) -> bool:
    with segment.open('rb') as file:
        return file.read(1) == _COMPLETE


def _is_unlocked(mark: Path) -> bool:
    lock = os.open(mark, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True
