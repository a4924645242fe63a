# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact points of a part with one convex solid, for each kind of part; see :mod:`regolith_terrain.solids.contact`."""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.contact.constants import SHAPE_GROUSERED
from regolith_terrain.contact.ground_contact import PartPose
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.contact_arrays import MOST_DISCS, SLOTS, SolidContactArrays
from regolith_terrain.solids.distance import nearest_on_axis, solid_distance
from regolith_terrain.solids.point_force import FRICTION, NX, NY, NZ, POINT_DEPTH, PX, PY, PZ
from regolith_terrain.solids.solids import NearbySolids
from regolith_world.numerics import kernel

DISC_GAP_M = 0.025
"""Largest distance of the discs of a wheel, and of a point on a capsule from its ends [m]."""
_AXIAL = MOST_DISCS
_FEATURES = 32
"""Upper bound of the number of features of a part: its discs and sides, or twice its octants."""
_EDGE_M = 1e-6
"""Distance beside a face at which a point still counts as inside: equal boxes may stand exactly on each other."""
_BOX_POINTS = np.array(
    sorted(
        (
            (x, y, z)
            for x in (-1.0, -0.5, 0.0, 0.5, 1.0)
            for y in (-1.0, -0.5, 0.0, 0.5, 1.0)
            for z in (-1.0, -0.5, 0.0, 0.5, 1.0)
            if [abs(x), abs(y), abs(z)].count(1.0) >= 2
        ),
        key=lambda point: -sum(map(abs, point)),
    )
)
"""Corners of a box, then points along its edges, in half lengths, shape (44, 3)."""
_DEEPER_M = 1e-9
"""Depth by which a point along an edge must exceed that of a corner to be used instead [m]."""


