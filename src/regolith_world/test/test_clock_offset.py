# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the clock offset after a rewind."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip('builtin_interfaces.msg', reason='needs the interfaces')

from regolith_world.ros import clock_offset


@pytest.fixture(autouse=True)
def back() -> Iterator[None]:
    yield
    clock_offset.set_offset(0)


def test_clock_time_includes_the_offset_of_the_newest_cycle() -> None:
    """Also for many times at once. Clock times convert back to world times."""
    stamp = clock_offset.stamp(2_250_000_000)
    assert (stamp.sec, stamp.nanosec) == (2, 250_000_000)
    clock_offset.set_offset(900_000_000)
    clock_offset.set_offset(1_800_000_000)
    stamp = clock_offset.stamp(2_250_000_000)
    assert (stamp.sec, stamp.nanosec) == (4, 50_000_000)
    times = np.array([0, 7], np.int64)
    assert clock_offset.clock_ns(5) == 1_800_000_005 and clock_offset.simulated_ns(1_800_000_005) == 5
    assert clock_offset.clock_ns(times).tolist() == [1_800_000_000, 1_800_000_007]
    assert clock_offset.simulated_ns(times).tolist() == [-1_800_000_000, -1_799_999_993]
