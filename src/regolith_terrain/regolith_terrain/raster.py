# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground from a digital elevation model."""

from __future__ import annotations

import hashlib
import math
import warnings
from pathlib import Path

import numpy as np
import rasterio
from numba import njit
from numpy.typing import ArrayLike
from rasterio.errors import NotGeoreferencedWarning, RasterioError
from rasterio.io import DatasetReader

from regolith_terrain.surface import HeightField, Heights


class RasterField(HeightField):
    """Posts on a regular grid, joined by Catmull-Rom bicubic interpolation (Keys 1981, a = -1/2).

    The surface is continuously differentiable and passes through the posts. The local frame has its origin at the
    chosen centre, x east, y north; z counts from the surface at the centre. Outside the posts the nearest edge goes on.
    """

    def __init__(
        self, posts: Heights, spacing: float, x_first: float | None = None, y_first: float | None = None
    ) -> None:
        """Take posts at x = x_first + i spacing, y = y_first + j spacing of the local frame.

        :param posts: heights [m], shape (ni, nj), at least (2, 2)
        :param spacing: [m]
        :param x_first: none: the middle of the posts is at x = 0
        :param y_first: likewise
        :raises ValueError: if there are too few posts or some are not finite
        """
        posts = np.ascontiguousarray(posts, dtype=np.float64)
        if posts.ndim != 2 or min(posts.shape) < 2:
            raise ValueError(f'posts have shape {posts.shape}; allowed: two dimensions, at least (2, 2)')
        if not np.all(np.isfinite(posts)):
            raise ValueError(f'{np.count_nonzero(~np.isfinite(posts))} posts are not finite')
        if not spacing > 0.0:
            raise ValueError(f'post spacing {spacing!r} m; allowed: > 0')
        self.posts = posts
        self.spacing = float(spacing)
        self.x_first = -0.5 * (posts.shape[0] - 1) * self.spacing if x_first is None else float(x_first)
        self.y_first = -0.5 * (posts.shape[1] - 1) * self.spacing if y_first is None else float(y_first)
        self.datum = 0.0
        self.datum = float(self.heights(0.0, 0.0))
        self._fingerprint = self._hash()

    @staticmethod
    def from_file(
        path: str | Path, post_spacing_m: float | None = None, center: tuple[float, float] | None = None
    ) -> RasterField:
        """Read the first band of a GeoTIFF (or whatever GDAL reads) in projected metres.

        :param path: of the file
        :param post_spacing_m: overrides what the file says, and is needed where it says nothing; the raster's own
            coordinates then count from its lower left corner
        :param center: origin of the local frame in the raster's own coordinates [m]; none: its middle
        :raises ValueError: naming the file and what is wrong with it
        """
        path = Path(path)
        if not path.is_file():
            raise ValueError(f'{path}: no such file; allowed: the path of a GeoTIFF')
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore', NotGeoreferencedWarning)
                with rasterio.open(path) as data:
                    spacing, left, top = _placement(path, data, post_spacing_m)
                    posts = _read_posts(path, data)
        except RasterioError as error:
            raise ValueError(f'{path}: not a raster that can be read: {error}') from error
        rows, cols = posts.shape
        # Posts are cell centres; the first row is the northernmost.
        west, south = left + 0.5 * spacing, top - (rows - 0.5) * spacing
        if center is None:
            center = (west + 0.5 * (cols - 1) * spacing, south + 0.5 * (rows - 1) * spacing)
        inside = west <= center[0] <= west + (cols - 1) * spacing and south <= center[1] <= south + (rows - 1) * spacing
        if not inside:
            raise ValueError(
                f'{path}: center {tuple(center)!r} lies outside; allowed: x {west}..{west + (cols - 1) * spacing}, '
                f'y {south}..{south + (rows - 1) * spacing}'
            )
        return RasterField(posts[::-1].T, spacing, west - center[0], south - center[1])

    def heights(self, x: ArrayLike, y: ArrayLike) -> Heights:
        """Return z [m] at (x, y) [m]."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        out = np.empty(x.size)
        _bicubic(x.ravel(), y.ravel(), self.posts, self.spacing, self.x_first, self.y_first, self.datum, out)
        return out.reshape(x.shape)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """West, east, south and north edge of the posts [m]."""
        ni, nj = self.posts.shape
        return (
            self.x_first,
            self.x_first + (ni - 1) * self.spacing,
            self.y_first,
            self.y_first + (nj - 1) * self.spacing,
        )

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of the posts and where they are."""
        return self._fingerprint

    def _hash(self) -> str:
        place = np.array([*self.posts.shape, self.spacing, self.x_first, self.y_first], dtype='<f8')
        return hashlib.sha256(b'raster' + place.tobytes() + self.posts.astype('<f8').tobytes()).hexdigest()


