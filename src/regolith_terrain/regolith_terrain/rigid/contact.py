# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact with rigid terrain: bedrock, a landing pad, a laboratory floor.

Each part has a few contact points. A wheel has one on each rim and one between, where it is deepest. A cap has its
deepest point and seven on its rim. Any other part has the corners of its bounding box. A point presses with a spring
and a damper along the surface normal, N = max(0, k d - c v_n), and is held by Coulomb friction, at most mu N. The
mobilized part of friction is a vector m in the contact memory, like the shear of SCM: dm = (u - m) |v| dt / s, with the
unit vector u against sliding and s = ``friction_displacement_m``. So a vehicle at rest on a slope does not move. Spring
and damper are specific to Regolith. They represent terrain stiffer than a step can resolve, which a part penetrates by
its load over k.

The depth d of a point is its distance from the nearest point of the surface, to which the normal points
(:func:`~regolith_terrain.rigid.surface.depth_at`). Where the surface bends below a rim, as at the edge of a
step, the depth of the rim is its radius minus the distance of its center from the nearest surface point in its plane.
The normal then points from there to the center (:func:`~regolith_terrain.rigid.surface.find_foot`). Both depths
are continuous, so the springs have a potential: a part that passes an edge, or a corner pushed into the face of a step,
gains no energy. A tilted wheel, or one with its axle below the surface, contacts a bent surface with the deepest of
RIM_POINTS points fixed to each rim. Limits of the method: in a groove each rim is supported by one flank at a time. An
edge can enter a box between its corners. Where a rim changes from one of these rules to another, its depth changes by a
fraction of itself.

The surface is bilinear between nodes. Nothing changes it, so agents send no deltas. Beside another terrain model, a
wheel is supported by the deepest point of each rim above rigid terrain. So it climbs the edge of a pad beside which it
has sunk in, although the force is along the normal of the pad, not of the rim. The depth is along the normal of the
plane below the point there, so a step within such a pad can still add energy.

Source: dahl1968.
Checked by: test_rigid_contact.py::test_rigid_contact_block_slides_by_coulomb_friction,
test_rigid_contact.py::test_rigid_contact_block_is_at_rest_below_the_friction_angle,
test_rigid_contact.py::test_rigid_contact_wheel_has_three_points_and_coulomb_friction,
test_rigid_contact.py::test_rigid_depth_is_the_distance_to_the_surface,
test_rigid_contact.py::test_rigid_contact_rim_past_an_edge_is_supported,
test_rigid_contact.py::test_rigid_contact_edge_force_is_the_energy_gradient.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.contact.arrays import Wrench, push_at
from regolith_terrain.contact.constants import (
    CONTACT_OK,
    LEFT_WINDOW,
    RATE_SHARE,
    SHAPE_CYLINDER,
    SHAPE_GROUSERED,
    SHAPE_MESH,
    SPHERE_RADIUS,
    STAT_LOADED_NODES,
    STAT_MAX_SINKAGE,
)
from regolith_terrain.contact.ground_contact import ContactSetting, GroundContact, PartPose, StepLimit
from regolith_terrain.contact.lowest_point import lowest
from regolith_terrain.contact.mobilization import mobilize
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_terrain.rigid.surface import (
    BENT,
    CREEP,
    DAMPING,
    SOIL_FRICTION,
    SOIL_STIFFNESS,
    STICK,
    RigidArrays,
    depth_at,
    find_foot,
    foot_normal,
    soil_at,
    surface_at,
)
from regolith_world.cycle import StateField, StateLayout
from regolith_world.numerics import kernel

WHEEL_POINTS, BOX_POINTS = 3, 8
"""Number of contact points of a wheel and of any other part."""
RIM_ARCS = 64
"""Number of arcs of the lower half of a rim that are checked near other terrain models: 12 mm each for 0.25 m
radius.
"""
RIM_BISECTIONS = 10
"""Number of bisections of an arc, down to 12 um."""
UPRIGHT = 0.97
"""Horizontal part of an axle's unit vector, 14 degrees of tilt, below which the nearest point in the vertical plane is
too far from that in the wheel's plane."""
ASIDE = 0.85
"""Component of a face's unit normal along the axle from which the face is beside the wheel: 32 degrees."""
RIM_POINTS = 64
"""Number of points of a tilted rim on a bent surface; the sinkage between two is 0.12 % of the radius."""


