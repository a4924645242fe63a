# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Force at one contact point of a rigid part: a spring, a damper and Coulomb friction within the limits of the step."""

from __future__ import annotations

import math

from regolith_terrain.contact.arrays import Wrench, push_at
from regolith_terrain.contact.constants import RATE_SHARE
from regolith_terrain.contact.ground_contact import PartPose
from regolith_terrain.contact.mobilization import mobilize
from regolith_terrain.grid.node_records import Floats
from regolith_world.numerics import kernel

STIFFNESS = 2e6
"""Largest stiffness of the spring at one point [N/m]."""
STIFFEST = 0.25
"""Largest total stiffness of the springs at all points of a part, as a fraction of m / dt^2."""
DAMPEST = 0.75
"""Largest total damping of a part, as a fraction of m / dt; oscillation grows where twice this plus the stiffness
fraction exceeds 4.
"""
DAMPING_RATIO = 0.7
"""Damping ratio of a point with its effective mass, where the step allows it."""
RESTITUTION_SPEED = 0.02
"""Speed of approach of a body above which its coefficient of restitution applies [m/s]."""
SPHERE_FRICTION = 3.0 * math.pi / 16.0
"""Torque of the patch below an elastic sphere over its friction and radius [-]; see :func:`spin_friction`."""
STICK_M = 1e-3
"""Sliding distance over which friction reaches 1 - 1/e of its limit [m]."""
PX, PY, PZ, NX, NY, NZ, POINT_DEPTH, FRICTION = range(8)
"""Columns of a contact point: position, normal toward the part, depth [m], Coulomb coefficient."""


@kernel(views_only=True)
def push_point(
    point: Floats,
    held: Floats,
    share: float,
    damped: float,
    stiffest: float,
    damping_ratio: float,
    step: float,
    pose: PartPose,
    wrench: Wrench,
) -> float:
    """Add the force of a spring, a damper and Coulomb friction on one contact point to the wrench.

    Return the normal force [N].

    Args:
        point: Columns of the point, shape (8,).
        held: Input and output: mobilized friction, shape (3,).
        share: Mass that limits spring and damper of the point, so that no step overshoots [kg].
        damped: Mass with which the point moves together with the others, for the damper [kg].
        stiffest: Largest stiffness of the spring [N/m].
        damping_ratio: Damping ratio with ``damped``, where the step allows it.
        step: Substep [s].
        pose: Pose and twist of the part.
        wrench: Wrench to which the force is added.
    """
    nx, ny, nz, depth = point[NX], point[NY], point[NZ], point[POINT_DEPTH]
    px, py, pz = point[PX] - pose.center[0], point[PY] - pose.center[1], point[PZ] - pose.center[2]
    wx, wy, wz = pose.angular_velocity[0], pose.angular_velocity[1], pose.angular_velocity[2]
    vx = pose.velocity[0] + wy * pz - wz * py
    vy = pose.velocity[1] + wz * px - wx * pz
    vz = pose.velocity[2] + wx * py - wy * px
    leaving = vx * nx + vy * ny + vz * nz
    stiffness = min(STIFFNESS, stiffest, STIFFEST * share / (step * step))
    damping = min(2.0 * damping_ratio * math.sqrt(stiffness * damped), DAMPEST * share / step)
    normal: float = max(0.0, stiffness * depth - damping * leaving)
    # Tangents: the first is normal to the surface normal and to the axis of its smallest component.
    if abs(ny) <= abs(nx) or abs(ny) <= abs(nz):
        scale = 1.0 / math.sqrt(nz * nz + nx * nx)
        ax, ay, az = nz * scale, 0.0, -nx * scale
    else:
        scale = 1.0 / math.sqrt(ny * ny + nz * nz)
        ax, ay, az = 0.0, -nz * scale, ny * scale
    bx, by, bz = ny * az - nz * ay, nz * ax - nx * az, nx * ay - ny * ax
    v1, v2 = vx * ax + vy * ay + vz * az, vx * bx + vy * by + vz * bz
    m1 = held[0] * ax + held[1] * ay + held[2] * az
    m2 = held[0] * bx + held[1] * by + held[2] * bz
    m1, m2, u1, u2 = mobilize(m1, m2, v1, v2, math.sqrt(v1 * v1 + v2 * v2), step, STICK_M)
    held[0], held[1], held[2] = m1 * ax + m2 * bx, m1 * ay + m2 * by, m1 * az + m2 * bz
    u1, u2 = m1 + RATE_SHARE * (u1 - m1), m2 + RATE_SHARE * (u2 - m2)
    grip = point[FRICTION] * normal
    fx = normal * nx + grip * (u1 * ax + u2 * bx)
    fy = normal * ny + grip * (u1 * ay + u2 * by)
    fz = normal * nz + grip * (u1 * az + u2 * bz)
    push_at(wrench, px, py, pz, fx, fy, fz)
    return normal


