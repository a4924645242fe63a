# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Description of an elevation model file, whether usable as terrain or not."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from regolith_files import counted_noun
from regolith_terrain.elevation.grid import AS_STORED, ElevationGrid, StoredValues, celestial_body, local_frame
from regolith_terrain.elevation.open_model import open_elevation_model
from regolith_terrain.elevation.plausibility import check_heights, unusual_heights
from regolith_world.numerics import portable_math

_ROWS = 512
_CHECKED_POSTS = 25_000_000
"""Number of posts above which only the center of a model is checked for plausibility."""


def describe_elevation_model(
    path: Path, post_spacing_m: float | None = None, values: StoredValues = AS_STORED
) -> dict[str, Any]:
    """Return size, location, heights and problems of an elevation model.

    Args:
        path: Path of the file.
        post_spacing_m: Post spacing, see :func:`regolith_terrain.elevation.open_model.open_elevation_model`.
        values: Interpretation of the stored values, given by the user.

    Raises:
        ValueError: If the file cannot be read as heights on a grid.
    """
    grid = open_elevation_model(path, post_spacing_m, values)
    frame = local_frame(grid)
    low, high, missing = math.inf, -math.inf, 0
    for first in range(0, grid.rows, _ROWS):
        block = grid.read(first, min(first + _ROWS, grid.rows), 0, grid.cols)
        known = np.isfinite(block)
        missing += int(block.size - known.sum())
        low = min(low, float(np.min(block, where=known, initial=math.inf)))
        high = max(high, float(np.max(block, where=known, initial=-math.inf)))
    slope, problems, warnings = _judged(grid, missing)
    x_col, x_row, y_col, y_row = (grid.to_map[k] for k in (1, 2, 4, 5))
    jacobian = np.array(frame.jacobian).reshape(2, 2)
    width, height = (
        float(np.hypot(*portable_math.solved_two(jacobian, [n * dx, n * dy])))
        for n, dx, dy in ((grid.cols - 1, x_col, y_col), (grid.rows - 1, x_row, y_row))
    )
    return {
        'file': str(path),
        'rows': grid.rows,
        'columns': grid.cols,
        'post_spacing_m': grid.spacing_m,
        'width_m': width,
        'height_m': height,
        'reference_system': grid.crs.to_wkt() if grid.crs is not None else None,
        'body': celestial_body(grid.crs),
        'map_bounds': grid.bounds_text(),
        'latitude_deg': frame.latitude_deg,
        'longitude_deg': frame.longitude_deg,
        'posts_without_height': missing,
        'lowest_m': low if missing < grid.rows * grid.cols else None,
        'highest_m': high if missing < grid.rows * grid.cols else None,
        'median_slope_deg': slope,
        'problems': problems,
        'warnings': warnings,
    }


def _judged(grid: ElevationGrid, missing: int) -> tuple[float | None, list[str], list[str]]:
    """Return the median slope [deg], the errors for terrain.source, and the warnings."""
    if missing:
        fix = 'fill them, or choose a window without them'
        return None, [f'{counted_noun(missing, "post")} without a height; fix: {fix}'], []
    rows, cols = grid.rows, grid.cols
    side = int(math.sqrt(_CHECKED_POSTS))
    r0, c0 = max(0, (rows - side) // 2), max(0, (cols - side) // 2)
    heights = grid.read(r0, min(rows, r0 + side), c0, min(cols, c0 + side))
    try:
        found = check_heights(grid.path, heights, grid.spacing_m, (r0, c0), stated=grid.values.scale is not None)
    except ValueError as error:
        return None, [str(error)], []
    unusual = [f'{problem}; fix: {fix}' for problem, fix in unusual_heights(found, grid.spacing_m, (r0, c0))]
    return math.degrees(math.atan(found.median_slope)), [], unusual
