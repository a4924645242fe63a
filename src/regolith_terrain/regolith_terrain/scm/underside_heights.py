# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Underside of bodies: height of the lowest surface above each node, by exact vertical rays.

The geometry is specific to Regolith. ``test_shapes.py`` compares boxes, meshes and cylinders with one another.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.contact.arrays import Shapes
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.scm.arrays import Ground
from regolith_terrain.scm.constants import HEIGHT, MODE_REFERENCE, RAY_ABOVE, SLOPE_X, SLOPE_Y, STEEPEST
from regolith_world.numerics import kernel


@kernel(views_only=True)
def ceiling(ground: Ground, mode: int, r0: int, r1: int, c0: int, c1: int) -> float:
    """Return the height above which a body has no contact in rows r0..r1-1, columns c0..c1-1 [m]."""
    top = -math.inf
    height = ground.level_initial if mode != MODE_REFERENCE else ground.level
    for r in range(r0, r1):
        for c in range(c0, c1):
            # Unsigned: a signed index could count from the end, which Numba would check.
            here = height[np.uintp(r), np.uintp(c)]
            if here > top:  # max() would also have to handle NaN
                top = here
    return top if mode != MODE_REFERENCE else top + RAY_ABOVE


@kernel(views_only=True)
def _put(floats: Floats, cell: int, height: float, gx: float, gy: float) -> None:
    """Set a cell's surface to a height [m] and a gradient (gx, gy) [-], limited to STEEPEST."""
    floats[HEIGHT, cell] = height
    steep = gx * gx + gy * gy
    if steep > STEEPEST * STEEPEST:
        scale = STEEPEST / math.sqrt(steep)
        gx *= scale
        gy *= scale
    floats[SLOPE_X, cell] = gx
    floats[SLOPE_Y, cell] = gy


@kernel(views_only=True)
def cylinder_heights(
    ground: Ground,
    mode: int,
    radius: float,
    half_width: float,
    center: Floats,
    rotation: Floats,
    r0: int,
    r1: int,
    c0: int,
    c1: int,
    floats: Floats,
) -> None:
    """Write HEIGHT [m] and slopes of a solid cylinder about its y axis; +inf without contact.

    A vertical line through a node meets the cylinder where (u = z - cz, q = horizontal part of the axial coordinate) |q
    + u az| <= w and (1 - az^2) u^2 - 2 q az u + dx^2 + dy^2 - q^2 <= R^2. The lower end is in contact.
    """
    ax, ay, az = rotation[0, 1], rotation[1, 1], rotation[2, 1]
    cx, cy, cz = center[0], center[1], center[2]
    cols = c1 - c0
    heights = floats[HEIGHT]
    across = 1.0 - az * az
    barrel = across > 1e-12
    inverse_across = 1.0 / across if barrel else 0.0
    tilted = abs(az) > 1e-12
    inverse_az = 1.0 / az if tilted else 0.0
    regolith = mode != MODE_REFERENCE
    for r in range(r0, r1):
        dx = (ground.i0 + r) * ground.spacing - cx
        for c in range(c0, c1):
            cell = np.uintp((r - r0) * cols + c - c0)
            heights[cell] = math.inf
            dy = (ground.j0 + c) * ground.spacing - cy
            q = dx * ax + dy * ay
            rest = dx * dx + dy * dy - q * q - radius * radius
            if barrel:
                root = q * az * q * az - across * rest
                if root < 0.0:
                    continue
                # Most nodes are too far below the barrel. Squaring finds them without a square root.
                at = np.uintp(r), np.uintp(c)
                limit = ground.level_initial[at] if regolith else ground.level[at] + RAY_ABOVE
                clearance = q * az - across * (limit - cz)
                if clearance > 0.0 and root < clearance * clearance:
                    continue
                root = math.sqrt(root)
                lower = (q * az - root) * inverse_across
                upper = (q * az + root) * inverse_across
            elif rest <= 0.0:
                lower, upper = -math.inf, math.inf
            else:
                continue
            capped = False
            if tilted:
                end_a = (-half_width - q) * inverse_az
                end_b = (half_width - q) * inverse_az
                capped = min(end_a, end_b) > lower
                lower = max(lower, min(end_a, end_b))
                upper = min(upper, max(end_a, end_b))
                if lower > upper:
                    continue
            elif abs(q) > half_width:
                continue
            if capped:
                _put(floats, cell, cz + lower, -ax * inverse_az, -ay * inverse_az)
            else:
                along = q + lower * az
                down = lower - along * az
                inverse_down = 1.0 / down if down < 0.0 else -1e300
                _put(floats, cell, cz + lower, -(dx - along * ax) * inverse_down, -(dy - along * ay) * inverse_down)


