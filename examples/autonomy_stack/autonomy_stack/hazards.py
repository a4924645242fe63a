# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Hazards of the ground: slopes, steps, roughness, and the clearance around them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from autonomy_stack.elevation_map import ElevationMap

Vector = NDArray[np.float64]

LEAST_SEEN = 0.34
"""Fraction of a window that must be known. Fewer cells may be collinear, or only at the far edge of the seen area."""
UNSEEN = 2.0
"""Cost of unseen ground."""


@dataclass(frozen=True)
class Limits:
    """Limits of the rover."""

    slope_deg: float = 18.0
    """Maximum slope [deg]."""
    step_m: float = 0.18
    """Maximum step height [m]."""
    roughness_m: float = 0.07
    """Maximum standard deviation of the ground from a plane under the rover [m]."""
    footprint_m: float = 0.7
    """Half of the side of the square of ground under the rover [m]."""
    clearance_m: float = 1.0
    """Minimum distance of the rover center from any hazard [m]."""


@dataclass(frozen=True)
class Hazards:
    """Hazard layers of a map; NaN where too little ground was seen."""

    slope: Vector
    """Slope of the plane under the rover [rad]."""
    step: Vector
    """Largest height difference nearby, without the slope [m]."""
    roughness: Vector
    """Standard deviation of the ground from the plane [m]."""
    blocked: NDArray[np.bool_]
    """Whether the rover center must not be in the cell."""
    cost: Vector
    """Cost per distance relative to level ground, at least 1, also for unseen ground [-]."""


@dataclass(frozen=True)
class Planes:
    """Planes fitted to windows of a map; NaN where too few cells are known."""

    level: Vector
    """Height of the plane at the center of each window [m]."""
    slope: Vector
    """Slope of the plane [rad]."""
    deviation: Vector
    """Standard deviation of the ground from the plane [m]."""
    full: Vector
    """Fraction of known cells in the window."""


def planes(height: Vector, reach: int, cell: float) -> Planes:
    """Return the least-squares planes through the known cells of every window of (2 reach + 1)^2 cells.

    Args:
        height: Heights of the cells; NaN: unknown [m].
        reach: Half size of a window, in cells.
        cell: Side of a cell [m].
    """
    known = np.isfinite(height)
    size = 2 * reach + 1
    # Relative to the center of the map, because differences of large squares lose digits.
    x, y = np.meshgrid(*(cell * (np.arange(n) - 0.5 * n) for n in height.shape), indexing='ij')
    offset = float(np.median(height[known])) if known.any() else 0.0
    z = np.where(known, height - offset, 0.0)

    def mean(values: Vector) -> Vector:
        out: Vector = ndimage.uniform_filter(np.where(known, values, 0.0), size, mode='constant')
        return out

    full = np.maximum(mean(np.ones(height.shape)), 1e-9)
    mx, my, mz = mean(x) / full, mean(y) / full, mean(z) / full
    xx, yy, xy = mean(x * x) / full - mx**2, mean(y * y) / full - my**2, mean(x * y) / full - mx * my
    xz, yz, zz = mean(x * z) / full - mx * mz, mean(y * z) / full - my * mz, mean(z * z) / full - mz**2
    determinant = xx * yy - xy**2
    usable = (determinant > 1e-3 * (reach * cell) ** 4) & (full > LEAST_SEEN)
    determinant = np.where(usable, determinant, 1.0)
    along, across = (yy * xz - xy * yz) / determinant, (xx * yz - xy * xz) / determinant
    deviation = np.sqrt(np.maximum(zz - along * xz - across * yz, 0.0))
    level = offset + mz + along * (x - mx) + across * (y - my)
    level, slope, deviation = (
        np.where(usable, value, np.nan) for value in (level, np.arctan(np.hypot(along, across)), deviation)
    )
    return Planes(level, slope, deviation, full)


def assess(ground: ElevationMap, limits: Limits, window: tuple[slice, slice] = (slice(None), slice(None))) -> Hazards:
    """Return the hazards of a map, or of a window of it."""
    height, top = ground.mean[window], ground.top[window]
    cell = ground.cell
    under = planes(height, max(round(limits.footprint_m / cell), 1), cell)
    wheel = 2 * max(round(0.5 * limits.footprint_m / cell), 1) + 1
    # Heights above and below the plane under the rover, within the size of a wheel.
    standing = ndimage.maximum_filter(np.nan_to_num(top - under.level, nan=-np.inf), wheel, mode='nearest')
    lying = ndimage.minimum_filter(np.nan_to_num(height - under.level, nan=np.inf), wheel, mode='nearest')
    step = np.where(np.isfinite(under.level) & np.isfinite(standing - lying), standing - lying, np.nan)
    shares = (under.slope / math.radians(limits.slope_deg), step / limits.step_m, under.deviation / limits.roughness_m)
    worst = np.fmax(np.fmax(shares[0], shares[1]), shares[2])
    bad = np.nan_to_num(worst) > 1.0
    distance = ndimage.distance_transform_edt(~bad) * cell if bad.any() else np.full(bad.shape, np.inf)
    near = np.clip(2.0 - distance / limits.clearance_m, 0.0, 1.0)
    seen = 1.0 + 4.0 * np.clip(np.nan_to_num(worst), 0.0, 1.0) ** 2
    cost = np.where(np.isfinite(worst), seen, UNSEEN) + 3.0 * near
    return Hazards(under.slope, step, under.deviation, distance <= limits.clearance_m, cost)
