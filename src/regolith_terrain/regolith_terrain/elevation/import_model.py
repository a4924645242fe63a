# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Import of a part of an elevation model to a file in a local metric frame, optionally with detail.

Nothing is resampled: the posts of the file are those of the model, placed by an affine transform that may include a
rotation (GeoTIFF allows that). With ``upsample_m`` there are whole numbers of new posts between the old ones, which do
not change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from rasterio.windows import Window

from regolith_terrain.elevation.detail import detail_field
from regolith_terrain.elevation.grid import (
    AS_STORED,
    ElevationGrid,
    LocalFrame,
    StoredValues,
    celestial_body,
    local_frame,
    rectangle_window,
)
from regolith_terrain.elevation.open_model import open_elevation_model, read_posts
from regolith_terrain.elevation.raster import RasterField
from regolith_terrain.elevation.terrain_files import (
    BLOCK,
    MOST_POSTS,
    StageProgress,
    geotiff_profile,
    new_folder,
    no_progress,
    write_about,
    write_hillshade,
)
from regolith_terrain.lunar.presets import load_preset

# Number of additional posts on each side for the estimate of roughness.
_AROUND = 32


@dataclass(frozen=True)
class ImportRequest:
    """Part of an elevation model to import, and import options."""

    path: Path
    center: tuple[float, float] | None = None
    """Latitude, longitude [deg] or map x, y [m] of the center; none: the middle."""
    size_m: float | None = None
    """Side length of the square around the center [m]; none: the whole model."""
    post_spacing_m: float | None = None
    """Post spacing [m], for files without one."""
    north: str = 'true'
    """``true``: +y is true north; ``grid``: the map's own axes."""
    upsample_m: float | None = None
    """Spacing of new posts [m], rounded to a whole fraction of the model's post spacing."""
    preset: str = 'highland'
    """Lunar preset of small craters and texture."""
    seed: int = 0
    """Seed of the detail."""
    values: StoredValues = AS_STORED
    """Interpretation of the stored values, given by the user."""


def import_elevation_model(
    request: ImportRequest, folder: Path, progress: StageProgress = no_progress
) -> dict[str, Any]:
    """Write ``heights.tif``, ``hillshade.png`` and ``metadata.json``; return the content of the last.

    Args:
        request: Part to import, and options.
        folder: New or empty folder.
        progress: Progress callback.

    Raises:
        ValueError: If the import is not possible. The message names file and problem, and nothing is written.
    """
    grid = open_elevation_model(request.path, request.post_spacing_m, request.values)
    frame = local_frame(grid, request.center, request.north)
    window = _window(grid, frame, request.size_m)
    raster = RasterField.from_window(grid, (frame.x, frame.y), request.north, window)
    parts = _parts(raster, request.upsample_m)
    field = raster
    if parts > 1:
        preset = load_preset(request.preset)
        spacing = max(raster.spacing, raster.spacing_across)
        finest = max(0.02, 2.0 * spacing / parts)
        r0, r1, c0, c1 = window
        around = (
            max(0, r0 - _AROUND),
            min(grid.rows, r1 + _AROUND),
            max(0, c0 - _AROUND),
            min(grid.cols, c1 + _AROUND),
        )
        detail = detail_field(read_posts(grid, *around), spacing, request.seed, preset, finest_m=finest)
        field = raster.with_detail(detail)
    with new_folder(folder) as made:
        low, high = _write(field, raster, parts, made / 'heights.tif', progress)
        half = 0.5 * request.size_m if request.size_m is not None else None
        box = field.extent if half is None else (-half, half, -half, half)
        finest_m = raster.spacing / parts if parts > 1 else 0.25 * raster.spacing
        write_hillshade(field, box, made / 'hillshade.png', finest_m=finest_m)
        about = _about(request, grid, frame, raster, parts, low, high)
        write_about(made / 'metadata.json', about)
    return about


def _window(grid: ElevationGrid, frame: LocalFrame, size_m: float | None) -> tuple[int, int, int, int]:
    """Return the range of rows and columns of a square around the center.

    Args:
        grid: Grid of the map.
        frame: Local frame of the square.
        size_m: Side length of the square [m]; none: the whole model.

    Raises:
        ValueError: If the square is not completely on the map.
    """
    if size_m is None:
        return 0, grid.rows, 0, grid.cols
    a, b, c, d = frame.jacobian
    half = 0.5 * size_m
    for east, north in ((-half, -half), (-half, half), (half, -half), (half, half)):
        x, y = frame.x + a * east + b * north, frame.y + c * east + d * north
        if not grid.holds(x, y):
            raise ValueError(
                f'{grid.path}: a square of {size_m:g} m around the center reaches map x {x:.1f}, y {y:.1f}, which is '
                f'out of the map; allowed: {grid.bounds_text()}'
            )
    return rectangle_window(grid, frame, (-half, -half, half, half))