def _placement(path: Path, data: DatasetReader, post_spacing_m: float | None) -> tuple[float, float, float]:
    """Return (post spacing, left edge, top edge) in metres of the raster's own coordinates."""
    if post_spacing_m is not None:
        return float(post_spacing_m), 0.0, data.height * float(post_spacing_m)
    transform = data.transform
    if transform.is_identity and data.crs is None:
        raise ValueError(f'{path}: the file states no post spacing; give post_spacing_m')
    if data.crs is not None and data.crs.is_geographic:
        raise ValueError(
            f'{path}: coordinates are in degrees ({data.crs.to_string()}); allowed: a projection in metres '
            '(reproject it, e.g. with gdalwarp), or give post_spacing_m'
        )
    if data.crs is not None and data.crs.is_projected and abs(data.crs.linear_units_factor[1] - 1.0) > 1e-12:
        raise ValueError(f'{path}: coordinates are in {data.crs.linear_units_factor[0]}; allowed: metres')
    if transform.b != 0.0 or transform.d != 0.0 or transform.a <= 0.0 or transform.e >= 0.0:
        raise ValueError(
            f'{path}: rows must run north to south and columns west to east; geotransform {tuple(transform)!r}'
        )
    if not math.isclose(transform.a, -transform.e, rel_tol=1e-6):
        raise ValueError(f'{path}: cells of {transform.a} x {-transform.e} m are not square; resample it')
    return float(transform.a), float(transform.c), float(transform.f)


def _read_posts(path: Path, data: DatasetReader) -> Heights:
    """Return the heights, first row north, shape (rows, cols)."""
    if data.count != 1:
        raise ValueError(f'{path}: {data.count} bands; allowed: one, of heights')
    if min(data.width, data.height) < 2:
        raise ValueError(f'{path}: {data.width} x {data.height} posts; allowed: at least 2 x 2')
    if np.dtype(data.dtypes[0]).kind not in 'iuf':
        raise ValueError(f'{path}: values of type {data.dtypes[0]}; allowed: real numbers')
    raw = data.read(1, masked=True)
    missing = np.ma.getmaskarray(raw) | ~np.isfinite(raw.filled(np.nan) if raw.dtype.kind == 'f' else raw.data)
    if missing.any():
        row, col = (int(v) for v in np.argwhere(missing)[0])
        raise ValueError(
            f'{path}: {int(missing.sum())} posts have no height (first at row {row}, column {col}); fill or crop them'
        )
    heights: Heights = np.asarray(raw.data, dtype=np.float64) * data.scales[0] + data.offsets[0]
    return heights


@njit(cache=True, nogil=True, error_model='numpy')
def _weights(t):  # type: ignore[no-untyped-def]
    """Return the four Catmull-Rom weights at 0 <= t <= 1; (0, 1, 0, 0) exactly at t = 0."""
    return (
        0.5 * t * (t * (2.0 - t) - 1.0),
        0.5 * (t * t * (3.0 * t - 5.0) + 2.0),
        0.5 * t * (t * (4.0 - 3.0 * t) + 1.0),
        0.5 * t * t * (t - 1.0),
    )


@njit(cache=True, nogil=True, error_model='numpy')
def _bicubic(x, y, posts, spacing, x_first, y_first, datum, out):  # type: ignore[no-untyped-def]
    ni, nj = posts.shape
    for n in range(x.shape[0]):
        u = min(max((x[n] - x_first) / spacing, 0.0), ni - 1.0)
        v = min(max((y[n] - y_first) / spacing, 0.0), nj - 1.0)
        i, j = int(u), int(v)
        wx = _weights(u - i)
        wy = _weights(v - j)
        z = 0.0
        for a in range(4):
            row = min(max(i + a - 1, 0), ni - 1)
            line = 0.0
            for b in range(4):
                line += wy[b] * posts[row, min(max(j + b - 1, 0), nj - 1)]
            z += wx[a] * line
        out[n] = z - datum
