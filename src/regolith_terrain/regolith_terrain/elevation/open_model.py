# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of elevation models of all supported formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from regolith_files import counted_noun, usable_file
from regolith_terrain.elevation.geotiff import open_geotiff
from regolith_terrain.elevation.grid import AS_STORED, ElevationGrid, Floats, StoredValues
from regolith_terrain.elevation.pds3 import open_pds3
from regolith_terrain.elevation.plausibility import check_heights

MOST_POSTS = 100_000_000
"""Largest number of posts of a window, limited by memory."""
FEWEST_POSTS = 3
"""Smallest number of posts in each direction; fewer posts are a ramp, not a measurement."""


def open_elevation_model(
    path: str | Path, post_spacing_m: float | None = None, values: StoredValues = AS_STORED
) -> ElevationGrid:
    """Return the grid of a GeoTIFF, a PDS3 label or image, or a NumPy array (rows north to south).

    Args:
        path: Path of the file; the format follows from its extension.
        post_spacing_m: Post spacing [m] for files with a missing or wrong one; required for .npy.
        values: Interpretation of the stored values, given by the user.

    Raises:
        ValueError: If the file is invalid. The message names the file and the problem.
    """
    usable_file(path, 'the path of a GeoTIFF, a PDS3 .LBL or .IMG, or a .npy')
    path = Path(path)
    kind = path.suffix.lower()
    if kind == '.npy':
        grid = _open_npy(path, post_spacing_m, values)
    elif kind in ('.lbl', '.img'):
        grid = open_pds3(path, values)
    else:
        grid = open_geotiff(path, post_spacing_m, values)
    if min(grid.rows, grid.cols) < FEWEST_POSTS:
        fewest = f'{FEWEST_POSTS} x {FEWEST_POSTS}'
        raise ValueError(f'{path}: {grid.cols} x {grid.rows} posts are too few; allowed: at least {fewest}')
    return grid


def read_posts(grid: ElevationGrid, r0: int, r1: int, c0: int, c1: int) -> Floats:
    """Return heights [m] of rows r0 <= r < r1, columns c0 <= c < c1.

    Args:
        grid: Grid of the file.
        r0: First row.
        r1: End row.
        c0: First column.
        c1: End column.

    Raises:
        ValueError: If heights are missing or implausible, or there are too many posts.
    """
    if (r1 - r0) * (c1 - c0) > MOST_POSTS:
        raise ValueError(
            f'{grid.path}: {r1 - r0} x {c1 - c0} posts are too many; allowed: {MOST_POSTS}; '
            'fix: choose a window (terrain.window) or a size (terrain import --size)'
        )
    heights = grid.read(r0, r1, c0, c1)
    missing = ~np.isfinite(heights)
    if missing.any():
        row, col = (int(v) for v in np.argwhere(missing)[0])
        count = int(missing.sum())
        raise ValueError(
            f'{grid.path}: {counted_noun(count, "post")} without a height '
            f'(first at row {row + r0}, column {col + c0}); '
            'allowed: a height for every post; fix: fill them, or choose a window without them (terrain.window)'
        )
    check_heights(grid.path, heights, grid.spacing_m, (r0, c0), stated=grid.values.scale is not None)
    return heights


def _open_npy(path: Path, post_spacing_m: float | None, values: StoredValues) -> ElevationGrid:
    try:
        array = np.load(path, mmap_mode='r', allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f'{path}: not a NumPy array that can be read: {error}') from error
    if array.ndim != 2 or array.dtype.kind not in 'iuf':
        raise ValueError(
            f'{path}: array of shape {array.shape} and type {array.dtype}; allowed: two dimensions of real numbers'
        )
    if post_spacing_m is None:
        raise ValueError(f'{path}: a .npy has no post spacing; allowed: post_spacing_m, the distance of posts')
    s, (rows, cols) = float(post_spacing_m), array.shape

    def read(r0: int, r1: int, c0: int, c1: int) -> Floats:
        return values.heights(array[r0:r1, c0:c1])

    return ElevationGrid(path, None, rows, cols, (0.5 * s, s, 0.0, (rows - 0.5) * s, 0.0, -s), read, values=values)
