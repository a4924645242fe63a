# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Horizon maps: elevation angle of the horizon around every post of an elevation model.

For each azimuth the terrain is resampled along parallel lines, one per post across. A sweep from
the far end of a line keeps the upper convex hull of the heights beyond the present point, so that the horizon is the
tangent to that hull. Each point enters and leaves the hull once: the time is proportional to the number of posts times
that of azimuths. With s the distance along the line and the heights Z = z - s^2 / (2 R), the tangent of the horizon's
elevation is the slope to the hull plus s / R, which includes the curvature of the body to second order.

Resampling is linear between neighboring posts across the line, for heights, and between neighboring lines for slopes.
It lowers a crest of a few posts' width, and it smooths the sides of a hill over a post.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regolith_world.numerics import kernel

Floats = NDArray[np.float64]
Shorts = NDArray[np.int16]

UNIT_RAD = math.radians(0.01)
"""Unit of stored elevations [rad]."""
NO_GROUND_M = -1e7
"""Height of posts without ground [m]: below every horizon."""
MOST_BYTES = 2_000_000_000
"""Largest size of a horizon map [bytes]."""


@dataclass(frozen=True)
class Posts:
    """Heights at the posts of a square grid."""

    heights: Floats
    """Heights [m] at x = x0 + i spacing, y = y0 + j spacing, shape (n, m)."""
    x0: float
    """x of the first post, toward the east [m]."""
    y0: float
    """y of the first post, toward the north [m]."""
    spacing: float
    """Distance of posts [m]."""

    def at(self, x: Floats, y: Floats) -> Floats:
        """Return heights at positions [m], linear between posts; NaN outside. Arguments of equal shape."""
        row, col = (x - self.x0) / self.spacing, (y - self.y0) / self.spacing
        rows, cols = self.heights.shape
        i = np.clip(np.floor(row), 0, rows - 2).astype(np.int64)
        j = np.clip(np.floor(col), 0, cols - 2).astype(np.int64)
        u, v, z = row - i, col - j, self.heights
        with np.errstate(invalid='ignore'):  # -inf: no terrain in a direction
            low = z[i, j] * (1.0 - v) + z[i, j + 1] * v
            found: Floats = low * (1.0 - u) + (z[i + 1, j] * (1.0 - v) + z[i + 1, j + 1] * v) * u
        found[(row < 0.0) | (col < 0.0) | (row > rows - 1) | (col > cols - 1)] = np.nan
        return found


@dataclass(frozen=True)
class HorizonMap:
    """Elevation of the horizon over the azimuth at posts."""

    elevations: Shorts
    """Elevation of the horizon above the level plane at each post, in units of 0.01 degrees, shape (k, n, m). Azimuth
    number a is 2 pi a / k, clockwise from north (+y).
    """
    x0: float
    """x of the first post [m]."""
    y0: float
    """y of the first post [m]."""
    spacing: float
    """Distance of posts [m]."""

    def between(self, azimuth: float) -> tuple[Shorts, Shorts, float]:
        """Return elevations in units at the two azimuths of the map beside one [rad], and the weight of the second."""
        count = len(self.elevations)
        place = (azimuth / (2.0 * math.pi) * count) % count
        first = int(place) % count
        return self.elevations[first], self.elevations[(first + 1) % count], place - int(place)

    def elevation(self, azimuth: float) -> Floats:
        """Return the elevation of the horizon in a direction at all posts [rad], shape (n, m).

        Args:
            azimuth: Azimuth, clockwise from north [rad]; linear between the azimuths of the map.
        """
        near, far, share = self.between(azimuth)
        found: Floats = ((1.0 - share) * near + share * far) * UNIT_RAD
        return found


