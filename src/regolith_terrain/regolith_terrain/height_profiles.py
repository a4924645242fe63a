# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Height profiles along lines, such as cross sections of berms and trenches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypedDict

import numpy as np

from regolith_terrain.config import ProfileConfig
from regolith_terrain.grid.soil_grid import SoilGrid

MOST_POINTS = 2000


class Profile(TypedDict):
    """Height profile along a line."""

    step_m: float
    """Distance between points [m]."""
    rise_m: list[float]
    """Height above the undisturbed surface at the nearest nodes [m]."""
    highest_m: float
    lowest_m: float
    above_m2: float
    """Area between risen terrain and the undisturbed surface [m^2]."""
    below_m2: float
    """Area between the undisturbed surface and lowered terrain [m^2]."""


def profile(grid: SoilGrid, line: ProfileConfig) -> Profile:
    """Return the profile along a line with one point per grid spacing, at most MOST_POINTS."""
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
    """Return the profiles of lines by name, in name order."""
    return {name: profile(grid, line) for name, line in sorted(lines.items())}