@kernel(views_only=True)
def approach_speed(point: Floats, pose: PartPose) -> float:
    """Return the speed of a contact point of a part along its normal, of either sign [m/s]."""
    px, py, pz = point[PX] - pose.center[0], point[PY] - pose.center[1], point[PZ] - pose.center[2]
    wx, wy, wz = pose.angular_velocity[0], pose.angular_velocity[1], pose.angular_velocity[2]
    vx = pose.velocity[0] + wy * pz - wz * py
    vy = pose.velocity[1] + wz * px - wx * pz
    vz = pose.velocity[2] + wx * py - wy * px
    speed: float = abs(vx * point[NX] + vy * point[NY] + vz * point[NZ])
    return speed


@kernel(views_only=True)
def mass_at(point: Floats, inverse: Floats, pose: PartPose) -> float:
    """Return the effective mass of a part at a contact point along its normal [kg]; see :func:`effective_mass`."""
    nx, ny, nz = point[NX], point[NY], point[NZ]
    px, py, pz = point[PX] - pose.center[0], point[PY] - pose.center[1], point[PZ] - pose.center[2]
    mass: float = effective_mass(inverse, nx, ny, nz, py * nz - pz * ny, pz * nx - px * nz, px * ny - py * nx)
    return mass


@kernel(views_only=True)
def dampable(share: float, damped: float, damping_ratio: float, step: float) -> float:
    """Return the stiffness at which the limit of the damper gives the damping ratio, or DAMPEST if less [N/m].

    The arguments are those of :func:`push_point`.
    """
    damping = DAMPEST * share / (2.0 * min(damping_ratio, DAMPEST) * step)
    stiffness: float = damping * damping / damped
    return stiffness


@kernel(views_only=True)
def share_masses(
    found: Floats, first: int, end: int, groups: int, inverse: Floats, pose: PartPose
) -> tuple[float, float]:
    """Return the mass that limits each of some points of a part, and the mass for its damper [kg].

    Points that are loaded together move each other: a_ij = J_i M^-1 J_j^T is the acceleration at point i along its
    normal by a unit force at point j. No eigenvalue of this matrix exceeds its largest sum of a row, max_i sum_j |a_ij|
    (Gershgorin), so springs and dampers within the limits of its inverse do not overshoot in any motion. All points
    have the same limit: with a limit for each, towers tremble. Their dampers are those of the motion in which all
    points have the same speed, as in an impact of a face: each has its part of the effective mass at the middle of the
    points, along their mean normal.

    Args:
        found: Contact points, shape (n, 8); those of depth 0 are not loaded.
        first: First of the points.
        end: End of the points.
        groups: Number of such sets of points that share the inertia.
        inverse: Inverse inertia at the part's origin, shape (6, 6).
        pose: Pose of the part.

    Source: gershgorin1931.
    Checked by: test_bodies_rigid.py::test_box_rebounds_with_its_restitution.
    """
    count, most = 0, 1e-9
    mx = my = mz = nx = ny = nz = 0.0
    for i in range(first, end):
        if found[i, POINT_DEPTH] <= 0.0:
            continue
        count += 1
        mx, my, mz = mx + found[i, PX], my + found[i, PY], mz + found[i, PZ]
        nx, ny, nz = nx + found[i, NX], ny + found[i, NY], nz + found[i, NZ]
        total = 0.0
        for j in range(first, end):
            if found[j, POINT_DEPTH] > 0.0:
                total += abs(_coupling(found[i], found[j], inverse, pose))
        most = max(most, total)
    share = 1.0 / (groups * most)
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if count == 0 or length < 0.5 * count:  # normals that oppose each other have no common motion
        return share, share
    nx, ny, nz = nx / length, ny / length, nz / length
    px, py, pz = mx / count - pose.center[0], my / count - pose.center[1], mz / count - pose.center[2]
    mass: float = effective_mass(inverse, nx, ny, nz, py * nz - pz * ny, pz * nx - px * nz, px * ny - py * nx)
    return share, max(share, mass / count)


@kernel(views_only=True)
def _coupling(one: Floats, other: Floats, inverse: Floats, pose: PartPose) -> float:
    """Return the acceleration of a part at a point along its normal by a unit force at another point [1/kg]."""
    total = 0.0
    px, py, pz = one[PX] - pose.center[0], one[PY] - pose.center[1], one[PZ] - pose.center[2]
    qx, qy, qz = other[PX] - pose.center[0], other[PY] - pose.center[1], other[PZ] - pose.center[2]
    tx, ty, tz = py * one[NZ] - pz * one[NY], pz * one[NX] - px * one[NZ], px * one[NY] - py * one[NX]
    ux, uy, uz = qy * other[NZ] - qz * other[NY], qz * other[NX] - qx * other[NZ], qx * other[NY] - qy * other[NX]
    for a in range(6):
        left = (
            one[NX] if a == 0 else one[NY] if a == 1 else one[NZ] if a == 2 else tx if a == 3 else ty if a == 4 else tz
        )
        row = inverse[a, 0] * other[NX] + inverse[a, 1] * other[NY] + inverse[a, 2] * other[NZ]
        total += left * (row + inverse[a, 3] * ux + inverse[a, 4] * uy + inverse[a, 5] * uz)
    return total


