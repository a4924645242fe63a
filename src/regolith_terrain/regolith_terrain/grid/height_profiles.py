# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Heights along lines on the ground: the cross-section of a berm, of a trench."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypedDict

import numpy as np

from regolith_terrain.config import ProfileConfig
from regolith_terrain.grid.soil_grid import SoilGrid

MOST_POINTS = 2000


class Profile(TypedDict):
    """The ground along a line."""

    step_m: float
    """Distance of its points [m]."""
    rise_m: list[float]
    """Height above undisturbed ground at the nearest nodes [m]."""
    highest_m: float
    lowest_m: float
    above_m2: float
    """Area between ground that rose and undisturbed ground [m^2]."""
    below_m2: float
    """Area between undisturbed ground and ground that sank [m^2]."""


def profile(grid: SoilGrid, line: ProfileConfig) -> Profile:
    """Return the ground along a line: a point for each spacing of the grid, at most MOST_POINTS."""
    length = math.dist(line.start, line.end)
    count = min(MOST_POINTS, max(2, round(length / grid.spacing) + 1))
    x, y = (np.linspace(line.start[a], line.end[a], count) for a in (0, 1))
    nearest = (np.floor(v / grid.spacing + 0.5) * grid.spacing for v in (x, y))
    rise = grid.levels(x, y) - grid.height_field.heights(*nearest)
    step = length / (count - 1)
    return {
        'step_m': step,
        'rise_m': [round(float(value), 6) for value in rise],
        'highest_m': float(rise.max()),
        'lowest_m': float(rise.min()),
        'above_m2': float(np.maximum(rise, 0.0).sum() * step),
        'below_m2': float(np.maximum(-rise, 0.0).sum() * step),
    }


def profiles(grid: SoilGrid, lines: Mapping[str, ProfileConfig]) -> dict[str, Profile]:
    """Return the ground along lines, by their names in name order."""
    return {name: profile(grid, line) for name, line in sorted(lines.items())}
