# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Markers of a body that is given by a closed triangle mesh.

The points of a cubic lattice inside the solid are sorted into layers by their depth below the surface, and moved along
their depth to the middle of their layer. So each layer has the number of points of its volume, and lies parallel to the
surface. Then points that are closer than the spacing push one another apart within their layer. A wall thinner than two
layers has one layer in its middle, which is closed for any thickness.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.closed_surface import refuse_unless_solid
from regolith_terrain.crm.arrays import Floats, Rows
from regolith_terrain.crm.boundary_markers import LAYERS, lattice
from regolith_terrain.crm.neighbor_search import sorted_rows
from regolith_terrain.solids.distance import nearest_of_triangle
from regolith_world.numerics import kernel

Indices = NDArray[np.int64]

_SINGLE = 1.6
"""Thickness of a wall in spacings below which its only layer is in the middle."""
_PUSHES = 12
"""Number of times that points push one another apart."""
_PUSH = 0.25
"""Fraction of the missing distance by which a pair moves apart at a time."""
_OFF_EDGES = 1e-7
"""Offset of the rays that separate inside from outside, in spacings: none meets an edge of a mesh in round numbers."""


def mesh_markers(corners: Floats, spacing: float) -> Floats:
    """Return markers in the outer layers of a solid [m], shape (n, 3).

    Args:
        corners: Corners of the triangles of its closed surface, counterclockwise from outside [m], shape (k, 3, 3).
        spacing: Particle spacing [m].

    Raises:
        ValueError: If the surface is not closed. The message names the problem.
    """
    refuse_unless_solid(corners)
    triangles = np.ascontiguousarray(corners, dtype=np.float64)
    points = triangles.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    # As many points along each side as fit best, and one more around, for walls thinner than the spacing.
    count = np.maximum(1.0, np.round((high - low) / spacing))
    pitch = (high - low) / count
    pitch = np.where(pitch > 0.0, pitch, spacing)
    unit = lattice(np.full(3, -1.0), count + 1.0, 1.0)
    middles = low + unit * pitch
    middle = triangles.mean(axis=1)
    radius = np.sqrt(((triangles - middle[:, None]) ** 2).sum(axis=2).max(axis=1))
    place, depth, inward = np.empty_like(middles), np.empty(len(middles)), np.empty_like(middles)
    _place_in_layers(middles, triangles, middle, radius, spacing, place, depth, inward)
    kept = depth > 0.0
    place, depth, inward = np.ascontiguousarray(place[kept]), depth[kept], np.ascontiguousarray(inward[kept])
    edge = 1.5 * spacing
    size = np.floor((high - low) / edge).astype(np.int64) + 5
    origin = low - 2.0 * edge
    for _ in range(_PUSHES):
        index = np.floor((place - origin) / edge).astype(np.int64)
        cell = (index[:, 0] * size[1] + index[:, 1]) * size[2] + index[:, 2]
        first, order = np.zeros(int(np.prod(size)) + 1, np.int32), np.empty(len(place), np.int32)
        sorted_rows(cell, first, order)
        pushed = np.empty_like(place)
        _push_apart(place, inward, index, size, first, order, spacing, pushed)
        _back_to_depth(pushed, depth, triangles, middle, radius, inward)
        place = pushed
    return place


@kernel(views_only=True)
def _place_in_layers(
    points: Floats,
    triangles: Floats,
    middle: Floats,
    radius: Floats,
    spacing: float,
    place: Floats,
    depth: Floats,
    inward: Floats,
) -> None:
    """Write the position in its layer of each lattice point, its depth and the inward direction.

    Args:
        points: Lattice points [m], shape (n, 3).
        triangles: Corners of the triangles [m], shape (k, 3, 3).
        middle: Means of their corners [m], shape (k, 3).
        radius: Distances of their farthest corners from these [m], shape (k,).
        spacing: Particle spacing [m].
        place: Output: positions [m], shape (n, 3).
        depth: Output: depth below the nearest surface [m], 0 for a point that is no marker, shape (n,).
        inward: Output: unit vectors away from the nearest surface, shape (n, 3).
    """
    for row in range(points.shape[0]):
        x, y, z = points[row, 0], points[row, 1], points[row, 2]
        inside = _is_inside(x, y, z, triangles, spacing)
        away, qx, qy, qz, t = _nearest(x, y, z, triangles, middle, radius)
        depth[row] = 0.0
        if away >= (LAYERS * spacing if inside else 0.5 * spacing):
            continue
        if away > 1e-6 * spacing:
            sign = 1.0 if inside else -1.0
            ux, uy, uz = sign * (x - qx) / away, sign * (y - qy) / away, sign * (z - qz) / away
        else:
            nx, ny, nz = _normal(triangles[t])
            ux, uy, uz = -nx, -ny, -nz
        thick = _thickness(qx, qy, qz, ux, uy, uz, triangles, 2.0 * LAYERS * spacing, 1e-4 * spacing)
        if not inside and away > 0.5 * (spacing - thick):
            continue
        layer = math.floor(away / spacing) if inside else 0
        target = min((layer + 0.5) * spacing, 0.5 * thick)
        if thick < _SINGLE * spacing:
            target = 0.5 * thick
        depth[row] = target
        place[row, 0], place[row, 1], place[row, 2] = qx + target * ux, qy + target * uy, qz + target * uz
        inward[row, 0], inward[row, 1], inward[row, 2] = ux, uy, uz


