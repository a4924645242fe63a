#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the far terrain of scenario polar_day: a made-up massif east of a site near the south pole, posts 90 m apart.

The site is that of the scenario. Plain and massif are invented: the shape is chosen so that the sun passes behind it.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import rasterio
from rasterio.transform import from_origin

LATITUDE_DEG, LONGITUDE_DEG = -89.45, 222.7
RADIUS_M = 1_737_400.0
HALF_M, SPACING_M = 10_000.0, 90.0
AZIMUTHS_DEG = 78.6, 81.3
"""Azimuths of the massif's edges, seen from the site."""
DISTANCE_M, WIDTH_M, HEIGHT_M = 8500.0, 900.0, 420.0
EDGE_DEG = 0.35
"""Azimuth over which the massif rises [deg]."""
CRS = f'+proj=stere +lat_0=-90 +lon_0=0 +R={RADIUS_M:.0f} +units=m +no_defs'


def main(path: Path) -> None:
    """Write the GeoTIFF."""
    longitude = math.radians(LONGITUDE_DEG)
    from_pole = 2.0 * RADIUS_M * math.tan(0.5 * math.radians(90.0 + LATITUDE_DEG))
    count = round(2.0 * HALF_M / SPACING_M) + 1
    axis = (np.arange(count) - count // 2) * SPACING_M
    dx, dy = axis[None, :], -axis[:, None]
    east = dx * math.cos(longitude) - dy * math.sin(longitude)
    north = dx * math.sin(longitude) + dy * math.cos(longitude)
    azimuth, distance = np.degrees(np.arctan2(east, north)), np.hypot(east, north)
    low, high = ((azimuth - edge) / EDGE_DEG for edge in AZIMUTHS_DEG)
    across = 0.5 * (np.tanh(low) - np.tanh(high))
    heights = HEIGHT_M * across * np.exp(-(((distance - DISTANCE_M) / WIDTH_M) ** 2))
    middle = from_pole * math.sin(longitude), from_pole * math.cos(longitude)
    half = 0.5 * SPACING_M * count
    shape = {'height': count, 'width': count, 'count': 1, 'dtype': 'int16'}
    place = {
        'transform': from_origin(middle[0] - half, middle[1] + half, SPACING_M, SPACING_M),
        'crs': rasterio.crs.CRS.from_string(CRS),
    }
    with rasterio.open(path, 'w', driver='GTiff', compress='deflate', predictor=2, **shape, **place) as file:
        file.write(np.rint(heights).astype(np.int16), 1)
    print(f'{path}: {count} x {count} posts, up to {heights.max():.0f} m')


if __name__ == '__main__':
    here = Path(__file__).resolve().parent.parent
    scenarios = here / 'src/regolith_bringup/config/scenarios'
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else scenarios / 'polar_day_horizon.tif')
