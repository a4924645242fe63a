# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Regions of force fields as arrays, for the kernels of participants that compute bodies in them.

A field acts on a body whose center of mass is inside it: mass times acceleration, drag on velocity and rotation, and
repulsion by the depth of the center of mass. The world computes the forces on its own objects
(:mod:`regolith_world.objects.force_field`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle.records import FieldRecord, ShapeKind
from regolith_world.numerics import portable_math, rotation
from regolith_world.numerics.kernel_options import kernel

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_SPHERE, _BOX, _CYLINDER = int(ShapeKind.SPHERE), int(ShapeKind.BOX), int(ShapeKind.CYLINDER)


class FieldRegions(NamedTuple):
    """Force fields as arrays."""

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
    work: Floats
    """Work array, shape (3, 3). Its last row is the way out of the region, see :func:`depth_in_field`."""


def make_field_regions(fields: Sequence[FieldRecord]) -> FieldRegions:
    """Return force fields as arrays."""
    turns = [rotation.matrix(field.orientation) for field in fields]
    shapes = [(shape, field, turn) for field, turn in zip(fields, turns) for shape in field.shapes]
    frames = [portable_math.times(turn, rotation.matrix(shape.orientation)) for shape, _, turn in shapes]
    return FieldRegions(
        np.cumsum([0, *(len(field.shapes) for field in fields)]).astype(np.int64),
        np.array([int(shape.kind) for shape, _, _ in shapes], dtype=np.int64),
        np.array([shape.size for shape, _, _ in shapes], dtype=float).reshape(-1, 3),
        np.array([f.position + portable_math.times(turn, s.position) for s, f, turn in shapes]).reshape(-1, 3),
        np.array(frames, dtype=float).reshape(-1, 3, 3),
        np.array([field.acceleration for field in fields], dtype=float).reshape(-1, 3),
        np.array([field.drag_per_s for field in fields], dtype=float),
        np.array([field.repulsion_per_s2 for field in fields], dtype=float),
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

    Tests: test_field_regions.py.
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
def depth_in_field(regions: FieldRegions, n: int, place: Floats) -> float:
    """Return the largest depth of a point in the shapes of a field [m], 0 outside; write the way out of that shape.

    Args:
        regions: The fields. The last row of the work array is the unit vector out of the region, world frame.
        n: Index of the field.
        place: Point in the world frame [m], shape (3,).

    Tests: test_field_regions.py.
    """
    local, out, way = regions.work[0], regions.work[1], regions.work[2]
    deepest = 0.0
    for s in range(regions.first[n], regions.first[n + 1]):
        for a in range(3):
            local[a] = 0.0
            for i in range(3):
                local[a] += regions.frame[s, i, a] * (place[i] - regions.place[s, i])
        depth = depth_in_shape(regions.kind[s], regions.size[s], local, out)
        if depth > deepest:
            deepest = depth
            for a in range(3):
                way[a] = 0.0
                for i in range(3):
                    way[a] += regions.frame[s, a, i] * out[i]
    return deepest


@kernel
def inside_fields(regions: FieldRegions, places: Floats, rows: Indices) -> NDArray[np.bool_]:
    """Return whether some points are in any field, shape (m,).

    Args:
        regions: The fields.
        places: Points in the world frame [m], shape (n, 3).
        rows: Rows of the points, shape (m,).

    Tests: test_field_regions.py.
    """
    inside = np.zeros(len(rows), dtype=np.bool_)
    for k in range(len(rows)):
        for n in range(regions.drag.shape[0]):
            if depth_in_field(regions, n, places[rows[k]]) > 0.0:
                inside[k] = True
    return inside
