# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plausibility checks of an elevation model: values that are not heights, units that are not meters.

The limits are specific to Regolith and far beyond known terrain. The highest known relief is that of Mars, 29.4 km. The
steepest steps between posts 30 m apart in the Himalaya are about five spacings. Models of cities with towers of more
than 100 m beside posts less than 10 m apart are also rejected. This cost is accepted, because gaps marked by a number
are far more common.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regolith_files import counted_noun

Floats = NDArray[np.float64]

MOST_HEIGHT_M = 1e7
"""Largest height above any datum, a body's center included [m]."""
MOST_RELIEF_M = 3.5e4
"""Largest difference from lowest to highest post [m]; Mars has 29.4 km."""
MOST_STEP_M = 100.0
"""Largest plausible step between neighbors, whatever their distance [m]."""
MOST_STEP_SPACINGS = 10.0
"""Largest plausible step between neighbors in post spacings (84 degrees)."""
MOST_MEDIAN_SLOPE = 1.7320508075688772
"""Largest plausible median slope (60 degrees)."""
DOUBTFUL_STEP_M, DOUBTFUL_STEP_SPACINGS, DOUBTFUL_MEDIAN_SLOPE = 20.0, 5.0, 1.0
"""Limits above which a warning is given."""
DOUBTFUL_FLATNESS = 3e-4
"""Median slope below which a warning is given (0.017 degrees, as on a salt flat); heights in kilometers are as flat."""
DOUBTFUL_STEEPEST = 0.01
"""Steepest slope up to which that warning is given: steeper ground on a plain is not in kilometers."""
MARKS = (
    -32768.0,
    -32767.0,
    32767.0,
    65535.0,
    -9999.0,
    9999.0,
    -99999.0,
    99999.0,
    -999.0,
    -9998.0,
    -99.0,
    0.0,
    255.0,
    -2147483648.0,
    2147483647.0,
)
"""Values that files use for posts without a height."""
_LEAST_GAP_M = 100.0
_ROWS = 512


@dataclass(frozen=True)
class Statistics:
    """Statistics of heights for the plausibility checks."""

    low: float
    high: float
    gap_low: float
    """Distance from the lowest value to the next above it [m]; inf without one."""
    gap_high: float
    """Distance from the highest value to the next below it [m]."""
    step: float
    """Largest difference between neighbors [m]."""
    step_at: tuple[int, int]
    """Row and column of the first such difference."""
    median_slope: float
    """Median of the larger of both slopes over a subset of at most a million posts [-]."""


def height_statistics(heights: Floats, spacing_m: float) -> Statistics:
    """Return the statistics of heights, computed block by block to limit memory to a few megabytes.

    Args:
        heights: Heights [m], all finite, shape (rows, columns).
        spacing_m: Post spacing [m].
    """
    low, high = float(heights.min()), float(heights.max())
    above, below, step, step_at = np.inf, -np.inf, -1.0, (0, 0)
    slopes = []
    every = max(1, int(np.sqrt(heights.size / 1e6)))
    for first, block in _blocks(heights):
        above = min(above, float(np.min(block, where=block > low, initial=np.inf)))
        below = max(below, float(np.max(block, where=block < high, initial=-np.inf)))
        down, along = np.abs(np.diff(block, axis=0)), np.abs(np.diff(block, axis=1))
        for differences in (down, along):
            if differences.size and float(differences.max()) > step:
                row, col = divmod(int(differences.argmax()), differences.shape[1])
                step, step_at = float(differences.max()), (row + first, col)
        if down.size:
            slopes.append(np.maximum(down[:, :-1], along[:-1])[::every, ::every].ravel())
    slope = float(np.median(np.concatenate(slopes))) / spacing_m if slopes else 0.0
    return Statistics(low, high, above - low, high - below, step, step_at, slope)


def _blocks(heights: Floats) -> Iterator[tuple[int, Floats]]:
    """Yield blocks of rows, each with the first row of the next, and their first row numbers."""
    for first in range(0, max(len(heights) - 1, 1), _ROWS):
        yield first, heights[first : first + _ROWS + 1]


