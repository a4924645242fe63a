# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of cost to go, arcs and arc selection against geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autonomy_stack.follower import Arc, Driving, choose, points
from autonomy_stack.planner import CostToGo, coarser, cost_to_go

CELL, HALF, SIZE = 0.2, 12.0, 120
CORNER = (-HALF, -HALF)


def fields(goal, wall=lambda x, y: False):
    """Return cost to go and cost on level ground with a wall."""
    side = (np.arange(SIZE) + 0.5) * CELL - HALF
    x, y = np.meshgrid(side, side, indexing='ij')
    blocked = np.vectorize(wall)(x, y).astype(bool)
    cost = np.ones((SIZE, SIZE))
    return cost_to_go(cost, blocked, goal, CELL, CORNER), CostToGo(np.where(blocked, 60.0, cost), CELL, CORNER)


def test_cost_on_level_ground_is_distance_along_eight_headings() -> None:
    """Exact to one cell along an axis and a diagonal; between them at most 8.3 % more than the distance."""
    field, _ = fields((0.2, 0.2))
    places = np.array([[8.2, 0.2], [0.2, -7.8], [6.2, 6.2], [7.0, 3.0]])
    values = field.at(places[:, 0], places[:, 1])
    ways = np.hypot(*(places - 0.2).T)
    assert values[:3] == pytest.approx(ways[:3], abs=field.cell)
    assert ways[3] - field.cell < values[3] < 1.083 * ways[3] + field.cell


def test_path_leads_through_gap_of_wall() -> None:
    field, _ = fields((8.0, 0.0), lambda x, y: abs(x) < 0.5 and not 5.0 < y < 7.0)
    path = field.path(-8.0, 0.0)
    assert math.dist(path[-1], (8.0, 0.0)) < 1.0
    crossing = path[np.abs(path[:, 0]) < 0.5]
    assert len(crossing) and (crossing[:, 1] > 4.6).all() and (crossing[:, 1] < 7.4).all()
    assert float(field.at(np.array(-8.0), np.array(0.0))) > math.hypot(8.0, 5.0) + math.hypot(8.0, 5.0) - 1.0


@pytest.mark.parametrize('curvature', [-0.5, 1e-9, 0.4])
def test_arcs_lie_on_their_circles(curvature: float) -> None:
    x, y, heading = (values[0] for values in points(np.array([curvature]), 3.0, 1.0, 2.0, 0.7))
    if abs(curvature) < 1e-6:
        assert np.hypot(x - 1.0, y - 2.0) == pytest.approx(np.linspace(0.2, 3.0, 15))
        return
    middle = np.array([1.0, 2.0]) + np.array([-math.sin(0.7), math.cos(0.7)]) / curvature
    assert np.hypot(x - middle[0], y - middle[1]) == pytest.approx(1.0 / abs(curvature))
    assert heading[-1] == pytest.approx(0.7 + 3.0 * curvature)


def test_a_goal_ahead_is_driven_to_straight_and_slowly_at_the_end() -> None:
    field, cost = fields((8.0, 0.0))
    far = choose(Driving(), (0.0, 0.0, 0.0), field, cost)
    assert far.arc.curvature == 0.0 and far.speed == Driving().speed_mps
    near = choose(Driving(), (7.4, 0.0, 0.0), field, cost)
    assert Driving().slowest_mps <= near.speed < far.speed


@pytest.mark.parametrize('side', [1.0, -1.0])
def test_a_goal_behind_is_turned_to(side: float) -> None:
    field, cost = fields((-8.0, 1.0 * side))
    chosen = choose(Driving(), (0.0, 0.0, 0.0), field, cost)
    assert chosen.speed > 0.0 and chosen.arc.curvature * side == pytest.approx(Driving().curvature_pm)


def test_follower_avoids_obstacle_and_backs_out_of_dead_end() -> None:
    field, cost = fields((8.0, 0.0), lambda x, y: 2.0 < x < 3.0 and abs(y) < 1.2)
    arc = choose(Driving(), (0.0, 0.1, 0.0), field, cost).arc
    x, y, _ = points(np.array([arc.curvature]), arc.length, 0.0, 0.1, 0.0)
    assert arc.curvature != 0.0 and float(cost.at(x, y).max()) < 30.0
    field, cost = fields(
        (8.0, 0.0), lambda x, y: (0.6 < x < 1.4 and abs(y) < 4.0) or (abs(y) > 1.0 and -3.0 < x < 1.4 and abs(y) < 4.0)
    )
    assert choose(Driving(), (0.0, 0.0, 0.0), field, cost).speed < 0.0


def test_drive_along_selected_arcs_reaches_goal() -> None:
    """A point that follows the selected arcs around a wall reaches the goal within 1.6 times the shortest path."""
    field, cost = fields((8.0, 0.0), lambda x, y: abs(x) < 0.6 and y > -4.0)
    x, y, heading, last, way = -8.0, 0.0, 0.0, None, 0.0
    while math.dist((x, y), (8.0, 0.0)) > 0.5:
        chosen = choose(Driving(), (x, y, heading), field, cost, last)
        last, step = chosen.arc, chosen.speed * 0.5
        px, py, ph = points(np.array([last.curvature]), step, x, y, heading)
        x, y, heading = float(px[0, -1]), float(py[0, -1]), float(ph[0, -1])
        way += abs(step)
        assert float(cost.at(np.array(x), np.array(y))) < 40.0
        assert way < 1.6 * 2.0 * math.hypot(8.0, 4.0)


