# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the messages about the bounds of an elevation model."""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.elevation.raster import RasterField
from regolith_terrain.height_field_builder import FlatField
from regolith_vehicles.agent.terrain_bounds import TerrainBoundsMonitor


def test_each_crossing_of_the_edge_is_reported_once() -> None:
    # Posts from -10 to 10 m along axes turned by 45 degrees: (9, 9) lies beyond the side of the corner, (13, 0) does
    # not.
    c = math.sqrt(0.5)
    field = RasterField(np.zeros((5, 5)), 5.0, jacobian=(c, c, -c, c))
    watch = TerrainBoundsMonitor('amber', field)
    said = [
        watch.notice(10**9 * k, *place) for k, place in enumerate(((0, 0), (13, 0), (9, 9), (9.5, 9), (1, 1), (2, 1)))
    ]
    assert [bool(text) for text in said] == [False, False, True, False, True, False]
    assert 'amber left the elevation model at 2.00 s, x 9.00 m, y 9.00 m' in said[2] and 'returned' in said[4]


def test_other_ground_has_no_edge() -> None:
    assert TerrainBoundsMonitor('amber', FlatField()).notice(0, 1e6, -1e6) == ''
