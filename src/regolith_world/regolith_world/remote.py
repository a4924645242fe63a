# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects whose evolve is a pair of messages, and what carries the messages.

A :class:`Bus` brings one Cycle to all participants and their answers back. In one process it is a function call
(:class:`LocalBus`), among many it is ROS topics (:mod:`regolith_world.ros.bus`); the participants cannot tell.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from regolith_world.objects import Object
from regolith_world.participant import Participant, ParticipantFailed
from regolith_world.records import BodyState, Cycle, Evolved, JoinRequest, Roles


class Silence(Exception):
    """Some participants did not answer within the agent timeout."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__('no answer from ' + ', '.join(names))
        self.names = tuple(names)


def silent(cycle: Cycle, answered: Container[str]) -> Silence:
    """Return whom to blame for missing answers.

    Terrain cannot answer before it has every delta, so where those who write soil are silent, only they are named.
    """
    missing = [n for n in cycle.participants if n not in answered]
    writers = [n for n, roles in zip(cycle.participants, cycle.roles) if roles.writes_soil and n in missing]
    return Silence(writers or missing)


def raise_failure(answers: Mapping[str, Evolved]) -> None:
    """Raise ParticipantFailed if one of the answers says that its participant cannot go on."""
    for answer in answers.values():
        if answer.failure:
            raise ParticipantFailed(answer.failure)


class Bus(Protocol):
    """Carries the protocol between the world and its participants."""

    def exchange(self, cycle: Cycle) -> dict[str, Evolved]:
        """Bring ``cycle`` to all its participants and return their answers by name.

        Calling it again with the same record goes on waiting for the answers still missing.

        :raises Silence: if some do not answer in time
        :raises ParticipantFailed: if one says that it cannot go on
        """
        ...


class RemotePart(Object):
    """One body of a :class:`RemoteAgent` that can be struck, or that others can attach to; moved by the agent alone.

    It presents the mass and inertia of the whole agent to a blow, and the motion of its own.
    """

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Do nothing, as the agent."""
        return []


class RemoteAgent(Object):
    """Stands in the world for a vehicle that evolves behind a bus; its children are those of its bodies that it named.

    :param request: what it joined with; ``request.problem()`` is ''
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
            RemotePart(
                body.name, body, own, parent=self, restitution=restitution, friction=friction, t_ns=t_ns
            )
        self._bodies: tuple[Object, ...] = (self, *self.children)
        self._next_dt_ns = [request.next_dt_ns]
        self._hashes = [request.state_hash]

    def take(self, answer: Evolved, t_ns: int) -> None:
        """Make the answer the tentative state at ``t_ns``.

        :raises ParticipantFailed: if it is about other bodies than those the agent joined with
        """
        self._stand(t_ns, answer.bodies)
        self._next_dt_ns = [self._next_dt_ns[-1], answer.next_dt_ns]
        self._hashes = [self._hashes[-1], answer.state_hash]

    def next_dt_ns(self) -> int:
        """Return what the agent asked for in its last answer [ns]."""
        return self._next_dt_ns[-1]

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Do nothing: the agent evolves behind the bus and :meth:`take` brings the outcome."""
        return []

    def discard(self) -> None:
        """Go back to the committed state."""
        super().discard()
        del self._next_dt_ns[-1], self._hashes[-1]

    def state_hash(self) -> str:
        """Return the hash the agent reported."""
        return self._hashes[-1]

    def bodies(self) -> tuple[BodyState, ...]:
        """Return the newest states of the agent and its parts, in the order in which they came."""
        return tuple(item.body for item in self._bodies)

    def rewind(self, t_ns: int, bodies: Sequence[BodyState], next_dt_ns: int, state_hash: str) -> None:
        """Forget everything and stand as given at ``t_ns``; see :meth:`take`."""
        for item in self._bodies:
            item.states.clear()
        self._stand(t_ns, bodies)
        self._next_dt_ns, self._hashes = [next_dt_ns], [state_hash]

    def _stand(self, t_ns: int, bodies: Sequence[BodyState]) -> None:
        names, joined = [body.name for body in bodies], [item.name for item in self._bodies]
        if names != joined:
            raise ParticipantFailed(f'{self.name} answers with bodies {names}; allowed: those it joined with, {joined}')
        for item, body in zip(self._bodies, bodies):
            item.states.new_state(t_ns, body)


class LocalBus:
    """All participants in this process: an exchange is a round of function calls.

    Participants hear a cycle in the order of their phases, terrain before all vehicles, so that a shared grid is
    committed before any of them reads it; then deltas go to terrain in name order.

    Everything that needs the interpreter is done in this thread, one agent after the other: threads that take turns
    at the interpreter lock lose more than they gain. Only the agents' compiled loops, which release it, run side by
    side. (To start each loop as soon as its agent has begun cost two rovers 16 % of their speed, 4 % while recorded, by
    three runs each: the loop's thread waits for the lock that this one holds.)

    :param threads: that run the loops, this one among them
    """

    def __init__(self, threads: int = 1) -> None:
        self._participants: dict[str, Participant] = {}
        self._phases: dict[str, int] = {}
        self._answers: dict[str, Evolved] = {}
        self._after: list[Callable[[], None]] = []
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._others = threads - 1
        self.on_cycle: Callable[[Cycle], None] = lambda cycle: None
        """Called with every record sent; a tap for publishers."""
        self.meanwhile: Callable[[], None] = lambda: None
        """Called once per exchange, in a thread of its own while the agents' loops run: the time to publish."""
        self.on_evolved: Callable[[Evolved], None] = lambda answer: None
        """Called with every answer, in name order."""

    def connect(self, participant: Participant, roles: Roles) -> None:
        """Add a participant; its ``send_evolved`` must be :meth:`answer`."""
        self._participants[participant.name] = participant
        self._phases[participant.name] = roles.phase

    def answer(self, answer: Evolved) -> None:
        """Take a participant's answer."""
        self._answers[answer.name] = answer

    def between(self, action: Callable[[], None]) -> None:
        """Have ``action`` called in every exchange once all agents have answered: hand the deltas to terrain."""
        self._after.append(action)

    def exchange(self, cycle: Cycle) -> dict[str, Evolved]:
        """See :class:`Bus`; raises what a participant raises."""
        self._answers.clear()
        self.on_cycle(cycle)
        in_turn = sorted(cycle.participants, key=lambda name: (self._phases[name], name))
        begun = [(self._participants[name], self._participants[name].begin(cycle)) for name in in_turn]
        loops = [loop for _, loop in begun if loop is not None]
        aside: list[Future[None]] = []
        if self._pool is not None and loops:
            shares = [loops[k :: self._others + 1] for k in range(self._others + 1)]
            aside = [self._pool.submit(_run_all, share) for share in shares[1:] if share]
            aside.append(self._pool.submit(self.meanwhile))
            loops = shares[0]
        _run_all(loops)
        for done in aside[:-1]:
            done.result()
        for participant, loop in begun:
            if loop is not None:
                participant.finish(cycle)
        for action in self._after:
            action()
        if aside:
            aside[-1].result()
        else:
            self.meanwhile()
        if any(n not in self._answers for n in cycle.participants):
            raise silent(cycle, self._answers)
        answers = {n: self._answers[n] for n in cycle.participants}
        for answer in answers.values():
            self.on_evolved(answer)
        return answers


def _run_all(loops: Iterable[Callable[[], None]]) -> None:
    for loop in loops:
        loop()
