# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""An elevation model as a regular grid on a map, and the local frame laid around a place of it.

*Local frame*: x true east, y true north at the centre, z up from the ground at the centre; metres on the ground. Map
metres are not that: polar grids run along their own axes (at 59 E near the south pole grid north points 59 degrees off)
and every projection stretches. The frame is the map's linearisation at the centre, local -> map = J (x, y), so that
posts stay posts and nothing is resampled. What that leaves out grows with the square of the distance and is reported
(:meth:`Frame.misfit_m`): 4 mm at 500 m and 0.4 m at 5 km from a centre at 84 S on a polar map. The curvature of the
body, d^2 / 2R = 0.07 m at 500 m and 7 m at 5 km, is not in the heights either.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.warp import transform as warp

from regolith_world.arithmetic import solved_two, times

Floats = NDArray[np.float64]

MOON_RADIUS_M = 1737400.0
# Best-fitting spheres of lunar products differ by a kilometre or two (1736.0 polar, 1738.1 equatorial).
_RADIUS_SLACK_M = 2500.0
LOCAL_GRID = 'LOCAL_CS["local metric grid",UNIT["metre",1],AXIS["x",EAST],AXIS["y",NORTH]]'


@dataclass(frozen=True)
class DemGrid:
    """Posts of a file on its map; rows run from north to south, columns from west to east."""

    path: Path
    crs: CRS | None
    rows: int
    cols: int
    to_map: tuple[float, float, float, float, float, float]
    """(x0, x_col, x_row, y0, y_col, y_row): the map position of post (row, col) is x0 + col x_col + row x_row, …"""
    read: Callable[[int, int, int, int], Floats]
    """Heights [m] of rows r0 <= r < r1, columns c0 <= c < c1; NaN where the file knows none."""
    is_local: bool = False
    """Whether the map already is a local metric frame."""

    def map_xy(self, row: float, col: float) -> tuple[float, float]:
        """Return the map x, y [m] of a post, or of a place between posts."""
        x0, x_col, x_row, y0, y_col, y_row = self.to_map
        return x0 + col * x_col + row * x_row, y0 + col * y_col + row * y_row

    def row_col(self, x: float, y: float) -> tuple[float, float]:
        """Return where a map position lies among the posts."""
        x0, x_col, x_row, y0, y_col, y_row = self.to_map
        col, row = solved_two([[x_col, x_row], [y_col, y_row]], [x - x0, y - y0])
        return float(row), float(col)

    def holds(self, x: float, y: float) -> bool:
        """Return whether a map position lies among the posts."""
        row, col = self.row_col(x, y)
        return -1e-9 <= row <= self.rows - 1 + 1e-9 and -1e-9 <= col <= self.cols - 1 + 1e-9

    def bounds_text(self) -> str:
        """Return the map coordinates the posts span, for messages."""
        corners = [self.map_xy(r, c) for r in (0, self.rows - 1) for c in (0, self.cols - 1)]
        xs, ys = [c[0] for c in corners], [c[1] for c in corners]
        return f'x {min(xs):.10g}..{max(xs):.10g}, y {min(ys):.10g}..{max(ys):.10g}'


@dataclass(frozen=True)
class Frame:
    """A local frame on a map."""

    x: float
    """Map x of the origin [m]."""
    y: float
    """Map y of the origin [m]."""
    jacobian: tuple[float, float, float, float]
    """d(map x, map y) / d(local x, local y), row by row."""
    latitude_deg: float | None
    """Latitude of the origin; none where the map is not on a body."""
    longitude_deg: float | None
    """Longitude of the origin, likewise."""
    grid_north_deg: float
    """Bearing of the map's y axis in the local frame, clockwise from +y."""

    def misfit_m(self, grid: DemGrid, half_m: float) -> float:
        """Return the largest error of positions ``half_m`` from the origin [m]."""
        if self.latitude_deg is None or self.longitude_deg is None or grid.crs is None:
            return 0.0
        worst = 0.0
        radius = body_radius(grid.crs) or MOON_RADIUS_M
        for bearing in np.deg2rad(np.arange(0.0, 360.0, 45.0)):
            east, north = half_m * math.sin(bearing), half_m * math.cos(bearing)
            lat, lon = _destination(self.latitude_deg, self.longitude_deg, bearing, half_m / radius)
            true = _to_map(grid.crs, [lon], [lat])[:, 0]
            a, b, c, d = self.jacobian
            mine = np.array([self.x + a * east + b * north, self.y + c * east + d * north])
            worst = max(worst, float(np.hypot(*solved_two([[a, b], [c, d]], true - mine))))
        return worst


def body_radius(crs: CRS) -> float | None:
    """Return the semi-major axis [m] of a reference system; none if it has no body."""
    found = re.search(r'(?:SPHEROID|ELLIPSOID)\["[^"]*",\s*([0-9.eE+]+)', crs.to_wkt())
    return float(found.group(1)) if found else None


def is_lunar(crs: CRS | None) -> bool:
    """Return whether a reference system is on a body as large as the Moon."""
    radius = body_radius(crs) if crs is not None else None
    return radius is not None and abs(radius - MOON_RADIUS_M) <= _RADIUS_SLACK_M