@kernel(views_only=True)
def meet_discs(solids: SolidContactArrays, n: int, part: int, pose: PartPose, count: int) -> int:
    """Append the contact points of a round part with a solid; return the number of points."""
    near, vertices, discs = solids.near, solids.vertices, solids.discs
    size, rotation, center = solids.shapes.size[part], pose.rotation, pose.center
    half_width = size[1]
    radius = size[0] + (size[3] if solids.shapes.kind[part] == SHAPE_GROUSERED else 0.0)
    # Return early if the part is above one of the facets, the case of most solids near a wheel.
    for t in range(near.first_triangle[n], near.first_triangle[n + 1]):
        plane = near.planes[t]
        along = plane[0] * rotation[0, 1] + plane[1] * rotation[1, 1] + plane[2] * rotation[2, 1]
        away = plane[0] * center[0] + plane[1] * center[1] + plane[2] * center[2] - plane[3]
        if away > half_width * abs(along) + radius * math.sqrt(max(0.0, 1.0 - along * along)):
            return count
    first = near.first_vertex[n]
    low, high = math.inf, -math.inf
    for v in range(first, near.first_vertex[n + 1]):
        dx, dy, dz = near.vertices[v, 0] - center[0], near.vertices[v, 1] - center[1], near.vertices[v, 2] - center[2]
        for a in range(3):
            vertices[v - first, a] = dx * rotation[0, a] + dy * rotation[1, a] + dz * rotation[2, a]
        low, high = min(low, vertices[v - first, 1]), max(high, vertices[v - first, 1])
    if low >= half_width or high <= -half_width:
        return count
    number = min(MOST_DISCS, 2 + int(2.0 * half_width / DISC_GAP_M))
    gap = 2.0 * half_width / (number - 1)
    for k in range(number):
        discs[k, 0] = math.inf
    for t in range(near.first_triangle[n], near.first_triangle[n + 1]):
        a, b, c = near.triangles[t, 0] - first, near.triangles[t, 1] - first, near.triangles[t, 2] - first
        y0, y1 = (
            min(vertices[a, 1], vertices[b, 1], vertices[c, 1]),
            max(vertices[a, 1], vertices[b, 1], vertices[c, 1]),
        )
        if y1 <= -half_width or y0 > half_width or y1 - y0 < 1e-12:
            continue
        k0 = max(0, int(math.ceil((y0 + half_width) / gap)))
        k1 = min(number - 1, int(math.floor((y1 + half_width) / gap)))
        for k in range(k0, k1 + 1):
            _cut(vertices, a, b, c, k * gap - half_width, t, discs[k])
    # Depth of each disc, and the deepest one.
    deepest, outermost, beside = 0.0, -1, 1.0 if low + high > 0.0 else -1.0
    for k in range(number):
        if discs[k, 0] == math.inf:
            continue
        plane = near.planes[int(discs[k, 3])]
        nx = plane[0] * rotation[0, 0] + plane[1] * rotation[1, 0] + plane[2] * rotation[2, 0]
        nz = plane[0] * rotation[0, 2] + plane[1] * rotation[1, 2] + plane[2] * rotation[2, 2]
        distance = math.sqrt(discs[k, 0])
        if discs[k, 4] > 0.0:  # on a side: outside, the normal points to the axle
            inside = nx * discs[k, 1] + nz * discs[k, 2] > 0.0
            depth = (radius + (distance if inside else -distance)) * math.sqrt(nx * nx + nz * nz)
        else:
            depth = (radius - distance) / math.sqrt(1.0 + discs[k, 5] * discs[k, 5])
        discs[k, 0] = depth
        deepest = max(deepest, depth)
        if depth > 0.0 and (outermost < 0 or beside > 0.0):
            outermost = k
    if deepest <= 0.0:
        return count
    base = near.number[n] * _FEATURES
    out = half_width - low if beside > 0.0 else half_width + high
    if out < deepest:
        # The solid is beside the part: along the axle is the shorter way out.
        point = solids.found[count]
        plane = near.planes[int(discs[outermost, 3])]
        qx, qz = discs[outermost, 1], discs[outermost, 2]
        nx = plane[0] * rotation[0, 0] + plane[1] * rotation[1, 0] + plane[2] * rotation[2, 0]
        nz = plane[0] * rotation[0, 2] + plane[1] * rotation[1, 2] + plane[2] * rotation[2, 2]
        # The solid covers the hub. A corner that is nearest is no such case, whatever its facets.
        if discs[outermost, 4] > 0.0 and nx * qx + nz * qz > 0.0:
            qx, qz = 0.0, 0.0
        for a in range(3):
            point[a] = center[a] + rotation[a, 0] * qx + rotation[a, 1] * beside * half_width + rotation[a, 2] * qz
            point[3 + a] = -beside * rotation[a, 1]
        point[POINT_DEPTH], point[FRICTION] = out, near.friction[n]
        solids.keys[count] = base + _AXIAL
        return min(count + 1, SLOTS - 1)
    for k in range(number):
        if discs[k, 0] == math.inf or discs[k, 0] <= 0.0:
            continue
        point = solids.found[count]
        qx, qz, y = discs[k, 1], discs[k, 2], k * gap - half_width
        distance = math.sqrt(qx * qx + qz * qz)
        for a in range(3):
            point[a] = center[a] + rotation[a, 0] * qx + rotation[a, 1] * y + rotation[a, 2] * qz
            if discs[k, 4] > 0.0:
                point[3 + a] = near.planes[int(discs[k, 3]), a]
            else:
                radial = (rotation[a, 0] * qx + rotation[a, 2] * qz) / distance
                point[3 + a] = (discs[k, 5] * rotation[a, 1] - radial) / math.sqrt(1.0 + discs[k, 5] * discs[k, 5])
        point[POINT_DEPTH], point[FRICTION] = discs[k, 0], near.friction[n]
        solids.keys[count] = base + k
        count = min(count + 1, SLOTS - 1)
    return count


@kernel(views_only=True)
def meet_balls(solids: SolidContactArrays, n: int, part: int, pose: PartPose, count: int) -> int:
    """Append the contact points of a sphere, or of three spheres of a capsule, with a solid; return their number."""
    near, size, center, rotation = solids.near, solids.shapes.size[part], pose.center, pose.rotation
    ax, ay, az = rotation[0, 1], rotation[1, 1], rotation[2, 1]
    balls = 1 if size[1] == 0.0 else 3
    for k in range(balls):
        at = 0.0 if balls == 1 else (k - 1) * size[1]
        if k == 1:
            at = nearest_on_axis(near, n, center, ax, ay, az, size[1])
            if size[1] - abs(at) < DISC_GAP_M:  # one of the ends
                continue
        x, y, z = center[0] + at * ax, center[1] + at * ay, center[2] + at * az
        away, nx, ny, nz = solid_distance(near, n, x, y, z, size[0])
        if away >= size[0]:
            continue
        point = solids.found[count]
        point[PX], point[PY], point[PZ] = x - size[0] * nx, y - size[0] * ny, z - size[0] * nz
        point[NX], point[NY], point[NZ] = nx, ny, nz
        point[POINT_DEPTH], point[FRICTION] = size[0] - away, near.friction[n]
        solids.keys[count] = near.number[n] * _FEATURES + k
        count = min(count + 1, SLOTS - 1)
    return count