def _parts(raster: RasterField, upsample_m: float | None) -> int:
    """Return the number of parts into which the post spacing is divided.

    Args:
        raster: Posts of the model.
        upsample_m: Spacing of new posts [m]; none: no new posts.

    Raises:
        ValueError: If the number of posts is too large.
    """
    if upsample_m is None:
        return 1
    if not 0.01 <= upsample_m <= raster.spacing:
        raise ValueError(f'upsample {upsample_m!r} m; allowed: 0.01 m to {raster.spacing:g} m, the distance of posts')
    parts = max(1, math.ceil(raster.spacing / upsample_m - 1e-6))
    ni, nj = ((n - 1) * parts + 1 for n in raster.posts.shape)
    if ni * nj > MOST_POSTS:
        raise ValueError(f'{ni} x {nj} posts are too many; allowed: {MOST_POSTS:.0e}; fix: choose a smaller size')
    return parts


def _write(
    field: RasterField, raster: RasterField, parts: int, path: Path, progress: StageProgress
) -> tuple[float, float]:
    """Write the posts and those between them; return lowest and highest height."""
    ni, nj = ((n - 1) * parts + 1 for n in raster.posts.shape)
    x, y = raster.post_places()
    # Local steps from column to column, and from row to row (southward).
    east = (float(x[1, 0] - x[0, 0]) / parts, float(y[1, 0] - y[0, 0]) / parts)
    south = (float(x[0, 0] - x[0, 1]) / parts, float(y[0, 0] - y[0, 1]) / parts)
    first = (float(x[0, -1]), float(y[0, -1]))
    corner = [first[k] - 0.5 * (east[k] + south[k]) for k in (0, 1)]
    transform = rasterio.Affine(east[0], south[0], corner[0], east[1], south[1], corner[1])
    low, high = math.inf, -math.inf
    corners = [(row, col) for row in range(0, nj, BLOCK) for col in range(0, ni, BLOCK)]
    # Double precision: float32 has an error of half a millimeter at heights of some kilometers.
    with rasterio.open(path, 'w', **geotiff_profile(nj, ni, transform, 'float64')) as file:
        file.set_band_unit(1, 'm')
        for done, (row, col) in enumerate(corners):
            r, c = np.arange(row, min(row + BLOCK, nj)), np.arange(col, min(col + BLOCK, ni))
            if parts == 1:
                z = raster.posts[c[0] : c[-1] + 1].T[::-1][r]
            else:
                at_x = first[0] + c[None, :] * east[0] + r[:, None] * south[0]
                at_y = first[1] + c[None, :] * east[1] + r[:, None] * south[1]
                z = field.heights(at_x, at_y) + field.datum
            low, high = min(low, float(z.min())), max(high, float(z.max()))
            file.write(np.ascontiguousarray(z), 1, window=Window(col, row, len(c), len(r)))
            progress((done + 1) / len(corners), 'heights')
    return low, high


def _about(
    request: ImportRequest,
    grid: ElevationGrid,
    frame: LocalFrame,
    raster: RasterField,
    parts: int,
    low: float,
    high: float,
) -> dict[str, Any]:
    half = 0.5 * request.size_m if request.size_m is not None else max(map(abs, raster.extent))
    x, y = raster.post_places()
    steps = [float(np.hypot(x[to] - x[0, 0], y[to] - y[0, 0])) for to in ((1, 0), (0, 1))]
    return {
        'source': request.path.name,
        'reference_system': grid.crs.to_wkt() if grid.crs is not None else None,
        'moon': celestial_body(grid.crs) == 'moon',
        'body': celestial_body(grid.crs),
        'latitude_deg': frame.latitude_deg,
        'longitude_deg': frame.longitude_deg,
        'map_x': frame.x,
        'map_y': frame.y,
        'north': request.north,
        'grid_north_deg': frame.grid_north_deg,
        'misfit_m': frame.misfit_m(grid, half),
        'size_m': request.size_m,
        'post_spacing_m': [step / parts for step in steps],
        'posts_between': parts - 1,
        'seed': request.seed if parts > 1 else None,
        'preset': request.preset if parts > 1 else None,
        'datum': 'heights as in the source, above its datum',
        'height_at_center_m': raster.datum,
        'lowest_m': low,
        'highest_m': high,
    }
