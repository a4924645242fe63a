# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Terrain of a scenario as GeoTIFF and as statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.scenario.schema import Scenario
from regolith_files import InputError, Problem
from regolith_terrain import build_height_field, hillshade_image

_MOST_POSTS = 16_000_000


def sampled_heights(
    scenario: Scenario, post_m: float, size_m: float | None = None, center: tuple[float, float] = (0.0, 0.0)
) -> NDArray[np.float64]:
    """Return the heights over a square [m], shape (n, n) by (x, y).

    Args:
        scenario: Resolved scenario.
        post_m: Post spacing [m]. The first post is at center - size/2.
        size_m: Side length of the square [m]; None: ``terrain.map_size_m``.
        center: Center of the square [m].

    Raises:
        InputError: If there would be too many posts.
    """
    size = size_m if size_m is not None else scenario.terrain.map_size_m
    count = round(size / post_m) + 1
    if count * count > _MOST_POSTS:
        problem = f'{count} x {count} posts over {size:g} m are too many'
        raise InputError(Problem('--spacing', '', problem, 'a larger spacing, or a smaller square'))
    axis = (np.arange(count) - (count - 1) / 2.0) * post_m
    field = build_height_field(scenario.terrain, scenario.seed)
    return np.asarray(field.heights(center[0] + axis[:, None], center[1] + axis[None, :]), dtype=np.float64)


def ground_figures(scenario: Scenario, post_m: float | None = None) -> dict[str, Any]:
    """Return height range and slopes of the terrain of a scenario.

    Args:
        scenario: Resolved scenario.
        post_m: Post spacing [m], None for about 500 posts per side.
    """
    post = post_m or scenario.terrain.map_size_m / 500.0
    z = sampled_heights(scenario, post)
    slope = np.degrees(np.arctan(np.hypot(*np.gradient(z, post))))
    field = build_height_field(scenario.terrain, scenario.seed)
    return {
        'source': scenario.terrain.source,
        'size_m': scenario.terrain.map_size_m,
        'post_m': post,
        'lowest_m': float(z.min()),
        'highest_m': float(z.max()),
        'rms_height_m': float(z.std()),
        'median_slope_deg': float(np.median(slope)),
        'slope_99_percent_deg': float(np.percentile(slope, 99.0)),
        'soil': scenario.terrain.soil.model_dump(),
        'fingerprint': field.fingerprint(),
    }


def write_ground(
    scenario: Scenario,
    folder: Path,
    post_m: float,
    size_m: float | None = None,
    center: tuple[float, float] = (0.0, 0.0),
) -> dict[str, Any]:
    """Write ``<name>.tif`` (float32 heights in m, local metric grid) and ``<name>_hillshade.png``.

    Args:
        scenario: Resolved scenario.
        folder: Output folder, created if it does not exist.
        post_m: Post spacing [m].
        size_m: Side length of the square [m]; None: ``terrain.map_size_m``.
        center: Center of the square [m].

    Returns:
        Names of both files, ``post_m``, ``size_m`` and ``center``.
    """
    import rasterio  # type: ignore[import-untyped,unused-ignore]
    from matplotlib.image import imsave
    from rasterio.transform import from_origin  # type: ignore[import-untyped,unused-ignore]

    z = sampled_heights(scenario, post_m, size_m, center)
    folder.mkdir(parents=True, exist_ok=True)
    raster, hillshade = folder / f'{scenario.name}.tif', folder / f'{scenario.name}_hillshade.png'
    half = (z.shape[0] - 1) / 2.0 * post_m + post_m / 2.0
    # Image rows run from north to south, columns from west to east.
    rows = np.ascontiguousarray(z.T[::-1].astype(np.float32))
    shape = {'height': rows.shape[0], 'width': rows.shape[1], 'count': 1, 'dtype': 'float32'}
    place = {
        'transform': from_origin(center[0] - half, center[1] + half, post_m, post_m),
        'crs': rasterio.crs.CRS.from_wkt(_LOCAL_GRID),
    }
    with rasterio.open(raster, 'w', driver='GTiff', compress='deflate', **shape, **place) as file:
        file.write(rows, 1)
    imsave(hillshade, hillshade_image(z, post_m, 315.0, 25.0).T[::-1], cmap='gray', vmin=0.0, vmax=1.0)
    size = (z.shape[0] - 1) * post_m
    return {
        'heights': raster.name,
        'hillshade': hillshade.name,
        'post_m': post_m,
        'size_m': size,
        'center': list(center),
    }


_LOCAL_GRID = 'LOCAL_CS["local metric grid",UNIT["metre",1],AXIS["x",EAST],AXIS["y",NORTH]]'  # term: unit name in WKT
