# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Collision shapes of a vehicle: shapes, their bodies, and their bounding boxes over a cycle."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import numpy as np

from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_world.cycle import BodyState, Shape, ShapeKind, Vector
from regolith_world.numerics import portable_math
from regolith_world.objects import ShapeBounds


def collision_shapes(model: VehicleModelConfig) -> tuple[Shape, ...]:
    """Return the collision shapes of a vehicle, each in its body frame."""
    return tuple(
        Shape(
            ShapeKind[shape.kind.upper()],
            np.array([*shape.size, 0.0, 0.0][:3]),
            np.array(shape.position),
            np.array(shape.orientation),
        )
        for shape in model.collision.shapes
    )


def shape_bodies(model: VehicleModelConfig) -> tuple[int, ...]:
    """Return the body of each shape: 0 is the base, k + 1 is part k of :attr:`VehicleModelConfig.parts`."""
    bodies = (model.chassis, *model.parts)
    return tuple(bodies.index(shape.body or model.chassis) for shape in model.collision.shapes)


def outlines(model: VehicleModelConfig) -> tuple[ShapeBounds, ...]:
    """Return the bounding shapes of the base and of each part."""
    fixed = list(zip(collision_shapes(model), shape_bodies(model), strict=True))
    return tuple(ShapeBounds([shape for shape, body in fixed if body == k]) for k in range(1 + len(model.parts)))


def bounding_box(boxes: Iterable[tuple[Vector, Vector]]) -> tuple[Vector, Vector]:
    """Return the bounding box of boxes, (minimum, maximum) [m], shape (3,) each."""
    return reduce(lambda a, b: (np.minimum(a[0], b[0]), np.maximum(a[1], b[1])), boxes)


def swept_bounds(outline: ShapeBounds, start: BodyState, end: BodyState) -> tuple[Vector, Vector]:
    """Return the corners [m] of a box that encloses shapes over the whole motion between two states of a cycle.

    It is the box around both end states with two margins. The first is the height of an arc over its chord, r (1 -
    cos(a / 2)) for a rotation by a at distance r from the base. The second is 1 mm, for motion that starts and ends
    within the cycle.
    """
    if not outline.shapes:
        return np.full(3, np.inf), np.full(3, -np.inf)
    first_low, first_high = outline.bounds(start)
    last_low, last_high = outline.bounds(end)
    half_turn = min(1.0, abs(portable_math.dot(start.orientation, end.orientation)))
    margin = outline.reach * (1.0 - half_turn) + 1e-3
    return np.minimum(first_low, last_low) - margin, np.maximum(first_high, last_high) + margin
