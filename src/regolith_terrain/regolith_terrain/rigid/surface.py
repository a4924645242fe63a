# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Surface of rigid terrain: height, depth of a point, nearest point to an axle."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.arrays import Shapes
from regolith_terrain.grid.node_records import Floats
from regolith_world.numerics import kernel

SOIL_FRICTION, SOIL_STIFFNESS, DAMPING, STICK, CREEP = range(5)
"""Columns of the soil parameters: friction, stiffness, damping, friction displacement, viscous friction."""
BENT = 1e-3
"""Bend of the surface within a wheel's radius, over the radius, from which the nearest point is used."""
_STEEP = 1.0
"""Slope from which the twist of a cell is included in the distance of a point below it."""
_GOLDEN, _HALVINGS = 0.5 * (3.0 - math.sqrt(5.0)), 40
"""Golden section, and the number of times it shortens the interval of a cell's nearest point: to 1e-8."""


class RigidArrays(NamedTuple):
    """Terrain and contact memory of :func:`press`."""

    level: Floats
    """Heights [m], shape (ni, nj)."""
    region: NDArray[np.uint8]
    """Row of ``soils`` at each node, shape (ni, nj)."""
    i0: int
    """Index of the window's first row."""
    j0: int
    """Index of the window's first column."""
    spacing: float
    """Grid node spacing [m]."""
    soils: Floats
    """Friction, stiffness, damping, friction displacement and viscous friction, one row per soil, shape (m, 5)."""
    shapes: Shapes
    """Shapes of all parts."""
    patchy: bool
    """Whether parts of the terrain have other models."""
    top: float
    """Height of the highest node [m]."""
    held: Floats
    """Input and output: mobilized friction of each point in its tangent plane, shape (n, BOX_POINTS, 2)."""
    point: Floats
    """Work array for a point [m], shape (3,)."""
    foot: Floats
    """Work array of :func:`find_foot`, shape (3,)."""


@kernel(views_only=True)
def soil_at(arrays: RigidArrays, x: float, y: float) -> int:
    """Return the row of ``soils`` at a position [m] in the window; its stiffness is NaN for another terrain model."""
    if arrays.soils.shape[0] == 1:
        return 0
    row, col = int(x / arrays.spacing - arrays.i0 + 0.5), int(y / arrays.spacing - arrays.j0 + 0.5)
    held: int = arrays.region[row, col]
    return held


@kernel(views_only=True)
def surface_at(arrays: RigidArrays, x: float, y: float) -> tuple[float, float, float]:
    """Return height [m] and slopes along x and y of the surface at a position [m], NaN outside the window."""
    row, col = x / arrays.spacing - arrays.i0, y / arrays.spacing - arrays.j0
    level = arrays.level
    if not (0.0 <= row < level.shape[0] - 1 and 0.0 <= col < level.shape[1] - 1):
        return math.nan, math.nan, math.nan
    r, c = int(row), int(col)
    u, v = row - r, col - c
    a, b, d, e = level[r, c], level[r, c + 1], level[r + 1, c], level[r + 1, c + 1]
    near, far = a + v * (b - a), d + v * (e - d)
    return near + u * (far - near), (far - near) / arrays.spacing, ((b - a) + u * ((e - d) - (b - a))) / arrays.spacing