@kernel(views_only=True)
def press(arrays: RigidArrays, step: float, part: int, pose: PartPose, wrench: Wrench) -> int:
    """Press a part on the surface for one substep; see :mod:`regolith_terrain.contact.ground_contact`."""
    wrench.force[:] = 0.0
    wrench.torque[:] = 0.0
    wrench.stats[:] = 0.0
    kind, size = arrays.shapes.kind[part], arrays.shapes.size[part]
    if kind in (SHAPE_CYLINDER, SHAPE_GROUSERED):
        radius = size[0] + (size[3] if kind == SHAPE_GROUSERED else 0.0)
        for n in range(WHEEL_POINTS):
            if press_circle(arrays, step, part, n, pose, radius, (n - 1) * size[1], wrench) != CONTACT_OK:
                return LEFT_WINDOW
        return CONTACT_OK
    if lowest(kind, size, pose.center, pose.rotation) > arrays.top:
        arrays.held[part] = 0.0
        return CONTACT_OK
    point, is_cap = arrays.point, kind == SHAPE_MESH and size[SPHERE_RADIUS] > 0.0
    for n in range(BOX_POINTS):
        if is_cap:
            if not _cap_point(arrays, pose, size, n, point):
                return LEFT_WINDOW
        else:
            _corner(pose, size, kind == SHAPE_MESH, n, point)
        if point[2] > arrays.top:
            arrays.held[part, n, 0] = arrays.held[part, n, 1] = 0.0
            continue
        depth, nx, ny, nz = depth_at(arrays, point[0], point[1], point[2])
        if math.isnan(depth):
            return LEFT_WINDOW
        _push(arrays, step, part, n, pose, point, depth, nx, ny, nz, wrench)
    return CONTACT_OK


@kernel(views_only=True)
def _cap_point(arrays: RigidArrays, pose: PartPose, size: Floats, n: int, point: Floats) -> bool:
    """Write point ``n`` [m] of a cap to ``point``; return whether the terrain below it is known.

    The first point is the deepest one of the cap: of its sphere, or of its rim if that of the sphere is beyond the rim.
    The others are fixed to the rim, for terrain that is not plane.

    Args:
        arrays: Terrain and contact memory.
        pose: Pose of the part.
        size: Size of the shape [m].
        n: Index of the point.
        point: Output: point [m], shape (3,).
    """
    turn, center, radius, rim = pose.rotation, pose.center, size[SPHERE_RADIUS], size[0]
    top, depth = size[5] + size[2], 2.0 * size[2]
    if n > 0:
        angle = 2.0 * math.pi * n / (BOX_POINTS - 1)
        x, y = rim * math.cos(angle), rim * math.sin(angle)
        for a in range(3):
            point[a] = center[a] + turn[a, 0] * x + turn[a, 1] * y + turn[a, 2] * top
        return True
    point[0], point[1], point[2] = center[0], center[1], center[2]
    for k in range(2):  # with the normal below the center, then at the resulting point
        if k == 1 and point[2] <= arrays.top:
            deep, nx, ny, nz = depth_at(arrays, point[0], point[1], point[2])
        else:
            deep, slope_x, slope_y = surface_at(arrays, point[0], point[1])
            nz = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
            nx, ny = -slope_x * nz, -slope_y * nz
        if math.isnan(deep):
            return False
        along = turn[0, 2] * nx + turn[1, 2] * ny + turn[2, 2] * nz
        if along * radius >= radius - depth:  # on the sphere
            high = top + radius - depth
            for a in range(3):
                normal = nx if a == 0 else ny if a == 1 else nz
                point[a] = center[a] + turn[a, 2] * high - radius * normal
            continue
        length = math.sqrt(max(1.0 - along * along, 0.0))
        scale = rim / length if length > 1e-9 else 0.0
        for a in range(3):
            normal = nx if a == 0 else ny if a == 1 else nz
            point[a] = center[a] + turn[a, 2] * top + scale * (along * turn[a, 2] - normal)
    return True


