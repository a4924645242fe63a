# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Distance of a point from a part of a body, and its direction."""

from __future__ import annotations

import numpy as np

from regolith_testbeds.dem.state import BodyArrays
from regolith_world.numerics import kernel

PLANE, BOX, CYLINDER, TUBE = range(4)
"""Kinds of parts: the half space z < 0; a box by its half lengths; a cylinder about z by radius and half length; a thin
tube about z, open at both ends, by the same."""

Four = tuple[float, float, float, float]


@kernel(views_only=True)
def distance(bodies: BodyArrays, part: int, x: float, y: float, z: float) -> Four:
    """Return the signed distance of a point from a part [m] and the outward unit vector.

    Args:
        bodies: Arrays of the bodies.
        part: Number of the part.
        x: Position along world x [m].
        y: Position along world y [m].
        z: Position along world z [m].
    """
    dx = x - bodies.world_place[part, 0]
    dy = y - bodies.world_place[part, 1]
    dz = z - bodies.world_place[part, 2]
    axes = bodies.world_axes
    lx = axes[part, 0] * dx + axes[part, 3] * dy + axes[part, 6] * dz
    ly = axes[part, 1] * dx + axes[part, 4] * dy + axes[part, 7] * dz
    lz = axes[part, 2] * dx + axes[part, 5] * dy + axes[part, 8] * dz
    sx, sy, sz = bodies.part_size[part, 0], bodies.part_size[part, 1], bodies.part_size[part, 2]
    kind = bodies.part_kind[part]
    if kind == PLANE:
        away, nx, ny, nz = lz, 0.0, 0.0, 1.0
    elif kind == BOX:
        away, nx, ny, nz = _from_box(lx, ly, lz, sx, sy, sz)
    elif kind == CYLINDER:
        away, nx, ny, nz = _from_cylinder(lx, ly, lz, sx, sy)
    else:
        away, nx, ny, nz = _from_tube(lx, ly, lz, sx, sy)
    return (
        away,
        axes[part, 0] * nx + axes[part, 1] * ny + axes[part, 2] * nz,
        axes[part, 3] * nx + axes[part, 4] * ny + axes[part, 5] * nz,
        axes[part, 6] * nx + axes[part, 7] * ny + axes[part, 8] * nz,
    )


@kernel(views_only=True)
def _from_box(x: float, y: float, z: float, sx: float, sy: float, sz: float) -> Four:
    ox, oy, oz = x - min(max(x, -sx), sx), y - min(max(y, -sy), sy), z - min(max(z, -sz), sz)
    away = np.sqrt(ox * ox + oy * oy + oz * oz)
    if away > 0.0:
        return away, ox / away, oy / away, oz / away
    ix, iy, iz = abs(x) - sx, abs(y) - sy, abs(z) - sz
    if ix >= iy and ix >= iz:
        return ix, 1.0 if x >= 0.0 else -1.0, 0.0, 0.0
    if iy >= iz:
        return iy, 0.0, 1.0 if y >= 0.0 else -1.0, 0.0
    return iz, 0.0, 0.0, 1.0 if z >= 0.0 else -1.0


@kernel(views_only=True)
def _from_cylinder(x: float, y: float, z: float, radius: float, half: float) -> Four:
    rho = np.sqrt(x * x + y * y)
    if rho > 0.0:
        ex, ey = x / rho, y / rho
    else:
        ex, ey = 1.0, 0.0
    over, beyond = rho - radius, abs(z) - half
    sign = 1.0 if z >= 0.0 else -1.0
    if over > 0.0 and beyond > 0.0:
        away = np.sqrt(over * over + beyond * beyond)
        return away, ex * over / away, ey * over / away, sign * beyond / away
    if over >= beyond:
        return over, ex, ey, 0.0
    return beyond, 0.0, 0.0, sign


@kernel(views_only=True)
def _from_tube(x: float, y: float, z: float, radius: float, half: float) -> Four:
    rho = np.sqrt(x * x + y * y)
    if rho > 0.0:
        ex, ey = x / rho, y / rho
    else:
        ex, ey = 1.0, 0.0
    over = rho - radius
    beyond = z - min(max(z, -half), half)
    away = np.sqrt(over * over + beyond * beyond)
    if away > 0.0:
        return away, ex * over / away, ey * over / away, beyond / away
    return 0.0, -ex, -ey, 0.0
