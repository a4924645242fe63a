# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of linkages: motion of bodies with joints, in substeps.

The method is RATTLE. After half of the force step, impulses along the joints' directions correct the start of the free
motion until its end satisfies the joints. Then follow the other half of the force step and impulses that remove all
velocity against the joints. The method is of second order and reversible, and its energy does not drift. Bodies rotate
by the midpoint rule at constant angular momentum. The rotation uses the Cayley map, which needs no sines. Damping acts
after the first force step and in the last impulses, for half a substep each, by implicit Euler, so it may be
arbitrarily strong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle.records import Vector
from regolith_world.numerics.kernel_options import kernel
from regolith_world.objects.linkages.envelope_solver import Places, factor, solve
from regolith_world.objects.linkages.joints import ConstraintRows, JointFrames, RowKind

_ALONG_WORLD, _ALONG, _SQUARE, _LENGTH = (
    int(RowKind.ALONG_WORLD),
    int(RowKind.ALONG),
    int(RowKind.SQUARE),
    int(RowKind.LENGTH),
)
TOLERANCE = 1e-10
"""Tolerance on positions [m] and on cosines of right angles after a substep."""
_ATTEMPTS = 40
OK, TORN = 0, 1


class LinkMasses(NamedTuple):
    """Masses and inertias of bodies."""

    inverse: Vector
    """Inverse mass [1/kg], shape (n,)."""
    inertia: Vector
    """Inertia about the center of mass, which is the origin, in body axes [kg m^2], shape (n, 3, 3)."""
    compliance: Vector
    """Inverse of the inertia [1/(kg m^2)], shape (n, 3, 3)."""


class LinkageState(NamedTuple):
    """Motion of bodies. Kernels write into it."""

    position: Vector
    """Position [m], shape (n, 3)."""
    orientation: Vector
    """Orientation, quaternion (x, y, z, w), shape (n, 4)."""
    velocity: Vector
    """Velocity [m/s], shape (n, 3)."""
    spin: Vector
    """Angular momentum about the center of mass, in world axes [kg m^2/s], shape (n, 3)."""


class ConstraintSystem(NamedTuple):
    """Equations with work arrays for their solution."""

    frames: JointFrames
    rows: ConstraintRows
    first: Places
    """First column of each row, see :mod:`regolith_world.objects.linkages.envelope_solver`, shape (m,)."""
    start: Places
    """Start of each row in ``matrix``, shape (m + 1,)."""
    jacobian: Vector
    """Derivative of each row by the linear and angular velocities of its two bodies, shape (m, 2, 6)."""
    apart: Vector
    """Value of each row, which the joints require to be zero, shape (m,)."""
    matrix: Vector
    """Lower half of the matrix in envelope form, shape (start[m],)."""
    right: Vector
    """Right-hand side, then solution, shape (m,)."""


def system(joint_frames: JointFrames, equations: ConstraintRows, first: Places, start: Places) -> ConstraintSystem:
    """Return a system with work arrays."""
    count = len(equations.joint)
    return ConstraintSystem(
        joint_frames,
        equations,
        first,
        start,
        np.zeros((count, 2, 6)),
        np.zeros(count),
        np.zeros(int(start[-1])),
        np.zeros(count),
    )


@kernel
def _axes_of(q: Vector, out: Vector) -> None:
    """Write the rotation matrix of a quaternion."""
    x, y, z, w = q[0], q[1], q[2], q[3]
    out[0, 0], out[0, 1], out[0, 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)
    out[1, 0], out[1, 1], out[1, 2] = 2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)
    out[2, 0], out[2, 1], out[2, 2] = 2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)


@kernel
def _times(a: Vector, v: Vector, out: Vector) -> None:
    """Write the product of a matrix, shape (3, 3), and a vector."""
    for i in range(3):
        out[i] = a[i, 0] * v[0] + a[i, 1] * v[1] + a[i, 2] * v[2]


