# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints of linkages and their constraint equations.

A joint has a frame on each of its two bodies: a point, and axes whose z is that of the joint. The two frames coincide
initially. Each equation (row) requires a value to be zero: the distance of the points along a direction, the cosine of
the angle between two axes, or, for a massless rigid rod, the change of its length. Source of the design: "Simulator
Architecture" (2024), chapter Constraints: a fixed distance and restricted degrees of freedom are its mathematical
constraints; hinge, slider and spring are its mechanical ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle.records import Vector
from regolith_world.numerics.portable_math import norm, times

WORLD = -1
"""Index that stands for the world in place of a body."""


class RowKind(IntEnum):
    """Kind of equation; ``u`` is an axis of the first frame, ``w`` of the second, d leads from point to point."""

    ALONG_WORLD = 0
    """d is perpendicular to axis u of the world frame."""
    ALONG = 1
    """d is perpendicular to u."""
    SQUARE = 2
    """u and w are perpendicular."""
    LENGTH = 3
    """d keeps its initial length."""
    TURNING = 4
    """The second body does not rotate relative to the first about axis u of the world frame; for damping only."""


_POINT = tuple((RowKind.ALONG_WORLD, axis, 0) for axis in range(3))
_ON_AXIS = ((RowKind.ALONG, 0, 0), (RowKind.ALONG, 1, 0))
_SAME_AXIS = ((RowKind.SQUARE, 0, 2), (RowKind.SQUARE, 1, 2))
_SAME_AXES = (*_SAME_AXIS, (RowKind.SQUARE, 0, 1))
ROWS: dict[str, tuple[tuple[RowKind, int, int], ...]] = {
    'ball': _POINT,
    'hinge': _POINT + _SAME_AXIS,
    'slider': _ON_AXIS + _SAME_AXES,
    'cylinder': _ON_AXIS + _SAME_AXIS,
    'fixed': _POINT + _SAME_AXES,
    'line': _ON_AXIS,
    'plane': ((RowKind.ALONG, 2, 0),),
    'distance': ((RowKind.LENGTH, 0, 0),),
    'spring': (),
}
"""Rows of each kind of joint: kind, axis of the first frame (or of the world), axis of the second frame.

A ball joint keeps the points together. A hinge rotates about z, a slider translates along it, a cylinder joint does
both. The point remains on the z axis (line) or in the plane normal to it (plane). A massless rod keeps a distance. A
spring has no rows, it applies a force.
"""
_FREE: dict[str, tuple[tuple[RowKind, int, int], ...]] = {
    'ball': tuple((RowKind.TURNING, axis, 0) for axis in range(3)),
    'hinge': tuple((RowKind.TURNING, axis, 0) for axis in range(3)),
    'slider': ((RowKind.ALONG, 2, 0),),
    'line': ((RowKind.ALONG, 2, 0),),
    'cylinder': ((RowKind.ALONG, 2, 0),),
    'spring': ((RowKind.LENGTH, 0, 0),),
}
"""Rows of the motions that damping acts on: rotation [N m s/rad], or translation along z or of a spring [N s/m]."""
DAMPED = tuple(_FREE)
"""Kinds of joint that may have damping."""


@dataclass(frozen=True, slots=True)
class LinkageJoint:
    """A joint at the start of a linkage."""

    kind: str
    """Kind, a key of :data:`ROWS`."""
    bodies: tuple[int, int]
    """Indices of the two bodies, or :data:`WORLD`."""
    points: tuple[Vector, Vector]
    """Points in the world frame [m], each (3,). They differ for a distance, a spring or a displaced slider only."""
    axis: Vector = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    """z axis of the joint in the world frame, unit vector, shape (3,)."""
    damping: float = 0.0
    """Damping coefficient [N m s/rad] or [N s/m]."""
    stiffness: float = 0.0
    """Stiffness of a spring [N/m]."""
    rest_m: float = 0.0
    """Rest length of a spring [m]."""


class JointFrames(NamedTuple):
    """Joints as arrays for the kernels."""

    body: NDArray[np.int64]
    """Indices of the bodies, shape (j, 2)."""
    arm: Vector
    """Points in the frames of their bodies [m], shape (j, 2, 3)."""
    axes: Vector
    """Axes of the joint in the frames of its bodies, as columns, shape (j, 2, 3, 3)."""
    length: Vector
    """Initial length of d [m], shape (j,)."""
    stiffness: Vector
    """Stiffness of springs [N/m], shape (j,)."""
    rest: Vector
    """Rest length of springs [m], shape (j,)."""


class ConstraintRows(NamedTuple):
    """Equations as arrays for the kernels."""

    joint: NDArray[np.int64]
    """Index of the joint, shape (m,)."""
    kind: NDArray[np.int64]
    """Value of :class:`RowKind`, shape (m,)."""
    first: NDArray[np.int64]
    """Axis of the first frame, shape (m,)."""
    second: NDArray[np.int64]
    """Axis of the second frame, shape (m,)."""
    damping: Vector
    """Damping coefficient of damping rows, 0 for constraint rows, shape (m,)."""


def orthonormal_axes(axis: Vector) -> Vector:
    """Return three orthonormal axes as columns, the last along a vector, shape (3, 3)."""
    z = axis / norm(axis)
    helper = np.zeros(3)
    helper[int(np.argmin(np.abs(z)))] = 1.0
    x = np.cross(helper, z)
    x /= norm(x)
    return np.stack((x, np.cross(z, x), z), axis=1)


def frames(joints: Sequence[LinkageJoint], position: Vector, rotation: Vector) -> JointFrames:
    """Return joints in the frames of their bodies at the present poses.

    Args:
        joints: The joints.
        position: Positions of the bodies [m], shape (n, 3).
        rotation: Rotations from body axes to world axes, shape (n, 3, 3).
    """
    count = len(joints)
    arm, axes = np.zeros((count, 2, 3)), np.zeros((count, 2, 3, 3))
    for k, joint in enumerate(joints):
        square = orthonormal_axes(joint.axis)
        for side, body in enumerate(joint.bodies):
            turn, origin = (np.eye(3), np.zeros(3)) if body == WORLD else (rotation[body], position[body])
            arm[k, side] = times(turn.T, joint.points[side] - origin)
            axes[k, side] = times(turn.T, square)
    apart = [joint.points[1] - joint.points[0] for joint in joints]
    return JointFrames(
        np.array([joint.bodies for joint in joints], np.int64).reshape(count, 2),
        arm,
        axes,
        np.array([norm(d) for d in apart]),
        np.array([joint.stiffness for joint in joints], float),
        np.array([joint.rest_m for joint in joints], float),
    )


def rows(joints: Sequence[LinkageJoint]) -> ConstraintRows:
    """Return the equations of joints: for each joint the constraint rows, then the damping rows."""
    found = []
    for k, joint in enumerate(joints):
        found += [(k, *row, 0.0) for row in ROWS[joint.kind]]
        if joint.damping > 0.0:
            found += [(k, *row, joint.damping) for row in _FREE[joint.kind]]
    table = np.array(found, float).reshape(len(found), 5)
    joint_of, kind, first, second = np.ascontiguousarray(table[:, :4].T, np.int64)
    return ConstraintRows(joint_of, kind, first, second, table[:, 4].copy())
