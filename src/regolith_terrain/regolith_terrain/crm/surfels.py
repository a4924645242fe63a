# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Surfels: oriented discs on the surface of moving soil, for rendering and ray casting.

The surface is that of :mod:`regolith_terrain.crm.surface`, where the smoothed volume fraction of soil is a half. Here
it need not be a height field: it may overhang and break up. Each particle next to it has a disc where its outward
normal meets the surface.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.surfels import Surfels
from regolith_terrain.crm.arrays import Floats
from regolith_terrain.crm.smoothing import slope, weight
from regolith_terrain.crm.surface import Columns
from regolith_world.numerics import kernel

_BISECTIONS = 8
"""Number of bisections of half a spacing, down to 2e-3 of it."""
_COVER = math.sqrt(0.5)
"""Radius over spacing: the smallest with which discs on a square lattice leave no gap."""
_ANOTHER_SIDE = 0.3
"""Cosine between normals of neighbors below which they are on different sides of a thin sheet of soil."""
_MOST_BENT = 0.7
"""Largest change of a normal up to the rim of a disc: the curvature of soil that breaks up is not significant."""
_VAGUE = 1e-2
"""Slope of the volume fraction over a smoothing length below which the outward direction is undefined [-]."""


def surface_surfels(columns: Columns, place: Floats) -> Surfels:
    """Return discs on the surface at the given particles next to it, sorted by squares of the plane.

    The method is specific to Regolith and checked by ``test_crm_surfels.py``.

    Args:
        columns: Particles that form the surface.
        place: Positions of selected particles among them [m], shape (n, 3).
    """
    place = np.ascontiguousarray(place)
    found, normal, beside = np.empty_like(place), np.empty_like(place), np.zeros(len(place), np.bool_)
    _find(columns, place, found, normal, beside)
    found, normal = found[beside], normal[beside]
    square = _squares(columns, found)
    order = np.argsort(square, kind='stable')
    found, normal, square = found[order], normal[order], square[order]
    first = np.searchsorted(square, np.arange(len(columns.first)))
    even, bend, radius = np.empty_like(normal), np.zeros((len(order), 6)), _COVER * columns.spacing
    _smooth(columns, found, normal, square, first, _MOST_BENT / radius, even, bend)
    return Surfels(found, even, np.full(len(order), radius), bend)


