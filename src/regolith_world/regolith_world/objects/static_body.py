# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Static bodies: objects that never move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regolith_world.cycle.records import BodyState, Shape, Vector
from regolith_world.objects.object import Object, SavedObject


class StaticBody(Object):
    """Tangible object that never moves and has infinite mass: a wall, a boulder, a lander."""

    kind = 'static_body'

    def __init__(
        self,
        name: str,
        position: Vector,
        shapes: Sequence[Shape],
        *,
        restitution: float = 0.0,
        friction: float = 0.5,
        orientation: Vector | None = None,
        t_ns: int = 0,
    ) -> None:
        zero = np.zeros(3)
        turn = np.array([0.0, 0.0, 0.0, 1.0]) if orientation is None else np.asarray(orientation, dtype=float)
        state = BodyState(name, np.asarray(position, dtype=float), turn, zero, zero)
        super().__init__(name, state, shapes, restitution=restitution, friction=friction, t_ns=t_ns)

    def place(self, t_ns: int, body: BodyState) -> None:
        """Set the pose.

        Args:
            t_ns: Simulated time of the state [ns].
            body: State with the pose; its velocities are zero.

        Raises:
            ValueError: If a velocity is not zero.
        """
        if body.linear_velocity.any() or body.angular_velocity.any():
            raise ValueError(f'{self.name!r} is static; allowed: velocities of 0')
        super().place(t_ns, body)

    def free_acceleration(self) -> Vector:
        """Return zeros."""
        return np.zeros(3)

    @classmethod
    def restored(cls, kept: SavedObject) -> StaticBody:
        """Return the object of :meth:`save`."""
        return cls(
            kept.name,
            kept.body.position,
            kept.shapes,
            restitution=kept.restitution,
            friction=kept.friction,
            orientation=kept.body.orientation,
            t_ns=kept.t_ns,
        )
