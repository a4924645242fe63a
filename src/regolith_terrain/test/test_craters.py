# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of craters and rocks off the origin."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_terrain.lunar import craters as model
from regolith_terrain.lunar.degradation import REACH, profile_table
from regolith_terrain.lunar.rocks import _abundance


def crater(age: float, layer: int, x: float, y: float, radius: float, depth: float) -> np.ndarray:
    out = np.zeros(model.CRATER_COLUMNS)
    out[[model.AGE, model.CLASS, model.X, model.Y, model.RADIUS, model.DEPTH]] = age, layer, x, y, radius, depth
    return out


def laid(x: np.ndarray, y: np.ndarray, *craters: np.ndarray) -> np.ndarray:
    out, layers = np.zeros((len(x), len(y))), np.empty((len(x), len(y), 3))
    order = sorted(craters, key=lambda c: -c[model.AGE])
    model.lay_craters(x, y, np.array(order), profile_table(), 0, layers, out)
    return out


def test_crater_erases_older_ones_of_its_class() -> None:
    """Two craters of one size off the origin, the younger on the rim of the older one: its bowl is unaffected by the
    older.
    """
    old, young = crater(2.0, 1, 1.0, -2.0, 2.0, 0.8), crater(1.0, 1, 3.0, -1.0, 2.0, 0.5)
    x, y = np.array([1.0, 3.0, 3.4]), np.array([-2.5, -1.0, -0.2])
    both, alone = laid(x, y, old, young), laid(x, y, young)
    assert both[1:, 1:].tobytes() == alone[1:, 1:].tobytes(), 'no older crater within 0.9 radii'
    assert abs(laid(x, y, old)[1, 1]) > 0.01, 'at the position of the older crater'
    # Between 0.9 and 1.5 radii the transition is smooth: half at 1.2.
    at = np.array([3.0 - 1.2 * 2.0]), np.array([-1.0])
    expected = 0.5 * laid(*at, old) + laid(*at, young)
    assert laid(*at, old, young) == pytest.approx(expected, abs=1e-12)
    # A larger class stays: a crater erases those of its own class and smaller ones.
    older = crater(2.0, 2, 1.0, -2.0, 2.0, 0.8)
    assert laid(x, y, older, young) == pytest.approx(laid(x, y, older) + laid(x, y, young), abs=1e-12)


def test_crater_has_its_profile_at_its_position() -> None:
    """Deepest in its center by its depth, highest at its rim, zero beyond its reach, and round."""
    one = crater(1.0, 0, 5.0, -3.0, 1.5, 0.6)
    assert laid(np.array([5.0]), np.array([-3.0]), one)[0, 0] == pytest.approx(0.6 * profile_table()[0, 0])
    angle = np.linspace(0.1, 6.3, 7)
    for away in (0.5, 1.0, 1.25):
        x, y = 5.0 + away * 1.5 * np.cos(angle), -3.0 + away * 1.5 * np.sin(angle)
        heights = [laid(x[k : k + 1], y[k : k + 1], one)[0, 0] for k in range(len(angle))]
        assert np.ptp(heights) < 1e-12
        assert heights[0] == pytest.approx(0.6 * profile_table()[0, round(64 * away)], abs=1e-9)
    assert laid(np.array([5.0 + 1.5 * REACH]), np.array([-3.0]), one)[0, 0] == 0.0


def test_rock_abundance_near_a_crater_matches_the_formula() -> None:
    """Abundance after Ghent et al. 2014 by crater age, less the missing bedrock, decreasing with distance cubed."""
    background, reaches, million_years = 0.004, 80.0, 8.38e-7
    for diameter, age_myr, away in ((200.0, 10.0, 0.0), (400.0, 30.0, 1.0), (160.0, 3.0, 2.0), (1000.0, 120.0, 1.5)):
        one = np.zeros((1, model.CRATER_COLUMNS))
        one[0, [model.X, model.Y, model.RADIUS, model.AGE]] = 30.0, -70.0, 0.5 * diameter, age_myr * million_years
        fresh = min(0.27 * age_myr**-0.46, 0.3) * (1.0 - reaches / diameter) ** 2 * 0.5 ** (age_myr / 60.0)
        t = max(away - (REACH - 1.0), 0.0)
        expected = background + fresh * max(away / 1.2, 1.0) ** -3 * (1.0 - t * t * (3.0 - 2.0 * t))
        x, y = 30.0 + 0.6 * away * 0.5 * diameter, -70.0 - 0.8 * away * 0.5 * diameter
        assert _abundance(x, y, background, one, reaches) == pytest.approx(min(expected, 0.3), rel=1e-9)
        assert _abundance(x + REACH * diameter, y, background, one, reaches) == background
    # Two craters add up, to at most three tenths.
    two = np.repeat(one, 2, axis=0)
    alone = _abundance(30.0, -70.0, background, one, reaches) - background
    assert _abundance(30.0, -70.0, background, two, reaches) == pytest.approx(background + 2.0 * alone)
    two[:, model.AGE] = 0.0
    assert _abundance(30.0, -70.0, background, two, reaches) == 0.3