def make_horizon_map(
    posts: Posts,
    azimuths: int = 360,
    radius_m: float = math.inf,
    *,
    height_m: float = 0.0,
    farther: Sequence[Posts] = (),
    every: int = 1,
    threads: int = 1,
    hole: Posts | None = None,
) -> HorizonMap:
    """Return the horizon of posts, from their own grid and from coarser grids around it.

    A coarser grid counts only outside the finer one. The horizon is the highest one of all grids. Outside all of them,
    the body is a sphere at the lowest height of the grids, so the horizon of a viewer h above it is at
    least -sqrt(2 h / R). Hills outside the grids are missing.

    Args:
        posts: The grid whose horizon is wanted.
        azimuths: Number of azimuths.
        radius_m: Radius of the body [m]; infinite: a plane.
        height_m: Height of the viewer above each post [m].
        farther: Coarser grids around it, in the same frame, finest first.
        every: Distance between posts with a horizon, in posts.
        threads: Number of threads. The result does not depend on it.
        hole: Square around the posts whose terrain does not count, with that of the posts themselves; None: all of it
            counts.

    Raises:
        ValueError: If an argument is out of range, or the map would be larger than MOST_BYTES.

    Source: dozier1990; timonen2010.
    Checked by: test_horizon_map.py::test_ridge_has_the_elevation_of_its_crest,
    test_horizon_map.py::test_cone_on_a_plane_has_the_horizon_of_its_silhouette,
    test_horizon_map.py::test_curvature_of_the_body_lowers_far_terrain.
    """
    shape = tuple(len(range(0, count, max(1, every))) for count in posts.heights.shape)
    size = 2 * azimuths * shape[0] * shape[1]
    if azimuths < 1 or every < 1 or min(posts.heights.shape) < 2 or not radius_m > 0.0:
        given = f'{azimuths} azimuths, every {every}, {posts.heights.shape} posts, radius {radius_m!r} m'
        raise ValueError(f'{given}; allowed: at least 1, at least 1, at least 2 x 2, above 0')
    if size > MOST_BYTES:
        raise ValueError(
            f'a horizon map of {shape[0]} x {shape[1]} posts and {azimuths} azimuths takes {size / 1e9:.1f} GB; '
            f'allowed: {MOST_BYTES / 1e9:g} GB; fix: fewer azimuths, or every n-th post'
        )
    out = np.empty((azimuths, *shape), dtype=np.int16)
    row, col = (posts.spacing * np.arange(0, count, every) for count in posts.heights.shape)
    places = np.meshgrid(posts.x0 + row, posts.y0 + col, indexing='ij')
    viewers = [_viewers(posts, outer) + height_m for outer in farther]
    lowest = min(float(each.heights[each.heights > NO_GROUND_M].min()) for each in (posts, *farther))
    dip = -np.sqrt(2.0 * (posts.heights[::every, ::every] + height_m - lowest) / radius_m)

    def fill(number: int) -> None:
        azimuth = 2.0 * math.pi * number / azimuths
        if hole is None:
            slope = _slopes(posts, posts.heights + height_m, azimuth, radius_m)[::every, ::every]
        else:
            slope = np.full(shape, -math.inf)
        for inner, outer, own in zip((hole or posts, *farther), farther, viewers, strict=False):
            beyond = replace(outer, heights=_slopes(outer, own, azimuth, radius_m, inner)).at(*places)
            slope = np.fmax(slope, beyond)  # NaN outside the coarser grid
        _quantize(np.maximum(slope, dip), UNIT_RAD, out[number])

    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(fill, range(azimuths)):
            pass
    return HorizonMap(out, posts.x0, posts.y0, posts.spacing * every)


def _viewers(posts: Posts, outer: Posts) -> Floats:
    """Return the heights of the ground at the posts of a coarser grid: of the finer one where there is one [m]."""
    row, col = (outer.spacing * np.arange(count) for count in outer.heights.shape)
    fine = posts.at(*np.meshgrid(outer.x0 + row, outer.y0 + col, indexing='ij'))
    return np.where(np.isnan(fine), outer.heights, fine)


def _slopes(posts: Posts, own: Floats, azimuth: float, radius_m: float, hole: Posts | None = None) -> Floats:
    """Return the tangent of the elevation of the horizon at all posts, -inf without terrain, shape (n, m).

    Args:
        posts: The terrain.
        own: Heights of the viewers at the posts [m].
        azimuth: Direction, clockwise from north [rad].
        radius_m: Radius of the body [m].
        hole: Finer grid; the terrain inside it does not count.
    """
    east, north = math.sin(azimuth), math.cos(azimuth)
    along_x = abs(east) >= abs(north)
    heights, viewers = (posts.heights, own) if along_x else (posts.heights.T, own.T)
    major, minor = (east, north) if along_x else (north, east)
    empty = _inside(posts, hole) if along_x else _inside(posts, hole)[[2, 3, 0, 1]]
    rows, cols = heights.shape
    if major < 0.0:
        heights, viewers = heights[::-1], viewers[::-1]
        empty[:2] = rows - 1 - empty[1::-1]
    shift = round(minor / abs(major), 12)  # posts across per post along, in the direction of the azimuth
    step = posts.spacing * math.hypot(1.0, shift)
    first = math.floor(min(0.0, -shift * (rows - 1)))
    end = math.ceil(cols - 1 + max(0.0, -shift * (rows - 1))) + 1
    lines, out = np.empty((end - first, rows)), np.empty((rows, cols))
    arrays = np.ascontiguousarray(heights), np.ascontiguousarray(viewers)
    _sweep(*arrays, shift, step, 1.0 / radius_m, first, empty, lines)
    _between_lines(lines, shift, first, out)
    if major < 0.0:
        out = out[::-1]
    return out if along_x else out.T


