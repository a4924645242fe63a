# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of region outlines."""

import math

import pytest
from pydantic import ValidationError

from regolith_terrain.config import SoilRegionConfig
from regolith_terrain.polygons import crossing

SQUARE = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]
STAR = [(math.cos(0.4 * math.pi * k * 2), math.sin(0.4 * math.pi * k * 2)) for k in range(5)]
COMB = [(0.0, 0.0), (9.0, 0.0), *((x, y) for k in range(8) for x, y in ((9 - k - 0.2, 3.0), (9 - k - 0.6, 1.0)))]


@pytest.mark.parametrize('turn', range(4))
@pytest.mark.parametrize('reverse', [False, True])
def test_simple_polygon_has_no_crossing(turn: int, reverse: bool) -> None:
    """Checks every start corner and both orientations, a polygon with a right-angled cutout and one with many teeth."""
    angled = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)]
    for corners in (SQUARE, SQUARE[:3], angled, COMB, [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 1.0)]):
        turned = [*corners[turn:], *corners[:turn]]
        assert crossing(turned[::-1] if reverse else turned) is None


@pytest.mark.parametrize(
    'corners',
    [
        [SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3]],
        STAR,
        [*SQUARE, (0.0, 0.0)],
        [SQUARE[0], SQUARE[0], *SQUARE[1:]],
        [(0.0, 0.0), (2.0, 0.0), (1.0, 0.0)],
        [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 0.0), (0.0, 4.0)],
        [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (2.0, -1.0)],
    ],
)
def test_self_intersecting_polygon_is_rejected(corners: list[tuple[float, float]]) -> None:
    for turn in range(len(corners)):
        turned = [*corners[turn:], *corners[:turn]]
        assert crossing(turned) is not None and crossing(turned[::-1]) is not None
    with pytest.raises(ValidationError, match=r'polygon: sides \d and \d intersect; allowed: corners in order'):
        SoilRegionConfig.model_validate({'polygon': corners, 'soil': 'lunar_nominal'})
