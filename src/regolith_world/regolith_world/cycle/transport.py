# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects that evolve behind messages, and the bus for the messages.

A :class:`Transport` sends a cycle to all participants and returns their answers. In one process it is a function call
(:class:`LocalTransport`), between processes ROS topics (:mod:`regolith_world.ros.topic_transport`); participants see no
difference.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Protocol

from regolith_world.cycle.participant import Participant, ParticipantFailed
from regolith_world.cycle.participant_group import LoopWorkers
from regolith_world.cycle.records import BodyState, Cycle, CycleResult, JoinRequest, Roles, Vector
from regolith_world.objects.object import Object

_log = logging.getLogger('regolith')


class ParticipantTimeout(Exception):
    """Some participants did not answer within the agent timeout."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__('no response from ' + ', '.join(names))
        self.names = tuple(names)


def unresponsive(cycle: Cycle, answered: Container[str]) -> ParticipantTimeout:
    """Return the names of participants that did not answer.

    Terrain cannot answer before it has every delta, so if writers of soil are silent, only they are named.
    """
    missing = [n for n in cycle.participants if n not in answered]
    writers = [n for n, roles in zip(cycle.participants, cycle.roles) if roles.writes_soil and n in missing]
    return ParticipantTimeout(writers or missing)


def raise_failure(answers: Mapping[str, CycleResult]) -> None:
    """Raise ParticipantFailed if an answer reports a failure."""
    for answer in answers.values():
        if answer.failure:
            raise ParticipantFailed(answer.failure)


class Transport(Protocol):
    """The protocol between the world and its participants."""

    def exchange(self, cycle: Cycle) -> dict[str, CycleResult]:
        """Send ``cycle`` to all its participants and return their answers by name.

        A repeated call with the same record waits for the missing answers only.

        Raises:
            ParticipantTimeout: if some do not answer in time
            ParticipantFailed: if one reports a failure
        """
        ...


class RemoteBody(Object):
    """A body of a :class:`RemoteAgent` that can be struck, or that others can attach to; moved by the agent alone.

    For contacts it has the mass and inertia of the whole agent, and its own motion.
    """

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Return no offspring: the agent sets the state."""
        return []


class RemoteAgent(Object):
    """A vehicle that evolves behind a bus; its children are the bodies it named.

    Args:
        request: to join; ``request.problem()`` is ''
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

    def take(self, answer: CycleResult, t_ns: int) -> None:
        """Make the answer the tentative state at ``t_ns``.

        Raises:
            ParticipantFailed: if its bodies differ from those of the request
        """
        self._stand(t_ns, answer.bodies)
        self._next_dt_ns = [self._next_dt_ns[-1], answer.next_dt_ns]
        self._hashes = [self._hashes[-1], answer.state_hash]
        self._mobility = answer.inverse_inertia if len(answer.inverse_inertia) else None

    def inverse_inertia(self) -> Vector | None:
        """Return that of its base on its springs, of the last answer; None: nothing holds it, it counts as rigid."""
        return self._mobility

    def next_dt_ns(self) -> int:
        """Return the limit of the agent's last answer [ns]."""
        return self._next_dt_ns[-1]

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Return no offspring: the agent evolves behind the bus, and :meth:`take` sets the state."""
        return []

    def discard(self) -> None:
        """Return to the committed state."""
        super().discard()
        del self._next_dt_ns[-1], self._hashes[-1]

    def state_hash(self) -> str:
        """Return the hash of the agent's last answer."""
        return self._hashes[-1]

    def bodies(self) -> tuple[BodyState, ...]:
        """Return the newest states of the agent and its parts, in the order of its answers."""
        return tuple(item.body for item in self._bodies)

    def rewind(self, t_ns: int, bodies: Sequence[BodyState], next_dt_ns: int, state_hash: str) -> None:
        """Replace all states by those of an answer at ``t_ns``; see :meth:`take`."""
        for item in self._bodies:
            item.states.clear()
        self._stand(t_ns, bodies)
        self._next_dt_ns, self._hashes, self._mobility = [next_dt_ns], [state_hash], None

    def _stand(self, t_ns: int, bodies: Sequence[BodyState]) -> None:
        names, joined = [body.name for body in bodies], [item.name for item in self._bodies]
        if names != joined:
            raise ParticipantFailed(f'{self.name} answers with bodies {names}; allowed: those it joined with, {joined}')
        for item, body in zip(self._bodies, bodies):
            item.states.new_state(t_ns, body)


class LocalTransport:
    """All participants in this process: an exchange is a round of function calls.

    Participants receive a cycle in the order of their phases, terrain before all vehicles, so that a shared grid is
    committed before any of them reads it; then deltas go to terrain in name order.

    Args:
        threads: see :class:`regolith_world.cycle.participant_group.LoopWorkers`
    """

    def __init__(self, threads: int = 1) -> None:
        self._participants: dict[str, Participant] = {}
        self._phases: dict[str, int] = {}
        self._answers: dict[str, CycleResult] = {}
        self._after: list[Callable[[], None]] = []
        self._loops = LoopWorkers(threads)
        self.on_cycle: Callable[[Cycle], None] = lambda cycle: None
        """Called with every record sent, for publishers."""
        self.meanwhile: Callable[[], None] = lambda: None
        """Called once per exchange, in a thread of its own during the agents' loops, for publishing."""
        self.on_result: Callable[[CycleResult], None] = lambda answer: None
        """Called with every answer, in name order."""

    def connect(self, participant: Participant, roles: Roles) -> None:
        """Add a participant; its ``send_result`` must be :meth:`answer`."""
        self._participants[participant.name] = participant
        self._phases[participant.name] = roles.phase

    def disconnect(self, name: str) -> None:
        """Remove a participant, which is away."""
        for known in (self._participants, self._phases, self._answers):
            known.pop(name, None)  # type: ignore[attr-defined]

    def answer(self, answer: CycleResult) -> None:
        """Store a participant's answer."""
        self._answers[answer.name] = answer

    def between(self, action: Callable[[], None]) -> None:
        """Add a function that is called in every exchange after the agents' answers, to pass deltas to terrain."""
        self._after.append(action)

    def exchange(self, cycle: Cycle) -> dict[str, CycleResult]:
        """Return the answers to a cycle, see :meth:`Transport.exchange`."""
        try:
            return self._exchanged(cycle)
        except ParticipantFailed:
            raise
        except Exception as error:
            for answer in self._answers.values():
                if answer.failure:
                    _log.error('%s', answer.failure, exc_info=True)
                    raise ParticipantFailed(answer.failure) from error
            raise

    def _hand_over(self) -> None:
        for action in self._after:
            action()

    def _exchanged(self, cycle: Cycle) -> dict[str, CycleResult]:
        self._answers.clear()
        self.on_cycle(cycle)
        in_turn = sorted(cycle.participants, key=lambda name: (self._phases[name], name))
        self._loops.evolve(cycle, [self._participants[n] for n in in_turn], self.meanwhile, self._hand_over)
        if any(n not in self._answers for n in cycle.participants):
            raise unresponsive(cycle, self._answers)
        answers = {n: self._answers[n] for n in cycle.participants}
        for answer in answers.values():
            self.on_result(answer)
        return answers