@kernel(views_only=True)
def press_circle(
    arrays: RigidArrays, step: float, part: int, n: int, pose: PartPose, radius: float, aside: float, wrench: Wrench
) -> int:
    """Add the wrench of the terrain on a circle about a part's axle; return CONTACT_OK or LEFT_WINDOW.

    Args:
        arrays: Terrain and contact memory.
        step: Substep [s].
        part: Index of the part.
        n: Index of the contact point in the memory of the part.
        pose: Pose and twist of the part.
        radius: Radius of the circle [m].
        aside: Offset of the circle's center from the part's along the axle [m].
        wrench: Wrench to which force and torque are added.
    """
    point = arrays.point
    depth, nx, ny, nz = math.nan, 0.0, 0.0, 1.0
    if not arrays.patchy:
        depth, nx, ny, nz = _over_bend(arrays, pose, radius, aside, point)
        if depth > 0.0:
            way, ux, uy, uz, _ = way_aside(arrays, pose, point[0], point[1], point[2], depth)
            if way < depth:
                depth, nx, ny, nz = way, ux, uy, uz
        if math.isnan(depth) and _is_bent(arrays, pose, radius, aside):
            depth, nx, ny, nz = _deepest_of_points(arrays, pose, radius, aside, point)
    if math.isnan(depth):
        _lowest_of_rim(arrays, pose, radius, aside, point)
        if arrays.patchy:
            _deepest_of_rim(arrays, pose, radius, aside, point)
        depth, nx, ny, nz = depth_at(arrays, point[0], point[1], point[2])
        if math.isnan(depth):
            return LEFT_WINDOW
    _push(arrays, step, part, n, pose, point, depth, nx, ny, nz, wrench)
    return CONTACT_OK


@kernel(views_only=True)
def _over_bend(
    arrays: RigidArrays, pose: PartPose, radius: float, aside: float, point: Floats
) -> tuple[float, float, float, float]:
    """Find the point of a circle about an axle that is deepest in a bent surface; return depth [m] and normal.

    The depth is NaN where the plane below the circle is sufficient
    (:func:`~regolith_terrain.rigid.surface.find_foot`), or the circle is tilted. The depth is that of the
    circle in the half-space below the tangent plane at the nearest point of the surface.

    Args:
        arrays: Terrain and contact memory.
        pose: Pose and twist of the part.
        radius: Radius of the circle [m].
        aside: Offset of the circle's center from the wheel's along the axle [m].
        point: Output: deepest point [m], shape (3,).
    """
    ax, ay, az = pose.rotation[0, 1], pose.rotation[1, 1], pose.rotation[2, 1]
    cx, cy, cz = pose.center[0] + aside * ax, pose.center[1] + aside * ay, pose.center[2] + aside * az
    level_part = math.sqrt(ax * ax + ay * ay)
    if level_part < UPRIGHT or cz - radius > arrays.top:
        return math.nan, 0.0, 0.0, 1.0
    hx, hy = ay / level_part, -ax / level_part
    if not find_foot(arrays, cx, cy, cz, hx, hy, radius, arrays.foot):
        return math.nan, 0.0, 0.0, 1.0
    nx, ny, nz = foot_normal(arrays, cx, cy, cz, hx, hy, arrays.foot)
    lean = ax * nx + ay * ny + az * nz
    dx, dy, dz = lean * ax - nx, lean * ay - ny, lean * az - nz
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    scale = radius / length if length > 1e-9 else 0.0
    point[0], point[1], point[2] = cx + scale * dx, cy + scale * dy, cz + scale * dz
    ahead, height = arrays.foot[0], arrays.foot[1]
    depth = (cx + ahead * hx - point[0]) * nx + (cy + ahead * hy - point[1]) * ny + (height - point[2]) * nz
    return depth, nx, ny, nz


@kernel(views_only=True)
def way_aside(
    arrays: RigidArrays, pose: PartPose, x: float, y: float, z: float, most: float
) -> tuple[float, float, float, float, float]:
    """Return depth [m] and normal of a wheel point in a face beside it, and the level below [m].

    The depth is inf without such a face. The search is along the horizontal direction of the axle, both ways. A normal
    with a component below ASIDE in this direction is not a face beside the wheel. A point below the lower surface is as
    deep as one on it.

    Args:
        arrays: Terrain and contact memory.
        pose: Pose and twist of the wheel.
        x: Position of the point along x [m].
        y: Position of the point along y [m].
        z: Height of the point [m].
        most: Largest distance of the face [m].
    """
    ax, ay = pose.rotation[0, 1], pose.rotation[1, 1]
    level_part = math.sqrt(ax * ax + ay * ay)
    best, nx, ny, nz, lower = math.inf, 0.0, 0.0, 1.0, 0.0
    if level_part == 0.0:
        return best, nx, ny, nz, lower
    here, _, _ = surface_at(arrays, x, y)
    for side in range(2):
        dx, dy = (ax / level_part, ay / level_part) if side else (-ax / level_part, -ay / level_part)
        far = most
        level, _, _ = surface_at(arrays, x + far * dx, y + far * dy)
        if not here - level > 0.1 * most:  # NaN neither
            continue
        top = max(z, level + 1e-6 * most)
        near = 0.0
        for _ in range(RIM_BISECTIONS + RIM_BISECTIONS):
            middle = 0.5 * (near + far)
            height, _, _ = surface_at(arrays, x + middle * dx, y + middle * dy)
            if height < top:
                far = middle
            else:
                near = middle
        _, slope_x, slope_y = surface_at(arrays, x + near * dx, y + near * dy)
        up = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
        share = -(slope_x * dx + slope_y * dy) * up
        if share > ASIDE and near * share < best:
            best, nx, ny, nz, lower = near * share, -slope_x * up, -slope_y * up, up, level
    return best, nx, ny, nz, lower


