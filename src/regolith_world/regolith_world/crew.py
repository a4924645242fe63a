# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Participants of one process that evolve together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from regolith_world.participant import Participant
from regolith_world.records import Cycle, Evolved


class Loops:
    """Threads for the compiled loops of participants.

    All interpreted code runs in the caller's thread, one participant after the other: threads that compete for the
    interpreter lock are slower. Only the compiled loops, which release it, run in parallel. (Starting each loop as soon
    as its participant has begun cost two rovers 16 % of their speed, 4 % while recorded, in three runs each: the loop's
    thread waits for the lock of this one.)

    :param threads: number of threads for the loops, including the caller's
    """

    def __init__(self, threads: int = 1) -> None:
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._others = threads - 1

    def evolve(
        self, cycle: Cycle, participants: Iterable[Participant], meanwhile: Callable[[], None] = lambda: None,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Let participants process a record.

        :param participants: in the order in which they receive it
        :param meanwhile: called once, in a thread of its own during the loops if there is one, for publishing
        :param then: called once all have answered
        """
        begun = [(each, each.begin(cycle)) for each in participants]
        loops = [loop for _, loop in begun if loop is not None]
        aside: list[Future[None]] = []
        if self._pool is not None and loops:
            shares = [loops[k :: self._others + 1] for k in range(self._others + 1)]
            aside = [self._pool.submit(_run_all, share) for share in shares[1:] if share]
            aside.append(self._pool.submit(meanwhile))
            loops = shares[0]
        _run_all(loops)
        for done in aside[:-1]:
            done.result()
        for participant, loop in begun:
            if loop is not None:
                participant.finish(cycle)
        then()
        if aside:
            aside[-1].result()
        else:
            meanwhile()


class Ground(Protocol):
    """A copy of the ground that all participants of a process share."""

    def ready_for(self, cycle: Cycle) -> bool:
        """Return whether a record can be processed, see :meth:`Participant.ready_for`."""
        ...

    def on_cycle(self, cycle: Cycle) -> None:
        """Apply the verdict of a record."""
        ...


class Crew:
    """Participants of one process behind one subscription: they receive each record together and answer together.

    The ground that they share follows first, so that each finds it committed.

    :param ground: None: there is none, or each has its own
    :param send: takes what they answered to one record, in name order
    :param threads: see :class:`Loops`
    """

    def __init__(self, send: Callable[[list[Evolved]], None], ground: Ground | None = None, threads: int = 1) -> None:
        self._send, self._ground = send, ground
        self._loops = Loops(threads)
        self._participants: dict[str, Participant] = {}
        self._answers: dict[str, Evolved] = {}
        self._stashed: Cycle | None = None

    def add(self, participant: Participant) -> None:
        """Add a participant; its ``send_evolved`` must be :meth:`answer`."""
        self._participants = dict(sorted({**self._participants, participant.name: participant}.items()))

    def answer(self, answer: Evolved) -> None:
        """Keep an answer until all are there."""
        self._answers[answer.name] = answer

    @property
    def participants(self) -> Sequence[Participant]:
        """Return all, in name order."""
        return tuple(self._participants.values())

    @property
    def stopped(self) -> bool:
        """Return whether all have answered STOP."""
        return all(each.stopped for each in self.participants)

    def on_cycle(self, cycle: Cycle) -> None:
        """Process a record of the world."""
        everybody = self.participants if self._ground is None else (self._ground, *self.participants)
        self._stashed = None if all(each.ready_for(cycle) for each in everybody) else cycle
        if self._stashed is not None:
            return
        if self._ground is not None:
            self._ground.on_cycle(cycle)
        self._answers.clear()
        try:
            self._loops.evolve(cycle, self.participants, then=self._tell)
        finally:
            # One that failed has said so.
            self._tell()

    def retry_stashed(self) -> None:
        """Process the deferred record; to be called when an update of the ground arrives."""
        if self._stashed is not None:
            self.on_cycle(self._stashed)

    def _tell(self) -> None:
        answers, self._answers = self._answers, {}
        if answers:
            self._send([answers[name] for name in sorted(answers)])


def _run_all(loops: Iterable[Callable[[], None]]) -> None:
    for loop in loops:
        loop()
