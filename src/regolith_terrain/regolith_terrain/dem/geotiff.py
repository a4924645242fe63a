# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Elevation models in GeoTIFF or any other format that GDAL reads."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import rasterio
from rasterio.errors import NotGeoreferencedWarning, RasterioError
from rasterio.io import DatasetReader
from rasterio.windows import Window

from regolith_terrain.dem.grid import LOCAL_GRID, DemGrid, Floats, is_lunar

_UNITS = {'': 1.0, 'm': 1.0, 'metre': 1.0, 'meter': 1.0, 'metres': 1.0, 'meters': 1.0}
Placement = tuple[float, float, float, float, float, float]


def open_geotiff(path: Path, post_spacing_m: float | None = None) -> DemGrid:
    """Return the first band's grid; heights are read when asked for.

    :param path: of the file
    :param post_spacing_m: overrides what the file says of places; its coordinates then count from its lower left corner
    :raises ValueError: naming the file and what is wrong with it
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', NotGeoreferencedWarning)
            with rasterio.open(path) as data:
                _check_values(path, data)
                place, local = _placement(path, data, post_spacing_m)
                crs = None if post_spacing_m is not None or local else data.crs
                shape = (data.height, data.width)
    except RasterioError as error:
        raise ValueError(f'{path}: not a raster that can be read: {error}') from error

    def read(r0: int, r1: int, c0: int, c1: int) -> Floats:
        return _read(path, r0, r1, c0, c1)

    return DemGrid(path, crs, *shape, place, read, local)


def _placement(path: Path, data: DatasetReader, post_spacing_m: float | None) -> tuple[Placement, bool]:
    """Return the places of the posts (cell centres) and whether they are in a local frame."""
    if post_spacing_m is not None:
        s = float(post_spacing_m)
        return (0.5 * s, s, 0.0, (data.height - 0.5) * s, 0.0, -s), False
    t, crs = data.transform, data.crs
    if t.is_identity and crs is None:
        raise ValueError(f'{path}: the file states no post spacing; give post_spacing_m')
    local = crs is not None and crs == rasterio.crs.CRS.from_wkt(LOCAL_GRID)
    if not local:
        if crs is not None and crs.is_geographic and not is_lunar(crs):
            raise ValueError(
                f'{path}: coordinates are in degrees ({crs.to_string()}), and not on the Moon; allowed: the Moon, or a '
                'projection in metres (reproject it, e.g. with gdalwarp), or give post_spacing_m'
            )
        if crs is not None and crs.is_projected and abs(crs.linear_units_factor[1] - 1.0) > 1e-12:
            raise ValueError(f'{path}: coordinates are in {crs.linear_units_factor[0]}; allowed: metres')
        if t.b != 0.0 or t.d != 0.0 or t.a <= 0.0 or t.e >= 0.0:
            raise ValueError(
                f'{path}: rows must run north to south and columns west to east; geotransform {tuple(t)!r}'
            )
        if not math.isclose(t.a, -t.e, rel_tol=1e-6):
            raise ValueError(f'{path}: cells of {t.a} x {-t.e} m are not square; resample it')
    x0, y0 = t.c + 0.5 * (t.a + t.b), t.f + 0.5 * (t.d + t.e)
    return (float(x0), float(t.a), float(t.b), float(y0), float(t.d), float(t.e)), local


def _check_values(path: Path, data: DatasetReader) -> None:
    if data.count != 1:
        raise ValueError(f'{path}: {data.count} bands; allowed: one, of heights')
    if np.dtype(data.dtypes[0]).kind not in 'iuf':
        raise ValueError(f'{path}: values of type {data.dtypes[0]}; allowed: real numbers')
    unit = (data.units[0] or '').strip()
    if unit.lower() not in _UNITS:
        raise ValueError(f'{path}: heights are in {unit!r}; allowed: metres (convert them, e.g. with gdal_calc)')


def _read(path: Path, r0: int, r1: int, c0: int, c1: int) -> Floats:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', NotGeoreferencedWarning)
            with rasterio.open(path) as data:
                raw = data.read(1, masked=True, window=Window(c0, r0, c1 - c0, r1 - r0))
                scale, offset = data.scales[0], data.offsets[0]
    except RasterioError as error:
        raise ValueError(f'{path}: its heights cannot be read ({error}); was it cut short?') from error
    heights: Floats = np.asarray(raw.data, dtype=np.float64) * scale + offset
    heights[np.ma.getmaskarray(raw) | ~np.isfinite(heights)] = np.nan
    return heights