@kernel(views_only=True)
def _is_bent(arrays: RigidArrays, pose: PartPose, radius: float, aside: float) -> bool:
    """Return whether nodes near a circle about an axle deviate from a plane by more than BENT.

    Args:
        arrays: Terrain and contact memory.
        pose: Pose and twist of the part.
        radius: Radius of the circle [m].
        aside: Offset of the circle's center from the wheel's along the axle [m].
    """
    cx, cy = pose.center[0] + aside * pose.rotation[0, 1], pose.center[1] + aside * pose.rotation[1, 1]
    if pose.center[2] + aside * pose.rotation[2, 1] - radius > arrays.top:
        return False
    height, slope_x, slope_y = surface_at(arrays, cx, cy)
    s, level = arrays.spacing, arrays.level
    first_r, last_r = int(math.floor((cx - radius) / s)) - arrays.i0, int(math.ceil((cx + radius) / s)) - arrays.i0
    first_c, last_c = int(math.floor((cy - radius) / s)) - arrays.j0, int(math.ceil((cy + radius) / s)) - arrays.j0
    for r in range(max(first_r, 0), min(last_r + 1, level.shape[0])):
        for c in range(max(first_c, 0), min(last_c + 1, level.shape[1])):
            dx, dy = (r + arrays.i0) * s - cx, (c + arrays.j0) * s - cy
            if abs(level[r, c] - height - slope_x * dx - slope_y * dy) > BENT * radius:
                return True
    return False


@kernel(views_only=True)
def _deepest_of_points(
    arrays: RigidArrays, pose: PartPose, radius: float, aside: float, point: Floats
) -> tuple[float, float, float, float]:
    """Find the deepest of RIM_POINTS points fixed to a circle about an axle; return its depth [m] and normal.

    Args:
        arrays: Terrain and contact memory.
        pose: Pose and twist of the part.
        radius: Radius of the circle [m].
        aside: Offset of the circle's center from the wheel's along the axle [m].
        point: Output: deepest point [m], shape (3,).
    """
    turn = pose.rotation
    best, nx, ny, nz = -math.inf, 0.0, 0.0, 1.0
    for k in range(RIM_POINTS):
        angle = 2.0 * math.pi * k / RIM_POINTS
        along, up = radius * math.cos(angle), radius * math.sin(angle)
        x = pose.center[0] + turn[0, 0] * along + turn[0, 1] * aside + turn[0, 2] * up
        y = pose.center[1] + turn[1, 0] * along + turn[1, 1] * aside + turn[1, 2] * up
        z = pose.center[2] + turn[2, 0] * along + turn[2, 1] * aside + turn[2, 2] * up
        if z > arrays.top and best > -math.inf:
            continue
        depth, ax, ay, az = depth_at(arrays, x, y, z)
        if math.isnan(depth):
            return math.nan, 0.0, 0.0, 1.0
        if depth > best:
            best, nx, ny, nz = depth, ax, ay, az
            point[0], point[1], point[2] = x, y, z
    return best, nx, ny, nz


