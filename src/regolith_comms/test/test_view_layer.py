# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the radio layer of the view: lines between linked radios, via breadcrumbs, colored by loss."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from regolith_comms.config import CommsConfig
from regolith_comms.view_layer import LINKS, layer

COMMS = CommsConfig.model_validate({'stations': {'lander': [-10.0, 0.0, 0.5]}, 'antenna_height_m': 1.0})
SCENARIO = SimpleNamespace(comms=COMMS, vehicles={'amber': None, 'basalt': None})


def odom(x: float, y: float, z: float) -> Any:
    return SimpleNamespace(pose=SimpleNamespace(pose=SimpleNamespace(position=SimpleNamespace(x=x, y=y, z=z))))


def link(src: str, dst: str, error: float, hops: int = 0) -> Any:
    rssi = -math.inf if error >= 1.0 else -60.0
    return SimpleNamespace(src=src, dst=dst, packet_error=error, mean_rssi=rssi, num_hops=hops)


def draw(*links: Any, crumbs: tuple[tuple[float, float, float], ...] = ()) -> dict[str, Any]:
    found = layer(SCENARIO)
    assert found is not None and set(found.topics) == {LINKS, '/amber/ground_truth/odom', '/basalt/ground_truth/odom'}
    places = [SimpleNamespace(x=x, y=y, z=z) for x, y, z in crumbs]
    table = SimpleNamespace(
        links=links, breadcrumbs=[f'crumb_{k}' for k in range(len(crumbs))], breadcrumb_positions=places
    )
    here, there = odom(4.0, 0.0, 0.2), odom(0.0, 9.0, 0.0)
    last = {LINKS: table, '/amber/ground_truth/odom': here, '/basalt/ground_truth/odom': there}
    marks = found.draw(0, last)
    return {'lines': [m for m in marks if m.joined], 'points': {m.label: m for m in marks if not m.joined}}


def test_view_without_radios_draws_nothing() -> None:
    assert layer(SimpleNamespace(vehicles={})) is None


def test_pair_is_one_line_with_loss_of_its_worse_direction() -> None:
    drawn = draw(link('amber', 'lander', 0.0), link('lander', 'amber', 0.9), link('amber', 'basalt', 0.0))
    assert len(drawn['lines']) == 2
    with_basalt, with_lander = drawn['lines']  # In the order of names.
    np.testing.assert_allclose(with_basalt.points, [[4.0, 0.0, 1.2], [0.0, 9.0, 1.0]])
    # From the sender of the direction with more loss.
    np.testing.assert_allclose(with_lander.points, [[-10.0, 0.0, 1.5], [4.0, 0.0, 1.2]])
    assert with_lander.color != with_basalt.color == '#4ed68f'
    assert with_lander.label == '-60 dBm' and set(drawn['points']) == {'lander'}


def test_lost_link_has_no_line() -> None:
    assert draw(link('amber', 'lander', 1.0), link('lander', 'amber', 1.0))['lines'] == []
    # One direction alone is no link, either.
    assert draw(link('amber', 'lander', 0.0), link('lander', 'amber', 0.999))['lines'] == []


def test_relayed_link_passes_its_breadcrumb() -> None:
    near, far = (-3.0, 1.0, 2.0), (100.0, 0.0, 0.0)
    (line,) = draw(link('amber', 'lander', 0.1, hops=1), crumbs=(far, near))['lines']
    np.testing.assert_allclose(line.points[1], near)
    assert len(line.points) == 3


def test_line_colors_range_from_green_to_red() -> None:
    def red_and_green(error: float) -> tuple[int, int]:
        (line,) = draw(link('amber', 'lander', error))['lines']
        return int(line.color[1:3], 16), int(line.color[3:5], 16)

    (r0, g0), (r1, g1), (r2, g2) = map(red_and_green, (0.0, 0.5, 0.99))
    assert r0 < g0 and r2 > g2 and r0 < r1 and g1 > g2