@kernel(views_only=True)
def _cut(vertices: Floats, a: int, b: int, c: int, y: float, facet: int, disc: Floats) -> None:
    """Cut a triangle by a disc's plane; keep the point of the cut closest to the axle, if it is closer."""
    count = 0
    px, pz, qx, qz = 0.0, 0.0, 0.0, 0.0
    slope_px, slope_pz, slope_qx, slope_qz = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        i = a if k == 0 else b if k == 1 else c
        j = b if k == 0 else c if k == 1 else a
        yi, yj = vertices[i, 1], vertices[j, 1]
        if (yi <= y) != (yj <= y):
            along_x, along_z = (vertices[j, 0] - vertices[i, 0]), (vertices[j, 2] - vertices[i, 2])
            part = (y - yi) / (yj - yi)
            x, z = vertices[i, 0] + part * along_x, vertices[i, 2] + part * along_z
            if count == 0:
                px, pz, slope_px, slope_pz = x, z, along_x / (yj - yi), along_z / (yj - yi)
            else:
                qx, qz, slope_qx, slope_qz = x, z, along_x / (yj - yi), along_z / (yj - yi)
            count += 1
    if count != 2:
        return
    dx, dz = qx - px, qz - pz
    length = dx * dx + dz * dz
    part = -(px * dx + pz * dz) / length if length > 0.0 else 0.0
    on_side = 1.0 if 0.0 < part < 1.0 else 0.0
    part = min(max(part, 0.0), 1.0)
    x, z = px + part * dx, pz + part * dz
    square = x * x + z * z
    # A side is preferred to its own end, which the next side shares.
    if square < disc[0] - 1e-15 or (square <= disc[0] and on_side > disc[4]):
        disc[0], disc[1], disc[2], disc[3], disc[4], disc[5] = square, x, z, facet, on_side, 0.0
        if on_side == 0.0 and square > 0.0:
            slope_x, slope_z = (slope_px, slope_pz) if part == 0.0 else (slope_qx, slope_qz)
            disc[5] = (x * slope_x + z * slope_z) / math.sqrt(square)