def _squares(columns: Columns, place: Floats) -> NDArray[np.int64]:
    """Return the squares of positions, never those at the rim, shape (n,)."""
    most = np.array([(len(columns.first) - 1) // columns.across, columns.across]) - 2
    index = np.clip(np.floor((place[:, :2] - columns.low) / columns.edge).astype(np.int64), 1, most)
    squares: NDArray[np.int64] = index[:, 0] * columns.across + index[:, 1]
    return squares


@kernel(views_only=True)
def _find(columns: Columns, place: Floats, found: Floats, normal: Floats, beside: NDArray[np.bool_]) -> None:
    """Write the point where the outward normal of each particle meets the surface, and the normal there.

    Args:
        columns: Particles that form the surface.
        place: Positions of the particles [m], shape (n, 3).
        found: Output: points on the surface [m], shape (n, 3).
        normal: Output: normals, shape (n, 3).
        beside: Output: whether the point is within a spacing, shape (n,); the second layer is 1.5 spacings below.
    """
    half = 0.5 * columns.spacing
    for k in range(place.shape[0]):
        x, y, z = place[k, 0], place[k, 1], place[k, 2]
        filled, gx, gy, gz = _filled_at(columns, x, y, z)
        nx, ny, nz = _outward(gx, gy, gz, columns.length)
        far = 0.0
        if filled >= 0.5:
            # Separated soil has a lower volume fraction, and its disc is at its position.
            step = 0
            while step < 2 and filled >= 0.5:
                step += 1
                far = step * half
                filled, _, _, _ = _filled_at(columns, x + far * nx, y + far * ny, z + far * nz)
            if filled >= 0.5:
                continue
            near = far - half
            for _ in range(_BISECTIONS):
                middle = 0.5 * (near + far)
                filled, _, _, _ = _filled_at(columns, x + middle * nx, y + middle * ny, z + middle * nz)
                if filled < 0.5:
                    far = middle
                else:
                    near = middle
            far = 0.5 * (near + far)
        x, y, z = x + far * nx, y + far * ny, z + far * nz
        _, gx, gy, gz = _filled_at(columns, x, y, z)
        nx, ny, nz = _outward(gx, gy, gz, columns.length)
        found[k, 0], found[k, 1], found[k, 2] = x, y, z
        normal[k, 0], normal[k, 1], normal[k, 2] = nx, ny, nz
        beside[k] = True


@kernel(views_only=True, inline='always')
def _outward(gx: float, gy: float, gz: float, length: float) -> tuple[float, float, float]:
    """Return the unit vector against a gradient; up for a gradient near zero, as at an isolated particle."""
    steep = math.sqrt(gx * gx + gy * gy + gz * gz)
    if steep * length < _VAGUE:
        return 0.0, 0.0, 1.0
    return -gx / steep, -gy / steep, -gz / steep


@kernel(views_only=True)
def _filled_at(columns: Columns, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Return the volume fraction at a position [-], and its gradient [1/m]."""
    h, across = columns.length, columns.across
    steepness = -105.0 / (16.0 * math.pi * h**5)
    rows = (columns.first.shape[0] - 1) // across
    a = min(max(int(math.floor((x - columns.low[0]) / columns.edge)), 1), rows - 2)
    b = min(max(int(math.floor((y - columns.low[1]) / columns.edge)), 1), across - 2)
    filled = gx = gy = gz = 0.0
    for p in range(a - 1, a + 2):
        for row in range(columns.first[p * across + b - 1], columns.first[p * across + b + 2]):
            dx, dy, dz = x - columns.place[row, 0], y - columns.place[row, 1], z - columns.place[row, 2]
            r2 = dx * dx + dy * dy + dz * dz
            if r2 < 4.0 * h * h:
                q = math.sqrt(r2) / h
                filled += weight(q, h)
                g = slope(q, steepness)
                gx += g * dx
                gy += g * dy
                gz += g * dz
    return columns.volume * filled, columns.volume * gx, columns.volume * gy, columns.volume * gz


@kernel(views_only=True)
def _smooth(
    columns: Columns,
    place: Floats,
    normal: Floats,
    square: NDArray[np.int64],
    first: NDArray[np.int64],
    most: float,
    even: Floats,
    bend: Floats,
) -> None:
    """Write the normals and their change along the surface that best fit those of the surrounding discs.

    A plane is fitted to the normals over the disc's own plane, by least squares with the kernel's weights. This removes
    particle-scale variation, which is not that of the soil, and makes the shading of neighbors continuous.

    Args:
        columns: Particles that form the surface.
        place: Centers of the discs [m], shape (n, 3).
        normal: Normals of the discs, shape (n, 3).
        square: Square of each disc, in ascending order, shape (n,).
        first: First disc of each square.
        most: Largest norm of a matrix [1/m].
        even: Output: normals, shape (n, 3).
        bend: Input: zeros; output: matrices as in :class:`Surfels`.
    """
    h, across = columns.length, columns.across
    for k in range(place.shape[0]):
        ux, uy, uz, vx, vy, vz = _across(normal[k, 0], normal[k, 1], normal[k, 2])
        total = su = sv = mx = my = mz = uu = uv = vv = 0.0
        ux_, vx_, uy_, vy_, uz_, vz_ = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for side in range(-1, 2):
            column = square[k] + side * across
            for other in range(first[column - 1], first[column + 2]):
                dx, dy, dz = place[other, 0] - place[k, 0], place[other, 1] - place[k, 1], place[other, 2] - place[k, 2]
                r2 = dx * dx + dy * dy + dz * dz
                nx, ny, nz = normal[other, 0], normal[other, 1], normal[other, 2]
                facing = nx * normal[k, 0] + ny * normal[k, 1] + nz * normal[k, 2]
                if r2 < 4.0 * h * h and facing > _ANOTHER_SIDE:
                    w = weight(math.sqrt(r2) / h, h)
                    u, v = dx * ux + dy * uy + dz * uz, dx * vx + dy * vy + dz * vz
                    total += w
                    su, sv = su + w * u, sv + w * v
                    uu, uv, vv = uu + w * u * u, uv + w * u * v, vv + w * v * v
                    mx, my, mz = mx + w * nx, my + w * ny, mz + w * nz
                    ux_, vx_ = ux_ + w * u * nx, vx_ + w * v * nx
                    uy_, vy_ = uy_ + w * u * ny, vy_ + w * v * ny
                    uz_, vz_ = uz_ + w * u * nz, vz_ + w * v * nz
        su, sv, mx, my, mz = su / total, sv / total, mx / total, my / total, mz / total
        uu, uv, vv = uu / total - su * su, uv / total - su * sv, vv / total - sv * sv
        # Covariances of the normals' components along the two axes with the positions.
        cuu = (ux_ * ux + uy_ * uy + uz_ * uz) / total - su * (mx * ux + my * uy + mz * uz)
        cuv = (vx_ * ux + vy_ * uy + vz_ * uz) / total - sv * (mx * ux + my * uy + mz * uz)
        cvu = (ux_ * vx + uy_ * vy + uz_ * vz) / total - su * (mx * vx + my * vy + mz * vz)
        cvv = (vx_ * vx + vy_ * vy + vz_ * vz) / total - sv * (mx * vx + my * vy + mz * vz)
        det = uu * vv - uv * uv
        a = b = c = 0.0
        if det > 1e-3 * h * h * h * h:
            a, c = (cuu * vv - cuv * uv) / det, (cvv * uu - cvu * uv) / det
            b = 0.5 * ((cuv * uu - cuu * uv) + (cvu * vv - cvv * uv)) / det
            norm = math.sqrt(a * a + 2.0 * b * b + c * c)
            if norm > most:
                a, b, c = a * most / norm, b * most / norm, c * most / norm
        # From the mean position of the neighbors to the center of the disc.
        du, dv = -(a * su + b * sv), -(b * su + c * sv)
        mx, my, mz = mx + du * ux + dv * vx, my + du * uy + dv * vy, mz + du * uz + dv * vz
        size = math.sqrt(mx * mx + my * my + mz * mz)
        even[k, 0], even[k, 1], even[k, 2] = mx / size, my / size, mz / size
        bend[k, 0] = a * ux * ux + 2.0 * b * ux * vx + c * vx * vx
        bend[k, 1] = a * uy * uy + 2.0 * b * uy * vy + c * vy * vy
        bend[k, 2] = a * uz * uz + 2.0 * b * uz * vz + c * vz * vz
        bend[k, 3] = a * ux * uy + b * (ux * vy + uy * vx) + c * vx * vy
        bend[k, 4] = a * uy * uz + b * (uy * vz + uz * vy) + c * vy * vz
        bend[k, 5] = a * uz * ux + b * (uz * vx + ux * vz) + c * vz * vx


@kernel(views_only=True, inline='always')
def _across(nx: float, ny: float, nz: float) -> tuple[float, float, float, float, float, float]:
    """Return two unit vectors normal to a third and to each other."""
    sign = 1.0 if nz >= 0.0 else -1.0
    a = -1.0 / (sign + nz)
    b = nx * ny * a
    return 1.0 + sign * nx * nx * a, sign * b, -sign * nx, b, sign + ny * ny * a, -ny