@kernel(views_only=True)
def depth_at(arrays: RigidArrays, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Return depth [m] and unit normal of a point; NaN outside the window, <= 0 above the surface.

    The depth is the distance from the nearest point of the surface, at most the height of the surface above the point.
    The normal points there. Where the cell above the point is nearly plane and contains the nearest point, that is the
    foot of the perpendicular on its tangent plane. The distance is continuous in the point and its gradient is the
    normal: a spring along it has a potential. Where another terrain model may be near, only the tangent plane is used.
    """
    height, slope_x, slope_y = surface_at(arrays, x, y)
    nz = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    depth = (height - z) * nz
    nx, ny = -slope_x * nz, -slope_y * nz
    if math.isnan(height) or depth <= 0.0 or arrays.patchy:
        return depth, nx, ny, nz
    spacing = arrays.spacing
    row, col = x / spacing - arrays.i0, y / spacing - arrays.j0
    r, c = int(row), int(col)
    u, v = (row - r) * spacing, (col - c) * spacing
    fu, fv = u + depth * nx, v + depth * ny
    plain = slope_x * slope_x + slope_y * slope_y <= _STEEP * _STEEP
    inside = 0.0 <= fu <= spacing and 0.0 <= fv <= spacing
    if plain and inside and depth <= min(min(u, spacing - u), min(v, spacing - v)):
        return depth, nx, ny, nz
    best = depth
    if not (plain and inside):
        best, nx, ny, nz = height - z, 0.0, 0.0, 1.0
    # Check rings of cells around that of the point while one may be nearer than the best found.
    ring = 0
    while True:
        if ring > 0 and min(min(u, spacing - u), min(v, spacing - v)) + (ring - 1) * spacing >= best:
            break
        if ring == 0 and plain and inside:
            ring = 1
            continue
        for i in range(r - ring, r + ring + 1):
            if i < 0 or i >= arrays.level.shape[0] - 1:
                continue
            edge = abs(i - r) == ring
            for j in range(c - ring, c + ring + 1):
                if j < 0 or j >= arrays.level.shape[1] - 1 or not (edge or abs(j - c) == ring):
                    continue
                px, py = (row - i) * spacing, (col - j) * spacing
                beside = max(max(-px, px - spacing), 0.0)
                before = max(max(-py, py - spacing), 0.0)
                if beside * beside + before * before >= best * best:
                    continue
                distance, dx, dy, dz = _to_cell(arrays, i, j, px, py, z)
                # Rounding must not decide between two cells of one plane.
                if distance < best * (1.0 - 1e-9) and distance > 0.0:
                    best, nx, ny, nz = distance, dx / distance, dy / distance, dz / distance
        ring += 1
    return best, nx, ny, nz


@kernel(views_only=True)
def _on_line(
    a: float, b: float, d: float, e: float, s: float, v: float, x: float, y: float, z: float
) -> tuple[float, float, float, float]:
    """Return squared distance and vector from a point to the nearest point of a cell's line of constant y.

    Args:
        a: Height of the cell's node (0, 0) [m].
        b: Height of node (0, 1) [m].
        d: Height of node (1, 0) [m].
        e: Height of node (1, 1) [m].
        s: Size of the cell [m].
        v: Position of the line along y [m].
        x: Position of the point along x [m].
        y: Position of the point along y [m].
        z: Height of the point [m].
    """
    first = a + (b - a) * v / s
    rise = (d + (e - d) * v / s - first) / s
    u = min(max((x + (z - first) * rise) / (1.0 + rise * rise), 0.0), s)
    p, q, h = u - x, v - y, first + rise * u - z
    return p * p + q * q + h * h, p, q, h


@kernel(views_only=True)
def _to_cell(arrays: RigidArrays, i: int, j: int, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Return distance and vector [m] from a point to the nearest point found of a cell's bilinear surface.

    The four straight sides of the cell are checked and, by golden section, the lines between two of them.

    Args:
        arrays: Terrain and contact memory.
        i: Row of the cell's first node.
        j: Column of the cell's first node.
        x: Position of the point along x, relative to that node [m].
        y: Position of the point along y, relative to that node [m].
        z: Height of the point [m].
    """
    level, s = arrays.level, arrays.spacing
    a, b, d, e = level[i, j], level[i, j + 1], level[i + 1, j], level[i + 1, j + 1]
    best, bx, by, bz = math.inf, 0.0, 0.0, 0.0
    for side in range(4):
        ends = (a, d, 0.0) if side == 0 else (b, e, s) if side == 1 else (a, b, 0.0) if side == 2 else (d, e, s)
        along, across = (x, y) if side < 2 else (y, x)
        rise = (ends[1] - ends[0]) / s
        at = min(max((along + (z - ends[0]) * rise) / (1.0 + rise * rise), 0.0), s)
        p, q, h = at - along, ends[2] - across, ends[0] + rise * at - z
        square = p * p + q * q + h * h
        if square < best:
            best, bz = square, h
            bx, by = (p, q) if side < 2 else (q, p)
    # Inside: the surface is straight along x for each y, so the nearest point of that line is exact.
    low, high = 0.0, s
    for _ in range(_HALVINGS):
        third = _GOLDEN * (high - low)
        if _on_line(a, b, d, e, s, low + third, x, y, z)[0] < _on_line(a, b, d, e, s, high - third, x, y, z)[0]:
            high -= third
        else:
            low += third
    square, p, q, h = _on_line(a, b, d, e, s, 0.5 * (low + high), x, y, z)
    if square < best:
        best, bx, by, bz = square, p, q, h
    return math.sqrt(best), bx, by, bz


@kernel(views_only=True)
def find_foot(
    ground: RigidArrays, cx: float, cy: float, cz: float, hx: float, hy: float, radius: float, foot: Floats
) -> bool:
    """Find the surface point nearest to an axle in the vertical plane of its wheel; return whether it is used.

    It is not used where the surface is straight within a radius (to BENT times the radius: the plane below the axle has
    the same point), at the end of the window, and for an axle below the surface. The surface is taken as linear between
    the grid lines that the plane crosses: exact along x and y, otherwise up to the twist of one cell.

    Args:
        ground: Terrain and contact memory.
        cx: Position of the axle along x [m].
        cy: Position of the axle along y [m].
        cz: Height of the axle [m].
        hx: Horizontal unit vector ahead, x component.
        hy: Horizontal unit vector ahead, y component.
        radius: Radius of the wheel [m].
        foot: Output, shape (3,): distance ahead [m], height [m], grid line of the point: 0 of constant x, 1 of constant
            y, -1 none.
    """
    first, _, _ = surface_at(ground, cx - radius * hx, cy - radius * hy)
    last, _, _ = surface_at(ground, cx + radius * hx, cy + radius * hy)
    below, _, _ = surface_at(ground, cx, cy)
    if math.isnan(first + last + below) or cz <= below:
        return False
    spacing, rise = ground.spacing, (last - first) / (2.0 * radius)
    best, bend = math.inf, 0.0
    s, z, line_before = -radius, first, -1.0
    while s < radius:
        # The next grid line across x, across y, or the end.
        end, line_after = radius, -1.0
        for axis in range(2):
            along, origin = (hx, cx) if axis == 0 else (hy, cy)
            if abs(along) > 1e-9:
                at = (origin + s * along) / spacing
                line = math.floor(at + 1e-9) + 1.0 if along > 0.0 else math.ceil(at - 1e-9) - 1.0
                there = max((line * spacing - origin) / along, s + 1e-9 * spacing)
                if there < end:
                    end, line_after = there, float(axis)
        height = last
        if end < radius:
            height, _, _ = surface_at(ground, cx + end * hx, cy + end * hy)
        ds, dz = end - s, height - z
        share = min(max((-s * ds + (cz - z) * dz) / (ds * ds + dz * dz), 0.0), 1.0)
        there, up = s + share * ds, z + share * dz
        distance = there * there + (cz - up) * (cz - up)
        if distance < best:
            best, foot[0], foot[1] = distance, there, up
            foot[2] = line_before if share == 0.0 else line_after if share == 1.0 else -1.0
        s, z, line_before = end, height, line_after
        bend = max(bend, abs(z - first - rise * (s + radius)))
    return bend > BENT * radius


@kernel(views_only=True)
def foot_normal(
    ground: RigidArrays, cx: float, cy: float, cz: float, hx: float, hy: float, foot: Floats
) -> tuple[float, float, float]:
    """Return the unit normal of the surface at the point of :func:`find_foot`.

    In the wheel's plane it points to the axle. Across the plane it is normal to the slope of the surface, or to the
    grid line of the point, which is the edge of a step. A line nearly along the wheel's plane (below a fifth across it)
    is ignored. The arguments are those of :func:`find_foot`.
    """
    ahead, height = foot[0], foot[1]
    distance = math.sqrt(ahead * ahead + (cz - height) * (cz - height))
    nh, nz = -ahead / distance, (cz - height) / distance
    px, py = cx + ahead * hx, cy + ahead * hy
    _, slope_x, slope_y = surface_at(ground, px, py)
    if foot[2] == 0.0 and abs(hx) > 0.2:
        across = -(nh * hy + nz * slope_y) / hx
    elif foot[2] == 1.0 and abs(hy) > 0.2:
        across = (nh * hx + nz * slope_x) / hy
    else:
        across = (slope_x * hy - slope_y * hx) * nz
    scale = 1.0 / math.sqrt(1.0 + across * across)
    return (nh * hx - across * hy) * scale, (nh * hy + across * hx) * scale, nz * scale
