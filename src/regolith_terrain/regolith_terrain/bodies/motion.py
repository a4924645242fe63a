# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion of rigid bodies: arrays of their states, and a step of semi-implicit Euler."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.arrays import Wrench
from regolith_terrain.contact.ground_contact import PartPose
from regolith_terrain.grid.node_records import Floats
from regolith_world.numerics import kernel
from regolith_world.objects import FieldRegions, depth_in_field

Indices = NDArray[np.int64]


class BodyArrays(NamedTuple):
    """States and masses of n rigid bodies, one row each; the center of mass is the origin of a body's frame."""

    position: Floats
    """Input and output: center of mass in the world [m], shape (n, 3)."""
    orientation: Floats
    """Input and output: orientation in the world, quaternion (x, y, z, w), shape (n, 4)."""
    velocity: Floats
    """Input and output: velocity of the center of mass [m/s], shape (n, 3)."""
    spin: Floats
    """Input and output: angular velocity, world axes [rad/s], shape (n, 3)."""
    contact_force: Floats
    """Output: mean force of the contacts over the last steps, world axes [N], shape (n, 3)."""
    mass: Floats
    """Mass [kg], shape (n,)."""
    inertia: Floats
    """Inertia about the center of mass, body axes [kg m^2], shape (n, 3, 3)."""
    inverse_inertia: Floats
    """Its inverse, shape (n, 3, 3)."""
    rotation: Floats
    """Work array: rotation matrix of each body, shape (n, 3, 3)."""
    mobility: Floats
    """Work array: inverse mass and inertia, world axes, shape (n, 6, 6): from force and torque to linear and angular
    acceleration."""
    work: Floats
    """Work array, shape (4, 4)."""
    awake: NDArray[np.bool_]
    """Input and output: whether each body moves, shape (n,). A body that a part touches wakes."""
    force: Floats
    """Input and output: force of a vehicle's parts in the present step, world axes [N], shape (n, 3)."""
    torque: Floats
    """Input and output: its torque about the center of mass [N m], shape (n, 3)."""
    touching: NDArray[np.int64]
    """Input and output: number of parts that touch each body, in this step and the last one, shape (n, 2)."""
    done: NDArray[np.bool_]
    """Work array: whether each body was pressed in the present step, shape (n,)."""
    round: NDArray[np.bool_]
    """Whether each body is a sphere, a capsule or a cylinder, shape (n,)."""
    upright: NDArray[np.bool_]
    """Whether the axis of the contact shape, y, is the z axis of the body, shape (n,)."""
    gravity: Floats
    """Acceleration of each body without contact [m/s^2], shape (n, 3)."""


