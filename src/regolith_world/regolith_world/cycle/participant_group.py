# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Participants of one process that evolve together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from regolith_world.cycle.participant import Participant
from regolith_world.cycle.records import Cycle, CycleResult


class LoopWorkers:
    """Threads for the compiled loops of participants.

    All interpreted code runs in the caller's thread, one participant after the other: threads that compete for the
    interpreter lock are slower. The compiled loops, which release it, run meanwhile in other threads, each as soon as
    its participant has begun; when the caller has nothing else to do, it takes those that have not started. Against
    doing all that begins, then all loops, then all that finishes, sixteen rovers gained a quarter on two cores, and two
    rovers a twelfth (two or three runs each, in turns); with more threads than cores they lost it again.

    Args:
        threads: number of threads, the caller's included
    """

    def __init__(self, threads: int = 1) -> None:
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def evolve(
        self,
        cycle: Cycle,
        participants: Iterable[Participant],
        meanwhile: Callable[[], None] = lambda: None,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Let participants process a record.

        Args:
            participants: in the order in which they receive it
            meanwhile: called once, when all have begun, for publishing
            then: called once all have answered
        """
        under_way = []
        for participant in participants:
            loop = participant.begin(cycle)
            if loop is not None:
                under_way.append((participant, _Loop(loop, self._pool)))
        meanwhile()
        for n, (participant, mine) in enumerate(under_way):
            for _, other in reversed(under_way[n:]):
                if mine.done:
                    break
                other.take()
            mine.wait()
            participant.finish(cycle)
        then()


class _Loop:
    """A compiled loop that runs once: in a thread of a pool, or in that of whoever takes it before."""

    def __init__(self, run: Callable[[], None], pool: ThreadPoolExecutor | None) -> None:
        self._run = run
        self._elsewhere = pool.submit(run) if pool is not None else None
        self._taken = False

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._taken or (self._elsewhere is not None and self._elsewhere.done())

    def take(self) -> None:
        """Run it here unless another thread has begun it."""
        if not self._taken and (self._elsewhere is None or self._elsewhere.cancel()):
            self._taken = True
            self._run()

    def wait(self) -> None:
        """Return when it has ended; raise what it raised."""
        if not self._taken and self._elsewhere is not None:
            self._elsewhere.result()


class SharedTerrain(Protocol):
    """A copy of the ground that all participants of a process share."""

    def ready_for(self, cycle: Cycle) -> bool:
        """Return whether a record can be processed, see :meth:`Participant.ready_for`."""
        ...

    def on_cycle(self, cycle: Cycle) -> None:
        """Apply the verdict of a record."""
        ...


class ParticipantGroup:
    """Participants of one process behind one subscription: they receive each record together and answer together.

    The ground that they share follows first, so that each finds it committed.

    Args:
        ground: None: there is none, or each has its own
        send: takes what they answered to one record, in name order
        threads: see :class:`LoopWorkers`
    """

    def __init__(
        self, send: Callable[[list[CycleResult]], None], ground: SharedTerrain | None = None, threads: int = 1
    ) -> None:
        self._send, self._ground = send, ground
        self._loops = LoopWorkers(threads)
        self._participants: dict[str, Participant] = {}
        self._answers: dict[str, CycleResult] = {}
        self._stashed: Cycle | None = None

    def add(self, participant: Participant) -> None:
        """Add a participant; its ``send_result`` must be :meth:`answer`."""
        self._participants = dict(sorted({**self._participants, participant.name: participant}.items()))

    def answer(self, answer: CycleResult) -> None:
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