@kernel
def _turned(rotation: Vector, local: Vector, v: Vector, out: Vector) -> None:
    """Write R A R^T v with a symmetric matrix A in body axes."""
    a, b = np.empty(3), np.empty(3)
    for i in range(3):
        a[i] = rotation[0, i] * v[0] + rotation[1, i] * v[1] + rotation[2, i] * v[2]
    _times(local, a, b)
    _times(rotation, b, out)


@kernel
def _cross(a: Vector, b: Vector, out: Vector) -> None:
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def _fly(masses: LinkMasses, now: LinkageState, then: LinkageState, h: float) -> None:
    """Write the motion of bodies after a time [s] without forces.

    Source: hairer2006, section VI.5.3.
    Checked by: test_linkage_motion.py::test_bodies_without_joints_move_as_rigid_bodies.
    """
    rotation, half = np.empty((3, 3)), np.empty((3, 3))
    omega, q = np.empty(3), np.empty(4)
    for k in range(now.position.shape[0]):
        for i in range(3):
            then.position[k, i] = now.position[k, i] + h * now.velocity[k, i]
        _axes_of(now.orientation[k], rotation)
        _turned(rotation, masses.compliance[k], now.spin[k], omega)
        _turn(now.orientation[k], omega, 0.5 * h, q)
        _axes_of(q, half)
        _turned(half, masses.compliance[k], now.spin[k], omega)
        _turn(now.orientation[k], omega, h, then.orientation[k])


@kernel
def _turn(q: Vector, omega: Vector, h: float, out: Vector) -> None:
    """Write a quaternion rotated by a rate [rad/s] in the world frame for a time [s]: Cayley map, then normalized."""
    a, b, c = 0.5 * h * omega[0], 0.5 * h * omega[1], 0.5 * h * omega[2]
    x, y, z, w = q[0], q[1], q[2], q[3]
    out[0] = x + a * w + b * z - c * y
    out[1] = y - a * z + b * w + c * x
    out[2] = z + a * y - b * x + c * w
    out[3] = w - a * x - b * y - c * z
    size = np.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2 + out[3] ** 2)
    for i in range(4):
        out[i] /= size


@kernel
def _equations(s: ConstraintSystem, at: LinkageState, derive: bool) -> float:
    """Write the values of rows, and their derivatives if requested; return the largest absolute constraint value.

    Source: goldstein2002, section 2.4.
    Checked by: test_linkage_motion.py::test_derivatives_are_those_of_small_motions.
    """
    f, rows = s.frames, s.rows
    points, arms = np.empty((2, 3)), np.empty((2, 3))
    axes = np.empty((2, 3, 3))
    rotation = np.empty((3, 3))
    d, e, lever = np.empty(3), np.empty(3), np.empty(3)
    worst, known, length = 0.0, -1, 0.0
    for r in range(rows.joint.shape[0]):
        j = rows.joint[r]
        if j != known:
            known = j
            for side in range(2):
                body = f.body[j, side]
                if body < 0:
                    arms[side] = 0.0
                    points[side] = f.arm[j, side]
                    axes[side] = f.axes[j, side]
                    continue
                _axes_of(at.orientation[body], rotation)
                _times(rotation, f.arm[j, side], arms[side])
                for i in range(3):
                    points[side, i] = at.position[body, i] + arms[side, i]
                    for m in range(3):
                        axes[side, i, m] = (
                            rotation[i, 0] * f.axes[j, side, 0, m]
                            + rotation[i, 1] * f.axes[j, side, 1, m]
                            + rotation[i, 2] * f.axes[j, side, 2, m]
                        )
            length = 0.0
            for i in range(3):
                d[i] = points[1, i] - points[0, i]
                length += d[i] * d[i]
            length = np.sqrt(length)
        kind = rows.kind[r]
        apart = 0.0
        if derive:
            s.jacobian[r] = 0.0
        if kind == _SQUARE:
            for i in range(3):
                apart += axes[0, i, rows.first[r]] * axes[1, i, rows.second[r]]
            if derive:
                _cross(axes[1, :, rows.second[r]], axes[0, :, rows.first[r]], e)
                for i in range(3):
                    s.jacobian[r, 0, 3 + i], s.jacobian[r, 1, 3 + i] = -e[i], e[i]
        elif kind in (_ALONG_WORLD, _ALONG, _LENGTH):
            if kind == _LENGTH:
                for i in range(3):
                    e[i] = d[i] / length if length > 0.0 else 0.0
                apart = length - f.length[j]
            else:
                if kind == _ALONG:
                    e[:] = axes[0, :, rows.first[r]]
                else:
                    e[:] = 0.0
                    e[rows.first[r]] = 1.0
                apart = e[0] * d[0] + e[1] * d[1] + e[2] * d[2]
            if derive:
                for i in range(3):
                    s.jacobian[r, 0, i], s.jacobian[r, 1, i] = -e[i], e[i]
                # An axis that rotates with the first body moves past the second point.
                for i in range(3):
                    lever[i] = arms[0, i] + d[i] if kind == _ALONG else arms[0, i]
                _cross(e, lever, s.jacobian[r, 0, 3:])
                _cross(arms[1], e, s.jacobian[r, 1, 3:])
        elif derive:
            s.jacobian[r, 0, 3 + rows.first[r]], s.jacobian[r, 1, 3 + rows.first[r]] = -1.0, 1.0
        s.apart[r] = apart
        if rows.damping[r] == 0.0:
            worst = max(worst, abs(apart))
    return worst


