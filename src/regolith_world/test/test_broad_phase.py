# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the broad phase: sweeping finds the same pairs as comparing all boxes, in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regolith_world.contacts.body_assignment import ISLAND_M, REPORT_M, _islands
from regolith_world.contacts.intersection import BROAD_MARGIN, close_pairs
from regolith_world.objects.bounding_box import near_boxes


def all_pairs(low: np.ndarray, high: np.ndarray) -> list[tuple[int, int]]:
    """Return the close pairs by definition, pair by pair."""
    return [
        (i, j)
        for i in range(len(low))
        for j in range(i + 1, len(low))
        if not any(low[a, k] - high[b, k] > BROAD_MARGIN for a, b in ((i, j), (j, i)) for k in range(3))
    ]


def boxes(rng: Any, count: int, spread: tuple[float, ...], largest: float) -> tuple[np.ndarray, np.ndarray]:
    middle = rng.uniform(-1.0, 1.0, (count, 3)) * spread
    half = rng.uniform(0.0, largest, (count, 3))
    return middle - half, middle + half


@pytest.mark.parametrize(
    'spread', [(20.0, 1.0, 1.0), (1.0, 1.0, 30.0), (5.0, 5.0, 0.0), (0.0, 0.0, 0.0), (1e4, 1e4, 1.0)]
)
@pytest.mark.parametrize('count', [0, 2, 32, 33, 50])
def test_the_same_pairs_in_the_same_order(count: int, spread: tuple[float, ...]) -> None:
    rng = np.random.default_rng(count)
    for largest in (0.01, 1.5):
        low, high = boxes(rng, count, spread, largest)
        assert close_pairs([None] * count, low, high) == all_pairs(low, high)  # type: ignore[list-item]


def test_gaps_of_exactly_the_margin_and_boxes_without_bounds() -> None:
    """On a lattice every gap equals the margin bit for bit, which is close. Infinite or unknown boxes are close to all."""
    for shift in (0.0, 0.1, 1e5, -3e4 / 7.0):
        low = np.zeros((60, 3))
        low[:, 0] = shift + np.arange(60) * (1.0 + BROAD_MARGIN)
        high = low + [1.0, 1.0, 1.0]
        assert close_pairs([None] * 60, low, high) == all_pairs(low, high)  # type: ignore[list-item]
        low[7], high[7] = -np.inf, np.inf
        low[40, 0] = np.nan
        found = close_pairs([None] * 60, low, high)  # type: ignore[list-item]
        assert found == all_pairs(low, high) and {(k, 7) for k in range(7)} <= set(found)


def test_far_boxes_are_not_compared() -> None:
    """For a row of 20 000 boxes all pairs would be 200 million, which exceed the memory."""
    low = np.zeros((20_000, 3))
    low[:, 1] = 2.0 * np.arange(20_000)[::-1]
    pairs = close_pairs([None] * 20_000, low, low + 1.6)  # type: ignore[list-item]
    assert pairs == [(k, k + 1) for k in range(19_999)]


def test_near_boxes_of_two_sets_are_those_with_small_gaps() -> None:
    generator = np.random.default_rng(7)
    low, other = generator.uniform(-2.0, 2.0, (40, 3)), generator.uniform(-2.0, 2.0, (60, 3))
    low[3] = np.nan
    high, other_high = low + 0.5, other + generator.uniform(0.0, 0.5, (60, 3))
    apart = (low[:, None] - other_high > 0.1) | (other - high[:, None] > 0.1)
    assert np.array_equal(near_boxes(low, high, other, other_high, 0.1), np.argwhere(~apart.any(axis=2)))
    assert near_boxes(low[:0], high[:0], other, other_high, 0.1).shape == (0, 2)


def test_islands_are_bodies_that_touch_each_other_near_a_vehicle() -> None:
    generator = np.random.default_rng(8)
    low = generator.uniform(-1.0, 1.0, (60, 3)) * (1.0, 1.0, 0.1)
    high = low + 0.2
    gaps = generator.uniform(0.0, 6.0, (60, 2))
    touch = (np.maximum(low[:, None] - high, low - high[:, None]) < ISLAND_M).all(axis=2)
    expected = np.arange(60)
    reached = gaps.min(axis=1) < REPORT_M
    for _ in range(60):
        reached = reached | touch[reached].any(axis=0)
    for _ in range(60):  # the smallest index spreads along the contacts
        for k in np.flatnonzero(reached):
            expected[k] = expected[touch[k] & reached].min()
    found = _islands(low, high, gaps)
    assert np.array_equal(found, expected) and 1 < len(set(found.tolist())) < 60