@kernel(views_only=True)
def sphere_heights(
    ground: Ground,
    cx: float,
    cy: float,
    cz: float,
    radius: float,
    top: float,
    r0: int,
    r1: int,
    c0: int,
    c1: int,
    floats: Floats,
) -> None:
    """Lower HEIGHT to a sphere where it is lower; a vertical line at r from its center meets it at -sqrt(R^2 - r^2).

    Args:
        ground: Window of soil.
        cx: Center of the sphere along x [m].
        cy: Center of the sphere along y [m].
        cz: Center of the sphere along z [m].
        radius: Radius R [m].
        top: Height above which a sphere is skipped [m].
        r0: First row.
        r1: End row.
        c0: First column.
        c1: End column.
        floats: Input and output: float work array.
    """
    down = max(0.0, cz - top)
    if down >= radius:
        return
    chord = math.sqrt(radius * radius - down * down)
    cols = c1 - c0
    first_r = max(r0, int(math.ceil((cx - chord) / ground.spacing)) - ground.i0)
    end_r = min(r1, int(math.floor((cx + chord) / ground.spacing)) - ground.i0 + 1)
    first_c = max(c0, int(math.ceil((cy - chord) / ground.spacing)) - ground.j0)
    end_c = min(c1, int(math.floor((cy + chord) / ground.spacing)) - ground.j0 + 1)
    for r in range(first_r, end_r):
        dx = (ground.i0 + r) * ground.spacing - cx
        for c in range(first_c, end_c):
            dy = (ground.j0 + c) * ground.spacing - cy
            square = radius * radius - dx * dx - dy * dy
            if square < 0.0:
                continue
            below = math.sqrt(square)
            cell = (r - r0) * cols + c - c0
            if cz - below < floats[HEIGHT, cell]:
                inverse = 1.0 / below if below > 0.0 else 1e300
                _put(floats, cell, cz - below, dx * inverse, dy * inverse)


@kernel(views_only=True)
def capsule_heights(
    ground: Ground,
    mode: int,
    size: Floats,
    center: Floats,
    rotation: Floats,
    top: float,
    r0: int,
    r1: int,
    c0: int,
    c1: int,
    floats: Floats,
) -> None:
    """Write HEIGHT [m] and slopes of a capsule about its y axis; +inf without contact.

    Args:
        ground: Window of soil.
        mode: MODE_REFERENCE or MODE_REGOLITH.
        size: Radius and half length [m], shape (6,).
        center: Center of the capsule [m], shape (3,).
        rotation: Rotation of the capsule, shape (3, 3).
        top: Height above which its ends are skipped [m].
        r0: First row.
        r1: End row.
        c0: First column.
        c1: End column.
        floats: Output: float work array.
    """
    cylinder_heights(ground, mode, size[0], size[1], center, rotation, r0, r1, c0, c1, floats)
    for side in range(2):
        at = size[1] if side else -size[1]
        x, y, z = center[0] + at * rotation[0, 1], center[1] + at * rotation[1, 1], center[2] + at * rotation[2, 1]
        sphere_heights(ground, x, y, z, size[0], top, r0, r1, c0, c1, floats)


