# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scores of the challenge: section 6.2 of the specification, and every edge case it names."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_bringup.challenge.geometric_map import HEIGHT, ROCK, GeometricMap, true_map
from regolith_bringup.challenge.scores import Mission, map_errors, score, statistics

LIMIT = 24 * 3600.0


def truth(rocks: int = 90, cells: int = 180) -> GeometricMap:
    made = GeometricMap(cells, 0.15)
    array = made.get_map_array()
    array[:, :, HEIGHT] = np.random.default_rng(1).uniform(-0.5, 0.5, (cells, cells))
    array[:, :, ROCK] = 0.0
    array.reshape(-1, 4)[:rocks, ROCK] = 1.0
    return made


def rated(found: GeometricMap | None, true: GeometricMap, rules: str = 'lac2025', hours: float = 20.0, **facts: object):
    facts = {'fiducials': False, **facts}
    array = None if found is None else found.get_map_array()
    return score(rules, array, true.get_map_array(), Mission(hours * 3600.0, LIMIT, **facts))


def test_example_of_the_rules() -> None:
    """90 % right, TP 50, FP 10, FN 40, all filled at 20 h, no fiducials: 270 + 200 + 250 + 150."""
    true, found = truth(), GeometricMap(180, 0.15)
    cells, known = found.get_map_array().reshape(-1, 4), true.get_map_array().reshape(-1, 4)
    cells[:, HEIGHT] = known[:, HEIGHT]
    cells[:3240, HEIGHT] += 0.051
    cells[:, ROCK] = 0.0
    cells[:50, ROCK] = 1.0
    cells[90:100, ROCK] = 1.0
    assert rated(found, true).rounded() == {
        'geometric': 270.0,
        'rocks': 200.0,
        'productivity': 250.0,
        'localization': 150.0,
        'total': 870.0,
    }


def test_truth_scores_everything() -> None:
    true = truth()
    assert rated(true, true).total == 1000.0
    assert rated(true, true, 'regolith1', ate_m=0.0).total == 1000.0


def test_no_map_and_an_empty_map_score_only_localization() -> None:
    for found in (None, GeometricMap(180, 0.15)):
        assert rated(found, truth()).total == 150.0
        assert rated(found, truth(), fiducials=True).total == 0.0


def test_zeros_at_once_score_productivity_and_localization() -> None:
    found = GeometricMap(180, 0.15)
    found.get_map_array()[:, :, HEIGHT:] = 0.0
    assert rated(found, truth(), hours=1e-3).total >= 400.0
    assert rated(found, truth(), hours=0.0).productivity == 0.0
    strict = rated(found, truth(), 'regolith1', hours=1e-3)
    assert strict.localization == 0.0 and strict.geometric == pytest.approx(30.0, abs=5.0)


def test_productivity_is_the_rate_of_filled_cells() -> None:
    found = GeometricMap(180, 0.15)
    cells = found.get_map_array().reshape(-1, 4)
    cells[:16200, HEIGHT:] = 0.0
    assert rated(found, truth(), hours=24.0).productivity == 125.0
    assert rated(found, truth(), hours=12.0).productivity == 250.0
    assert pytest.approx(1.0 / 0.375) == LIMIT / 180**2  # 0.375 cells/s for all of it
    cells[:8100, ROCK] = -math.inf  # height alone does not fill a cell
    assert rated(found, truth(), hours=24.0).productivity == 62.5


def test_values_that_are_no_numbers_are_wrong_but_filled() -> None:
    found = truth()
    found.get_map_array()[:, :, HEIGHT] = math.nan
    result = rated(found, truth(), hours=24.0)
    assert result.geometric == 0.0 and result.productivity == 250.0


def test_other_values_of_rocks_count_neither_way() -> None:
    found = truth()
    array = found.get_map_array()
    array[:, :, ROCK] = 0.5
    array.reshape(-1, 4)[0, ROCK] = 1.0  # one right cell, the rest evaded
    assert rated(found, truth()).rocks == 300.0
    with pytest.raises(ValueError, match=r'rock = 0\.5: is not valid; allowed: 0 or 1'):
        rated(found, truth(), 'regolith1')


