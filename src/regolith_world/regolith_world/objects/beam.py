# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Beams: rays of a sensor or an emitter that end at the first object that they meet."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from regolith_world.cycle.records import BodyState, Shape, ShapeKind, Vector
from regolith_world.numerics.portable_math import cross, norm
from regolith_world.numerics.rotation import from_rotation_vector
from regolith_world.objects.object import Intersection, Object


class Beam(Object):
    """Intangible straight ray that measures a distance and exists for one cycle."""

    def __init__(
        self, name: str, origin: Vector, direction: Vector, length: float, t_ns: int, parent_name: str
    ) -> None:
        x = np.array([1.0, 0.0, 0.0])
        direction = direction / norm(direction)
        axis = cross(x, direction)
        sine = norm(axis)
        angle = math.atan2(sine, direction[0])
        turn = axis * (angle / sine) if sine > 1e-12 else np.array([0.0, 0.0, angle])
        zero = np.zeros(3)
        state = BodyState(name, np.asarray(origin, dtype=float), from_rotation_vector(turn), zero, zero)
        shape = Shape(ShapeKind.BEAM, np.array([length, 0.0, 0.0]))
        super().__init__(name, state, [shape], tangible=False, t_ns=t_ns)
        self.emitter = parent_name

    def commit(self, intersections: Sequence[Intersection]) -> None:
        """End the beam."""
        super().commit(intersections)
        self.alive = False