@kernel
def _assemble(
    s: ConstraintSystem, masses: LinkMasses, at: LinkageState, braking: float, active: NDArray[np.bool_]
) -> None:
    """Write and factor J M^-1 J^T of the rows' last derivatives, with the damping rows if they act for a time [s].

    Source: andersen1983.
    Checked by: test_linkage_motion.py::test_damper_reduces_speed_exponentially.
    """
    rows, body = s.rows, s.frames.body
    rotation, away = np.empty((3, 3)), np.empty((2, 6))
    for r in range(rows.joint.shape[0]):
        active[r] = rows.damping[r] == 0.0 or braking > 0.0
        for side in range(2):
            k = body[rows.joint[r], side]
            away[side] = 0.0
            if k >= 0:
                _axes_of(at.orientation[k], rotation)
                for i in range(3):
                    away[side, i] = masses.inverse[k] * s.jacobian[r, side, i]
                _turned(rotation, masses.compliance[k], s.jacobian[r, side, 3:], away[side, 3:])
        for c in range(s.first[r], r + 1):
            total = 0.0
            for side in range(2):
                k = body[rows.joint[r], side]
                if k < 0:
                    continue
                for other in range(2):
                    if body[rows.joint[c], other] == k:
                        for i in range(6):
                            total += away[side, i] * s.jacobian[c, other, i]
            if c == r and rows.damping[r] > 0.0 and braking > 0.0:
                total += 1.0 / (rows.damping[r] * braking)
            s.matrix[s.start[r] - s.first[r] + c] = total
    factor(s.matrix, s.first, s.start, active)


@kernel
def _push(s: ConstraintSystem, masses: LinkMasses, at: LinkageState) -> None:
    """Apply the impulses in ``right`` along the rows' derivatives."""
    rows, body = s.rows, s.frames.body
    for r in range(rows.joint.shape[0]):
        impulse = s.right[r]
        if impulse == 0.0:
            continue
        for side in range(2):
            k = body[rows.joint[r], side]
            if k >= 0:
                for i in range(3):
                    at.velocity[k, i] += masses.inverse[k] * impulse * s.jacobian[r, side, i]
                    at.spin[k, i] += impulse * s.jacobian[r, side, 3 + i]


@kernel
def _still(s: ConstraintSystem, masses: LinkMasses, at: LinkageState) -> None:
    """Apply impulses that remove all motion against the rows. Derivatives and factor must be present."""
    rows, body = s.rows, s.frames.body
    rotation, omega = np.empty((3, 3)), np.empty((at.position.shape[0], 3))
    for k in range(at.position.shape[0]):
        _axes_of(at.orientation[k], rotation)
        _turned(rotation, masses.compliance[k], at.spin[k], omega[k])
    for r in range(rows.joint.shape[0]):
        rate = 0.0
        for side in range(2):
            k = body[rows.joint[r], side]
            if k >= 0:
                for i in range(3):
                    rate += s.jacobian[r, side, i] * at.velocity[k, i] + s.jacobian[r, side, 3 + i] * omega[k, i]
        s.right[r] = -rate
    solve(s.matrix, s.first, s.start, s.right)
    _push(s, masses, at)