def _inside(posts: Posts, hole: Posts | None) -> Floats:
    """Return first and last row and column of a finer grid among the posts of a coarser one, fractional, shape (4,)."""
    if hole is None:
        return np.array([1.0, 0.0, 1.0, 0.0])
    x, y = (hole.x0 - posts.x0) / posts.spacing, (hole.y0 - posts.y0) / posts.spacing
    width, height = (np.array(hole.heights.shape) - 1) * hole.spacing / posts.spacing
    return np.array([x, x + width, y, y + height])


@kernel
def _sweep(
    heights: Floats,
    viewers: Floats,
    shift: float,
    step: float,
    curvature: float,
    first: int,
    empty: Floats,
    out: Floats,
) -> None:
    """Write the tangent of the horizon at the points of all lines toward rising rows, -inf without terrain.

    Line number n passes column ``first + n + shift r`` at row r.

    Args:
        heights: Heights [m], shape (n, m).
        viewers: Heights of the viewers [m], shape (n, m).
        shift: Columns per row.
        step: Distance of points of a line [m].
        curvature: 1 / R [1/m].
        first: Column of line 0 at row 0.
        empty: First and last row and column of the rectangle whose terrain does not count, shape (4,).
        out: Output, shape (lines, n).
    """
    rows, cols = heights.shape
    far, high = np.empty(rows), np.empty(rows)
    own, ground = np.empty(rows), np.empty(rows)
    for n in range(out.shape[0]):
        start = first + n
        low, end = rows, 0
        for r in range(rows):
            place = start + shift * r
            if place < -1e-9 or place > cols - 1 + 1e-9:
                out[n, r] = math.nan
                continue
            c = min(max(int(place), 0), cols - 2)
            w = place - c
            ground[r] = heights[r, c] + w * (heights[r, c + 1] - heights[r, c])
            own[r] = viewers[r, c] + w * (viewers[r, c + 1] - viewers[r, c])
            low, end = min(low, r), r + 1
        count = 0
        for r in range(end - 1, low - 1, -1):
            column = start + shift * (r + 1)
            hidden = empty[0] <= r + 1 <= empty[1] and empty[2] <= column <= empty[3]
            if r + 1 < end and not hidden:
                s = step * (r + 1)
                z = ground[r + 1] - 0.5 * curvature * s * s
                while count > 1 and (high[count - 1] - z) * (far[count - 2] - s) <= (high[count - 2] - z) * (
                    far[count - 1] - s
                ):
                    count -= 1
                far[count], high[count] = s, z
                count += 1
            if count == 0:
                out[n, r] = -math.inf
                continue
            s = step * r
            z = own[r] - 0.5 * curvature * s * s
            k = count - 1
            best = (high[k] - z) / (far[k] - s)
            while k > 0:
                other = (high[k - 1] - z) / (far[k - 1] - s)
                if other < best:
                    break
                best = other
                k -= 1
            out[n, r] = best + curvature * s


@kernel
def _between_lines(lines: Floats, shift: float, first: int, out: Floats) -> None:
    """Write the values of lines at posts, linear between the two lines beside each post."""
    rows, cols = out.shape
    for r in range(rows):
        for c in range(cols):
            place = c - shift * r - first
            n = min(max(int(place + 1e-9), 0), lines.shape[0] - 1)
            w = place - n
            a = lines[n, r]
            out[r, c] = a
            if w > 1e-9:
                b = lines[n + 1, r]
                if math.isnan(a) or a == -math.inf:
                    out[r, c] = b
                elif not (math.isnan(b) or b == -math.inf):
                    out[r, c] = a + w * (b - a)


@kernel
def _quantize(slope: Floats, unit: float, out: Shorts) -> None:
    """Write elevations of tangents in units."""
    for r in range(out.shape[0]):
        for c in range(out.shape[1]):
            out[r, c] = int(math.floor(math.atan(slope[r, c]) / unit + 0.5))
