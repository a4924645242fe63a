# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Posts of elevation models in the local frame of a site, for horizons."""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.elevation.grid import ElevationGrid, LocalFrame, rectangle_window
from regolith_terrain.elevation.open_model import read_posts
from regolith_terrain.horizons.horizon_map import NO_GROUND_M, Posts

MOST_POSTS = 25_000_000
"""Largest number of posts of one grid."""


def farthest_m(grid: ElevationGrid) -> float:
    """Return the largest half side length for :func:`posts_around` [m]."""
    return (math.isqrt(MOST_POSTS) - 1) // 2 * grid.spacing_m


def posts_around(grid: ElevationGrid, frame: LocalFrame, half_m: float, whole: bool = True) -> Posts:
    """Return the heights of an elevation model over a square around the origin of a local frame.

    Heights are linear between the posts of the model, and above its datum.

    Args:
        grid: The model.
        frame: Local frame on its map, x east and y north.
        half_m: Half side length of the square [m].
        whole: Whether the square must be on the map. Otherwise the ground off the map is NO_GROUND_M.

    Raises:
        ValueError: If the square is too small or too large for the posts of the model, or not on its map.
    """
    spacing = grid.spacing_m
    count = 2 * math.floor(half_m / spacing) + 1
    if count < 3 or count * count > MOST_POSTS:
        most = (math.isqrt(MOST_POSTS) - 1) * spacing
        raise ValueError(
            f'{grid.path}: a square of {2.0 * half_m:g} m has {count} x {count} posts; '
            f'allowed: {2.0 * spacing:g} to {most:g} m'
        )
    half = (count - 1) // 2 * spacing
    r0, r1, c0, c1 = rectangle_window(grid, frame, (-half, -half, half, half))
    heights = read_posts(grid, r0, r1, c0, c1)
    axis = np.linspace(-half, half, count)
    a, b, c, d = frame.jacobian
    x, y = np.meshgrid(axis, axis, indexing='ij')
    row, col = grid.rows_cols(frame.x + a * x + b * y, frame.y + c * x + d * y)
    # Rounding must not lose the posts at the edge of the map.
    row, col = np.round(row - r0, 9), np.round(col - c0, 9)
    found = Posts(heights, 0.0, 0.0, 1.0).at(row, col)
    missing = np.isnan(found)
    if missing.any() and whole:
        raise ValueError(
            f'{grid.path}: a square of {2.0 * half_m:g} m around the center leaves the map; '
            f'allowed: a square in {grid.bounds_text()}'
        )
    found[missing] = NO_GROUND_M
    return Posts(found, -half, -half, spacing)