@kernel(views_only=True)
def box_heights(
    ground: Ground,
    cx: float,
    cy: float,
    cz: float,
    rotation: Floats,
    hx: float,
    hy: float,
    hz: float,
    top: float,
    r0: int,
    r1: int,
    c0: int,
    c1: int,
    floats: Floats,
) -> None:
    """Lower HEIGHT to a box (half lengths hx, hy, hz along the columns of ``rotation``) where it is lower.

    Args:
        ground: Window of soil.
        cx: Center of the box along x [m].
        cy: Center of the box along y [m].
        cz: Center of the box along z [m].
        rotation: Rotation of the box, shape (3, 3).
        hx: Half length along the first axis [m].
        hy: Half length along the second axis [m].
        hz: Half length along the third axis [m].
        top: Height above which a box is skipped [m].
        r0: First row.
        r1: End row.
        c0: First column.
        c1: End column.
        floats: Input and output: float work array.
    """
    if cz - hx * abs(rotation[2, 0]) - hy * abs(rotation[2, 1]) - hz * abs(rotation[2, 2]) > top:
        return
    reach_x = hx * abs(rotation[0, 0]) + hy * abs(rotation[0, 1]) + hz * abs(rotation[0, 2])
    reach_y = hx * abs(rotation[1, 0]) + hy * abs(rotation[1, 1]) + hz * abs(rotation[1, 2])
    cols = c1 - c0
    first_r = max(r0, int(math.ceil((cx - reach_x) / ground.spacing)) - ground.i0)
    end_r = min(r1, int(math.floor((cx + reach_x) / ground.spacing)) - ground.i0 + 1)
    first_c = max(c0, int(math.ceil((cy - reach_y) / ground.spacing)) - ground.j0)
    end_c = min(c1, int(math.floor((cy + reach_y) / ground.spacing)) - ground.j0 + 1)
    for r in range(first_r, end_r):
        dx = (ground.i0 + r) * ground.spacing - cx
        for c in range(first_c, end_c):
            dy = (ground.j0 + c) * ground.spacing - cy
            lower, upper, face = -math.inf, math.inf, 0
            for k in range(3):
                half = hx if k == 0 else (hy if k == 1 else hz)
                offset = rotation[0, k] * dx + rotation[1, k] * dy
                climb = rotation[2, k]
                if abs(climb) < 1e-12:
                    if abs(offset) > half:
                        upper = -math.inf
                    continue
                a, b = (-half - offset) / climb, (half - offset) / climb
                if min(a, b) > lower:
                    lower, face = min(a, b), k
                upper = min(upper, max(a, b))
            cell = (r - r0) * cols + c - c0
            if lower <= upper and cz + lower < floats[HEIGHT, cell]:
                climb = rotation[2, face]
                _put(floats, cell, cz + lower, -rotation[0, face] / climb, -rotation[1, face] / climb)


@kernel(views_only=True)
def grouser_heights(
    ground: Ground,
    size: Floats,
    center: Floats,
    rotation: Floats,
    blade: Floats,
    top: float,
    r0: int,
    r1: int,
    c0: int,
    c1: int,
    floats: Floats,
) -> None:
    """Lower HEIGHT to the straight grousers of a wheel: boxes on the drum, parallel to the axle.

    Args:
        ground: Window of soil.
        size: Size of the shape [m], shape (6,).
        center: Center of the wheel [m], shape (3,).
        rotation: Rotation of the wheel, shape (3, 3).
        blade: Work array for the rotation of a grouser, shape (3, 3).
        top: Height above which grousers are skipped [m].
        r0: First row.
        r1: End row.
        c0: First column.
        c1: End column.
        floats: Input and output: float work array.
    """
    radius, half_width, height, half_thickness = size[0], size[1], size[3], 0.5 * size[4]
    count = int(size[2])
    # The root of a grouser must not be off the drum: it starts where its flanks meet the drum.
    root = math.sqrt(max(0.0, radius * radius - half_thickness * half_thickness))
    middle, half = 0.5 * (root + radius + height), 0.5 * (radius + height - root)
    for k in range(count):
        angle = 2.0 * math.pi * k / count
        cosine, sine = math.cos(angle), math.sin(angle)
        for a in range(3):
            blade[a, 0] = cosine * rotation[a, 0] + sine * rotation[a, 2]
            blade[a, 1] = rotation[a, 1]
            blade[a, 2] = -sine * rotation[a, 0] + cosine * rotation[a, 2]
        box_heights(
            ground,
            center[0] + middle * blade[0, 0],
            center[1] + middle * blade[1, 0],
            center[2] + middle * blade[2, 0],
            blade,
            half,
            half_width,
            half_thickness,
            top,
            r0,
            r1,
            c0,
            c1,
            floats,
        )


