# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Transport of cycles to participants, and vehicles as objects of the world.

A :class:`Transport` sends a cycle to all participants and returns their results. Within one process it is a function
call (:class:`regolith_world.cycle.participant_group.ParticipantGroup`). Between processes it uses ROS topics
(:mod:`regolith_world.ros.topic_transport`). Participants are the same in both cases.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Protocol

from regolith_world.cycle.participant import ParticipantFailed
from regolith_world.cycle.records import BodyState, Cycle, CycleResult, JoinRequest, Vector
from regolith_world.objects.object import Object


class ParticipantTimeout(Exception):
    """Some participants did not respond within the timeout."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__('no response from ' + ', '.join(names))
        self.names = tuple(names)


def unresponsive(cycle: Cycle, responded: Container[str]) -> ParticipantTimeout:
    """Return the error for the participants that did not respond.

    Terrain needs every delta before it can respond. So if participants that write soil did not respond, only these are
    named.
    """
    missing = [n for n in cycle.participants if n not in responded]
    writers = [n for n, roles in zip(cycle.participants, cycle.roles) if roles.writes_soil and n in missing]
    return ParticipantTimeout(writers or missing)


def raise_failure(results: Mapping[str, CycleResult]) -> None:
    """Raise ParticipantFailed if a result reports a failure."""
    for result in results.values():
        if result.failure:
            raise ParticipantFailed(result.failure)


class Transport(Protocol):
    """Message exchange between the world and its participants."""

    def exchange(self, cycle: Cycle) -> dict[str, CycleResult]:
        """Send ``cycle`` to all its participants and return their results by name.

        A repeated call with the same record waits for the missing results only.

        Raises:
            ParticipantTimeout: If some participants do not respond in time.
            ParticipantFailed: If a result reports a failure.
        """
        ...


class RemoteBody(Object):
    """A body of a :class:`RemoteAgent` that can collide or be attached to. Only the agent moves it.

    For contacts it has the mass and inertia of the whole agent, and its own motion.
    """

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Return no spawned objects: the agent sets the state."""
        return []


class RemoteAgent(Object):
    """A vehicle that is computed by a participant. Its children are the further bodies that it named at joining.

    Args:
        request: Join request; ``request.problem()`` is ''.
        t_ns: Time of the initial state [ns].
    """

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

    def take(self, result: CycleResult, t_ns: int) -> None:
        """Set the tentative state at time ``t_ns`` from a result.

        Raises:
            ParticipantFailed: If its bodies differ from those of the join request.
        """
        self._stand(t_ns, result.bodies)
        self._next_dt_ns = [self._next_dt_ns[-1], result.next_dt_ns]
        self._hashes = [self._hashes[-1], result.state_hash]
        self._mobility = result.inverse_inertia if len(result.inverse_inertia) else None

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

    def _stand(self, t_ns: int, bodies: Sequence[BodyState]) -> None:
        names, joined = [body.name for body in bodies], [item.name for item in self._bodies]
        if names != joined:
            raise ParticipantFailed(
                f'{self.name} sends the bodies {names}; allowed: those of its join request, {joined}'
            )
        for item, body in zip(self._bodies, bodies):
            item.states.new_state(t_ns, body)
