# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Participants of one process that evolve together, and threads for their compiled loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from regolith_world.cycle.participant import Participant
from regolith_world.cycle.records import Cycle, CycleResult


class LoopWorkers:
    """Threads for the compiled loops of participants.

    All interpreted code runs in the caller's thread, one participant after the other, because threads that compete for
    the interpreter lock are slower. The compiled loops release the lock. Each runs in another thread as soon as its
    participant has begun. When the caller is idle, it runs the loops that have not started. Compared with three phases
    (begin all, run all loops, finish all), this was a quarter faster for sixteen rovers on two cores and a twelfth
    faster for two rovers (two or three alternating runs each). With more threads than cores the gain was lost.

    Args:
        threads: Number of threads, including the caller's.
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
        """Have participants process a record, in the given order.

        ``meanwhile`` is called once when all have begun, for publishing. ``then`` is called once when all have
        responded.
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
    """A compiled loop that runs once: in a thread of the pool, or in a thread that takes it earlier."""

    def __init__(self, run: Callable[[], None], pool: ThreadPoolExecutor | None) -> None:
        self._run = run
        self._elsewhere = pool.submit(run) if pool is not None else None
        self._taken = False

    @property
    def done(self) -> bool:
        """Whether the loop has ended."""
        return self._taken or (self._elsewhere is not None and self._elsewhere.done())

    def take(self) -> None:
        """Run the loop in this thread unless another thread has begun it."""
        if not self._taken and (self._elsewhere is None or self._elsewhere.cancel()):
            self._taken = True
            self._run()

    def wait(self) -> None:
        """Wait until the loop has ended; raise its exception, if any."""
        if not self._taken and self._elsewhere is not None:
            self._elsewhere.result()


class SharedTerrain(Protocol):
    """A copy of the terrain that all participants of a process share."""

    def ready_for(self, cycle: Cycle) -> bool:
        """Return whether a record can be processed, see :meth:`Participant.ready_for`."""
        ...

    def on_cycle(self, cycle: Cycle) -> None:
        """Apply the verdict of a record."""
        ...


class ParticipantGroup:
    """Participants of one process with one subscription: they receive each record together and respond together.

    The shared terrain is updated first, so each participant sees it committed.

    Args:
        send: Function that takes the results of one record, in name order.
        ground: Shared terrain; None: none, or each participant has a copy.
        threads: Number of threads, see :class:`LoopWorkers`.
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
        """Add a participant. Its ``send_result`` must be :meth:`receive`."""
        self._participants = dict(sorted({**self._participants, participant.name: participant}.items()))

    def receive(self, result: CycleResult) -> None:
        """Store a result until all participants have responded."""
        self._answers[result.name] = result

    @property
    def participants(self) -> Sequence[Participant]:
        """All participants, in name order."""
        return tuple(self._participants.values())

    @property
    def stopped(self) -> bool:
        """Whether all participants have responded to STOP."""
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
            # A participant that failed has reported it by its result.
            self._tell()

    def retry_stashed(self) -> None:
        """Process the deferred record. Call it when a terrain update arrives."""
        if self._stashed is not None:
            self.on_cycle(self._stashed)

    def _tell(self) -> None:
        results, self._answers = self._answers, {}
        if results:
            self._send([results[name] for name in sorted(results)])
