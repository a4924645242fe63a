# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Counting lost messages by sequence numbers."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_bringup.bag.loss_counter import LossCounter


def count(sequences: list[int], publishers: int) -> int:
    counter = LossCounter()
    for sequence in sequences:
        counter.add(sequence, publishers)
    assert counter.received == len(sequences)
    return counter.lost


@pytest.mark.parametrize(
    ('sequences', 'publishers', 'lost'),
    [
        ([1, 2, 3], 1, 0),
        ([1, 2, 5], 1, 2),
        ([7, 8, 9], 1, 0),  # sent before we listened
        ([1, 1, 2, 2, 3, 3], 2, 0),
        ([1, 40, 2, 41, 3], 2, 0),
        ([1, 1, 2, 4, 3, 5], 2, 2),  # one got to 5, one to 3, six arrived
        ([1, 2, 3, 1, 2], 1, 0),  # a publisher that was restarted
        ([7, 40, 42, 8, 43], 2, 1),  # 42 continues 40, not 7
        ([40, 7, 9, 41, 10], 2, 1),  # and 9 from 7, the only one it can
        ([5, 5, 9, 8], 2, 5),  # three between 5 and 9, two between the other 5 and 8
        ([3, 30, 300, 302, 32, 4], 3, 2),
        ([10, 4], 1, 0),  # an old message, which continues no publisher
    ],
)
def test_cases(sequences: list[int], publishers: int, lost: int) -> None:
    assert count(sequences, publishers) == lost


def test_sum_of_losses_is_exact_for_any_sender() -> None:
    """Three publishers, messages dropped at random save each first and last: the count is exactly what was dropped."""
    rng = np.random.default_rng(1)
    length, dropped = 400, 0
    streams = []
    for _ in range(3):
        keep = rng.random(length) > 0.05
        keep[[0, -1]] = True
        dropped += int((~keep).sum())
        streams.append([int(s) for s in np.flatnonzero(keep) + 1])
    merged = [stream.pop(0) for stream in streams]
    while left := [stream for stream in streams if stream]:
        merged.append(left[rng.integers(len(left))].pop(0))
    assert count(merged, 3) == dropped
