# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Time as ``/clock`` and all stamps show it: the world's own, and after a rewind an offset beyond it.

A process belongs to one run, and a run has one clock, so the offset is the process's. The world tells it with every
cycle.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray

TimeT = TypeVar('TimeT', int, NDArray[np.int64])

_offset_ns = 0


def set_offset(offset_ns: int) -> None:
    """Take the offset of the newest cycle [ns]."""
    global _offset_ns
    _offset_ns = offset_ns


def clock_ns(t_ns: TimeT) -> TimeT:
    """Return what is shown at a time of the world [ns], or at many."""
    return t_ns + _offset_ns


def simulated_ns(shown: TimeT) -> TimeT:
    """Return the world's time [ns] of what is shown, or of many."""
    return shown - _offset_ns


def stamp(t_ns: int) -> Time:
    """Return the stamp of a time of the world [ns]."""
    seconds, nanoseconds = divmod(int(t_ns) + _offset_ns, 10**9)
    return Time(sec=seconds, nanosec=nanoseconds)