def require_moon(grid: DemGrid) -> None:
    """Refuse other bodies.

    :raises ValueError: naming body radius and what is allowed
    """
    if grid.crs is None or grid.is_local or is_lunar(grid.crs):
        return
    radius = body_radius(grid.crs)
    if radius is None:
        raise ValueError(f'{grid.path}: its reference system names no body; allowed: the Moon (a sphere of 1737.4 km)')
    whose = 'the Earth' if 6.2e6 < radius < 6.5e6 else 'another body'
    raise ValueError(
        f'{grid.path}: its reference system is that of {whose} (radius {radius / 1000.0:.1f} km); allowed: the Moon '
        '(1737.4 km)'
    )


def locate(grid: DemGrid, center: tuple[float, float] | None) -> tuple[float, float]:
    """Return the map position of a centre given as (latitude, longitude) [deg] or as map coordinates.

    Two numbers that can be a latitude and a longitude and, so read, lie on the map, are that; else they are map x, y.

    :param center: none: the origin of a local frame if it has posts there, else the middle of the posts
    :raises ValueError: if neither reading lies on the map
    """
    if center is None:
        if grid.is_local and grid.holds(0.0, 0.0):
            return 0.0, 0.0
        return grid.map_xy((grid.rows - 1) / 2.0, (grid.cols - 1) / 2.0)
    first, second = center
    tried = []
    if is_lunar(grid.crs) and abs(first) <= 90.0 and abs(second) <= 360.0 and grid.crs is not None:
        for turn in (0.0, -360.0, 360.0):
            x, y = _to_map(grid.crs, [second + turn], [first])[:, 0].tolist()
            if grid.holds(x, y):
                return x, y
        tried.append(f'as latitude, longitude it is map x {x:.1f}, y {y:.1f}')
    if grid.holds(first, second):
        return first, second
    tried.append('allowed: ' + grid.bounds_text())
    raise ValueError(f'{grid.path}: center {first:g}, {second:g} lies outside; {"; ".join(tried)}')


def lay_frame(grid: DemGrid, center: tuple[float, float] | None = None, north: str = 'true') -> Frame:
    """Return the local frame around a centre.

    :param grid: whose map it is
    :param center: see :func:`locate`
    :param north: ``true``: x east, y north; ``grid``: axes along the map's, metres on the ground all the same
    :raises ValueError: if the centre is off the map
    """
    x, y = locate(grid, center)
    if grid.crs is None or not is_lunar(grid.crs):
        return Frame(x, y, (1.0, 0.0, 0.0, 1.0), None, None, 0.0)
    radius = body_radius(grid.crs) or MOON_RADIUS_M
    (lon,), (lat,) = warp(grid.crs, _geographic(radius), [x], [y])
    # At a pole itself every direction is north or south: there the map's own axes have to do, as seen from beside it.
    beside = math.copysign(min(abs(lat), 89.9999), lat)
    meridian = lon if abs(lat) < 89.9999 else _central_meridian(grid.crs)
    step = 1e-4
    east = _to_map(grid.crs, [meridian - step, meridian + step], [beside, beside])
    up = _to_map(grid.crs, [meridian, meridian], [beside - step, beside + step])
    metres = 2.0 * math.radians(step) * radius
    j = np.stack(
        [(east[:, 1] - east[:, 0]) / (metres * math.cos(math.radians(beside))), (up[:, 1] - up[:, 0]) / metres]
    )
    j = j.T
    toward = solved_two(j, [0.0, 1.0])
    bearing = math.degrees(math.atan2(toward[0], toward[1]))
    if north == 'grid':
        turn = math.radians(bearing)
        # Local axes turned onto the map's: J R, which is a mere scale where the map is conformal.
        j = times(j, [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        bearing = 0.0
    a, b, c, d = (float(v) for v in j.ravel())
    return Frame(x, y, (a, b, c, d), float(lat), float(lon), bearing)


def _geographic(radius: float) -> CRS:
    return CRS.from_proj4(f'+proj=longlat +R={radius} +no_defs')


def _to_map(crs: CRS, lon: list[float], lat: list[float]) -> Floats:
    """Return map coordinates of places [deg], shape (2, n)."""
    xs, ys = warp(_geographic(body_radius(crs) or MOON_RADIUS_M), crs, lon, lat)
    return np.array([xs, ys], dtype=np.float64)


def _central_meridian(crs: CRS) -> float:
    return float(crs.to_dict().get('lon_0', 0.0))


def _destination(lat_deg: float, lon_deg: float, bearing: float, arc: float) -> tuple[float, float]:
    """Return latitude and longitude [deg] at the end of an arc [rad] that leaves a place at a bearing [rad].

    Source: snyder1987, eqs. 5-5 and 5-6.
    Checked by: test_dem_import.py::test_misfit_is_what_a_frame_leaves_out.
    """
    lat, lon = math.radians(lat_deg), math.radians(lon_deg)
    end = math.asin(math.sin(lat) * math.cos(arc) + math.cos(lat) * math.sin(arc) * math.cos(bearing))
    over = math.atan2(math.sin(bearing) * math.sin(arc) * math.cos(lat), math.cos(arc) - math.sin(lat) * math.sin(end))
    return math.degrees(end), math.degrees(lon + over)
