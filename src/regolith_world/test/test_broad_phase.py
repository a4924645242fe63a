# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the broad phase: sweeping finds the same pairs as comparing all boxes, in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regolith_world.contacts.intersection import BROAD_MARGIN, close_pairs


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
