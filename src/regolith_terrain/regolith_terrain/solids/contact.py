# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of a vehicle's parts with solids: rocks, obstacles, and rigid bodies that the vehicle computes.

A wheel, or any round part, is a row of discs, at most 25 mm apart. The plane of a disc cuts a convex solid in a
polygon, and the contact is where the polygon is closest to the axle. A flat side pushes along the facet's normal. A
corner pushes along the common normal of the rim and the edge that the corner belongs to, which is the gradient of the
depth: along the radius alone, an inclined edge would gain energy. Beside a wall, where the distance out along the axle
is shorter, the wheel is pushed along its axle instead. A sphere is pushed along the line from the nearest point of the
solid. A capsule is such a sphere at each end and at the place of its axis that is nearest to the solid. Any other part
is a box. It is pushed along the normal of the shortest way out (of its own faces and the solid's facets), at its own
points within the solid and at the solid's points within it, the deepest in each octant.

A point presses with a spring and a damper, N = max(0, k d - c v_n), as on rigid terrain. Both are as stiff as the
vehicle's inverse inertia at the part allows in an explicit step, up to STIFFNESS: a wheel alone may be light, but a
vehicle that collides with a boulder is not. Coulomb friction is at most mu N with the coefficient of the solid. Its
mobilized part is a vector in the contact memory that stays in the tangent plane, dm = (u - m) |v| dt / s, as on rigid
terrain. So a body at rest on a slope does not move. Tires are as hard here as wheels.

Source: dahl1968; goldstein2002.
Checked by: test_solid_contact.py::test_solid_contact_wheel_on_a_box_has_load_and_coulomb_friction,
test_solid_contact.py::test_solid_contact_block_on_a_ramp_slides_above_the_friction_angle.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.contact.arrays import Wrench
from regolith_terrain.contact.constants import (
    SHAPE_CAPSULE,
    SHAPE_CYLINDER,
    SHAPE_GROUSERED,
    SHAPE_MESH,
    SHAPE_SPHERE,
)
from regolith_terrain.contact.ground_contact import PartPose
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.contact_arrays import SolidContactArrays
from regolith_terrain.solids.moving_solids import set_relative
from regolith_terrain.solids.point_force import (
    DAMPING_RATIO,
    FRICTION,
    NX,
    NY,
    NZ,
    POINT_DEPTH,
    RESTITUTION_SPEED,
    SPHERE_FRICTION,
    approach_speed,
    brake_spin,
    dampable,
    mass_at,
    push_point,
    share_masses,
)
from regolith_terrain.solids.point_search import meet_balls, meet_box, meet_discs, meet_hull
from regolith_world.numerics import kernel

STIFFNESS_OF_PART = 8e6
"""Total stiffness of the springs at all points of a rigid part [N/m]."""
PRESSED_TWICE = 2.0
"""Number of contacts that share the inertia of a pair of bodies: a body may be pressed as a part and as a solid."""


@kernel(views_only=True)
def add_solid_wrench(solids: SolidContactArrays, step: float, part: int, pose: PartPose, wrench: Wrench) -> None:
    """Add the wrench of all solids on a part to ``wrench``, for one substep.

    Args:
        solids: Solids near the vehicle, and the memory of their contacts.
        step: Substep [s].
        part: Index of the part.
        pose: Pose and twist of the part, world frame.
        wrench: In/out: wrench on the part [N, N m], world frame.
    """
    near = solids.near
    x, y, z, reach = pose.center[0], pose.center[1], pose.center[2], solids.reach[part]
    count = np.int64(0)  # a plain 0 would compile all code below for a literal, too
    groups, share, damped = 0, 0.0, 0.0
    kind = solids.shapes.kind[part]
    rows, done = solids.moving.row, solids.moving.done
    own = np.int64(-1)
    if done.shape[0] > 0:
        for n in range(rows.shape[0]):
            if rows[n] == part:
                own = np.int64(n)
    for n in range(near.number.shape[0]):
        box = near.box[n]
        if (
            box[0] > x + reach
            or box[3] < x - reach
            or box[1] > y + reach
            or box[4] < y - reach
            or box[2] > z + reach
            or box[5] < z - reach
        ):
            continue
        before, row = count, rows[n] if rows.shape[0] > 0 else -1
        if row >= 0 and own >= 0 and (row == part or done[row] or _far(solids, part, row, pose)):
            continue
        if kind in (SHAPE_CYLINDER, SHAPE_GROUSERED):
            count = meet_discs(solids, n, part, pose, count)
        elif kind in (SHAPE_SPHERE, SHAPE_CAPSULE):
            count = meet_balls(solids, n, part, pose, count)
        elif kind == SHAPE_MESH and own >= 0:
            count = meet_hull(solids, n, own, pose, count)
        else:
            count = meet_box(solids, n, part, pose, kind == SHAPE_MESH, count)
        for k in range(before, count):
            solids.owner[k] = n
        if count > before:
            groups += 1
            if row >= 0:
                solids.moving.touching[row, 0] += 1
    _recall(solids, part, count)
    key, held = solids.key[part], solids.held[part]
    for k in range(count):
        key[k] = solids.keys[k]
        row = rows[solids.owner[k]] if rows.shape[0] > 0 else -1
        ratio = DAMPING_RATIO
        if row >= 0:
            set_relative(solids.moving, row, solids.inverse[part], pose)
            inverse, twist = solids.moving.both, solids.moving.relative
            if own >= 0:
                ratio = _pair(solids, part, row, k)
        else:
            inverse, twist = solids.inverse[part], pose
            if own >= 0:
                ratio = solids.moving.damping_ratio[part]
        if own >= 0 and approach_speed(solids.found[k], twist) <= RESTITUTION_SPEED:
            ratio = DAMPING_RATIO
        fx, fy, fz = wrench.force[0], wrench.force[1], wrench.force[2]
        tx, ty, tz = wrench.torque[0], wrench.torque[1], wrench.torque[2]
        point, stiffest = solids.found[k], solids.stiffness[part] / count
        if own < 0:
            share = damped = mass_at(point, inverse, twist) / count
        else:
            if k == 0 or solids.owner[k] != solids.owner[k - 1]:
                share, damped = _masses(solids, k, count, groups, inverse, twist)
            if row < 0:  # towers tremble on softer springs
                stiffest = min(stiffest, dampable(share, damped, ratio, step))
        normal = push_point(point, solids.fresh[k], share, damped, stiffest, ratio, step, twist, wrench)
        if own >= 0 and kind in (SHAPE_SPHERE, SHAPE_CAPSULE):
            patch = math.sqrt(solids.shapes.size[part, 0] * point[POINT_DEPTH])
            limit = SPHERE_FRICTION * point[FRICTION] * normal * patch
            brake_spin(limit, point[NX], point[NY], point[NZ], inverse, count, step, twist, wrench)
        if row >= 0:  # the opposite force, about the center of mass of the body
            fx, fy, fz = wrench.force[0] - fx, wrench.force[1] - fy, wrench.force[2] - fz
            tx, ty, tz = wrench.torque[0] - tx, wrench.torque[1] - ty, wrench.torque[2] - tz
            moving = solids.moving
            rx, ry, rz = x - moving.position[row, 0], y - moving.position[row, 1], z - moving.position[row, 2]
            moving.force[row, 0] -= fx
            moving.force[row, 1] -= fy
            moving.force[row, 2] -= fz
            moving.torque[row, 0] -= tx + ry * fz - rz * fy
            moving.torque[row, 1] -= ty + rz * fx - rx * fz
            moving.torque[row, 2] -= tz + rx * fy - ry * fx
        for a in range(3):
            held[k, a] = solids.fresh[k, a]
    solids.touched[part] = count


@kernel(views_only=True)
def _recall(solids: SolidContactArrays, part: int, count: int) -> None:
    """Write the mobilized friction that each contact point had in the last substep; 0: it is new."""
    for k in range(count):
        fresh = solids.fresh[k]
        fresh[:] = 0.0
        for j in range(solids.touched[part]):
            if solids.key[part, j] == solids.keys[k]:
                for a in range(3):
                    fresh[a] = solids.held[part, j, a]
                break


@kernel(views_only=True)
def _masses(
    solids: SolidContactArrays, first: int, count: int, groups: int, inverse: Floats, pose: PartPose
) -> tuple[float, float]:
    """Return the masses of :func:`share_masses` for the points of a body on one solid, which follow one another."""
    end = first + 1
    while end < count and solids.owner[end] == solids.owner[first]:
        end += 1
    share, damped = share_masses(solids.found, first, end, groups, inverse, pose)
    moves = solids.moving.row[solids.owner[first]] >= 0
    return share, damped * (PRESSED_TWICE if moves else 1.0)


@kernel(views_only=True)
def _far(solids: SolidContactArrays, part: int, row: int, pose: PartPose) -> bool:
    """Return whether the bounding spheres of two bodies are apart."""
    square, reach = 0.0, solids.reach[part] + solids.reach[row]
    for a in range(3):
        away = pose.center[a] - solids.moving.position[row, a]
        square += away * away
    return bool(square > reach * reach)


@kernel(views_only=True)
def _pair(solids: SolidContactArrays, part: int, row: int, k: int) -> float:
    """Set friction and inertia of a point between two bodies; return the damping ratio.

    Restitution is the larger one of both, friction the geometric mean, as between other objects.
    """
    moving, point = solids.moving, solids.found[k]
    point[FRICTION] = math.sqrt(point[FRICTION] * moving.friction[part])
    for a in range(6):
        for b in range(6):
            moving.both[a, b] *= PRESSED_TWICE
    return float(min(moving.damping_ratio[part], moving.damping_ratio[row]))
