# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers of a map for planners, from heights at the centers of square cells: slope, roughness, steps, traversability.

Arrays have shape (n, m): the first index is along x (east), the second along y (north). NaN is unknown. A cell whose
window reaches beyond the map or contains an unknown height is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FREE, CAUTION, BLOCKED, UNKNOWN = range(4)
"""Classes of traversability."""
_MOST_VALUES = 4_000_000
"""Largest number of window values at once."""


class PlaneFits(NamedTuple):
    """Planes of best fit in a square window around each cell, shape (n, m) each."""

    slope: Floats
    """Angle between the plane and the level [rad]."""
    rms: Floats
    """Root mean square of the residuals along z [m]."""
    most: Floats
    """Largest absolute residual [m]."""
    step: Floats
    """Difference of the largest and the smallest residual [m]."""


class Limits(NamedTuple):
    """Largest values on which a vehicle can drive."""

    slope: float = math.radians(18.0)
    """Slope over the footprint [rad]."""
    step: float = 0.18
    """Step within the diameter of a wheel [m]."""
    roughness: float = 0.07
    """R.m.s. roughness over the footprint [m]."""


def window_cells(side_m: float, cell_m: float) -> int:
    """Return the odd number of cells along the side of a window that is closest to a length, at least 3."""
    return max(3, 2 * round((side_m / cell_m - 1.0) / 2.0) + 1)


def plane_fits(heights: Floats, cell_m: float, side_m: float) -> PlaneFits:
    """Return the least-squares plane h = a x + b y + c around each cell, and its residuals.

    Args:
        heights: Heights [m], shape (n, m).
        cell_m: Width of a cell [m].
        side_m: Side of the square window [m]; the window has an odd number of cells, at least 3.

    Tests: test_planning_maps.py::test_plane_has_its_slope_and_no_roughness,
    test_planning_maps.py::test_one_raised_cell_has_the_residuals_of_its_window.
    """
    size = window_cells(side_m, cell_m)
    half = size // 2
    fits = PlaneFits(*(np.full(heights.shape, np.nan) for _ in PlaneFits._fields))
    if min(heights.shape) < size:
        return fits
    x = (np.arange(size) - half)[:, None] * cell_m * np.ones(size)
    y, squares = x.T, float((x * x).sum())
    for rows, windows in _windows(heights, size):
        values = windows - windows[:, :, half : half + 1, half : half + 1]
        a, b = ((values * axis).sum(axis=(2, 3)) / squares for axis in (x, y))
        middle = values.mean(axis=(2, 3))
        residual = values - middle[:, :, None, None] - a[:, :, None, None] * x - b[:, :, None, None] * y
        inner = np.s_[rows.start + half : rows.stop + half, half : half + windows.shape[1]]
        fits.slope[inner] = np.arctan(np.hypot(a, b))
        fits.rms[inner] = np.sqrt((residual * residual).mean(axis=(2, 3)))
        fits.most[inner] = np.abs(residual).max(axis=(2, 3))
        fits.step[inner] = residual.max(axis=(2, 3)) - residual.min(axis=(2, 3))
    return fits


