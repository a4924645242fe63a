# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Shadows of terrain beyond the range of rays: the horizon of elevation models around a site, seen from its posts.

Rays meet the terrain within ``view_range_m`` of a camera. The models count outside the square of this half side around
the world's origin. A run must stay near the origin, compared with this range.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regolith_files import KeyPath, YamlSource, value_at
from regolith_sensors.config.lighting import HorizonConfig, LightConfig
from regolith_sensors.light import FarShadow, Sun
from regolith_sensors.sky.illumination import Site, visible_parts
from regolith_terrain import MOON_RADIUS_M, HeightField
from regolith_terrain.elevation import (
    ElevationGrid,
    LocalFrame,
    celestial_body,
    local_frame,
    open_elevation_model,
)
from regolith_terrain.horizons import NO_GROUND_M, Posts, farthest_m, make_horizon_map, posts_around

Floats = NDArray[np.float64]

MOST_POSTS = 201
"""Largest number of posts with a horizon along a side."""
ALTITUDE_NOTED_M, ALTITUDE_REFUSED_M = 200.0, 2000.0
"""Distance of z = 0 of the world from the ground of the finest model from which ``check`` warns or refuses [m]."""
FARTHEST_M = 300_000.0
"""Largest distance to which models are read [m]."""


class FarTerrain:
    """Horizon of the terrain beyond the range of rays around a site."""

    def __init__(self, config: HorizonConfig, field: HeightField, half_m: float, view_range_m: float) -> None:
        """Read the models and compute the horizon.

        Args:
            config: Section ``light.horizon``, resolved.
            field: Height field of the scenario.
            half_m: Half of the side of the area that sensors see [m].
            view_range_m: Range of rays [m].

        Raises:
            ValueError: If a model is not on the Moon, does not reach beyond the range, or the place is unknown.
        """
        if None in (config.latitude_deg, config.longitude_deg, config.altitude_m):
            raise ValueError('light.horizon: the place is unknown; allowed: a resolved scenario')
        latitude, longitude = float(config.latitude_deg or 0.0), float(config.longitude_deg or 0.0)
        self._north = math.radians(config.north_deg or 0.0)
        self._site = Site(math.radians(latitude), math.radians(longitude))
        spacing = max(config.spacing_m, 2.0 * half_m / (MOST_POSTS - 1))
        count = 2 * max(1, math.ceil(half_m / spacing)) + 1
        axis = (np.arange(count) - count // 2) * spacing
        posts = Posts(np.array(field.heights(axis[:, None], axis[None, :])), axis[0], axis[0], spacing)
        hole = Posts(np.zeros((2, 2)), -view_range_m, -view_range_m, 2.0 * view_range_m)
        farther = [
            self._model(Path(path), (latitude, longitude), float(config.altitude_m or 0.0), view_range_m)
            for path in config.models
        ]
        self.horizons = make_horizon_map(
            posts, config.azimuths, MOON_RADIUS_M, farther=farther, hole=hole, threads=os.cpu_count() or 1
        )
        """Horizons in the axes of the world: azimuths are clockwise from +y."""
        self._last: tuple[Sun, FarShadow] | None = None

    def _model(self, path: Path, place: tuple[float, float], altitude: float, view_range_m: float) -> Posts:
        """Return the posts of a model in the axes of the world, with heights above the world's z = 0."""
        grid, frame, reach = far_model(path, place, view_range_m)
        posts = posts_around(grid, _turned(frame, self._north), reach, whole=False)
        heights = np.where(posts.heights > NO_GROUND_M, posts.heights - altitude, NO_GROUND_M)
        return Posts(heights, posts.x0, posts.y0, posts.spacing)

    def shadow(self, sun: Sun) -> FarShadow:
        """Return the visible part of a sun at the posts; the same object for the same sun."""
        if self._last is None or self._last[0] != sun:
            parts = visible_parts(self.horizons, self._site, sun.azimuth, sun.elevation, sun.angular_radius)
            self._last = sun, FarShadow(parts, self.horizons.x0, self.horizons.y0, self.horizons.spacing)
        return self._last[1]


def far_model(
    path: Path, place: tuple[float, float], view_range_m: float = 0.0
) -> tuple[ElevationGrid, LocalFrame, float]:
    """Return a model, the local frame at a place (latitude, longitude) [deg], and the distance to which it is read [m].

    Raises:
        ValueError: If it cannot be read, is not on the Moon, lacks the place or ends within the range of rays.
    """
    grid = open_elevation_model(path)
    if celestial_body(grid.crs) != 'moon':
        raise ValueError(f'{path}: is not on the Moon; allowed: a model with a lunar reference system')
    frame = local_frame(grid, place)
    corners = (grid.map_xy(row, col) for row in (0, grid.rows - 1) for col in (0, grid.cols - 1))
    reach = min(FARTHEST_M, max(math.hypot(x - frame.x, y - frame.y) for x, y in corners), farthest_m(grid))
    if reach <= view_range_m:
        raise ValueError(
            f'{path}: reaches {reach:.0f} m from the origin, within light.view_range_m = {view_range_m:g} m; '
            'allowed: a wider model'
        )
    return grid, frame, reach


def check_horizon(light: LightConfig, source: YamlSource) -> None:
    """Check the models of ``light.horizon`` of a resolved scenario; of heights only those at the site are read.

    Raises:
        InputError: If a model cannot serve, or the site is far above or below its ground.
    """
    config = light.horizon
    if config is None:
        return
    place = float(config.latitude_deg or 0.0), float(config.longitude_deg or 0.0)
    spacings = [0.0]
    for number, path in enumerate(config.models):
        key = ('light', 'horizon', 'models', number)
        try:
            grid, frame, _ = far_model(Path(path), place, light.view_range_m)
        except ValueError as error:
            problem, _, allowed = str(error).removeprefix(f'{path}: ').partition('; allowed: ')
            raise source.error(key, problem, allowed or 'a model around the site', path) from error
        if grid.spacing_m <= spacings[-1]:
            problem = f'has posts {grid.spacing_m:g} m apart, as the model before it or closer'
            raise source.error(key, problem, f'above {spacings[-1]:g} m: finest first', path)
        if number == 0:
            _check_altitude(grid, frame, float(config.altitude_m or 0.0), source)
        spacings.append(grid.spacing_m)


def _check_altitude(grid: ElevationGrid, frame: LocalFrame, altitude: float, source: YamlSource) -> None:
    """Refuse z = 0 of the world far above or below the ground of a model around the site; warn if it is not on it."""
    heights = posts_around(grid, frame, 2.0 * grid.spacing_m, whole=False).heights
    ground = heights[heights > NO_GROUND_M]
    if not len(ground):
        return
    low, high = float(ground.min()), float(ground.max())
    off = max(altitude - high, low - altitude)
    if off <= ALTITUDE_NOTED_M:
        return
    key: KeyPath = ('light', 'horizon', 'altitude_m')
    if value_at(source.data, key) is None:
        key = key[:-1] if value_at(source.data, ('terrain', 'site')) is None else ('terrain', 'site', 'altitude_m')
    problem = (
        f'z = 0 is {off:.0f} m {"above" if altitude > high else "below"} the ground of {grid.path.name} at the site'
    )
    allowed = f'heights of its ground there, {low:.0f} to {high:.0f} m'
    if off > ALTITUDE_REFUSED_M:
        raise source.error(key, problem, f'{allowed}, within {ALTITUDE_REFUSED_M:g} m', altitude)
    source.warn(key, problem, allowed, altitude)


def _turned(frame: LocalFrame, north: float) -> LocalFrame:
    """Return a frame whose y axis has a bearing from that of another frame [rad]."""
    a, b, c, d = frame.jacobian
    cos, sin = math.cos(north), math.sin(north)
    # East = x cos + y sin, north = -x sin + y cos.
    jacobian = (a * cos - b * sin, a * sin + b * cos, c * cos - d * sin, c * sin + d * cos)
    return LocalFrame(frame.x, frame.y, jacobian, frame.latitude_deg, frame.longitude_deg, frame.grid_north_deg)