@kernel
def _kick(s: ConstraintSystem, masses: LinkMasses, at: LinkageState, gravity: Vector, h: float) -> None:
    """Apply gravity and springs for a time [s], with the ends of springs at their present positions."""
    f = s.frames
    rotation, arm, pull, moment = np.empty((3, 3)), np.empty((2, 3)), np.empty(3), np.empty(3)
    point = np.empty((2, 3))
    for k in range(at.position.shape[0]):
        for i in range(3):
            at.velocity[k, i] += h * gravity[i]
    for j in range(f.body.shape[0]):
        if f.stiffness[j] == 0.0:
            continue
        length = 0.0
        for side in range(2):
            k = f.body[j, side]
            arm[side] = f.arm[j, side]
            point[side] = arm[side]
            if k >= 0:
                _axes_of(at.orientation[k], rotation)
                _times(rotation, f.arm[j, side], arm[side])
                for i in range(3):
                    point[side, i] = at.position[k, i] + arm[side, i]
        for i in range(3):
            length += (point[1, i] - point[0, i]) ** 2
        length = np.sqrt(length)
        if length == 0.0:
            continue
        for i in range(3):
            pull[i] = h * f.stiffness[j] * (length - f.rest[j]) * (point[1, i] - point[0, i]) / length
        for side in range(2):
            k = f.body[j, side]
            if k >= 0:
                sign = 1.0 - 2.0 * side
                _cross(arm[side], pull, moment)
                for i in range(3):
                    at.velocity[k, i] += sign * masses.inverse[k] * pull[i]
                    at.spin[k, i] += sign * moment[i]


@kernel
def inverses(inertia: Vector, out: Vector) -> None:
    """Write the inverses of symmetric matrices, shape (n, 3, 3), by their adjugates."""
    for k in range(inertia.shape[0]):
        a = inertia[k]
        for i in range(3):
            for j in range(3):
                p, q, r, s = (j + 1) % 3, (j + 2) % 3, (i + 1) % 3, (i + 2) % 3
                out[k, i, j] = a[p, r] * a[q, s] - a[p, s] * a[q, r]
        whole = a[0, 0] * out[k, 0, 0] + a[0, 1] * out[k, 1, 0] + a[0, 2] * out[k, 2, 0]
        for i in range(3):
            for j in range(3):
                out[k, i, j] /= whole


@kernel
def angular_velocities(masses: LinkMasses, at: LinkageState, omega: Vector, inertia: Vector) -> None:
    """Write angular velocities [rad/s], shape (n, 3), and inertias in world axes, shape (n, 3, 3)."""
    rotation, column, out = np.empty((3, 3)), np.empty(3), np.empty(3)
    for k in range(at.position.shape[0]):
        _axes_of(at.orientation[k], rotation)
        _turned(rotation, masses.compliance[k], at.spin[k], omega[k])
        for j in range(3):
            column[:] = 0.0
            column[j] = 1.0
            _turned(rotation, masses.inertia[k], column, out)
            inertia[k, :, j] = out


@kernel
def angular_momenta(masses: LinkMasses, at: LinkageState, omega: Vector) -> None:
    """Write the angular momenta of angular velocities [rad/s], shape (n, 3)."""
    rotation = np.empty((3, 3))
    for k in range(at.position.shape[0]):
        _axes_of(at.orientation[k], rotation)
        _turned(rotation, masses.inertia[k], omega[k], at.spin[k])


