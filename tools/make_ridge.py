#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the elevation model of scenario comms_ridge: a wrinkle ridge on a mare, post spacing 1 m.

Wrinkle ridges are asymmetric swells on lunar maria, with one side steeper than the other (Strom 1972). This one
is 7 m high and slightly curved, with the craters and the relief of the mare preset.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import rasterio
from rasterio.transform import from_origin

from regolith_terrain.lunar.field import LunarField
from regolith_terrain.lunar.presets import load_preset

SEED = 57
HEIGHT_M = 7.0
WEST, EAST = 0.08, 0.165
"""Slopes of the gentle and the steep side [-]."""
CREST_M, FOOT_M = 4.0, 0.6
"""Length over which the crest is rounded [m], and height above the plain at which the foot begins [m]."""
HALF_X, HALF_Y = 110, 80
LOCAL_GRID = 'LOCAL_CS["local metric grid",UNIT["metre",1],AXIS["x",EAST],AXIS["y",NORTH]]'  # term: name in WKT


def heights() -> np.ndarray:
    """Return z [m] at integer x and y [m], shape (nx, ny)."""
    x = np.arange(-HALF_X, HALF_X + 1.0)[:, None]
    y = np.arange(-HALF_Y, HALF_Y + 1.0)[None, :]
    across = x - 5.0 * np.sin(2.0 * np.pi * y / 150.0)
    fall = np.where(across < 0.0, WEST, EAST) * (np.hypot(across, CREST_M) - CREST_M)
    crest = HEIGHT_M * (1.0 + 0.12 * np.sin(2.0 * np.pi * y / 90.0 + 1.0))
    ridge = FOOT_M * np.logaddexp(0.0, (crest - fall) / FOOT_M)
    mare = LunarField(SEED, load_preset('mare'))
    return ridge + mare.coarse_nodes(-HALF_X, HALF_X + 1, -HALF_Y, HALF_Y + 1, 1.0)


def main(path: Path) -> None:
    """Write the GeoTIFF."""
    z = heights()
    rows = np.ascontiguousarray(z.T[::-1].astype(np.float32))
    shape = {'height': rows.shape[0], 'width': rows.shape[1], 'count': 1, 'dtype': 'float32'}
    place = {
        'transform': from_origin(-HALF_X - 0.5, HALF_Y + 0.5, 1.0, 1.0),
        'crs': rasterio.crs.CRS.from_wkt(LOCAL_GRID),
    }
    with rasterio.open(path, 'w', driver='GTiff', compress='deflate', predictor=3, **shape, **place) as file:
        file.write(rows, 1)
    steepness = np.degrees(np.arctan(np.hypot(*np.gradient(z))))
    print(
        f'{path}: {z.min():.1f} to {z.max():.1f} m, slopes: median {np.median(steepness):.1f}, '
        f'99 % {np.percentile(steepness, 99.0):.1f} degrees'
    )


if __name__ == '__main__':
    here = Path(__file__).resolve().parent.parent
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else here / 'src/regolith_bringup/config/scenarios/comms_ridge.tif')