@kernel(views_only=True)
def _push_apart(
    place: Floats,
    inward: Floats,
    index: Indices,
    size: Indices,
    first: Rows,
    order: Rows,
    spacing: float,
    pushed: Floats,
) -> None:
    """Write positions in which pairs closer than the spacing have moved apart, across the inward direction.

    Args:
        place: Positions [m], shape (n, 3).
        inward: Inward unit vectors, shape (n, 3).
        index: Cell of each point along each axis, shape (n, 3).
        size: Numbers of cells, shape (3,).
        first: First row of each cell.
        order: Rows in the order of their cells.
        spacing: Particle spacing [m].
        pushed: Output: new positions [m], shape (n, 3).
    """
    for row in range(place.shape[0]):
        mx = my = mz = 0.0
        for a in range(index[row, 0] - 1, index[row, 0] + 2):
            for b in range(index[row, 1] - 1, index[row, 1] + 2):
                column = (a * size[1] + b) * size[2] + index[row, 2]
                for k in range(first[column - 1], first[column + 2]):
                    other = order[k]
                    if other == row:
                        continue
                    dx, dy, dz = (
                        place[row, 0] - place[other, 0],
                        place[row, 1] - place[other, 1],
                        place[row, 2] - place[other, 2],
                    )
                    r = math.sqrt(dx * dx + dy * dy + dz * dz)
                    if r < spacing * (1.0 - 1e-9):
                        # Two at one position move along an axis, the one with the lower number ahead.
                        if r < 1e-9 * spacing:
                            dx, r = (1.0 if row < other else -1.0) * spacing, spacing
                            part = _PUSH
                        else:
                            part = _PUSH * (spacing - r) / r
                        mx += part * dx
                        my += part * dy
                        mz += part * dz
        along = mx * inward[row, 0] + my * inward[row, 1] + mz * inward[row, 2]
        pushed[row, 0] = place[row, 0] + mx - along * inward[row, 0]
        pushed[row, 1] = place[row, 1] + my - along * inward[row, 1]
        pushed[row, 2] = place[row, 2] + mz - along * inward[row, 2]


@kernel(views_only=True)
def _back_to_depth(
    place: Floats, depth: Floats, triangles: Floats, middle: Floats, radius: Floats, inward: Floats
) -> None:
    """Move points to their depth below the nearest surface, and write the inward directions there.

    A point that left the solid is returned below the surface that it passed.

    Args:
        place: Input and output: positions [m], shape (n, 3).
        depth: Depths [m], shape (n,).
        triangles: Corners of the triangles [m], shape (k, 3, 3).
        middle: Means of their corners [m], shape (k, 3).
        radius: Distances of their farthest corners from these [m], shape (k,).
        inward: Input and output: inward unit vectors, shape (n, 3).
    """
    for row in range(place.shape[0]):
        x, y, z = place[row, 0], place[row, 1], place[row, 2]
        away, qx, qy, qz, t = _nearest(x, y, z, triangles, middle, radius)
        nx, ny, nz = _normal(triangles[t])
        if away > 1e-9 * radius[t]:
            ux, uy, uz = (x - qx) / away, (y - qy) / away, (z - qz) / away
            if ux * nx + uy * ny + uz * nz > 0.0:  # outside
                ux, uy, uz = -ux, -uy, -uz
        else:
            ux, uy, uz = -nx, -ny, -nz
        place[row, 0], place[row, 1], place[row, 2] = qx + depth[row] * ux, qy + depth[row] * uy, qz + depth[row] * uz
        inward[row, 0], inward[row, 1], inward[row, 2] = ux, uy, uz


