# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the viewer layer of terrain: outlines of regions and profiles."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from regolith_terrain.config import TerrainConfig
from regolith_terrain.height_field_builder import build_height_field
from regolith_terrain.view_layer import layer


def scenario(**terrain: Any) -> Any:
    return SimpleNamespace(terrain=TerrainConfig.model_validate({'source': 'procedural', **terrain}), seed=3)


def test_view_layer_profiles_follow_the_terrain() -> None:
    made = scenario(profiles={'trench': {'start': [0.0, 0.0], 'end': [3.0, 4.0]}})
    found = layer(made)
    assert found is not None
    (mark,) = found.draw(0, {})
    points = np.asarray(mark.points)
    assert mark.label == 'trench' and mark.joined
    np.testing.assert_allclose(points[[0, -1], :2], [[0.0, 0.0], [3.0, 4.0]])
    field = build_height_field(made.terrain, made.seed)
    above = points[:, 2] - field.heights(points[:, 0], points[:, 1])
    # The line is less than 0.1 m above the terrain, with a point every 0.1 m; the relief between points is some
    # millimeters.
    np.testing.assert_allclose(above, above[0])
    assert 0.0 < above[0] < 0.1 and np.linalg.norm(np.diff(points, axis=0), axis=1).max() < 0.15


def test_view_layer_outlines_are_closed() -> None:
    square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    found = layer(scenario(regions=[{'polygon': square, 'soil': 'lunar_nominal'}]))
    assert found is not None
    (mark,) = found.draw(0, {})
    np.testing.assert_allclose(mark.points[0], mark.points[-1])
    assert mark.label == 'lunar_nominal'


def test_view_layer_without_regions_is_none() -> None:
    assert layer(scenario()) is None
