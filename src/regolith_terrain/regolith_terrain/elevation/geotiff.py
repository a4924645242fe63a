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

from regolith_terrain.elevation.grid import AS_STORED, LOCAL_GRID, ElevationGrid, Floats, StoredValues, is_lunar

_UNITS = {'': 1.0, 'm': 1.0, 'metre': 1.0, 'meter': 1.0, 'metres': 1.0, 'meters': 1.0}
Placement = tuple[float, float, float, float, float, float]


_IMAGES = ('PNG', 'JPEG', 'BMP', 'GIF', 'WEBP', 'PNM', 'JP2OpenJPEG')
"""GDAL drivers of image formats, whose values are gray levels unless the user states otherwise."""


def open_geotiff(path: Path, post_spacing_m: float | None = None, values: StoredValues = AS_STORED) -> ElevationGrid:
    """Return the grid of the first band; heights are read on request.

    Args:
        path: Path of the file.
        post_spacing_m: Post spacing that replaces the georeference of the file; coordinates then begin at its lower
            left corner.
        values: Interpretation of the stored values, given by the user.

    Raises:
        ValueError: If the file is invalid. The message names the file and the problem.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', NotGeoreferencedWarning)
            with rasterio.open(path) as data:
                _check_values(path, data, values)
                place, local = _placement(path, data, post_spacing_m)
                crs = None if post_spacing_m is not None or local else data.crs
                shape = (data.height, data.width)
    except RasterioError as error:
        reason = str(error).replace(f"'{path}' ", '').replace(f'{path}: ', '')
        raise ValueError(f'{path}: not a raster that can be read: {reason}') from error

    def read(r0: int, r1: int, c0: int, c1: int) -> Floats:
        return _read(path, values, r0, r1, c0, c1)

    return ElevationGrid(path, crs, *shape, place, read, local, values)


def _placement(path: Path, data: DatasetReader, post_spacing_m: float | None) -> tuple[Placement, bool]:
    """Return the placement of the posts (cell centers) and whether they are in a local frame."""
    if post_spacing_m is not None:
        if data.crs is not None and data.crs.is_geographic:
            _check_square_degrees(path, data)
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
                'projection in meters (reproject it, e.g. with gdalwarp)'
            )
        if crs is not None and crs.is_projected and abs(crs.linear_units_factor[1] - 1.0) > 1e-12:
            raise ValueError(f'{path}: coordinates are in {crs.linear_units_factor[0]}; allowed: meters')
        if t.b != 0.0 or t.d != 0.0 or t.a <= 0.0 or t.e >= 0.0:
            raise ValueError(
                f'{path}: rows must run north to south and columns west to east; geotransform {tuple(t)!r}'
            )
        if not math.isclose(t.a, -t.e, rel_tol=1e-6):
            raise ValueError(f'{path}: cells of {t.a} x {-t.e} m are not square; resample it')
        if crs is None and _looks_like_degrees(data):
            raise ValueError(
                f'{path}: cells of {t.a:.6g} x {-t.e:.6g} without a reference system look like degrees, not meters; '
                'allowed: a projection in meters (state the system and reproject it, e.g. with gdalwarp), or with '
                'post_spacing_m, the distance of posts'
            )
    x0, y0 = t.c + 0.5 * (t.a + t.b), t.f + 0.5 * (t.d + t.e)
    return (float(x0), float(t.a), float(t.b), float(y0), float(t.d), float(t.e)), local


def _looks_like_degrees(data: DatasetReader) -> bool:
    """Return whether coordinates without a reference system fit degrees of posts closer than 1/60 degree.

    In meters, such a site would have posts less than 17 mm apart, finer than any soil grid.
    """
    b, t = data.bounds, data.transform
    return bool(max(abs(t.a), abs(t.e)) < 1.0 / 60.0 and max(abs(b.left), abs(b.right)) <= 360.0 and abs(b.top) <= 90.0)


def _check_square_degrees(path: Path, data: DatasetReader) -> None:
    """Reject a single spacing for cells in degrees that are not square.

    At 38 degrees latitude, such cells are 27 % too wide.

    Args:
        path: Path of the file.
        data: Open file.

    Raises:
        ValueError: If columns are more than 2 % closer than rows.
    """
    t, b = data.transform, data.bounds
    shape = abs(t.a) * math.cos(math.radians(0.5 * (b.top + b.bottom))) / max(abs(t.e), 1e-12)
    if abs(shape - 1.0) > 0.02:
        raise ValueError(
            f'{path}: cells in degrees are {shape:.2f} times as wide as high on the ground; allowed: a projection in '
            'meters (reproject it, e.g. with gdalwarp) in place of post_spacing_m'
        )


def _check_values(path: Path, data: DatasetReader, values: StoredValues) -> None:
    if data.count != 1:
        raise ValueError(f'{path}: {data.count} bands; allowed: one, of heights')
    if np.dtype(data.dtypes[0]).kind not in 'iuf':
        raise ValueError(f'{path}: values of type {data.dtypes[0]}; allowed: real numbers')
    # Eight bits without a georeference, a unit or a scale are an image in a TIFF.
    stated = data.crs is not None or data.units[0] or data.scales[0] != 1.0 or not data.transform.is_identity
    if values.scale is None and (data.driver in _IMAGES or (data.dtypes[0] == 'uint8' and not stated)):
        raise ValueError(
            f'{path}: gray values of an image ({data.driver}, {data.dtypes[0]}) are not heights in meters; allowed: '
            'with height_scale, the height of one gray level in meters'
        )
    if values.scale is not None:
        return
    unit = (data.units[0] or '').strip()
    if unit.lower() not in _UNITS:
        raise ValueError(f'{path}: heights are in {unit!r}; allowed: meters (convert them, e.g. with gdal_calc)')


def _read(path: Path, values: StoredValues, r0: int, r1: int, c0: int, c1: int) -> Floats:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', NotGeoreferencedWarning)
            with rasterio.open(path) as data:
                raw = data.read(1, masked=True, window=Window(c0, r0, c1 - c0, r1 - r0))
                scale, offset = data.scales[0], data.offsets[0]
    except RasterioError as error:
        raise ValueError(f'{path}: its heights cannot be read ({error}); the file may be truncated') from error
    heights = values.heights(raw.data, scale, offset)
    heights[np.ma.getmaskarray(raw) | ~np.isfinite(heights)] = np.nan
    return heights
