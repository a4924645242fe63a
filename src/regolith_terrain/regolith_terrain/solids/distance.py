# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Distance of points and lines from a convex solid."""

from __future__ import annotations

import math

from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.solids import NearbySolids
from regolith_world.numerics import kernel

_GOLDEN, _HALVINGS = 0.5 * (3.0 - math.sqrt(5.0)), 20
"""Golden section, and the number of times it shortens an axis: to 7e-5 of its length."""


@kernel(views_only=True)
def solid_distance(
    near: NearbySolids, n: int, x: float, y: float, z: float, most: float
) -> tuple[float, float, float, float]:
    """Return the distance [m] of a point from a solid, negative inside, and the unit normal from the solid to it.

    Inside, the nearest facet counts. Beyond ``most`` the distance is a lower bound and the normal that of a facet.

    Args:
        near: Solids.
        n: Index of the solid.
        x: Position along x [m].
        y: Position along y [m].
        z: Position along z [m].
        most: Distance beyond which the value need not be exact [m].

    Source: ericson2005, section 5.1.5.
    Checked by: test_bodies_solids.py::test_distance_from_a_cube_is_that_of_its_face_edge_and_corner.
    """
    away, nx, ny, nz = -math.inf, 0.0, 0.0, 1.0
    for t in range(near.first_triangle[n], near.first_triangle[n + 1]):
        plane = near.planes[t]
        over = plane[0] * x + plane[1] * y + plane[2] * z - plane[3]
        if over > away:
            away, nx, ny, nz = over, plane[0], plane[1], plane[2]
    if away <= 0.0 or away > most:
        return away, nx, ny, nz
    best = math.inf
    for t in range(near.first_triangle[n], near.first_triangle[n + 1]):
        plane = near.planes[t]
        over = plane[0] * x + plane[1] * y + plane[2] * z - plane[3]
        if over <= 0.0 or over * over >= best:
            continue
        a, b, c = near.triangles[t, 0], near.triangles[t, 1], near.triangles[t, 2]
        u, v = nearest_of_triangle(near.vertices[a], near.vertices[b], near.vertices[c], x, y, z)
        w = 1.0 - u - v
        dx = x - w * near.vertices[a, 0] - u * near.vertices[b, 0] - v * near.vertices[c, 0]
        dy = y - w * near.vertices[a, 1] - u * near.vertices[b, 1] - v * near.vertices[c, 1]
        dz = z - w * near.vertices[a, 2] - u * near.vertices[b, 2] - v * near.vertices[c, 2]
        square = dx * dx + dy * dy + dz * dz
        if square < best and square > 0.0:
            best = square
            nx, ny, nz = dx, dy, dz
    if best == math.inf:  # rounding: on a facet
        return away, nx, ny, nz
    away = math.sqrt(best)
    return away, nx / away, ny / away, nz / away


@kernel(views_only=True)
def nearest_of_triangle(a: Floats, b: Floats, c: Floats, x: float, y: float, z: float) -> tuple[float, float]:
    """Return the weights of the corners b and c at the point of a triangle that is nearest to (x, y, z)."""
    abx, aby, abz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    acx, acy, acz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    px, py, pz = x - a[0], y - a[1], z - a[2]
    d1, d2 = abx * px + aby * py + abz * pz, acx * px + acy * py + acz * pz
    if d1 <= 0.0 and d2 <= 0.0:
        return 0.0, 0.0
    px, py, pz = x - b[0], y - b[1], z - b[2]
    d3, d4 = abx * px + aby * py + abz * pz, acx * px + acy * py + acz * pz
    if d3 >= 0.0 and d4 <= d3:
        return 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return d1 / (d1 - d3), 0.0
    px, py, pz = x - c[0], y - c[1], z - c[2]
    d5, d6 = abx * px + aby * py + abz * pz, acx * px + acy * py + acz * pz
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return 0.0, d2 / (d2 - d6)
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 1.0 - w, w
    inverse = 1.0 / (va + vb + vc)
    return vb * inverse, vc * inverse


@kernel(views_only=True)
def nearest_on_axis(near: NearbySolids, n: int, center: Floats, ax: float, ay: float, az: float, half: float) -> float:
    """Return the coordinate [m], from -half to half, of the place on an axis that is nearest to a solid.

    The distance from a convex solid is convex along a line, so golden section finds it.

    Args:
        near: Solids.
        n: Index of the solid.
        center: Middle of the axis [m], shape (3,).
        ax: Unit vector of the axis, x component.
        ay: Unit vector of the axis, y component.
        az: Unit vector of the axis, z component.
        half: Half length of the axis [m].
    """
    low, high = -half, half
    for _ in range(_HALVINGS):
        third = _GOLDEN * (high - low)
        p, q = low + third, high - third
        a, _, _, _ = solid_distance(near, n, center[0] + p * ax, center[1] + p * ay, center[2] + p * az, math.inf)
        b, _, _, _ = solid_distance(near, n, center[0] + q * ax, center[1] + q * ay, center[2] + q * az, math.inf)
        if a < b:
            high = q
        else:
            low = p
    return 0.5 * (low + high)