@kernel(views_only=True)
def meet_box(solids: SolidContactArrays, n: int, part: int, pose: PartPose, centered: bool, count: int) -> int:
    """Append the contact points of a box with a solid; return the number of points.

    Args:
        solids: Solids, shapes and memory.
        n: Index of the solid.
        part: Index of the part.
        pose: Pose and twist of the part.
        centered: Whether the box has a separate center, size[3:6].
        count: Number of points so far.
    """
    near, vertices = solids.near, solids.vertices
    size, rotation = solids.shapes.size[part], pose.rotation
    cx, cy, cz = pose.center[0], pose.center[1], pose.center[2]
    if centered:
        cx += rotation[0, 0] * size[3] + rotation[0, 1] * size[4] + rotation[0, 2] * size[5]
        cy += rotation[1, 0] * size[3] + rotation[1, 1] * size[4] + rotation[1, 2] * size[5]
        cz += rotation[2, 0] * size[3] + rotation[2, 1] * size[4] + rotation[2, 2] * size[5]
    # Shortest way out along a facet's normal,
    out, nx, ny, nz = math.inf, 0.0, 0.0, 0.0
    for t in range(near.first_triangle[n], near.first_triangle[n + 1]):
        plane = near.planes[t]
        depth = plane[3] - plane[0] * cx - plane[1] * cy - plane[2] * cz
        for a in range(3):
            depth += size[a] * abs(plane[0] * rotation[0, a] + plane[1] * rotation[1, a] + plane[2] * rotation[2, a])
        if depth <= 0.0:
            return count
        if depth < out:
            out, nx, ny, nz = depth, plane[0], plane[1], plane[2]
    # or along a face normal of the box, which is preferred if equal.
    first = near.first_vertex[n]
    for a in range(3):
        low, high = math.inf, -math.inf
        for v in range(first, near.first_vertex[n + 1]):
            at = (
                (near.vertices[v, 0] - cx) * rotation[0, a]
                + (near.vertices[v, 1] - cy) * rotation[1, a]
                + (near.vertices[v, 2] - cz) * rotation[2, a]
            )
            low, high = min(low, at), max(high, at)
        if size[a] - low <= 0.0 or size[a] + high <= 0.0:
            return count
        if size[a] - low < 1.001 * out + 1e-6:
            out, nx, ny, nz = size[a] - low, -rotation[0, a], -rotation[1, a], -rotation[2, a]
        if size[a] + high < 1.001 * out + 1e-6:
            out, nx, ny, nz = size[a] + high, rotation[0, a], rotation[1, a], rotation[2, a]
    # Deepest point in each octant of the box: of the solid's points in the box, of the box's points in the solid.
    deepest = vertices  # rows 0 to 15: depth, position
    for k in range(16):
        deepest[k, 0] = 0.0
    where = solids.discs
    lx = nx * rotation[0, 0] + ny * rotation[1, 0] + nz * rotation[2, 0]
    ly = nx * rotation[0, 1] + ny * rotation[1, 1] + nz * rotation[2, 1]
    lz = nx * rotation[0, 2] + ny * rotation[1, 2] + nz * rotation[2, 2]
    for s in range(near.first_sample[n], near.first_sample[n + 1]):
        dx, dy, dz = near.samples[s, 0] - cx, near.samples[s, 1] - cy, near.samples[s, 2] - cz
        x = dx * rotation[0, 0] + dy * rotation[1, 0] + dz * rotation[2, 0]
        y = dx * rotation[0, 1] + dy * rotation[1, 1] + dz * rotation[2, 1]
        z = dx * rotation[0, 2] + dy * rotation[1, 2] + dz * rotation[2, 2]
        if abs(x) > size[0] + _EDGE_M or abs(y) > size[1] + _EDGE_M or abs(z) > size[2] + _EDGE_M:
            continue
        # The box moves along n, so the point moves back through it.
        depth = min(_way(x, -lx, size[0]), _way(y, -ly, size[1]), _way(z, -lz, size[2]))
        k = 8 + (1 if x > 0.0 else 0) + (2 if y > 0.0 else 0) + (4 if z > 0.0 else 0)
        if depth > deepest[k, 0]:
            deepest[k, 0] = depth
            where[k, 0], where[k, 1], where[k, 2] = near.samples[s, 0], near.samples[s, 1], near.samples[s, 2]
    for s in range(_BOX_POINTS.shape[0]):
        bx, by, bz = _BOX_POINTS[s, 0] * size[0], _BOX_POINTS[s, 1] * size[1], _BOX_POINTS[s, 2] * size[2]
        x = cx + rotation[0, 0] * bx + rotation[0, 1] * by + rotation[0, 2] * bz
        y = cy + rotation[1, 0] * bx + rotation[1, 1] * by + rotation[1, 2] * bz
        z = cz + rotation[2, 0] * bx + rotation[2, 1] * by + rotation[2, 2] * bz
        box = near.box[n]
        if x < box[0] or x > box[3] or y < box[1] or y > box[4] or z < box[2] or z > box[5]:
            continue
        depth = _depth_along(near, n, x, y, z, nx, ny, nz)
        k = (1 if bx > 0.0 else 0) + (2 if by > 0.0 else 0) + (4 if bz > 0.0 else 0)
        if depth > deepest[k, 0] + _DEEPER_M:
            deepest[k, 0] = depth
            where[k, 0], where[k, 1], where[k, 2] = x, y, z
    count = _append_deepest(solids, n, out, nx, ny, nz, count)
    return count