@kernel(views_only=True)
def set_rotation(quaternion: Floats, rotation: Floats) -> None:
    """Write the rotation matrix of a unit quaternion (x, y, z, w)."""
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    rotation[0, 0], rotation[0, 1], rotation[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    rotation[1, 0], rotation[1, 1], rotation[1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    rotation[2, 0], rotation[2, 1], rotation[2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)


@kernel(views_only=True)
def _turned(rotation: Floats, matrix: Floats, vector: Floats, out: Floats) -> None:
    """Write R M R^T v to ``out``, which must not be ``vector``."""
    x, y, z = vector[0], vector[1], vector[2]
    a = rotation[0, 0] * x + rotation[1, 0] * y + rotation[2, 0] * z
    b = rotation[0, 1] * x + rotation[1, 1] * y + rotation[2, 1] * z
    c = rotation[0, 2] * x + rotation[1, 2] * y + rotation[2, 2] * z
    x = matrix[0, 0] * a + matrix[0, 1] * b + matrix[0, 2] * c
    y = matrix[1, 0] * a + matrix[1, 1] * b + matrix[1, 2] * c
    z = matrix[2, 0] * a + matrix[2, 1] * b + matrix[2, 2] * c
    for k in range(3):
        out[k] = rotation[k, 0] * x + rotation[k, 1] * y + rotation[k, 2] * z


@kernel(views_only=True)
def _rotate(quaternion: Floats, spin: Floats, step: float, out: Floats) -> None:
    """Write the quaternion after rotation with a constant angular velocity, by the exponential map, normalized."""
    wx, wy, wz = spin[0], spin[1], spin[2]
    angle = step * math.sqrt(wx * wx + wy * wy + wz * wz)
    if angle > 1e-2:
        s, c = math.sin(0.5 * angle) / angle, math.cos(0.5 * angle)
    else:
        square = angle * angle
        s = 0.5 - square * (1.0 / 48.0 - square / 3840.0)
        c = 1.0 - square * (0.125 - square / 384.0)
    s *= step
    ax, ay, az = s * wx, s * wy, s * wz
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    px = c * x + ax * w + ay * z - az * y
    py = c * y + ay * w + az * x - ax * z
    pz = c * z + az * w + ax * y - ay * x
    pw = c * w - ax * x - ay * y - az * z
    scale = 1.0 / math.sqrt(px * px + py * py + pz * pz + pw * pw)
    out[0], out[1], out[2], out[3] = px * scale, py * scale, pz * scale, pw * scale


@kernel(views_only=True)
def prepare_body(bodies: BodyArrays, b: int) -> None:
    """Write rotation and mobility of a body from its orientation."""
    rotation, mobility = bodies.rotation[b], bodies.mobility[b]
    set_rotation(bodies.orientation[b], rotation)
    work, inverse = bodies.work, bodies.inverse_inertia[b]
    for k in range(3):
        for j in range(3):
            work[0, j] = 1.0 if j == k else 0.0
            mobility[k, j] = 1.0 / bodies.mass[b] if j == k else 0.0
            mobility[k, 3 + j] = mobility[3 + k, j] = 0.0
        _turned(rotation, inverse, work[0], work[1])
        for j in range(3):
            mobility[3 + j, 3 + k] = work[1, j]


@kernel(views_only=True)
def set_pose(bodies: BodyArrays, b: int, pose: PartPose) -> None:
    """Write pose and twist of a body's contact shape.

    Args:
        bodies: States of the bodies.
        b: Row of the body.
        pose: Output: pose and twist.
    """
    rotation, upright = bodies.rotation[b], bodies.upright[b]
    for k in range(3):
        pose.center[k] = bodies.position[b, k]
        pose.velocity[k] = bodies.velocity[b, k]
        pose.angular_velocity[k] = bodies.spin[b, k]
        pose.rotation[k, 0] = rotation[k, 0]
        pose.rotation[k, 1] = rotation[k, 2] if upright else rotation[k, 1]
        pose.rotation[k, 2] = -rotation[k, 1] if upright else rotation[k, 2]


@kernel(views_only=True)
def add_field_wrench(fields: FieldRegions, bodies: BodyArrays, b: int, step: float, wrench: Wrench) -> None:
    """Add the forces of force fields on a body whose center of mass is inside them.

    Drag is the mean over the substep (trapezoidal rule), so it never reverses a velocity below a rate of 2 / step.

    Args:
        fields: The fields.
        bodies: States of the bodies. The rotation of the body must be that of its orientation.
        b: Row of the body.
        step: Substep [s].
        wrench: In/out: force [N] and torque about the center of mass [N m].

    Source: goldstein2002; hairer2006.
    Checked by: test_bodies_in_fields.py::test_field_against_gravity_lets_a_body_float,
    test_bodies_in_fields.py::test_drag_slows_a_body_as_the_exponential,
    test_bodies_in_fields.py::test_body_in_a_repulsive_region_swings_as_a_spring_does.
    """
    way, mass, momentum = fields.work[2], bodies.mass[b], bodies.work[0]
    for n in range(fields.drag.shape[0]):
        depth = depth_in_field(fields, n, bodies.position[b])
        if depth == 0.0:
            continue
        drag, push = fields.drag[n] / (1.0 + 0.5 * step * fields.drag[n]), fields.repulsion[n] * depth
        _turned(bodies.rotation[b], bodies.inertia[b], bodies.spin[b], momentum)
        for k in range(3):
            wrench.force[k] += mass * (fields.acceleration[n, k] - drag * bodies.velocity[b, k] + push * way[k])
            wrench.torque[k] -= drag * momentum[k]


@kernel(views_only=True)
def move_body(bodies: BodyArrays, b: int, wrench: Wrench, step: float) -> None:
    """Advance a body by a step of semi-implicit Euler.

    The velocity follows from the forces at the start of the step, the position from the velocity at its end. The same
    holds for angular momentum L and orientation. Without torque, L is constant up to rounding, so the gyroscopic torque
    needs no term of its own. The orientation turns with the angular velocity at the middle of the step, which makes
    torque-free rotation of second order.

    Args:
        bodies: States of the bodies; changed in place.
        b: Row of the body. Its rotation must be that of its orientation; afterwards it is again.
        wrench: Force [N] and torque about the center of mass [N m].
        step: Step [s].

    Source: hairer2006, sections I.1.2 and VI.5.3; goldstein2002, section 5.5.
    Checked by: test_bodies_motion.py::test_torque_free_rotation_conserves_angular_momentum_and_energy,
    test_bodies_motion.py::test_thrown_body_follows_a_parabola.
    """
    work, rotation, gravity = bodies.work, bodies.rotation[b], bodies.gravity[b]
    momentum, rate, middle = work[0], work[1], work[2]
    _turned(rotation, bodies.inertia[b], bodies.spin[b], momentum)
    for k in range(3):
        bodies.velocity[b, k] += step * (gravity[k] + wrench.force[k] / bodies.mass[b])
        bodies.position[b, k] += step * bodies.velocity[b, k]
        momentum[k] += step * wrench.torque[k]
    inverse, orientation = bodies.inverse_inertia[b], bodies.orientation[b]
    _turned(rotation, inverse, momentum, rate)
    _rotate(orientation, rate, 0.5 * step, middle)
    set_rotation(middle, rotation)
    _turned(rotation, inverse, momentum, rate)
    _rotate(orientation, rate, step, orientation)
    set_rotation(orientation, rotation)
    _turned(rotation, inverse, momentum, bodies.spin[b])


@kernel(views_only=True)
def write_inertias(bodies: BodyArrays, rows: Indices, out: Floats) -> None:
    """Write the inertias of some bodies about their centers of mass, world axes [kg m^2], R I R^T.

    Args:
        bodies: States of the bodies.
        rows: Rows of some of them, shape (k,).
        out: Output, shape (k, 3, 3).
    """
    for n in range(rows.shape[0]):
        b = rows[n]
        turn, inertia = bodies.rotation[b], bodies.inertia[b]
        set_rotation(bodies.orientation[b], turn)
        for i in range(3):
            x = turn[i, 0] * inertia[0, 0] + turn[i, 1] * inertia[1, 0] + turn[i, 2] * inertia[2, 0]
            y = turn[i, 0] * inertia[0, 1] + turn[i, 1] * inertia[1, 1] + turn[i, 2] * inertia[2, 1]
            z = turn[i, 0] * inertia[0, 2] + turn[i, 1] * inertia[1, 2] + turn[i, 2] * inertia[2, 2]
            for j in range(3):
                out[n, i, j] = x * turn[j, 0] + y * turn[j, 1] + z * turn[j, 2]
