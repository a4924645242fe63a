# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Axis-aligned bounding boxes of objects for the broad phase."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
        vertices = [s.position + times(s.vertices, matrix(s.orientation).T) for s in hulls]
        self._vertices = np.concatenate([np.zeros((0, 3)), *vertices])

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
            self._vertices,
            state.position,
            state.orientation,
            low,
            high,
        )
        return low, high


def boxes_of(boxes: Sequence[tuple[Vector, Vector]]) -> tuple[Vector, Vector]:
    """Return the minima and the maxima of boxes as arrays, shape (n, 3) each."""
    both = np.concatenate([side for box in boxes for side in box]).reshape(-1, 2, 3) if boxes else np.zeros((0, 2, 3))
    return both[:, 0].copy(), both[:, 1].copy()


@kernel
def near_boxes(low: Vector, high: Vector, other_low: Vector, other_high: Vector, gap: float) -> NDArray[np.int64]:
    """Return the pairs of boxes of two sets that are at most a gap apart along each axis, ascending, shape (k, 2).

    Args:
        low: Minima of the boxes of the first set [m], shape (n, 3).
        high: Maxima [m], shape (n, 3).
        other_low: Minima of the second set [m], shape (m, 3).
        other_high: Maxima [m], shape (m, 3).
        gap: The gap [m]. Boxes with unknown bounds are near all others.
    """
    found = np.empty((16, 2), dtype=np.int64)
    count = 0
    for i in range(low.shape[0]):
        for j in range(other_low.shape[0]):
            near = True
            for axis in range(3):
                if low[i, axis] - other_high[j, axis] > gap or other_low[j, axis] - high[i, axis] > gap:
                    near = False
                    break
            if near:
                if count == found.shape[0]:
                    more = np.empty((2 * count, 2), dtype=np.int64)
                    more[:count] = found
                    found = more
                found[count, 0], found[count, 1] = i, j
                count += 1
    return found[:count].copy()


def _length(v: Vector) -> float:
    return math.sqrt(float((v * v).sum()))


@kernel
def _bounds(
    kind: Vector,
    size: Vector,
    position: Vector,
    rotation: Vector,
    vertices: Vector,
    origin: Vector,
    quaternion: Vector,
    low: Vector,
    high: Vector,
) -> None:  # pragma: no cover - compiled
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    r = np.zeros(3)
    for axis in range(3):
        if axis == 0:
            a, b, c = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)
        elif axis == 1:
            a, b, c = 2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)
        else:
            a, b, c = 2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)
        least, most = np.inf, -np.inf
        for k in range(kind.shape[0]):
            center = origin[axis] + a * position[k, 0] + b * position[k, 1] + c * position[k, 2]
            for column in range(3):
                r[column] = a * rotation[k, 0, column] + b * rotation[k, 1, column] + c * rotation[k, 2, column]
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
            least = min(least, min(first, last) - reach)
            most = max(most, max(first, last) + reach)
        for n in range(vertices.shape[0]):
            at = a * vertices[n, 0] + b * vertices[n, 1] + c * vertices[n, 2] + origin[axis]
            # Written so that an unknown pose gives an unknown box.
            if not at >= least:
                least = at
            if not at <= most:
                most = at
        low[axis], high[axis] = least, most