def test_ground_without_rocks() -> None:
    bare, claimed = truth(rocks=0), truth(rocks=0)
    assert rated(bare, bare).rocks == 0.0 and rated(bare, bare, 'regolith1').rocks == 300.0
    claimed.get_map_array()[3, 4, ROCK] = 1.0
    assert rated(claimed, bare).rocks == 0.0 and rated(claimed, bare, 'regolith1').rocks == 0.0


def test_stricter_rules_count_right_cells_and_the_trajectory() -> None:
    found = truth()
    found.get_map_array()[:90, :, HEIGHT] += 0.2
    result = rated(found, truth(), 'regolith1', hours=24.0, ate_m=0.1)
    assert result.productivity == 125.0 and result.localization == pytest.approx(120.0)
    assert rated(found, truth(), 'regolith1', ate_m=0.7).localization == 0.0


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(ValueError, match='allowed: lac2025, regolith1'):
        rated(None, truth(), 'lac2024')


def test_cells_and_positions() -> None:
    """Centers -13.5 + 0.075 + 0.15 i; a boundary belongs to the lower cell."""
    made = GeometricMap(180, 0.15)
    assert made.get_map_array()[0, 179, :2] == pytest.approx([-13.425, 13.425])
    assert made.get_cell_indexes(-13.425, 13.425) == (0, 179)
    assert made.get_cell_indexes(0.0, 0.075) == (89, 90)
    assert made.get_cell_indexes(-13.5, 13.5) == (0, 179) and made.get_cell_indexes(13.51, 0.0) is None
    made.set_height(0.3, -0.2, 0.7)
    made.set_rock(0.3, -0.2, 1.0)
    made.set_height(40.0, 0.0, 9.0)
    x, y = made.get_cell_indexes(0.3, -0.2) or (0, 0)
    assert made.get_cell_height(x, y) == 0.7 == made.get_height(0.3, -0.2) and made.get_cell_rock(x, y) == 1.0
    assert made.get_rock(40.0, 0.0) is None and made.get_cell_height(-1, 0) is None
    assert np.count_nonzero(np.isfinite(made.get_map_array()[:, :, HEIGHT])) == 1


def test_truth_is_the_mean_of_sixteen_rays() -> None:
    """On a plane it is the height of the center; a rock is found where one ray meets it; holes are height 0."""

    def surface(x, y):
        return np.where(x > 0.6, np.nan, 0.3 * x - 0.1 * y), np.hypot(x - 0.01875, y - 0.01875) < 1e-6

    array = true_map(10, 0.15, surface).get_map_array()
    left = array[:9, :]
    assert left[:, :, HEIGHT] == pytest.approx(0.3 * left[:, :, 0] - 0.1 * left[:, :, 1])
    assert array[9, :, HEIGHT] == pytest.approx(np.zeros(10))
    assert array[5, 5, ROCK] == 1.0 and array[:, :, ROCK].sum() == 1.0


def test_errors_beside_the_rules() -> None:
    found, true = truth(rocks=4), truth(rocks=2)
    found.get_map_array()[:, :, HEIGHT] += 0.03
    found.get_map_array()[90:, :, HEIGHT] = -math.inf
    errors = map_errors(found.get_map_array(), true.get_map_array())
    assert errors['height_rmse_m'] == pytest.approx(0.03) and errors['height_bias_m'] == pytest.approx(0.03)
    assert errors['precision'] == 0.5 and errors['recall'] == 1.0 and errors['coverage'] == 0.5
    assert map_errors(None, true.get_map_array())['coverage'] == 0.0


def test_statistics_divide_by_all_planned_missions() -> None:
    assert statistics([900.0, 700.0], 4) == {'mean': 400.0, 'stddev': 141.4}
    assert statistics([900.0], 1) == {'mean': 900.0, 'stddev': 0.0}
