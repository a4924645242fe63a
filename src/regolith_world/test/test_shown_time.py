# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Time as /clock and stamps show it after a rewind."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip('builtin_interfaces.msg', reason='needs the interfaces')

from regolith_world.ros import shown_time


@pytest.fixture(autouse=True)
def back() -> Iterator[None]:
    yield
    shown_time.follow(0)


def test_what_is_shown_lies_the_offset_of_the_newest_cycle_later() -> None:
    """Also of many times at once; and what is shown leads back to the world's own time."""
    stamp = shown_time.stamp(2_250_000_000)
    assert (stamp.sec, stamp.nanosec) == (2, 250_000_000)
    shown_time.follow(900_000_000)
    shown_time.follow(1_800_000_000)
    stamp = shown_time.stamp(2_250_000_000)
    assert (stamp.sec, stamp.nanosec) == (4, 50_000_000)
    times = np.array([0, 7], np.int64)
    assert shown_time.shown_ns(5) == 1_800_000_005 and shown_time.world_ns(1_800_000_005) == 5
    assert shown_time.shown_ns(times).tolist() == [1_800_000_000, 1_800_000_007]
    assert shown_time.world_ns(times).tolist() == [-1_800_000_000, -1_799_999_993]
