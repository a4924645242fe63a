# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Offset of ``/clock`` and all stamps from the world's time, which grows with rewinds.

A process belongs to one run, and a run has one clock. So the offset is global in the process. The world sends it with
every cycle.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray

TimeT = TypeVar('TimeT', int, NDArray[np.int64])
"""One time [ns], or an array of times [ns]."""

_offset_ns = 0


def set_offset(offset_ns: int) -> None:
    """Set the offset of the newest cycle [ns]."""
    global _offset_ns
    _offset_ns = offset_ns


def clock_ns(t_ns: TimeT) -> TimeT:
    """Return the clock time [ns] of a world time [ns], or of many."""
    return t_ns + _offset_ns


def simulated_ns(shown: TimeT) -> TimeT:
    """Return the world time [ns] of a clock time [ns], or of many."""
    return shown - _offset_ns


def stamp(t_ns: int) -> Time:
    """Return the stamp of a world time [ns]."""
    seconds, nanoseconds = divmod(int(t_ns) + _offset_ns, 10**9)
    return Time(sec=seconds, nanosec=nanoseconds)