def check_heights(
    path: Path, heights: Floats, spacing_m: float, first: tuple[int, int] = (0, 0), *, stated: bool = False
) -> Statistics:
    """Reject implausible heights.

    Args:
        path: Path of the file.
        heights: Heights [m], all finite, shape (rows, columns).
        spacing_m: Post spacing [m].
        first: Row and column of the first height in the file.
        stated: Whether the user states the scale of the values.

    Returns:
        Statistics of the heights.

    Raises:
        ValueError: If heights are implausible. The message names the values, their position and a fix.
    """
    found = height_statistics(heights, spacing_m)
    low, high = found.low, found.high
    if max(-low, high) > MOST_HEIGHT_M or not np.isfinite(high - low):
        _refuse_extremes(path, heights, found, first)
    for value, gap in ((low, found.gap_low), (high, found.gap_high)):
        others = (high - low - gap) * (0.1 if value in MARKS else 1.0)
        if max(others, _LEAST_GAP_M) < gap < np.inf:
            places = heights == value
            row, col = (int(v) for v in np.argwhere(places)[0])
            posts = counted_noun(int(places.sum()), 'post')
            raise ValueError(
                f'{path}: {posts} (first at row {row + first[0]}, column {col + first[1]}) at a height of {value:g} m, '
                f'{gap:.6g} m from all others: it looks like a mark for posts without a height; '
                f'allowed: heights of one ground; fix: set nodata to the stored value, and fill these posts or choose '
                f'a window without them'
            )
    if high - low > MOST_RELIEF_M:
        _refuse_extremes(path, heights, found, first)
    unit = 'height_scale' if stated else 'height_scale, the height of one unit in meters,'
    if found.step > max(MOST_STEP_M, MOST_STEP_SPACINGS * spacing_m):
        row, col = found.step_at
        raise ValueError(
            f'{path}: heights step by {found.step:.6g} m between neighbors {spacing_m:.6g} m apart (row '
            f'{row + first[0]}, column {col + first[1]}), as no ground does; allowed: steps up to '
            f'{max(MOST_STEP_M, MOST_STEP_SPACINGS * spacing_m):g} m; fix: set nodata if a number marks posts without '
            f'a height, or {unit} if the values are not meters'
        )
    if found.median_slope > MOST_MEDIAN_SLOPE and high - low > MOST_STEP_M:
        slope = math.degrees(math.atan(found.median_slope))
        raise ValueError(
            f'{path}: half of the slopes are steeper than {slope:.3g} degrees over a relief of {high - low:.6g} m, as '
            f'on no ground; allowed: up to 60 degrees; fix: set {unit} or post_spacing_m'
        )
    return found


def _refuse_extremes(path: Path, heights: Floats, found: Statistics, first: tuple[int, int]) -> None:
    extreme = np.argwhere(heights == (found.low if abs(found.low) > abs(found.high) else found.high))[0]
    row, col = int(extreme[0]) + first[0], int(extreme[1]) + first[1]
    raise ValueError(
        f'{path}: heights from {found.low:g} m to {found.high:g} m (row {row}, column {col}); allowed: within '
        f'{MOST_HEIGHT_M:g} m of zero and {MOST_RELIEF_M:g} m of each other, with posts that have none marked so'
    )


def unusual_heights(found: Statistics, spacing_m: float, first: tuple[int, int] = (0, 0)) -> list[tuple[str, str]]:
    """Return unusual properties of plausible heights as (problem, fix).

    Args:
        found: Statistics of the heights.
        spacing_m: Post spacing [m].
        first: Row and column of the first height in the file.
    """
    out = []
    if found.step > max(DOUBTFUL_STEP_M, DOUBTFUL_STEP_SPACINGS * spacing_m):
        row, col = found.step_at[0] + first[0], found.step_at[1] + first[1]
        out.append(
            (
                f'heights step by {found.step:.4g} m between neighbors {spacing_m:.4g} m apart'
                f' (row {row}, column {col})',
                'set terrain.nodata if a number marks posts without a height, or terrain.height_scale if heights are'
                ' not in meters',
            )
        )
    if found.median_slope > DOUBTFUL_MEDIAN_SLOPE:
        slope = math.degrees(math.atan(found.median_slope))
        out.append(
            (
                f'half of the slopes are steeper than {slope:.3g} degrees',
                'set terrain.height_scale or terrain.post_spacing_m if heights or places are not in meters',
            )
        )
    if 0.0 < found.median_slope < DOUBTFUL_FLATNESS and found.step < DOUBTFUL_STEEPEST * spacing_m:
        out.append(
            (
                f'half of the slopes are less than {math.degrees(found.median_slope):.2g} degrees',
                'set terrain.height_scale if heights are in kilometers, terrain.post_spacing_m if posts are less far'
                ' apart',
            )
        )
    return out
