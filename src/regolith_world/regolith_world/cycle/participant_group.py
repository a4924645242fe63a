# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Participants of one process: they receive records and respond together, with threads for their compiled loops."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from regolith_world.cycle.participant import Participant, ParticipantFailed
from regolith_world.cycle.records import Cycle, CycleResult
from regolith_world.cycle.transport import raise_failure, unresponsive

_log = logging.getLogger('regolith')


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


class TerrainCopy(Protocol):
    """A copy of the terrain in a process without the terrain participant."""

    def ready_for(self, cycle: Cycle) -> bool:
        """Return whether the data that the verdict of a record commits has arrived."""
        ...

    def on_cycle(self, cycle: Cycle) -> None:
        """Apply the verdict of a record. Repeated and outdated records have no effect."""
        ...


class ParticipantGroup:
    """All participants of one process: they receive each record together and respond together.

    It is the :class:`~regolith_world.cycle.transport.Transport` of a world in the same process (:meth:`exchange`).
    Otherwise a :class:`~regolith_world.ros.participant_host.ParticipantHost` passes it the records of the world
    (:meth:`on_cycle`).

    A record first goes to the copies of the terrain, so participants see it committed. Then it goes to the participants
    by phase and name. A terrain participant thus commits before the vehicles of its process read the soil. Participants
    send results with :meth:`receive`.

    Args:
        threads: Number of threads, see :class:`LoopWorkers`.
    """

    def __init__(self, threads: int = 1) -> None:
        self.terrain_copies: list[TerrainCopy] = []
        """Copies of the terrain. A record waits until all of them are ready for it."""
        self.on_record: Callable[[Cycle], None] = lambda cycle: None
        """Called with every record that :meth:`exchange` sends, for publishers."""
        self.meanwhile: Callable[[], None] = lambda: None
        """Called once per record during the compiled loops, for publishing."""
        self.on_evolved: Callable[[], None] = lambda: None
        """Called when all participants have evolved, to send the soil changes of vehicles to the terrain."""
        self.on_results: Callable[[list[CycleResult]], None] = lambda results: None
        """Called with the results for a record, in name order. Results that come later follow in further calls."""
        self._loops = LoopWorkers(threads)
        self._participants: dict[str, Participant] = {}
        self._order: list[Participant] = []
        self._ordered_for: tuple[object, ...] = ()
        self._results: dict[str, CycleResult] = {}
        self._processing = False
        self._deferred: Cycle | None = None

    def add(self, participant: Participant) -> None:
        """Add a participant. Its ``send_result`` must be :meth:`receive`."""
        self._participants = dict(sorted({**self._participants, participant.name: participant}.items()))

    def remove(self, name: str) -> None:
        """Remove a participant that left the run."""
        self._participants.pop(name, None)

    def receive(self, result: CycleResult) -> None:
        """Store a result until all participants have responded; pass it on at once if it comes later."""
        self._results[result.name] = result
        if not self._processing:
            self._respond()

    @property
    def participants(self) -> Mapping[str, Participant]:
        """All participants by name, in name order."""
        return self._participants

    @property
    def stopped(self) -> bool:
        """Whether all participants have responded to STOP."""
        return all(each.stopped for each in self._participants.values())

    def on_cycle(self, cycle: Cycle) -> None:
        """Process a record of the world, or defer it until the terrain copies are ready for it."""
        if not all(copy.ready_for(cycle) for copy in self.terrain_copies):
            self._deferred = cycle
            return
        try:
            self._process(cycle)
        finally:
            # A participant that failed has reported it by its result.
            self._respond()

    def retry_deferred(self) -> None:
        """Process the deferred record, if any. Call it when a terrain update arrives."""
        if self._deferred is not None:
            self.on_cycle(self._deferred)

    def exchange(self, cycle: Cycle) -> dict[str, CycleResult]:
        """Return the results of a cycle, see :meth:`regolith_world.cycle.transport.Transport.exchange`."""
        self.on_record(cycle)
        try:
            self._process(cycle)
        except ParticipantFailed:
            raise
        except Exception as error:
            for result in self._results.values():
                if result.failure:
                    _log.error('%s', result.failure, exc_info=True)
                    raise ParticipantFailed(result.failure) from error
            raise
        raise_failure(self._results)
        if any(name not in self._results for name in cycle.participants):
            raise unresponsive(cycle, self._results)
        results = {name: self._results[name] for name in cycle.participants}
        self._respond()
        return results

    def _process(self, cycle: Cycle) -> None:
        self._deferred = None
        self._results.clear()
        for copy in self.terrain_copies:
            copy.on_cycle(cycle)
        self._processing = True
        try:
            self._loops.evolve(cycle, self._in_turn(cycle), self.meanwhile, self.on_evolved)
        finally:
            self._processing = False

    def _in_turn(self, cycle: Cycle) -> list[Participant]:
        """Return the participants by phase and name."""
        members = cycle.participants, cycle.roles, self._participants
        if members != self._ordered_for:
            phases = {name: roles.phase for name, roles in zip(cycle.participants, cycle.roles)}
            self._order = sorted(self._participants.values(), key=lambda each: (phases.get(each.name, 0), each.name))
            self._ordered_for = *members[:2], dict(self._participants)
        return self._order

    def _respond(self) -> None:
        results, self._results = self._results, {}
        if results:
            self.on_results([results[name] for name in sorted(results)])