@kernel(views_only=True)
def _lowest_of_rim(arrays: RigidArrays, pose: PartPose, radius: float, aside: float, point: Floats) -> None:
    """Find the point [m] of a circle about a wheel's axle that is deepest relative to the slope below it.

    Args:
        arrays: Terrain and contact memory.
        pose: Pose and twist of the part.
        radius: Radius of the circle [m].
        aside: Offset of the circle's center from the wheel's along the axle [m].
        point: Output: deepest point [m], shape (3,).
    """
    ax, ay, az = pose.rotation[0, 1], pose.rotation[1, 1], pose.rotation[2, 1]
    cx, cy, cz = pose.center[0] + aside * ax, pose.center[1] + aside * ay, pose.center[2] + aside * az
    point[0], point[1], point[2] = cx, cy, cz
    for _ in range(2):  # with the slope below the axle, then below the resulting point
        _, slope_x, slope_y = surface_at(arrays, point[0], point[1])
        along = -slope_x * ax - slope_y * ay + az
        dx, dy, dz = slope_x + along * ax, slope_y + along * ay, along * az - 1.0
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        if length < 1e-9:  # the wheel lies on its side: the whole rim has one depth
            break
        scale = radius / length
        point[0], point[1], point[2] = cx + scale * dx, cy + scale * dy, cz + scale * dz


@kernel(views_only=True)
def _depth(arrays: RigidArrays, x: float, y: float, z: float) -> float:
    """Return the depth of a point in rigid terrain [m], negative above it, -inf in another terrain model."""
    height, slope_x, slope_y = surface_at(arrays, x, y)
    if math.isnan(height):
        return -math.inf
    if math.isnan(arrays.soils[soil_at(arrays, x, y), SOIL_STIFFNESS]):
        return -math.inf
    depth: float = (height - z) / math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    return depth


