# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Terrain layer of the viewer: soil regions and the profile lines."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_files import ViewLayer, ViewMarks
from regolith_terrain.height_field import HeightField
from regolith_terrain.height_field_builder import build_height_field

_REGION, _PROFILE = '#c792ea', '#7fdbca'
_ABOVE_M = 0.04
_STEP_M = 0.1
_MOST = 2000
"""Largest number of points per line segment."""


def layer(scenario: Any) -> ViewLayer | None:
    """Return the view layer of a scenario's terrain; None without regions and profiles."""
    terrain = scenario.terrain
    if not terrain.regions and not terrain.profiles:
        return None
    field = build_height_field(terrain, scenario.seed)
    marks = []
    for number, part in enumerate(terrain.regions):
        outline = np.asarray(part.region().outline, dtype=np.float64)
        if len(outline) > 1:
            closed = np.concatenate((outline, outline[:1]))
            label = part.model or getattr(part.soil, 'name', '') or f'region {number}'
            marks.append(ViewMarks(_laid(field, closed), _REGION, 2.0, joined=True, label=str(label)))
    for name, profile in sorted(terrain.profiles.items()):
        ends = np.array([profile.start, profile.end], dtype=np.float64)
        marks.append(ViewMarks(_laid(field, ends), _PROFILE, 1.5, joined=True, label=name))

    def draw(t_ns: int, last: Mapping[str, Any]) -> list[ViewMarks]:
        return marks

    return ViewLayer('Regions and profiles', draw)


def _laid(field: HeightField, corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a line on the undisturbed surface [m], shape (n, 3).

    Args:
        field: Height field of the surface.
        corners: Corners of the line, x, y [m], shape (m, 2).
    """
    pieces = []
    for start, end in pairwise(corners):
        count = min(max(int(float(np.linalg.norm(end - start)) / _STEP_M), 1), _MOST)
        pieces.append(start + np.linspace(0.0, 1.0, count, endpoint=False)[:, None] * (end - start))
    flat = np.concatenate([*pieces, corners[-1:]])
    return np.column_stack((flat, field.heights(flat[:, 0], flat[:, 1]) + _ABOVE_M))