@kernel(views_only=True)
def _append_deepest(solids: SolidContactArrays, n: int, out: float, nx: float, ny: float, nz: float, count: int) -> int:
    """Append the deepest points of the octants, from the work arrays; return the number of points.

    Args:
        solids: Solids; depths are in the first column of ``vertices``, positions in ``discs``, 16 rows each.
        n: Index of the solid.
        out: Shortest way out [m].
        nx: Its direction, x component.
        ny: Its direction, y component.
        nz: Its direction, z component.
        count: Number of points so far.
    """
    near, deepest, where = solids.near, solids.vertices, solids.discs
    base = near.number[n] * _FEATURES
    for k in range(16):
        if deepest[k, 0] > 0.0:
            point = solids.found[count]
            point[PX], point[PY], point[PZ] = where[k, 0], where[k, 1], where[k, 2]
            point[NX], point[NY], point[NZ] = nx, ny, nz
            point[POINT_DEPTH], point[FRICTION] = min(deepest[k, 0], out), near.friction[n]
            solids.keys[count] = base + k
            count = min(count + 1, SLOTS - 1)
    return count


@kernel(views_only=True)
def _lowest(near: NearbySolids, n: int, x: float, y: float, z: float) -> float:
    """Return the smallest coordinate of a solid along a direction [m]."""
    low = math.inf
    for v in range(near.first_vertex[n], near.first_vertex[n + 1]):
        low = min(low, near.vertices[v, 0] * x + near.vertices[v, 1] * y + near.vertices[v, 2] * z)
    return low


@kernel(views_only=True)
def _depth_along(near: NearbySolids, n: int, x: float, y: float, z: float, dx: float, dy: float, dz: float) -> float:
    """Return the way of a point in a solid along a direction to its surface [m]; 0: it is outside."""
    depth = math.inf
    for t in range(near.first_triangle[n], near.first_triangle[n + 1]):
        plane = near.planes[t]
        rest = plane[3] - plane[0] * x - plane[1] * y - plane[2] * z
        if rest < -_EDGE_M:
            return 0.0
        slope = plane[0] * dx + plane[1] * dy + plane[2] * dz
        if slope > 1e-9:
            depth = min(depth, rest / slope)
    return depth


@kernel(views_only=True)
def meet_hull(solids: SolidContactArrays, n: int, own: int, pose: PartPose, count: int) -> int:
    """Append the contact points of a convex polyhedron with a solid; return the number of points.

    As :func:`meet_box`, with the facets and points of the polyhedron instead of those of a box.

    Args:
        solids: Solids, shapes and memory; the polyhedron is one of the solids.
        n: Index of the solid.
        own: Index of the polyhedron.
        pose: Pose and twist of the part.
        count: Number of points so far.
    """
    near, deepest, where = solids.near, solids.vertices, solids.discs
    out, nx, ny, nz = math.inf, 0.0, 0.0, 0.0
    for side in range(2):
        of, other = (n, own) if side == 0 else (own, n)
        for t in range(near.first_triangle[of], near.first_triangle[of + 1]):
            plane = near.planes[t]
            depth = plane[3] - _lowest(near, other, plane[0], plane[1], plane[2])
            if depth <= 0.0:
                return count
            if side == 0 and depth < out:
                out, nx, ny, nz = depth, plane[0], plane[1], plane[2]
            elif side == 1 and depth < 0.999 * out - _EDGE_M:
                out, nx, ny, nz = depth, -plane[0], -plane[1], -plane[2]
    for k in range(16):
        deepest[k, 0] = 0.0
    rotation, center = pose.rotation, pose.center
    for side in range(2):
        of, other = (n, own) if side == 0 else (own, n)
        way = -1.0 if side == 0 else 1.0  # the part moves along n, so points of the solid move back through it
        for s in range(near.first_sample[of], near.first_sample[of + 1]):
            x, y, z = near.samples[s, 0], near.samples[s, 1], near.samples[s, 2]
            depth = _depth_along(near, other, x, y, z, way * nx, way * ny, way * nz)
            k = 8 * side
            for a in range(3):
                along = (
                    (x - center[0]) * rotation[0, a]
                    + (y - center[1]) * rotation[1, a]
                    + (z - center[2]) * rotation[2, a]
                )
                k += (1 << a) if along > 0.0 else 0
            if depth > deepest[k, 0]:
                deepest[k, 0] = depth
                where[k, 0], where[k, 1], where[k, 2] = x, y, z
    count = _append_deepest(solids, n, out, nx, ny, nz, count)
    return count


@kernel(views_only=True)
def _way(at: float, step: float, half: float) -> float:
    """Return the distance from a point in a slab along a direction to the exit of the slab."""
    if step > 1e-12:
        return (half - at) / step
    if step < -1e-12:
        return (-half - at) / step
    return math.inf
