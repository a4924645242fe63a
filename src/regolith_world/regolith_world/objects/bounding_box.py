# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Axis-aligned bounding boxes of objects for the broad phase."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from regolith_world.cycle.records import BodyState, Shape, ShapeKind, Vector
from regolith_world.numerics.kernel_options import kernel
from regolith_world.numerics.portable_math import norm, times
from regolith_world.numerics.rotation import matrix

_SPHERE, _BOX, _CAPSULE = int(ShapeKind.SPHERE), int(ShapeKind.BOX), int(ShapeKind.CAPSULE)
_BEAM = int(ShapeKind.BEAM)


class ShapeBounds:
    """Shapes of one body as arrays for a kernel, built once per object."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self.shapes = tuple(shapes)
        self.reach = max((norm(s.position) + norm(s.size) for s in self.shapes), default=0.0)
        """Upper bound of the distance of the shapes from the body's origin [m]."""
        simple = [s for s in self.shapes if s.kind != ShapeKind.HULL]
        count = len(simple)
        self._kind = np.array([int(s.kind) for s in simple], dtype=np.int64)
        self._size = np.array([s.size for s in simple], dtype=float).reshape(count, 3)
        self._position = np.array([s.position for s in simple], dtype=float).reshape(count, 3)
        self._rotation = np.array([matrix(s.orientation) for s in simple], dtype=float).reshape(count, 3, 3)
        hulls = [s for s in self.shapes if s.kind == ShapeKind.HULL]
        self._vertices = [s.position + times(s.vertices, matrix(s.orientation).T) for s in hulls]

    def turning(self, state: BodyState, omega: Vector, normal: Vector) -> float:
        """Return the maximum speed at which the shapes can extend towards a side as the body rotates [m/s].

        The body rotates about its origin. The speed is zero for a sphere about the origin, and for shapes that rotate
        about their own axis.

        Args:
            state: State of the body.
            omega: Angular velocity in the world frame [rad/s], shape (3,).
            normal: Unit vector towards the side, shape (3,).
        """
        if not omega.any():
            return 0.0
        body, fastest = matrix(state.orientation), 0.0
        across = _length(np.cross(normal, omega))
        for shape in self.shapes:
            a, b, c = (float(x) for x in shape.size)
            axis = (body * matrix(shape.orientation)[:, 2]).sum(axis=1)
            if shape.kind in (ShapeKind.BOX, ShapeKind.HULL):
                own = across * math.sqrt(a * a + b * b + c * c)
            else:
                core = {ShapeKind.SPHERE: 0.0, ShapeKind.CAPSULE: b, ShapeKind.CYLINDER: math.hypot(a, b)}[shape.kind]
                own = min(across, _length(np.cross(axis, omega))) * core
            fastest = max(fastest, across * _length(shape.position) + own)
        return fastest

    def bounds(self, state: BodyState) -> tuple[Vector, Vector]:
        """Return the box around the shapes of the body at ``state``: (minimum, maximum) [m], each of shape (3,).

        It is exact for every kind of shape. Without shapes it is empty (+inf, -inf).
        """
        low, high = np.empty(3), np.empty(3)
        _bounds(
            self._kind,
            self._size,
            self._position,
            self._rotation,
            state.position,
            matrix(state.orientation),
            low,
            high,
        )
        if self._vertices:
            turn = matrix(state.orientation)
            for vertices in self._vertices:
                points = times(vertices, turn.T) + state.position
                low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
        return low, high


def _length(v: Vector) -> float:
    return math.sqrt(float((v * v).sum()))


@kernel
def _bounds(
    kind: Vector,
    size: Vector,
    position: Vector,
    rotation: Vector,
    origin: Vector,
    body: Vector,
    low: Vector,
    high: Vector,
) -> None:  # pragma: no cover - compiled
    for axis in range(3):
        low[axis], high[axis] = np.inf, -np.inf
    for k in range(kind.shape[0]):
        for axis in range(3):
            center = origin[axis]
            r = np.zeros(3)
            for m in range(3):
                center += body[axis, m] * position[k, m]
                for column in range(3):
                    r[column] += body[axis, m] * rotation[k, m, column]
            first = last = center
            if kind[k] == _BEAM:
                last = center + r[0] * size[k, 0]
                reach = 0.0
            elif kind[k] == _SPHERE:
                reach = size[k, 0]
            elif kind[k] == _BOX:
                reach = abs(r[0]) * size[k, 0] + abs(r[1]) * size[k, 1] + abs(r[2]) * size[k, 2]
            elif kind[k] == _CAPSULE:
                reach = abs(r[2]) * size[k, 1] + size[k, 0]
            else:
                reach = abs(r[2]) * size[k, 1] + np.sqrt(max(0.0, 1.0 - r[2] * r[2])) * size[k, 0]
            low[axis] = min(low[axis], min(first, last) - reach)
            high[axis] = max(high[axis], max(first, last) + reach)
