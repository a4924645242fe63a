# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicles as objects of the world: a participant moves them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regolith_world.cycle.participant import ParticipantFailed
from regolith_world.cycle.records import BodyState, Cycle, CycleResult, JoinRequest, ObjectVisual, Vector
from regolith_world.objects.object import Intersection, Object


class RemoteBody(Object):
    """A body of a :class:`RemoteAgent` that can collide or be attached to. Only the agent moves it.

    For contacts it has the mass and inertia of the whole agent, and its own motion.
    """

    applies_forces = False

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Return no spawned objects: the agent sets the state."""
        return []

    def visual(self) -> ObjectVisual | None:
        """Return None: the vehicle publishes its own visual description."""
        return None


class RemoteAgent(Object):
    """A vehicle that is computed by a participant. Its children are the further bodies that it named at joining.

    Args:
        request: Join request; ``request.problem()`` is ''.
        t_ns: Time of the initial state [ns].
    """

    applies_forces = False

    def __init__(self, request: JoinRequest, t_ns: int) -> None:
        of_body = request.shape_bodies or (0,) * len(request.shapes)
        shapes = [
            [shape for shape, owner in zip(request.shapes, of_body) if owner == k] for k in range(len(request.bodies))
        ]
        restitution, friction = request.restitution, request.friction
        super().__init__(
            request.name, request.bodies[0], shapes[0], restitution=restitution, friction=friction, t_ns=t_ns
        )
        for body, own in zip(request.bodies[1:], shapes[1:]):
            RemoteBody(body.name, body, own, parent=self, restitution=restitution, friction=friction, t_ns=t_ns)
        self._bodies: tuple[Object, ...] = (self, *self.children)
        self._next_dt_ns = [request.next_dt_ns]
        self._hashes = [request.state_hash]
        self._mobility: Vector | None = None
        self._wrench = (np.zeros(3), np.zeros(3))

    def visual(self) -> ObjectVisual | None:
        """Return None: the vehicle publishes its own visual description."""
        return None

    def take(self, result: CycleResult, t_ns: int) -> None:
        """Set the tentative state at time ``t_ns`` from a result.

        Raises:
            ParticipantFailed: If its bodies differ from those of the join request.
        """
        self._stand(t_ns, result.bodies)
        self._next_dt_ns = [self._next_dt_ns[-1], result.next_dt_ns]
        self._hashes = [self._hashes[-1], result.state_hash]
        self._mobility = result.inverse_inertia if len(result.inverse_inertia) else None
        self._wrench = result.force, result.moment

    def force_and_moment(self, intersections: Sequence[Intersection]) -> tuple[Vector, Vector]:
        """Return force [N] and moment about the center of mass [N m] of the agent's last result; zero at first.

        They are those of ground, obstacles and fields at the end of the cycle, for the report and observers. The agent
        has applied them itself.

        Args:
            intersections: Unused.
        """
        return self._wrench

    def inverse_inertia(self) -> Vector | None:
        """Return the inverse inertia of the base on its springs; None if unconstrained, when it counts as rigid."""
        return self._mobility

    def next_dt_ns(self) -> int:
        """Return the maximum step size of the agent's last result [ns]."""
        return self._next_dt_ns[-1]

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Return no spawned objects: the participant evolves, and :meth:`take` sets the state."""
        return []

    def discard(self) -> None:
        """Restore the committed state."""
        super().discard()
        del self._next_dt_ns[-1], self._hashes[-1]

    def state_hash(self) -> str:
        """Return the hash of the agent's last result."""
        return self._hashes[-1]

    def bodies(self) -> tuple[BodyState, ...]:
        """Return the newest states of the agent and its parts, in the order of its results."""
        return tuple(item.body for item in self._bodies)

    def rewind(self, t_ns: int, bodies: Sequence[BodyState], next_dt_ns: int, state_hash: str) -> None:
        """Replace all states by those of a result at ``t_ns``; see :meth:`take`."""
        for item in self._bodies:
            item.states.clear()
        self._stand(t_ns, bodies)
        self._next_dt_ns, self._hashes, self._mobility = [next_dt_ns], [state_hash], None
        self._wrench = np.zeros(3), np.zeros(3)

    def _stand(self, t_ns: int, bodies: Sequence[BodyState]) -> None:
        names, joined = [body.name for body in bodies], [item.name for item in self._bodies]
        if names != joined:
            raise ParticipantFailed(
                f'{self.name} sends the bodies {names}; allowed: those of its join request, {joined}'
            )
        for item, body in zip(self._bodies, bodies):
            item.states.new_state(t_ns, body)