@kernel(views_only=True)
def _deepest_of_rim(arrays: RigidArrays, pose: PartPose, radius: float, aside: float, point: Floats) -> None:
    """Replace the lowest point of a circle about an axle by the deepest one above rigid terrain.

    A wheel that has sunk in beside a pad contacts its edge with the front of the rim, long before its lowest point is
    above the pad. So it is lifted gradually. RIM_ARCS arcs of the lower half are checked, the end of the best one by
    bisection.

    Args:
        arrays: Terrain and contact memory.
        pose: Pose and twist of the part.
        radius: Radius of the circle [m].
        aside: Offset of the circle's center from the wheel's along the axle [m].
        point: Input and output: lowest, then deepest point [m], shape (3,).
    """
    ax, ay, az = pose.rotation[0, 1], pose.rotation[1, 1], pose.rotation[2, 1]
    cx, cy, cz = pose.center[0] + aside * ax, pose.center[1] + aside * ay, pose.center[2] + aside * az
    level = math.sqrt(1.0 - az * az)
    if level < 1e-6:  # the wheel lies on its side
        return
    # Directions across the axle: down and ahead.
    dx, dy, dz = az * ax / level, az * ay / level, (az * az - 1.0) / level
    hx, hy = ay / level, -ax / level
    best = _depth(arrays, point[0], point[1], point[2])
    found, step = math.inf, math.pi / RIM_ARCS
    for k in range(RIM_ARCS + 1):
        angle = (k - RIM_ARCS // 2) * step
        c, s = radius * math.cos(angle), radius * math.sin(angle)
        depth = _depth(arrays, cx + c * dx + s * hx, cy + c * dy + s * hy, cz + c * dz)
        if depth > best:
            best, found = depth, angle
    if found == math.inf:
        return
    # Between this point and the next one down is either the edge or a point deepest by a small margin.
    near, far = found, found - step if found > 0.0 else found + step
    for _ in range(RIM_BISECTIONS):
        middle = 0.5 * (near + far)
        c, s = radius * math.cos(middle), radius * math.sin(middle)
        depth = _depth(arrays, cx + c * dx + s * hx, cy + c * dy + s * hy, cz + c * dz)
        if depth > best:
            best, near = depth, middle
        else:
            far = middle
    c, s = radius * math.cos(near), radius * math.sin(near)
    point[0], point[1], point[2] = cx + c * dx + s * hx, cy + c * dy + s * hy, cz + c * dz


@kernel(views_only=True)
def _corner(pose: PartPose, size: Floats, centered: bool, n: int, point: Floats) -> None:
    """Write corner ``n`` [m] of the box around a shape to ``point``.

    Args:
        pose: Pose of the part.
        size: Size of the shape [m].
        centered: Whether the box has a separate center, size[3:6].
        n: Index of the corner.
        point: Output: corner [m], shape (3,).
    """
    for a in range(3):
        point[a] = pose.center[a]
        for k in range(3):
            at = size[k] if (n >> k) & 1 else -size[k]
            if centered:
                at += size[3 + k]
            point[a] += pose.rotation[a, k] * at


@kernel(views_only=True)
def _push(
    arrays: RigidArrays,
    step: float,
    part: int,
    n: int,
    pose: PartPose,
    point: Floats,
    depth: float,
    nx: float,
    ny: float,
    nz: float,
    wrench: Wrench,
) -> None:
    """Add the wrench of the terrain on point ``n`` of a part at a depth along a normal."""
    held = arrays.held[part, n]
    if depth <= 0.0:
        held[:] = 0.0
        return
    soil = arrays.soils[soil_at(arrays, point[0], point[1])]
    if math.isnan(soil[SOIL_STIFFNESS]):  # another terrain model there
        held[:] = 0.0
        return
    px, py, pz = point[0] - pose.center[0], point[1] - pose.center[1], point[2] - pose.center[2]
    wx, wy, wz = pose.angular_velocity[0], pose.angular_velocity[1], pose.angular_velocity[2]
    vx = pose.velocity[0] + wy * pz - wz * py
    vy = pose.velocity[1] + wz * px - wx * pz
    vz = pose.velocity[2] + wx * py - wy * px
    leaving = vx * nx + vy * ny + vz * nz
    normal = max(0.0, soil[SOIL_STIFFNESS] * depth - soil[DAMPING] * leaving)
    # Tangents: one without a y component, the other normal to it and to the surface normal.
    flat = math.sqrt(nz * nz + nx * nx)
    ax, az = (nz / flat, -nx / flat) if flat > 1e-9 else (1.0, 0.0)
    bx, by, bz = ny * az, nz * ax - nx * az, -ny * ax
    v1, v2 = vx * ax + vz * az, vx * bx + vy * by + vz * bz
    speed = math.sqrt(v1 * v1 + v2 * v2)
    grip = soil[SOIL_FRICTION] * normal
    if soil[CREEP] > 0.0:
        grip = min(grip, soil[CREEP] * speed)
        u1, u2 = (-v1 / speed, -v2 / speed) if speed > 0.0 else (0.0, 0.0)
    else:
        held[0], held[1], u1, u2 = mobilize(held[0], held[1], v1, v2, speed, step, soil[STICK])
        u1, u2 = held[0] + RATE_SHARE * (u1 - held[0]), held[1] + RATE_SHARE * (u2 - held[1])
    fx = normal * nx + grip * (u1 * ax + u2 * bx)
    fy = normal * ny + grip * u2 * by
    fz = normal * nz + grip * (u1 * az + u2 * bz)
    push_at(wrench, px, py, pz, fx, fy, fz)
    wrench.stats[STAT_LOADED_NODES] += 1.0
    wrench.stats[STAT_MAX_SINKAGE] = max(wrench.stats[STAT_MAX_SINKAGE], depth)


class RigidContact(GroundContact):
    """Contact of springs, dampers and Coulomb friction; its memory is the mobilized friction of each point."""

    STATE = StateLayout('friction', StateField('_held', '<f8', shared=True))
    press = staticmethod(press)
    margin_cells = 1.0
    """Margin of nodes: the nearest point of the surface may be in the next cell."""

    def __init__(self, setting: ContactSetting) -> None:
        super().__init__(setting)
        self._held = np.zeros((self.parts, BOX_POINTS, 2))
        self._point, self._foot = np.zeros((2, 3))

    def arrays(self, window: SoilWindow, active: int) -> RigidArrays:
        """Return the arguments of :func:`press` for a cycle."""
        self._held[active:] = 0.0
        return RigidArrays(
            window.level,
            self.region_rows(window),
            window.i0,
            window.j0,
            window.spacing,
            self.setting.soils.soils,
            self.setting.shapes,
            bool(np.isnan(self.setting.soils.soils).any()),
            float(np.nanmax(window.level)),
            self._held,
            self._point,
            self._foot,
        )

    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return min(2 sqrt(m / (n k)), m / (n c)) of the stiffest rigid soil for the n points of all parts."""
        kinds = self.setting.shapes.kind
        count = sum(WHEEL_POINTS if kind in (SHAPE_CYLINDER, SHAPE_GROUSERED) else BOX_POINTS // 2 for kind in kinds)
        limits = []
        for soil in self.setting.soils.only_model():
            stiffness, damping = float(soil[SOIL_STIFFNESS]), float(soil[DAMPING])
            limit = 2.0 * math.sqrt(mass / (count * stiffness))
            if damping > 0.0:
                limit = min(limit, mass / (count * damping))
            limits.append(StepLimit(limit, f'{count} points of {stiffness:.3g} N/m and {damping:.3g} N s/m'))
        return min(limits)

    def reset(self) -> None:
        """Reset all friction."""
        self._held[:] = 0.0
