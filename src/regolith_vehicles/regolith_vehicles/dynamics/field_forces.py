# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Forces of the world's force fields on the bodies of a vehicle, in each substep.

A field acts on a body whose center of mass is inside it: mass times acceleration, drag on velocity and rotation, and
repulsion by the depth of the center of mass. The world computes the forces on its own objects
(:mod:`regolith_world.objects.force_field`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_world.cycle import FieldRecord, ShapeKind
from regolith_world.numerics import kernel, portable_math, rotation

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_SPHERE, _BOX, _CYLINDER = int(ShapeKind.SPHERE), int(ShapeKind.BOX), int(ShapeKind.CYLINDER)


class FieldArrays(NamedTuple):
    """Force fields as arrays for the loop, with views of the masses of MuJoCo's bodies."""

    first: Indices
    """First shape of each field, then the number of shapes, shape (n + 1,)."""
    kind: Indices
    """Kind of each shape, shape (s,)."""
    size: Floats
    """Size of each shape [m], shape (s, 3)."""
    place: Floats
    """Center of each shape in the world frame [m], shape (s, 3)."""
    frame: Floats
    """Axes of each shape in the world frame as columns, shape (s, 3, 3)."""
    acceleration: Floats
    """Accelerations [m/s^2], shape (n, 3)."""
    drag: Floats
    """Relative decreases of velocity [1/s], shape (n,)."""
    repulsion: Floats
    """Accelerations per depth [1/s^2], shape (n,)."""
    mass: Floats
    """Masses of the bodies [kg], shape (nbody,)."""
    inertia: Floats
    """Principal moments of inertia of the bodies [kg m^2], shape (nbody, 3)."""
    axes: Floats
    """Principal axes of the bodies as rows of 9, shape (nbody, 9)."""
    unset: Indices
    """Bodies whose applied wrench the loop does not reset in each substep, shape (k,)."""
    work: Floats
    """Work array, shape (3, 3)."""


def field_arrays(fields: Sequence[FieldRecord], model: Any, data: Any, unset: ArrayLike = ()) -> FieldArrays:
    """Return force fields as arrays.

    Args:
        fields: Fields of the world.
        model: MuJoCo model (mujoco.MjModel).
        data: MuJoCo state (mujoco.MjData).
        unset: Bodies whose applied wrench the loop does not reset.
    """
    turns = [rotation.matrix(field.orientation) for field in fields]
    shapes = [(shape, field, turn) for field, turn in zip(fields, turns) for shape in field.shapes]
    frames = [portable_math.times(turn, rotation.matrix(shape.orientation)) for shape, _, turn in shapes]
    return FieldArrays(
        np.cumsum([0, *(len(field.shapes) for field in fields)]).astype(np.int64),
        np.array([int(shape.kind) for shape, _, _ in shapes], dtype=np.int64),
        np.array([shape.size for shape, _, _ in shapes], dtype=float).reshape(-1, 3),
        np.array([f.position + portable_math.times(turn, s.position) for s, f, turn in shapes]).reshape(-1, 3),
        np.array(frames, dtype=float).reshape(-1, 3, 3),
        np.array([field.acceleration for field in fields], dtype=float).reshape(-1, 3),
        np.array([field.drag_per_s for field in fields], dtype=float),
        np.array([field.repulsion_per_s2 for field in fields], dtype=float),
        model.body_mass,
        model.body_inertia,
        data.ximat,
        np.asarray(unset, dtype=np.int64),
        np.empty((3, 3)),
    )


@kernel(views_only=True)
def depth_in_shape(kind: int, size: Floats, local: Floats, out: Floats) -> float:
    """Return the depth of a point in a shape [m], negative outside; fill the direction of the shortest way out.

    Args:
        kind: Kind of the shape.
        size: Size of the shape [m], shape (3,).
        local: Point in the axes of the shape [m], shape (3,).
        out: Out: unit vector in the axes of the shape, shape (3,); zero if undefined.

    Tests: test_field_forces.py.
    """
    out[:] = 0.0
    if kind == _BOX:
        axis = 0
        for a in range(1, 3):
            if size[a] - abs(local[a]) < size[axis] - abs(local[axis]):
                axis = a
        out[axis] = 1.0 if local[axis] >= 0.0 else -1.0
        return float(size[axis] - abs(local[axis]))
    if kind != _CYLINDER:
        along = 0.0 if kind == _SPHERE else min(size[1], max(-size[1], local[2]))
        x, y, z = local[0], local[1], local[2] - along
        length = np.sqrt(x * x + y * y + z * z)
        if length > 0.0:
            out[0], out[1], out[2] = x / length, y / length, z / length
        return float(size[0] - length)
    radius = np.sqrt(local[0] * local[0] + local[1] * local[1])
    if size[1] - abs(local[2]) < size[0] - radius:
        out[2] = 1.0 if local[2] >= 0.0 else -1.0
        return float(size[1] - abs(local[2]))
    if radius > 0.0:
        out[0], out[1] = local[0] / radius, local[1] / radius
    return float(size[0] - radius)


@kernel(views_only=True)
def act_on_bodies(
    fields: FieldArrays,
    step: float,
    places: Floats,
    cvel: Floats,
    center: Floats,
    applied: Floats,
) -> None:
    """Add the forces of fields to the applied wrenches of bodies.

    Drag is the mean over the substep (trapezoidal rule), so it never reverses a velocity below a rate of 2 / step.

    Args:
        fields: The fields.
        step: Substep [s].
        places: Centers of mass of the bodies [m], shape (nbody, 3).
        cvel: MuJoCo's cvel: angular velocity, then velocity of the point at ``center``, shape (nbody, 6).
        center: Center of mass of the vehicle [m], shape (3,).
        applied: In/out: force [N] and torque [N m] on each body, shape (nbody, 6).

    Source: goldstein2002; hairer2006.
    Checked by: test_field_forces.py::test_a_field_against_gravity_lets_a_rover_float,
    test_field_forces.py::test_drag_slows_a_rover_as_the_exponential,
    test_field_forces.py::test_a_rover_in_a_repulsive_region_swings_as_a_spring_does.
    """
    for k in range(fields.unset.shape[0]):
        for a in range(6):
            applied[fields.unset[k], a] = 0.0
    local, out, way = fields.work[0], fields.work[1], fields.work[2]
    for b in range(1, places.shape[0]):
        mass = fields.mass[b]
        if mass == 0.0:
            continue
        for n in range(fields.drag.shape[0]):
            deepest = 0.0
            for s in range(fields.first[n], fields.first[n + 1]):
                for a in range(3):
                    local[a] = 0.0
                    for i in range(3):
                        local[a] += fields.frame[s, i, a] * (places[b, i] - fields.place[s, i])
                depth = depth_in_shape(fields.kind[s], fields.size[s], local, out)
                if depth > deepest:
                    deepest = depth
                    for a in range(3):
                        way[a] = 0.0
                        for i in range(3):
                            way[a] += fields.frame[s, a, i] * out[i]
            if deepest == 0.0:
                continue
            drag = fields.drag[n] / (1.0 + 0.5 * step * fields.drag[n])
            for a in range(3):
                m, r = (a + 1) % 3, (a + 2) % 3
                speed = cvel[b, 3 + a]
                speed += cvel[b, m] * (places[b, r] - center[r]) - cvel[b, r] * (places[b, m] - center[m])
                push = fields.repulsion[n] * deepest * way[a]
                applied[b, a] += mass * (fields.acceleration[n, a] - drag * speed + push)
            if drag > 0.0:
                for i in range(3):
                    spin = 0.0
                    for a in range(3):
                        spin += fields.axes[b, 3 * a + i] * cvel[b, a]
                    for a in range(3):
                        applied[b, 3 + a] -= drag * fields.axes[b, 3 * a + i] * fields.inertia[b, i] * spin