@kernel(views_only=True)
def _nearest(
    x: float, y: float, z: float, triangles: Floats, middle: Floats, radius: Floats
) -> tuple[float, float, float, float, int]:
    """Return the distance of a position from the surface [m], the nearest point of it [m], and its triangle."""
    best, found = math.inf, 0
    qx = qy = qz = 0.0
    for t in range(triangles.shape[0]):
        dx, dy, dz = x - middle[t, 0], y - middle[t, 1], z - middle[t, 2]
        least = math.sqrt(dx * dx + dy * dy + dz * dz) - radius[t]
        if least >= best:
            continue
        first, second, third = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        v, w = nearest_of_triangle(first, second, third, x, y, z)
        u = 1.0 - v - w
        px = u * first[0] + v * second[0] + w * third[0]
        py = u * first[1] + v * second[1] + w * third[1]
        pz = u * first[2] + v * second[2] + w * third[2]
        dx, dy, dz = x - px, y - py, z - pz
        r = math.sqrt(dx * dx + dy * dy + dz * dz)
        if r < best:
            best, found, qx, qy, qz = r, t, px, py, pz
    return best, qx, qy, qz, found


@kernel(views_only=True)
def _normal(triangle: Floats) -> tuple[float, float, float]:
    """Return the outward unit normal of a triangle."""
    bx, by, bz = triangle[1, 0] - triangle[0, 0], triangle[1, 1] - triangle[0, 1], triangle[1, 2] - triangle[0, 2]
    cx, cy, cz = triangle[2, 0] - triangle[0, 0], triangle[2, 1] - triangle[0, 1], triangle[2, 2] - triangle[0, 2]
    nx, ny, nz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    inverse = 1.0 / size if size > 0.0 else 0.0
    return nx * inverse, ny * inverse, nz * inverse


@kernel(views_only=True)
def _crossing(x: float, y: float, z: float, ux: float, uy: float, uz: float, triangle: Floats) -> tuple[float, float]:
    """Return the distance along a ray to a triangle [m], infinite without a crossing, and the sign of the crossing.

    Source: moller1997.
    Checked by: test_crm_mesh_markers.py::test_thin_wall_has_one_closed_layer.
    """
    ax, ay, az = triangle[0, 0], triangle[0, 1], triangle[0, 2]
    bx, by, bz = triangle[1, 0] - ax, triangle[1, 1] - ay, triangle[1, 2] - az
    cx, cy, cz = triangle[2, 0] - ax, triangle[2, 1] - ay, triangle[2, 2] - az
    hx, hy, hz = uy * cz - uz * cy, uz * cx - ux * cz, ux * cy - uy * cx
    det = bx * hx + by * hy + bz * hz
    if det == 0.0:
        return math.inf, 0.0
    inverse = 1.0 / det
    sx, sy, sz = x - ax, y - ay, z - az
    v = inverse * (sx * hx + sy * hy + sz * hz)
    if v < 0.0 or v > 1.0:
        return math.inf, 0.0
    kx, ky, kz = sy * bz - sz * by, sz * bx - sx * bz, sx * by - sy * bx
    w = inverse * (ux * kx + uy * ky + uz * kz)
    if w < 0.0 or v + w > 1.0:
        return math.inf, 0.0
    return inverse * (cx * kx + cy * ky + cz * kz), -1.0 if det > 0.0 else 1.0


@kernel(views_only=True)
def _is_inside(x: float, y: float, z: float, triangles: Floats, spacing: float) -> bool:
    """Return whether a position is inside: a ray along z leaves solids more often than it enters them."""
    x, y = x + 0.37 * _OFF_EDGES * spacing, y + 0.61 * _OFF_EDGES * spacing
    left = 0.0
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        if max(a[2], b[2], c[2]) < z or min(a[0], b[0], c[0]) > x or max(a[0], b[0], c[0]) < x:
            continue
        far, sign = _crossing(x, y, z, 0.0, 0.0, 1.0, triangles[t])
        if far > 0.0 and far < math.inf:
            left += sign
    return left > 0.5


@kernel(views_only=True)
def _thickness(
    x: float, y: float, z: float, ux: float, uy: float, uz: float, triangles: Floats, most: float, least: float
) -> float:
    """Return the distance from a point of the surface to the opposite one along a direction [m], at most ``most``."""
    thick = most
    for t in range(triangles.shape[0]):
        far, _ = _crossing(x, y, z, ux, uy, uz, triangles[t])
        if far > least and far < thick:
            thick = far
    return thick