@kernel
def project_velocities(s: ConstraintSystem, masses: LinkMasses, at: LinkageState) -> None:
    """Apply impulses that remove all motion against the joints: after collisions, and at the start of a run.

    Source: andersen1983.
    Checked by: test_linkage_motion.py::test_impulse_on_one_rod_moves_the_whole_pendulum.
    """
    active = np.ones(s.rows.joint.shape[0], np.bool_)
    _equations(s, at, True)
    _assemble(s, masses, at, 0.0, active)
    _still(s, masses, at)


@kernel
def inverse_inertia(
    s: ConstraintSystem, masses: LinkMasses, at: LinkageState, bodies: NDArray[np.int64], out: Vector
) -> None:
    """Write the velocities of bodies, linear and angular, per impulse and moment on them, shape (6 k, 6 k).

    This is the inverse inertia with active joints: M^-1 - M^-1 J^T (J M^-1 J^T)^-1 J M^-1, the blocks of the bodies.

    Source: khatib1987, equation 51.
    Checked by: test_linkage_motion.py::test_inverse_inertia_is_the_response_to_an_impulse.
    """
    active = np.ones(s.rows.joint.shape[0], np.bool_)
    _equations(s, at, True)
    _assemble(s, masses, at, 0.0, active)
    still = LinkageState(at.position, at.orientation, np.zeros_like(at.velocity), np.zeros_like(at.spin))
    rotation = np.empty((3, 3))
    for k in range(bodies.shape[0]):
        for column in range(6):
            still.velocity[:] = 0.0
            still.spin[:] = 0.0
            if column < 3:
                still.velocity[bodies[k], column] = masses.inverse[bodies[k]]
            else:
                still.spin[bodies[k], column - 3] = 1.0
            _still(s, masses, still)
            for i in range(bodies.shape[0]):
                out[6 * i : 6 * i + 3, 6 * k + column] = still.velocity[bodies[i]]
                _axes_of(at.orientation[bodies[i]], rotation)
                turned = out[6 * i + 3 : 6 * i + 6, 6 * k + column]
                _turned(rotation, masses.compliance[bodies[i]], still.spin[bodies[i]], turned)


@kernel
def advance(
    s: ConstraintSystem,
    masses: LinkMasses,
    now: LinkageState,
    next_: LinkageState,
    gravity: Vector,
    h: float,
    count: int,
) -> int:
    """Advance by substeps. ``now`` is overwritten and ``next_`` is a work array of the same size.

    Args:
        s: Equations of the joints.
        masses: Masses and inertias.
        now: Motion, overwritten.
        next_: Work array.
        gravity: Gravity in the world frame [m/s^2], shape (3,).
        h: Substep size [s].
        count: Number of substeps.

    Returns:
        OK, or TORN if no impulses satisfy the joints, because the substep is too long for the speed of the motion.

    Source: andersen1983; hairer2006, section VII.1.4.
    Checked by: test_linkage_motion.py::test_pendulum_period_is_the_elliptic_integral,
    test_linkage_motion.py::test_energy_and_joints_are_kept_for_a_minute,
    test_linkage_motion.py::test_double_pendulum_follows_its_equations_of_motion.
    """
    m = s.rows.joint.shape[0]
    active = np.ones(m, np.bool_)
    braked = s.rows.damping.any()
    for _ in range(count):
        _kick(s, masses, now, gravity, 0.5 * h)
        _equations(s, now, True)
        if braked:
            _assemble(s, masses, now, 0.5 * h, active)
            _still(s, masses, now)
        _assemble(s, masses, now, 0.0, active)
        for attempt in range(_ATTEMPTS + 1):
            _fly(masses, now, next_, h)
            worst = _equations(s, next_, False)
            # A comparison with NaN is false.
            if worst <= TOLERANCE:
                break
            if attempt == _ATTEMPTS or not worst < 1e3:
                return TORN
            for r in range(m):
                s.right[r] = -s.apart[r] / h if active[r] else 0.0
            solve(s.matrix, s.first, s.start, s.right)
            _push(s, masses, now)
        now.position[:], now.orientation[:] = next_.position, next_.orientation
        _kick(s, masses, now, gravity, 0.5 * h)
        _equations(s, now, True)
        _assemble(s, masses, now, 0.5 * h, active)
        _still(s, masses, now)
    return OK
