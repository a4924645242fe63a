# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints between two bodies, or a body and the world, and the rows of equations that they are.

A joint has a frame on each of its two bodies, which coincide at first: a point, and axes whose z is that of the joint.
Every row says that a number is zero: how far the points are apart along a direction, how far two axes are from a right
angle, or, of a rigid rod without mass, what its length has changed by. Seed of the design: "Simulator Architecture"
(2024), chapter Constraints: a fixed distance and restricted degrees of freedom are its mathematical constraints, hinge,
slider and spring its mechanical ones.
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
"""In place of a body's number."""


class RowKind(IntEnum):
    """What a row says; ``u`` is an axis of the first body's frame, ``w`` of the second's, d leads from point to
    point."""

    ALONG_WORLD = 0
    """d has no part along axis u of the world."""
    ALONG = 1
    """d has no part along u."""
    SQUARE = 2
    """u and w are at right angles."""
    LENGTH = 3
    """d is as long as at first."""
    TURNING = 4
    """The second body does not turn against the first about axis u of the world: of damping only."""


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
"""Rows of each kind of joint: kind, axis of the first frame (or of the world), axis of the second. A ball joint holds
points together; a hinge turns about z, a slider moves along it, a cylinder joint does both; a point stays on the z axis
(line) or in the plane across it; a rod without mass keeps a distance; a spring holds nothing, but pulls."""
_FREE: dict[str, tuple[tuple[RowKind, int, int], ...]] = {
    'ball': tuple((RowKind.TURNING, axis, 0) for axis in range(3)),
    'hinge': tuple((RowKind.TURNING, axis, 0) for axis in range(3)),
    'slider': ((RowKind.ALONG, 2, 0),),
    'line': ((RowKind.ALONG, 2, 0),),
    'cylinder': ((RowKind.ALONG, 2, 0),),
    'spring': ((RowKind.LENGTH, 0, 0),),
}
"""What damping brakes: turning [N m s/rad], or the way along z or of a spring [N s/m]."""
DAMPED = tuple(_FREE)
"""Kinds of joint that may have damping."""


@dataclass(frozen=True, slots=True)
class LinkageJoint:
    """A joint as a system starts."""

    kind: str
    """One of :data:`ROWS`."""
    bodies: tuple[int, int]
    """Numbers of the two bodies, or :data:`WORLD`."""
    points: tuple[Vector, Vector]
    """In the world [m], each shape (3,): the same but for a distance, a spring, and where a slider has moved."""
    axis: Vector = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    """z of the joint in the world, a unit vector, shape (3,)."""
    damping: float = 0.0
    """[N m s/rad] or [N s/m]."""
    stiffness: float = 0.0
    """Of a spring [N/m]."""
    rest_m: float = 0.0
    """Length of a spring that pulls and pushes nothing [m]."""


class JointFrames(NamedTuple):
    """Joints, for the kernels."""

    body: NDArray[np.int64]
    """Shape (j, 2)."""
    arm: Vector
    """Points in the frames of their bodies [m], shape (j, 2, 3)."""
    axes: Vector
    """Axes of the joint in the frames of its bodies, as columns, shape (j, 2, 3, 3)."""
    length: Vector
    """Of d at first [m], shape (j,)."""
    stiffness: Vector
    """Of springs [N/m], shape (j,)."""
    rest: Vector
    """Of springs [m], shape (j,)."""


class ConstraintRows(NamedTuple):
    """Equations, for the kernels."""

    joint: NDArray[np.int64]
    """Shape (m,)."""
    kind: NDArray[np.int64]
    """Shape (m,)."""
    first: NDArray[np.int64]
    """Axis of the first frame, shape (m,)."""
    second: NDArray[np.int64]
    """Axis of the second, shape (m,)."""
    damping: Vector
    """Of rows that only brake, 0 of those that hold, shape (m,)."""


def orthonormal_axes(axis: Vector) -> Vector:
    """Return three unit axes at right angles as columns, the last along an axis, shape (3, 3)."""
    z = axis / norm(axis)
    helper = np.zeros(3)
    helper[int(np.argmin(np.abs(z)))] = 1.0
    x = np.cross(helper, z)
    x /= norm(x)
    return np.stack((x, np.cross(z, x), z), axis=1)


def frames(joints: Sequence[LinkageJoint], position: Vector, rotation: Vector) -> JointFrames:
    """Return joints in the frames of bodies as these stand.

    Args:
        position: of the bodies [m], shape (n, 3)
        rotation: of body axes to the world's, shape (n, 3, 3)
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
    """Return the equations of joints: of each, those that hold, then those that brake."""
    found = []
    for k, joint in enumerate(joints):
        found += [(k, *row, 0.0) for row in ROWS[joint.kind]]
        if joint.damping > 0.0:
            found += [(k, *row, joint.damping) for row in _FREE[joint.kind]]
    table = np.array(found, float).reshape(len(found), 5)
    joint_of, kind, first, second = np.ascontiguousarray(table[:, :4].T, np.int64)
    return ConstraintRows(joint_of, kind, first, second, table[:, 4].copy())
