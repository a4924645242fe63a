# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Height field of an elevation model."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_files import counted_noun
from regolith_terrain.elevation.beyond_edges import edge_profiles, height_beyond
from regolith_terrain.height_field import HeightField, Heights
from regolith_world.numerics import kernel, portable_math

if TYPE_CHECKING:
    from regolith_terrain.elevation.grid import ElevationGrid, StoredValues

_ALONG = (1.0, 0.0, 0.0, 1.0)
_BLOCK = 16
"""Side of the blocks of posts that are prepared for detail together."""
XX, XY, YX, YY, X_FIRST, Y_FIRST, ALONG, ACROSS = range(8)
"""Columns of a grid of posts: Jacobian row by row, position of the first post [m], post spacings [m]."""


class RasterField(HeightField):
    """Posts on a regular grid, interpolated by quintic Hermite polynomials with central differences.

    The surface passes through the posts, is exact for quadrics and twice continuously differentiable. Cubics (Catmull
    and Rom) have continuous slopes only, so low sun shows the lines of the grid. The local frame has its origin at the
    chosen center, and z = 0 at the surface there. Beyond the posts the heights of the nearest edge continue. From
    30 m on they are averaged along it over as far as the place is away, so that no feature of the edge extends outward
    without end: far away the ground is level, at the mean height of the edge.

    *Steep data*: before a step such an interpolant overshoots by 8 % of the step's height. At posts where the slope
    changes by more than 0.7 to 1 between intervals, all derivatives are therefore reduced, to zero from 1 on
    (:func:`_limiter`). Between four such posts the surface stays between their lowest and highest. It is still twice
    continuously differentiable, and unchanged around posts where slopes change less. The cost: near steep edges it is
    of first order and level at the posts.

    *Detail* finer than the posts is a separate field, added without change of the posts: its heights at the posts are
    subtracted before interpolation, z = B[posts - d(posts)] + d. Therefore no lattice of smooth spots is visible.
    """

    def __init__(
        self,
        posts: Heights,
        spacing: float | tuple[float, float],
        x_first: float | None = None,
        y_first: float | None = None,
        *,
        jacobian: tuple[float, float, float, float] = _ALONG,
        detail: HeightField | None = None,
        body: str | None = None,
    ) -> None:
        """Create the field from posts at a = x_first + i spacing, b = y_first + j spacing along the grid axes [m].

        Args:
            posts: Heights [m], shape (ni, nj), at least (2, 2).
            spacing: Post spacing [m]; two values where it differs between the axes.
            x_first: Position a of the first post [m]; none: the posts are centered at a = 0.
            y_first: Position b of the first post [m]; none: the posts are centered at b = 0.
            jacobian: Derivatives of (a, b) by the local (x, y), row by row.
            detail: Field of finer detail, in local coordinates.
            body: Celestial body of the map, see :func:`regolith_terrain.elevation.grid.celestial_body`.

        Raises:
            ValueError: If there are too few posts or some are not finite.
        """
        posts = np.ascontiguousarray(posts, dtype=np.float64)
        if posts.ndim != 2 or min(posts.shape) < 2:
            raise ValueError(f'posts have shape {posts.shape}; allowed: two dimensions, at least (2, 2)')
        if not np.isfinite(posts.min()) or not np.isfinite(posts.max()):  # NaN is the least and the largest
            raise ValueError(
                f'{counted_noun(int(np.count_nonzero(~np.isfinite(posts))), "post")} without a finite height'
            )
        along, across = spacing if isinstance(spacing, tuple) else (spacing, spacing)
        if not (along > 0.0 and across > 0.0):
            raise ValueError(f'post spacing {spacing!r} m; allowed: > 0')
        self.posts = posts
        self.spacing, self.spacing_across = float(along), float(across)
        self.x_first = -0.5 * (posts.shape[0] - 1) * self.spacing if x_first is None else float(x_first)
        self.y_first = -0.5 * (posts.shape[1] - 1) * self.spacing_across if y_first is None else float(y_first)
        self.jacobian = jacobian
        self._grid = np.array([*jacobian, self.x_first, self.y_first, self.spacing, self.spacing_across])
        self.detail, self.body = detail, body
        self._steep = bool(_has_steps(posts, self._grid))
        self._edges = edge_profiles(posts)
        self._base = posts
        self._ready: NDArray[np.bool_] | None = None
        if detail is not None:
            self._base = np.zeros(posts.shape)  # memory is used only for prepared blocks
            self._ready = np.zeros([-(-n // _BLOCK) for n in posts.shape], dtype=np.bool_)
        self.datum = 0.0
        self.datum = float(self.heights(0.0, 0.0))
        self._fingerprint = self._hash()

    @staticmethod
    def from_file(
        path: str | Path,
        post_spacing_m: float | None = None,
        center: tuple[float, float] | None = None,
        north: str = 'true',
        *,
        values: StoredValues | None = None,
        window: tuple[float, float, float, float] | None = None,
    ) -> RasterField:
        """Read a GeoTIFF (or another format of GDAL), a PDS3 image or a NumPy array.

        Args:
            path: Path of the file.
            post_spacing_m: Post spacing that replaces that of the file; required where the file has none. The map
                coordinates then begin at the lower left corner.
            center: Origin of the local frame: latitude, longitude [deg] or map coordinates [m], see
                :func:`regolith_terrain.elevation.grid.locate`; none: the center of the map.
            north: Direction of +y, see :func:`regolith_terrain.elevation.grid.local_frame`.
            values: Interpretation of the stored values, given by the user.
            window: West, south, east, north edge of the part to read, from the origin [m]; none: all.

        Raises:
            ValueError: If the file is invalid. The message names the file and the problem.
        """
        from regolith_terrain.elevation.grid import AS_STORED, local_frame, rectangle_window  # GDAL is slow to import
        from regolith_terrain.elevation.open_model import open_elevation_model

        grid = open_elevation_model(path, post_spacing_m, values or AS_STORED)
        rows_cols = (0, grid.rows, 0, grid.cols)
        if window is not None:
            rows_cols = rectangle_window(grid, local_frame(grid, center, north), window)
        return RasterField.from_window(grid, center, north, rows_cols)

    @staticmethod
    def from_window(
        grid: ElevationGrid, center: tuple[float, float] | None, north: str, window: tuple[int, int, int, int]
    ) -> RasterField:
        """Read rows r0 <= r < r1, columns c0 <= c < c1 (in that order) of a grid, in the frame around a center."""
        from regolith_terrain.elevation.grid import celestial_body, local_frame
        from regolith_terrain.elevation.open_model import read_posts
        from regolith_terrain.elevation.shared_heights import shared

        frame = local_frame(grid, center, north)
        r0, r1, c0, c1 = window
        posts = shared(
            grid.path,
            (window, grid.values, grid.to_map),
            (r1 - r0) * (c1 - c0),
            lambda: np.ascontiguousarray(read_posts(grid, *window)[::-1].T),
        )
        _, x_col, x_row, _, y_col, y_row = grid.to_map
        along, across = math.hypot(x_col, y_col), math.hypot(x_row, y_row)
        # From map coordinates to meters along columns and against rows; the identity for a north-up map.
        axes = np.array([[x_col / along, -x_row / across], [y_col / along, -y_row / across]])
        into = portable_math.solved_two(axes, np.eye(2)) if not np.array_equal(axes, np.eye(2)) else axes
        jacobian = portable_math.times(into, np.array(frame.jacobian).reshape(2, 2))
        x, y = grid.map_xy(r1 - 1, c0)
        first = portable_math.times(into, [x - frame.x, y - frame.y])
        a, b, c, d = (float(v) for v in jacobian.ravel())
        place = (float(first[0]), float(first[1]))
        return RasterField(posts, (along, across), *place, jacobian=(a, b, c, d), body=celestial_body(grid.crs))

    def with_detail(self, detail: HeightField) -> RasterField:
        """Return a field of the same posts with finer detail between them."""
        spacing = (self.spacing, self.spacing_across)
        return RasterField(
            self.posts, spacing, self.x_first, self.y_first, jacobian=self.jacobian, detail=detail, body=self.body
        )

    def heights(self, x: ArrayLike, y: ArrayLike) -> Heights:
        """Return z [m] at (x, y) [m]."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        out = self._smooth(x, y)
        return out if self.detail is None else out + self.detail.heights(x, y)

    def nodes(self, i0: int, i1: int, j0: int, j1: int, spacing: float) -> Heights:
        """Return z [m] of a block of nodes, bit-identical to :meth:`heights`."""
        if self.detail is None:
            return super().nodes(i0, i1, j0, j1, spacing)
        return self._smooth(*_node_places(i0, i1, j0, j1, spacing)) + self.detail.nodes(i0, i1, j0, j1, spacing)

    def coarse_nodes(self, i0: int, i1: int, j0: int, j1: int, spacing: float) -> Heights:
        """Return z [m] of a block of nodes; without detail for spacings of at least half the post spacing."""
        if self.detail is None:
            return super().nodes(i0, i1, j0, j1, spacing)
        places = _node_places(i0, i1, j0, j1, spacing)
        if spacing < 0.5 * min(self.spacing, self.spacing_across):
            return self._smooth(*places) + self.detail.coarse_nodes(i0, i1, j0, j1, spacing)
        return self._interpolated(*places, self.posts)

    def post_places(self) -> tuple[Heights, Heights]:
        """Return local x and y [m] of all posts, each with the shape of ``posts``."""
        i, j = (np.arange(n, dtype=np.float64) for n in self.posts.shape)
        return self._local(i[:, None], j[None, :])

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Edges of the posts in west, east, south and north [m].

        For a rotated grid, they are those of the largest inscribed square about the origin.
        """
        ni, nj = self.posts.shape
        a, b, c, d = self.jacobian
        high = (self.x_first + (ni - 1) * self.spacing, self.y_first + (nj - 1) * self.spacing_across)
        if b == 0.0 and c == 0.0:
            return self.x_first / a, high[0] / a, self.y_first / d, high[1] / d
        half = min(min(high[0], -self.x_first) / (abs(a) + abs(b)), min(high[1], -self.y_first) / (abs(c) + abs(d)))
        return -half, half, -half, half

    def holds(self, x: float, y: float) -> bool:
        """Return whether a position [m] is inside the posts."""
        u, v = _post_index(float(x), float(y), self._grid)
        return bool(0.0 <= u <= self.posts.shape[0] - 1 and 0.0 <= v <= self.posts.shape[1] - 1)

    def inside(self, x: Heights, y: Heights) -> NDArray[np.bool_]:
        """Return :meth:`holds` of positions [m], shape (n,)."""
        a, b, c, d = self.jacobian
        u = (a * x + b * y - self.x_first) / self.spacing
        v = (c * x + d * y - self.y_first) / self.spacing_across
        among: NDArray[np.bool_] = (u >= 0.0) & (u <= self.posts.shape[0] - 1)
        among &= (v >= 0.0) & (v <= self.posts.shape[1] - 1)
        return among

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of the posts, their positions, and the detail."""
        return self._fingerprint

    def _hash(self) -> str:
        ni, nj = self.posts.shape
        place = np.array([ni, nj, *self._grid], dtype='<f8')
        text = self.detail.fingerprint().encode() if self.detail is not None else b''
        total = hashlib.sha256(b'raster 3' + place.tobytes())
        total.update(np.ascontiguousarray(self.posts, dtype='<f8').data.cast('B'))
        total.update((b'limited' if self._steep else b'') + text)
        return total.hexdigest()

    def _smooth(self, x: Heights, y: Heights) -> Heights:
        """Return the interpolated part at (x, y), with the same shape."""
        if self._ready is not None and self.detail is not None:
            self._prepare(x, y)
        return self._interpolated(x, y, self._base)

    def _interpolated(self, x: Heights, y: Heights, base: Heights) -> Heights:
        """Return the interpolation of values at the posts at (x, y), with the same shape."""
        out = np.empty(x.size)
        _quintic(x.ravel(), y.ravel(), base, self.posts, self._grid, self.datum, self._steep, self._edges, out)
        return out.reshape(x.shape)

    def _prepare(self, x: Heights, y: Heights) -> None:
        """Subtract the detail from the posts that interpolation at (x, y) reads, where not yet done."""
        assert self._ready is not None and self.detail is not None
        need = np.zeros_like(self._ready)
        _blocks_met(x.ravel(), y.ravel(), self._base.shape[0], self._base.shape[1], self._grid, need)
        for bi, bj in np.argwhere(need & ~self._ready).tolist():
            i = np.arange(bi * _BLOCK, min((bi + 1) * _BLOCK, self.posts.shape[0]))
            j = np.arange(bj * _BLOCK, min((bj + 1) * _BLOCK, self.posts.shape[1]))
            at = np.ix_(i, j)
            self._base[at] = self.posts[at] - self.detail.heights(*self._local(i[:, None] * 1.0, j[None, :] * 1.0))
            self._ready[bi, bj] = True

    def _local(self, i: Heights, j: Heights) -> tuple[Heights, Heights]:
        """Return x and y [m] of posts in the local frame from their indices."""
        u, v = np.broadcast_arrays(self.x_first + i * self.spacing, self.y_first + j * self.spacing_across)
        a, b, c, d = self.jacobian
        scale = a * d - b * c
        return (d * u - b * v) / scale, (a * v - c * u) / scale


def _node_places(i0: int, i1: int, j0: int, j1: int, spacing: float) -> tuple[Heights, Heights]:
    x = np.arange(i0, i1, dtype=np.float64) * spacing
    y = np.arange(j0, j1, dtype=np.float64) * spacing
    full = np.broadcast_arrays(x[:, None], y[None, :])
    return full[0], full[1]


@kernel
def _weights(t: float) -> tuple[float, float, float, float]:
    """Return the weights of four posts at 0 <= t <= 1 from the second; (0, 1, 0, 0) exactly at t = 0.

    The quintic with the posts' values, slopes (p1 - p-1) / 2 and second differences p1 - 2 p0 + p-1 at both ends. The
    choice is specific to Regolith, exact for quadrics and of third order, see ``test_raster.py``.
    """
    t3 = t * t * t
    return (
        t * (-0.5 + t * 0.5) + t3 * (1.5 + t * (-2.5 + t)),
        1.0 - t * t + t3 * (-4.5 + t * (7.5 - 3.0 * t)),
        t * (0.5 + t * 0.5) + t3 * (4.5 + t * (-7.5 + 3.0 * t)),
        t3 * (-1.5 + t * (2.5 - t)),
    )


@kernel
def _post_index(x: float, y: float, grid: Heights) -> tuple[float, float]:
    """Return the position of (x, y) [m] among the posts as fractional indices."""
    u = (grid[XX] * x + grid[XY] * y - grid[X_FIRST]) / grid[ALONG]
    v = (grid[YX] * x + grid[YY] * y - grid[Y_FIRST]) / grid[ACROSS]
    return u, v


@kernel
def _blocks_met(x: Heights, y: Heights, ni: int, nj: int, grid: Heights, need: NDArray[np.bool_]) -> None:
    """Mark the blocks of posts that interpolation at (x[n], y[n]) reads, in ``need``."""
    for n in range(x.shape[0]):
        u, v = _post_index(x[n], y[n], grid)
        i, j = int(min(max(u, 0.0), ni - 1.0)), int(min(max(v, 0.0), nj - 1.0))
        for a in range(max(i - 1, 0) // _BLOCK, min(i + 2, ni - 1) // _BLOCK + 1):
            for b in range(max(j - 1, 0) // _BLOCK, min(j + 2, nj - 1) // _BLOCK + 1):
                need[a, b] = True


@kernel
def _quintic(
    x: Heights,
    y: Heights,
    base: Heights,
    posts: Heights,
    grid: Heights,
    datum: float,
    steep: bool,
    edges: Heights,
    out: Heights,
) -> None:
    """Write the interpolated heights minus ``datum`` [m] at (x[n], y[n]) [m] to ``out``.

    Outside the posts :func:`regolith_terrain.elevation.beyond_edges.height_beyond` applies.

    Args:
        x: Local x [m], shape (n,).
        y: Local y [m], shape (n,).
        base: Interpolated values at the posts [m].
        posts: Heights that determine where derivatives are reduced [m].
        grid: Columns XX to ACROSS of the grid of posts.
        datum: Height of z = 0 [m].
        steep: Whether derivatives are reduced at any post (:func:`_has_steps`).
        edges: See :func:`regolith_terrain.elevation.beyond_edges.edge_profiles`.
        out: Output: heights [m], shape (n,).
    """
    ni, nj = base.shape
    for n in range(x.shape[0]):
        u_wanted, v_wanted = _post_index(x[n], y[n], grid)
        u = min(max(u_wanted, 0.0), ni - 1.0)
        v = min(max(v_wanted, 0.0), nj - 1.0)
        beyond = u != u_wanted or v != v_wanted
        i, j = int(u), int(v)
        if steep and (
            _limiter(posts, i, j, grid) < 1.0
            or _limiter(posts, i + 1, j, grid) < 1.0
            or _limiter(posts, i, j + 1, grid) < 1.0
            or _limiter(posts, i + 1, j + 1, grid) < 1.0
        ):
            z = _limited(base, posts, i, j, u - i, v - j, grid)
            out[n] = (
                height_beyond(z, u_wanted, v_wanted, ni, nj, grid[ALONG], grid[ACROSS], edges) if beyond else z
            ) - datum
            continue
        wx = _weights(u - i)
        wy = _weights(v - j)
        z = 0.0
        for a in range(4):
            row = min(max(i + a - 1, 0), ni - 1)
            line = 0.0
            for b in range(4):
                line += wy[b] * base[row, min(max(j + b - 1, 0), nj - 1)]
            z += wx[a] * line
        out[n] = (
            height_beyond(z, u_wanted, v_wanted, ni, nj, grid[ALONG], grid[ACROSS], edges) if beyond else z
        ) - datum


GENTLE, STEEP = 0.7, 1.0
"""Limits of the change of slope between intervals [-]: up to the first, derivatives of a post are kept; from the second
on, they are zero."""


@kernel
def _limiter(posts: Heights, i: int, j: int, grid: Heights) -> float:
    """Return the factor 0 to 1 on all derivatives at a post: 1 where slopes change little around it.

    The change of slope is a second difference over the spacing. The largest value in the three lines along and the
    three lines across the surrounding 3 x 3 posts counts. The factor falls from 1 at GENTLE to 0 at STEEP by the
    smoothstep polynomial. Zero derivatives at both ends make an interpolant monotone for any data (the source's region
    of monotone slopes always contains them). The condition where they are used is specific to Regolith.

    Source: fritsch1980.
    Checked by: test_steep_models.py::test_surface_stays_between_neighboring_posts_at_steps.
    """
    ni, nj = posts.shape
    i, j = min(i, ni - 1), min(j, nj - 1)
    most = 0.0
    i0, i2, j0, j2 = max(i - 1, 0), min(i + 1, ni - 1), max(j - 1, 0), min(j + 1, nj - 1)
    for k in (j0, j, j2):
        most = max(most, abs(posts[i0, k] - 2.0 * posts[i, k] + posts[i2, k]) / grid[ALONG])
    for k in (i0, i, i2):
        most = max(most, abs(posts[k, j0] - 2.0 * posts[k, j] + posts[k, j2]) / grid[ACROSS])
    if most <= GENTLE:
        return 1.0
    if most >= STEEP:
        return 0.0
    t = (most - GENTLE) / (STEEP - GENTLE)
    return 1.0 - t * t * (3.0 - 2.0 * t)


@kernel
def _has_steps(posts: Heights, grid: Heights) -> bool:
    """Return whether derivatives are reduced at any post."""
    ni, nj = posts.shape
    for i in range(ni):
        i0, i2 = max(i - 1, 0), min(i + 1, ni - 1)
        for j in range(nj):
            j0, j2 = max(j - 1, 0), min(j + 1, nj - 1)
            along = abs(posts[i0, j] - 2.0 * posts[i, j] + posts[i2, j]) / grid[ALONG]
            across = abs(posts[i, j0] - 2.0 * posts[i, j] + posts[i, j2]) / grid[ACROSS]
            if max(along, across) > GENTLE:
                return True
    return False


@kernel
def _end_weights(t: float) -> tuple[float, float, float, float]:
    """Return the weights of the posts before, at and after the end at t = 0, and of its value alone.

    The basis functions of quintic Hermite interpolation for value, slope (p1 - p-1) / 2 and second difference p1 - 2 p0
    + p-1.
    """
    t2 = t * t
    t3 = t2 * t
    value = 1.0 - t3 * (10.0 - t * (15.0 - 6.0 * t))
    slope = t - t3 * (6.0 - t * (8.0 - 3.0 * t))
    bend = 0.5 * t2 - t3 * (1.5 - t * (1.5 - 0.5 * t))
    return bend - 0.5 * slope, value - 2.0 * bend, bend + 0.5 * slope, value


@kernel
def _limited(base: Heights, posts: Heights, i: int, j: int, t: float, s: float, grid: Heights) -> float:
    """Return the height [m] in a cell with reduced derivatives, at fractions t and s across it."""
    ni, nj = base.shape
    z = 0.0
    for a in range(2):
        wx = _end_weights(t if a == 0 else 1.0 - t)
        for b in range(2):
            wy = _end_weights(s if b == 0 else 1.0 - s)
            row, col = min(i + a, ni - 1), min(j + b, nj - 1)
            alone = wx[3] * wy[3] * base[row, col]
            kept = _limiter(posts, row, col, grid)
            if kept == 0.0:
                z += alone
                continue
            full = 0.0
            for c in range(3):
                # At the far end the posts are counted in reverse, and slopes change their sign.
                at = min(max(row + (c - 1 if a == 0 else 1 - c), 0), ni - 1)
                line = 0.0
                for d in range(3):
                    line += wy[d] * base[at, min(max(col + (d - 1 if b == 0 else 1 - d), 0), nj - 1)]
                full += wx[c] * line
            z += alone + kept * (full - alone)
    return z
