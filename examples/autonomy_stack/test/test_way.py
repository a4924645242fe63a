# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Costs to go, arcs and choices against geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autonomy_stack.follower import Driving, choose, points
from autonomy_stack.planner import CostToGo, cost_to_go

CELL, HALF, SIZE = 0.2, 12.0, 120
CORNER = (-HALF, -HALF)


def fields(goal, wall=lambda x, y: False):
    """Return cost to go and cost on level ground with a wall."""
    side = (np.arange(SIZE) + 0.5) * CELL - HALF
    x, y = np.meshgrid(side, side, indexing='ij')
    blocked = np.vectorize(wall)(x, y).astype(bool)
    cost = np.ones((SIZE, SIZE))
    return cost_to_go(cost, blocked, goal, CELL, CORNER), CostToGo(np.where(blocked, 60.0, cost), CELL, CORNER)


def test_on_level_ground_the_cost_is_the_way_along_eight_headings() -> None:
    """Along an axis and a diagonal to one cell; between them at most 8.3 % more than the distance."""
    field, _ = fields((0.2, 0.2))
    places = np.array([[8.2, 0.2], [0.2, -7.8], [6.2, 6.2], [7.0, 3.0]])
    values = field.at(places[:, 0], places[:, 1])
    ways = np.hypot(*(places - 0.2).T)
    assert values[:3] == pytest.approx(ways[:3], abs=field.cell)
    assert ways[3] - field.cell < values[3] < 1.083 * ways[3] + field.cell


def test_the_way_leads_through_the_gap_of_a_wall() -> None:
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


def test_something_in_the_way_is_gone_round_and_a_dead_end_backed_out_of() -> None:
    field, cost = fields((8.0, 0.0), lambda x, y: 2.0 < x < 3.0 and abs(y) < 1.2)
    arc = choose(Driving(), (0.0, 0.1, 0.0), field, cost).arc
    x, y, _ = points(np.array([arc.curvature]), arc.length, 0.0, 0.1, 0.0)
    assert arc.curvature != 0.0 and float(cost.at(x, y).max()) < 30.0
    field, cost = fields((8.0, 0.0), lambda x, y: (0.6 < x < 1.4 and abs(y) < 4.0) or (abs(y) > 1.0 and -3.0 < x < 1.4 and abs(y) < 4.0))
    assert choose(Driving(), (0.0, 0.0, 0.0), field, cost).speed < 0.0


def test_a_drive_along_the_choices_arrives() -> None:
    """A point that follows its choices round a wall is at the goal after no more than 1.6 times the shortest way."""
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