@kernel(views_only=True)
def spin_friction(exponent: float) -> float:
    """Return the torque against spinning of a round contact patch over friction times its radius [-].

    The pressure on a patch of radius a is p (1 - (r / a)^2)^n. With full slip the torque is c mu N a, c = (n + 1)
    gamma(3/2) gamma(n + 1) / gamma(n + 5/2): 2/3 for uniform pressure (n = 0), 3 pi / 16 for elastic spheres (n =
    1/2), 8/15 for SCM soil below a sphere (n = 1).

    Args:
        exponent: Exponent n of the pressure [-].

    Source: johnson1985.
    Checked by: test_bodies_spin.py::test_spin_friction_is_that_of_known_pressures.
    """
    gammas = math.gamma(1.5) * math.gamma(exponent + 1.0) / math.gamma(exponent + 2.5)
    share: float = (exponent + 1.0) * gammas
    return share


@kernel(views_only=True)
def brake_spin(
    limit: float,
    nx: float,
    ny: float,
    nz: float,
    inverse: Floats,
    count: int,
    step: float,
    pose: PartPose,
    wrench: Wrench,
) -> None:
    """Add the torque of a contact patch against spinning about its normal, which never reverses the spin.

    Args:
        limit: Torque with full slip [N m].
        nx: Unit normal, x component.
        ny: Unit normal, y component.
        nz: Unit normal, z component.
        inverse: Inverse inertia at the part's origin, shape (6, 6).
        count: Number of points that share the inertia.
        step: Substep [s].
        pose: Pose and twist of the part.
        wrench: Wrench to which the torque is added.

    Source: johnson1985.
    Checked by: test_bodies_spin.py::test_ball_that_spins_is_slowed_by_friction_of_its_contact.
    """
    spin = pose.angular_velocity[0] * nx + pose.angular_velocity[1] * ny + pose.angular_velocity[2] * nz
    inertia = effective_mass(inverse, 0.0, 0.0, 0.0, nx, ny, nz)
    torque = min(limit, DAMPEST * inertia / (count * step) * abs(spin))
    if spin > 0.0:
        torque = -torque
    wrench.torque[0] += torque * nx
    wrench.torque[1] += torque * ny
    wrench.torque[2] += torque * nz


@kernel(views_only=True)
def effective_mass(inverse: Floats, nx: float, ny: float, nz: float, tx: float, ty: float, tz: float) -> float:
    """Return the effective mass of a point of a part along a direction, 1 / (J M^-1 J^T) [kg].

    Args:
        inverse: Inverse inertia, shape (6, 6).
        nx: Unit vector of the direction, x component.
        ny: Unit vector of the direction, y component.
        nz: Unit vector of the direction, z component.
        tx: Lever arm times the direction, x component [m].
        ty: Lever arm times the direction, y component [m].
        tz: Lever arm times the direction, z component [m].

    Source: goldstein2002.
    Checked by: test_solid_contact.py::test_effective_mass_at_a_point_matches_the_closed_form.
    """
    total = 0.0
    for a in range(6):
        left = nx if a == 0 else ny if a == 1 else nz if a == 2 else tx if a == 3 else ty if a == 4 else tz
        for b in range(6):
            right = nx if b == 0 else ny if b == 1 else nz if b == 2 else tx if b == 3 else ty if b == 4 else tz
            total += left * inverse[a, b] * right
    return 1.0 / max(total, 1e-9)


def damping_ratio(restitution: float) -> float:
    """Return the damping ratio of a spring and damper that never pulls, which gives a coefficient of restitution.

    With b = damping ratio, w = sqrt(1 - b^2), contact ends when the force is zero, and the restitution is
    exp(-b / w (pi - atan2(2 b w, 1 - 2 b^2))), 0.21 at DAMPING_RATIO. The ratio is at most 2, that of 0.05.

    Args:
        restitution: Coefficient of restitution, 0 to 1 [-].

    Source: schwager2007.
    Checked by: test_bodies_rigid.py::test_ball_rebounds_with_its_restitution.
    """
    low, high = 0.0, 2.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _restitution(middle) > restitution:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _restitution(ratio: float) -> float:
    """Return the coefficient of restitution of a damping ratio; see :func:`damping_ratio`."""
    if ratio < 1.0:
        w = math.sqrt(1.0 - ratio * ratio)
        return math.exp(-ratio / w * (math.pi - math.atan2(2.0 * ratio * w, 1.0 - 2.0 * ratio * ratio)))
    if ratio == 1.0:
        return math.exp(-2.0)
    w = math.sqrt(ratio * ratio - 1.0)
    return math.exp(-ratio / w * math.log((ratio + w) / (ratio - w)))
