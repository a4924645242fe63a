# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Illumination of the site of an elevation model as GeoTIFF layers, a plot and statistics."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.sky import LAYERS, Illumination, Site, compute_illumination, far_model, layer_statistics
from regolith_terrain import MOON_RADIUS_M, StageProgress
from regolith_terrain.elevation import (
    ElevationGrid,
    celestial_body,
    geotiff_profile,
    local_frame,
    new_folder,
    open_elevation_model,
    write_about,
)
from regolith_terrain.horizons import HorizonMap, Posts, make_horizon_map, posts_around

_TITLES = {
    'sunlit_share': 'mean visible fraction of the sun [-]',
    'longest_dark_h': 'longest time without sun [h]',
    'earth_share': 'fraction of the time with the Earth above the horizon [-]',
    'permanent_shadow': 'permanent shadow',
}


@dataclass(frozen=True)
class IlluminationRequest:
    """A site, the terrain around it and a period."""

    model: Path
    """Elevation model of the site."""
    center: tuple[float, float] | None
    """Latitude and longitude [deg], or map coordinates [m]; None: center of the model."""
    size_m: float | None
    """Side length of the site [m]; None: the largest square around the center on the model."""
    farther: Sequence[Path]
    """Coarser models around it, finest first."""
    start: datetime
    """Start of the period, UTC."""
    days: float
    """Duration [days]."""
    step_h: float
    """Time between the times that are computed [h]."""
    height_m: float
    """Height of the viewer above the ground [m]."""
    azimuths: int
    """Number of azimuths of the horizon."""
    every: int
    """Distance between posts with a result, in posts of the model."""


def write_illumination(request: IlluminationRequest, folder: Path, progress: StageProgress) -> dict[str, Any]:
    """Write one GeoTIFF per layer, ``illumination.png`` and ``metadata.json``; return the content of the last.

    Args:
        request: What to compute.
        folder: New or empty folder.
        progress: Progress callback.

    Raises:
        ValueError: If a model does not have the site, or no place on the Moon. Nothing is written.
    """
    grid = open_elevation_model(request.model)
    if celestial_body(grid.crs) != 'moon':
        raise ValueError(
            f'{request.model}: is not on the Moon ({celestial_body(grid.crs) or "no celestial body"}); '
            'allowed: a model with a lunar reference system'
        )
    frame = local_frame(grid, request.center)
    assert frame.latitude_deg is not None and frame.longitude_deg is not None
    place = frame.latitude_deg, frame.longitude_deg
    half = 0.5 * request.size_m if request.size_m is not None else _room(grid, request.center)
    posts = posts_around(grid, frame, half)
    farther: list[Posts] = []
    for path in request.farther:
        farther.append(_around(path, place, farther[-1] if farther else posts))
    with new_folder(folder) as made:
        progress(0.0, 'horizons')
        horizons = make_horizon_map(
            posts,
            request.azimuths,
            MOON_RADIUS_M,
            height_m=request.height_m,
            farther=farther,
            every=request.every,
            threads=os.cpu_count() or 1,
        )
        site = Site(math.radians(place[0]), math.radians(place[1]))
        period = timedelta(days=request.days), timedelta(hours=request.step_h)
        layers = compute_illumination(
            horizons, site, request.start, *period, lambda done: progress(0.3 + 0.6 * done, 'sun and Earth')
        )
        for name, unit in LAYERS:
            _write_layer(horizons, getattr(layers, name), unit, made / f'{name}.tif')
        _plot(horizons, layers, made / 'illumination.png')
        about = {
            'model': request.model.name,
            'farther': [path.name for path in request.farther],
            'latitude_deg': place[0],
            'longitude_deg': place[1],
            'size_m': 2.0 * half,
            'post_spacing_m': horizons.spacing,
            'start': request.start.astimezone(UTC).isoformat(),
            'days': request.days,
            'step_h': request.step_h,
            'height_m': request.height_m,
            'azimuths': request.azimuths,
            **layer_statistics(layers),
        }
        write_about(made / 'metadata.json', about)
    return about


def _room(grid: ElevationGrid, center: tuple[float, float] | None) -> float:
    """Return half of the side length of the largest square around a center on a model, in whole posts [m]."""
    frame = local_frame(grid, center)
    a, b, c, d = frame.jacobian
    low, high = 0.0, grid.spacing_m * max(grid.rows, grid.cols)
    for _ in range(60):
        half = 0.5 * (low + high)
        corners = [(x, y) for x in (-half, half) for y in (-half, half)]
        inside = all(grid.holds(frame.x + a * x + b * y, frame.y + c * x + d * y) for x, y in corners)
        low, high = (half, high) if inside else (low, half)
    return low


def _around(path: Path, place: tuple[float, float], finer: Posts) -> Posts:
    """Return the posts of a model, coarser than others, as far as it reaches around a place."""
    grid, frame, reach = far_model(path, place)
    if grid.spacing_m <= finer.spacing:
        raise ValueError(
            f'{path}: posts {grid.spacing_m:g} m apart are not coarser than those of the model before it; '
            f'allowed: above {finer.spacing:g} m'
        )
    return posts_around(grid, frame, reach, whole=False)


def _write_layer(horizons: HorizonMap, layer: NDArray[Any], unit: str, path: Path) -> None:
    import rasterio  # type: ignore[import-untyped,unused-ignore]

    s = horizons.spacing
    rows = np.ascontiguousarray(layer.T[::-1].astype(np.uint8 if layer.dtype == bool else np.float32))
    north = horizons.y0 + (layer.shape[1] - 0.5) * s
    corner = rasterio.Affine(s, 0.0, horizons.x0 - 0.5 * s, 0.0, -s, north)
    with rasterio.open(path, 'w', **geotiff_profile(rows.shape[0], rows.shape[1], corner, str(rows.dtype))) as file:
        file.write(rows, 1)
        if unit:
            file.set_band_unit(1, unit)


def _plot(horizons: HorizonMap, layers: Illumination, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 9.0), layout='constrained')
    s = horizons.spacing
    for axes, (name, _) in zip(figure.subplots(2, 2).ravel(), LAYERS, strict=True):
        layer = np.asarray(getattr(layers, name), dtype=np.float64)
        n, m = layer.shape
        x, y = horizons.x0 - 0.5 * s, horizons.y0 - 0.5 * s
        limits = {'vmin': 0.0, 'vmax': 1.0} if name == 'permanent_shadow' else {}
        shown = axes.imshow(layer.T, origin='lower', extent=(x, x + n * s, y, y + m * s), cmap='viridis', **limits)
        figure.colorbar(shown, ax=axes, shrink=0.8)
        axes.set(title=_TITLES[name], xlabel='x (east) [m]', ylabel='y (north) [m]')
    figure.savefig(path, dpi=110)