def field(values: np.ndarray, cell: float = 0.5, corner: tuple[float, float] = (-3.0, 1.0)) -> CostToGo:
    return CostToGo(values, cell, corner)


def test_field_is_bilinear_between_cell_centers() -> None:
    """u + 3 v on cells (row along x, column along y) of unequal numbers; it is constant beyond the outermost centers."""
    u, v = np.meshgrid(np.arange(6.0), np.arange(4.0), indexing='ij')
    made = field(u + 3.0 * v)
    x, y = np.array([-2.75, -1.5, -0.4]), np.array([1.25, 2.0, 2.5])
    np.testing.assert_allclose(made.at(x, y), (x + 2.75) / 0.5 + 3.0 * (y - 1.25) / 0.5)
    assert made.at(np.array(-9.0), np.array(0.0)) == 0.0 and made.at(np.array(9.0), np.array(9.0)) == pytest.approx(
        14.0, abs=0.01
    )
    np.testing.assert_allclose(made.descent(np.array(-1.5), np.array(2.0)), math.atan2(-3.0, -1.0))


def test_blocks_are_means_or_maxima_without_remainder() -> None:
    values = np.arange(15.0).reshape(3, 5)
    np.testing.assert_array_equal(coarser(values, 2, worst=False), [[3.0, 5.0]])
    np.testing.assert_array_equal(coarser(values, 2, worst=True), [[6.0, 8.0]])


def test_expensive_ground_counts_by_its_cost_blocked_ground_by_sixty() -> None:
    """A corridor one wide cell across: each border has half of the cost of the cells on both sides."""
    cost = np.ones((10, 2))
    cost[2:4], cost[6:8] = 3.0, 5.0
    blocked = np.zeros(cost.shape, bool)
    blocked[8:] = True
    to_go = cost_to_go(cost, blocked, (0.6, 0.1), 0.5, (0.0, 0.0))
    assert (to_go.cell, to_go.corner) == (1.0, (0.0, 0.0))
    np.testing.assert_allclose(to_go.values[:, 0], [0.0, 2.0, 4.0, 7.0, 39.5])
    far = cost_to_go(cost, blocked, (99.0, -5.0), 0.5, (0.0, 0.0))
    assert far.values[4, 0] == 0.0, 'a goal beyond the field is its rim'


def test_a_path_ends_a_step_before_the_goal_or_when_it_is_long_enough() -> None:
    u, _ = np.meshgrid(np.arange(40.0), np.arange(8.0), indexing='ij')
    made = field(0.5 * u)
    path = made.path(5.0, 3.0, 0.5)
    np.testing.assert_allclose(path[:2], [[5.0, 3.0], [4.5, 3.0]], atol=1e-9)
    # The value is x + 2.75, below half a meter at -2.5.
    np.testing.assert_allclose(path[-1], [-2.5, 3.0], atol=1e-9)
    assert len(made.path(5.0, 3.0, 0.5, longest_m=2.0)) == 5


def test_speed_falls_with_the_cost_of_the_next_meter_and_near_the_goal() -> None:
    """0.4 m/s up to a cost of 3, then by half of what the cost is above 1; 0.3 per meter left; never below 0.15."""
    x, _ = np.meshgrid(np.arange(120.0), np.arange(120.0), indexing='ij')
    to_go = CostToGo(np.abs(0.2 * (110.0 - x)), 0.2, (-12.0, -12.0))
    for dear, speed in ((1.0, 0.4), (3.0, 0.4), (5.0, 0.2), (6.0, 0.16), (7.0, 0.15)):
        chosen = choose(Driving(), (0.0, 0.0, 0.0), to_go, CostToGo(np.full((120, 120), dear), 0.2, (-12.0, -12.0)))
        assert (chosen.arc.curvature, chosen.speed) == (0.0, pytest.approx(speed)), dear
    level = CostToGo(np.ones((120, 120)), 0.2, (-12.0, -12.0))
    # At x = 9 the goal, 10.1, is 1.1 m away, at 9.6 half a meter.
    assert choose(Driving(), (9.0, 0.0, 0.0), to_go, level).speed == pytest.approx(0.33)
    assert choose(Driving(), (9.6, 0.0, 0.0), to_go, level).speed == pytest.approx(0.15)


def test_a_turn_away_from_the_last_curve_costs_up_to_0_3_m_and_another_direction_1_m() -> None:
    x, _ = np.meshgrid(np.arange(120.0), np.arange(120.0), indexing='ij')
    to_go, level = CostToGo(0.2 * (110.0 - x), 0.2, (-12.0, -12.0)), CostToGo(np.ones((120, 120)), 0.2, (-12.0, -12.0))
    first = choose(Driving(), (0.0, 0.0, 0.0), to_go, level)
    assert first.arc == Arc(0.0, 3.0) and first.total == pytest.approx(3.0 + to_go.at(np.array(3.0), np.array(0.0)))
    for last, more in ((Arc(0.0, 3.0), 0.0), (Arc(0.11, 3.0), 0.06), (Arc(-1.1, 3.0), 0.3), (Arc(0.0, -1.5), 1.0)):
        again = choose(Driving(), (0.0, 0.0, 0.0), to_go, level, last)
        assert again.total - first.total == pytest.approx(more, abs=0.03 if 0.0 < more < 0.1 else 1e-9), last