def _windows(heights: Floats, size: int) -> Iterator[tuple[slice, Floats]]:
    """Yield windows of some rows of cells at a time."""
    every = sliding_window_view(heights, (size, size))
    count = max(1, _MOST_VALUES // (every.shape[1] * size * size))
    for first in range(0, len(every), count):
        rows = slice(first, min(first + count, len(every)))
        yield rows, every[rows]


def horn_slope(heights: Floats, cell_m: float) -> Floats:
    """Return the slope by weighted differences of the eight neighbors [rad], as geographic programs compute it.

    Source: horn1981.
    Checked by: test_planning_maps.py::test_plane_has_its_slope_and_no_roughness.
    """
    found = np.full(heights.shape, np.nan)
    if min(heights.shape) < 3:
        return found
    w = sliding_window_view(heights, (3, 3))
    weights = np.array([1.0, 2.0, 1.0]) / (8.0 * cell_m)
    along_x = ((w[:, :, 2] - w[:, :, 0]) * weights).sum(axis=2)
    along_y = ((w[:, :, :, 2] - w[:, :, :, 0]) * weights).sum(axis=2)
    found[1:-1, 1:-1] = np.arctan(np.hypot(along_x, along_y))
    return found


def rms_deviation(heights: Floats, cell_m: float, lag_m: float) -> float:
    """Return the r.m.s. difference of heights at a distance along x and along y, nu(L) [m]; NaN without pairs.

    Args:
        heights: Heights [m], shape (n, m).
        cell_m: Width of a cell [m].
        lag_m: The distance L [m], rounded to cells, at least one.

    Source: shepard2001.
    Checked by: test_planning_maps.py::test_deviation_of_self_affine_ground_grows_with_its_hurst_exponent.
    """
    k = max(1, round(lag_m / cell_m))
    pairs = np.concatenate([(heights[k:] - heights[:-k]).ravel(), (heights[:, k:] - heights[:, :-k]).ravel()])
    pairs = pairs[np.isfinite(pairs)]
    return float(np.sqrt(np.mean(pairs * pairs))) if len(pairs) else math.nan


def covered_share(covered: Bools, cell_m: float, radius_m: float) -> Floats:
    """Return the share of a disc around each cell that is covered, as by rocks; beyond the map nothing is counted.

    Args:
        covered: Whether a cell is covered, shape (n, m).
        cell_m: Width of a cell [m].
        radius_m: Radius of the disc [m].
    """
    disc = _disc(radius_m / cell_m)
    return _sums(covered.astype(np.float64), disc) / _sums(np.ones(covered.shape), disc)


def traversability(fits: PlaneFits, steps: Floats, limits: Limits) -> NDArray[np.int8]:
    """Return the class of each cell: FREE, CAUTION above half of any limit, BLOCKED above a limit, UNKNOWN.

    Args:
        fits: Planes over the footprint of the vehicle.
        steps: Steps within the diameter of a wheel [m].
        limits: Limits of the vehicle.

    Source: goldberg2002.
    Checked by: test_planning_maps.py::test_classes_follow_the_limits.
    """
    most = _largest_share(fits, steps, limits)
    found = np.where(most > 1.0, BLOCKED, np.where(most > 0.5, CAUTION, FREE)).astype(np.int8)
    found[np.isnan(most)] = UNKNOWN
    return found


def _largest_share(fits: PlaneFits, steps: Floats, limits: Limits) -> Floats:
    shares = (fits.slope / limits.slope, steps / limits.step, fits.rms / limits.roughness)
    found: Floats = np.maximum(np.maximum(shares[0], shares[1]), shares[2])
    return found


def drive_cost(fits: PlaneFits, steps: Floats, limits: Limits, cell_m: float, clearance_m: float) -> Floats:
    """Return the cost of driving over each cell: 1 + the sum of the shares of the limits; infinite within the clearance
    of a blocked cell, NaN where it is unknown.

    Args:
        fits: Planes over the footprint of the vehicle.
        steps: Steps within the diameter of a wheel [m].
        limits: Limits of the vehicle.
        cell_m: Width of a cell [m].
        clearance_m: Distance of the vehicle's center from blocked cells [m].
    """
    cost: Floats = 1.0 + fits.slope / limits.slope + steps / limits.step + fits.rms / limits.roughness
    blocked = traversability(fits, steps, limits) == BLOCKED
    near = _sums(blocked.astype(np.float64), _disc(clearance_m / cell_m)) > 0.5
    cost[near] = np.inf
    return cost


def _disc(radius: float) -> Bools:
    """Return the cells whose centers are within a radius [cells] of the middle one."""
    reach = math.floor(radius + 1e-9)
    offset = np.arange(-reach, reach + 1)
    return np.asarray(offset[:, None] ** 2 + offset**2 <= radius * radius + 1e-9)


def _sums(values: Floats, disc: Bools) -> Floats:
    """Return the sums of values over a disc around each cell; beyond the map they are zero."""
    reach = len(disc) // 2
    padded, found = np.pad(values, reach), np.zeros(values.shape)
    for i, j in zip(*np.nonzero(disc), strict=True):
        found += padded[i : i + values.shape[0], j : j + values.shape[1]]
    return found