@kernel(views_only=True)
def mesh_heights(
    ground: Ground,
    shapes: Shapes,
    which: int,
    center: Floats,
    rotation: Floats,
    top: float,
    r0: int,
    r1: int,
    c0: int,
    c1: int,
    floats: Floats,
) -> None:
    """Lower HEIGHT to a triangle mesh.

    Args:
        ground: Window of soil.
        shapes: Shapes of all bodies.
        which: Row of the mesh.
        center: Origin of the mesh [m], shape (3,).
        rotation: Rotation of the mesh, shape (3, 3).
        top: Height above which clusters and triangles are skipped [m].
        r0: First row.
        r1: End row.
        c0: First column.
        c1: End column.
        floats: Input and output: float work array.
    """
    m = rotation
    for cluster in range(shapes.clusters[which, 0], shapes.clusters[which, 1]):
        x, y, z = shapes.sphere[cluster, 0], shapes.sphere[cluster, 1], shapes.sphere[cluster, 2]
        if center[2] + m[2, 0] * x + m[2, 1] * y + m[2, 2] * z - shapes.sphere[cluster, 3] > top:
            continue
        for t in range(shapes.triangles[cluster, 0], shapes.triangles[cluster, 1]):
            p = shapes.corners[t]
            az = m[2, 0] * p[0] + m[2, 1] * p[1] + m[2, 2] * p[2]
            bz = m[2, 0] * p[3] + m[2, 1] * p[4] + m[2, 2] * p[5]
            cz = m[2, 0] * p[6] + m[2, 1] * p[7] + m[2, 2] * p[8]
            if center[2] + min(az, bz, cz) > top:
                continue
            ax = m[0, 0] * p[0] + m[0, 1] * p[1] + m[0, 2] * p[2]
            bx = m[0, 0] * p[3] + m[0, 1] * p[4] + m[0, 2] * p[5]
            cx = m[0, 0] * p[6] + m[0, 1] * p[7] + m[0, 2] * p[8]
            ay = m[1, 0] * p[0] + m[1, 1] * p[1] + m[1, 2] * p[2]
            by = m[1, 0] * p[3] + m[1, 1] * p[4] + m[1, 2] * p[5]
            cy = m[1, 0] * p[6] + m[1, 1] * p[7] + m[1, 2] * p[8]
            _triangle(ground, center, ax, ay, az, bx, by, bz, cx, cy, cz, r0, r1, c0, c1, floats)


@kernel(views_only=True)
def _triangle(
    ground: Ground,
    center: Floats,
    ax: float,
    ay: float,
    az: float,
    bx: float,
    by: float,
    bz: float,
    cx: float,
    cy: float,
    cz: float,
    r0: int,
    r1: int,
    c0: int,
    c1: int,
    floats: Floats,
) -> None:
    """Lower HEIGHT to one triangle of either winding, border included; corners are relative to the center [m]."""
    ux, uy, vx, vy = bx - ax, by - ay, cx - ax, cy - ay
    twice = ux * vy - uy * vx
    if twice == 0.0:  # vertical triangle: its neighbors contain its border
        return
    spacing = ground.spacing
    first_r = max(r0, int(math.ceil((center[0] + min(ax, bx, cx)) / spacing)) - ground.i0)
    end_r = min(r1, int(math.floor((center[0] + max(ax, bx, cx)) / spacing)) - ground.i0 + 1)
    first_c = max(c0, int(math.ceil((center[1] + min(ay, by, cy)) / spacing)) - ground.j0)
    end_c = min(c1, int(math.floor((center[1] + max(ay, by, cy)) / spacing)) - ground.j0 + 1)
    if first_r >= end_r or first_c >= end_c:
        return
    inverse = 1.0 / twice
    gx = ((bz - az) * vy - (cz - az) * uy) * inverse
    gy = ((cz - az) * ux - (bz - az) * vx) * inverse
    cols = c1 - c0
    for r in range(first_r, end_r):
        dx = (ground.i0 + r) * spacing - center[0] - ax
        for c in range(first_c, end_c):
            dy = (ground.j0 + c) * spacing - center[1] - ay
            s = (dx * vy - dy * vx) * inverse
            t = (ux * dy - uy * dx) * inverse
            # The tolerance closes gaps of one rounding between neighbors. It widens a triangle by a billionth.
            if s < -1e-9 or t < -1e-9 or s + t > 1.0 + 1e-9:
                continue
            height = center[2] + az + gx * dx + gy * dy
            cell = (r - r0) * cols + c - c0
            if height < floats[HEIGHT, cell]:
                _put(floats, cell, height, gx, gy)
