# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of step size control: secant, halving, and their limits."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regolith_world.cycle.step_control import PATIENCE, TARGET_DEPTH, StepControl

HEARTBEAT, FLOOR = 20_000_000, 100_000


def control() -> StepControl:
    return StepControl(HEARTBEAT, FLOOR)


def test_proposed_step_lies_between_minimum_and_maximum():
    made = control()
    assert [made.propose(w) for w in (2**62, HEARTBEAT, 7_000_000, 1)] == [HEARTBEAT, HEARTBEAT, 7_000_000, FLOOR]
    assert made.at_min_step(FLOOR) and not made.at_min_step(FLOOR + 1)


def test_the_secant_aims_just_beyond_touching():
    made = control()
    made.reject(HEARTBEAT, 0.004, -0.012)
    # Constant closing speed: the gap plus the target depth, 4.3 mm of 16 mm.
    assert made.propose(2**62) == pytest.approx(HEARTBEAT * 4.3 / 16, rel=1e-6)
    # The requested size does not change the repeated attempt.
    assert made.propose(FLOOR) == made.propose(2**62)


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        (0.0, -0.0),  # no closing speed
        (-0.02, -0.01),  # separating
        (-0.002, -0.003),  # inside from the start: the secant leads to before the start
        (1.0, -0.0011),  # hardly smaller: 0.9992 of the attempt
    ],
)
def test_where_the_secant_fails_the_attempt_is_halved(before, after):
    made = control()
    made.reject(16_000_001, before, after)
    assert made.propose(0) == 8_000_000


def test_secant_is_replaced_by_halving_after_repeated_rejections():
    """A pair for which each secant gives nine tenths of the attempt: halving from the ninth rejection on."""
    made = control()
    tries = [made.propose(HEARTBEAT)]
    for _ in range(PATIENCE + 2):
        made.reject(tries[-1], 0.9 - TARGET_DEPTH, -0.1 - TARGET_DEPTH)
        tries.append(made.propose(HEARTBEAT))
    ratios = [b / a for a, b in pairwise(tries)]
    assert ratios == pytest.approx([0.9] * PATIENCE + [0.5] * 2, rel=1e-5)


def test_repeated_attempt_is_at_least_the_minimum_step():
    made = control()
    made.reject(FLOOR + 2, 0.0, -0.5)
    assert made.propose(0) == FLOOR
    made.reject(HEARTBEAT, 1e-3 - TARGET_DEPTH, -0.5)
    assert made.propose(0) == FLOOR


def test_repeated_attempt_depends_on_the_memory_only():
    made, twin = control(), control()
    for _ in range(PATIENCE):
        made.reject(made.propose(HEARTBEAT), 0.9 - TARGET_DEPTH, -0.1 - TARGET_DEPTH)
    twin.load(made.save())
    assert vars(twin) == vars(made) and twin.save() == made.save()
    for each in (made, twin):
        each.reject(each.propose(0), 0.9 - TARGET_DEPTH, -0.1 - TARGET_DEPTH)
    assert vars(twin) == vars(made)
    fresh = control()
    assert fresh.save() != made.save()
    made.accept()
    assert made.save() == fresh.save() == bytes(32) and made.propose(7_000_000) == 7_000_000


@pytest.mark.parametrize('speed', [0.1, 3.0, 60.0])
@pytest.mark.parametrize('acceleration', [-0.5, 0.0, 50.0])
def test_collision_is_found_in_a_few_attempts(speed, acceleration):
    """A gap that closes as a parabola: after at most four retries the step ends less than 1 mm deep, or at the minimum."""
    for gap in (1e-5, 1e-3, 0.02):
        made, tries = control(), []
        for _ in range(5):
            tries.append(made.propose(HEARTBEAT))
            t = tries[-1] * 1e-9
            depth = speed * t + 0.5 * acceleration * t * t - gap
            if depth <= 1e-3 or made.at_min_step(tries[-1]):
                break
            made.reject(tries[-1], gap, -depth)
        assert depth <= 1e-3 or tries[-1] == FLOOR
        if acceleration <= 0.0:
            assert len(tries) == 1 or depth > 0.0, 'no shorter than need be'


PAIRS = st.tuples(st.floats(-1e3, 1e6), st.floats(-1e3, -1.001e-3))
"""Distances of a pair before and after an attempt that ends with an NII [m]."""


@given(st.lists(PAIRS, min_size=1, max_size=40), st.integers(1, 2**62))
def test_repeated_attempts_reach_the_minimum_step_for_any_distances(pairs, wish):
    """Each is shorter than the last by at least 2 %, by half from the ninth on, never below the minimum, which is reached."""
    made = control()
    tries = [made.propose(wish)]
    assert FLOOR <= tries[0] <= HEARTBEAT
    for before, after in pairs:
        if made.at_min_step(tries[-1]):
            break
        made.reject(tries[-1], before, after)
        tries.append(made.propose(wish))
        assert FLOOR <= tries[-1] <= max(FLOOR, 0.98 * tries[-2])
        if made.rejections > PATIENCE:
            assert tries[-1] == max(FLOOR, tries[-2] // 2)
    # 8 secants, then at most 8 halvings of 20 ms down to 0.1 ms.
    assert len(tries) <= PATIENCE + 9
    assert made.at_min_step(tries[-1]) or len(tries) == len(pairs) + 1
    twin = control()
    twin.load(made.save())
    assert twin.propose(wish) == made.propose(wish)
