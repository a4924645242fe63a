# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The participant's side of the evolution protocol, whatever carries its messages.

A participant is a state machine driven by :class:`~regolith_world.cycle.records.Cycle` records. It is *idempotent*: a
repeated record gets the cached answer again, a stale one is ignored, so a transport may duplicate, delay or (as
long as the world repeats itself) lose messages without changing a bit of the outcome.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from regolith_world.cycle.records import Command, Cycle, CycleKey, CycleResult, JoinRequest, Verdict


class ParticipantFailed(RuntimeError):
    """A participant cannot continue; the message names it, the time and the reason.

    It ends the run under every policy on silence: it would fail again from any checkpoint."""


class Participant(ABC):
    """Base of all participants of cycles: vehicle agents, terrain, registered ones.

    Subclasses implement the hooks; they never see duplicates, stale records or another epoch.
    """

    def __init__(self, name: str, send_result: Callable[[CycleResult], None], epoch: int = 0) -> None:
        self.name = name
        self.epoch = epoch
        self.replay_inputs: Mapping[int, bytes] = {}
        """Inputs by cycle, taken instead of those from outside; see :attr:`Roles.inputs`."""
        self.silent = False
        """Whether the past is repeated, which nobody else is to see."""
        self.away = False
        """Whether it takes no part; a rewind may bring it back."""
        self.stopped = False
        """Set once STOP has been answered."""
        self._send_result = send_result
        self._last_key: CycleKey | None = None
        self.__answer: CycleResult | None = None
        self.__stashed: Cycle | None = None

    # -- what a subclass provides -------------------------------------------------------------------------------

    @abstractmethod
    def join_request(self) -> JoinRequest:
        """Return the request to join."""

    @abstractmethod
    def save(self) -> bytes:
        """Return the committed state, without the ground (terrain: the ground)."""

    @abstractmethod
    def restore(self, blob: bytes, epoch: int) -> None:
        """Restore the state of :meth:`save`; implementations call :meth:`forget` with the new epoch."""

    @abstractmethod
    def _commit(self, cycle: Cycle) -> None:
        """Make the tentative state the committed one; ``cycle`` is the record with the verdict."""

    @abstractmethod
    def _discard(self) -> None:
        """Drop the tentative state."""

    def warm_up(self) -> None:  # noqa: B027  nor have all something to compile
        """Compile all kernels, so that no cycle waits for them."""

    def _prepare(self, cycle: Cycle) -> Callable[[], None] | None:
        """Return the part of evolving that may run in another thread, without the interpreter lock; None: none.

        The driver of this participant calls it between :meth:`begin` and :meth:`finish`.
        """
        return None

    @abstractmethod
    def _evolve(self, cycle: Cycle) -> CycleResult | None:
        """Return the answer after evolving by ``cycle.dt_ns`` on committed inputs; None: :meth:`_reply` sends it later.

        After the part of :meth:`_prepare`, if any, this is the rest.
        """

    @abstractmethod
    def _idle_answer(self, cycle: Cycle) -> CycleResult:
        """Return the answer to HOLD or STOP: the committed state's hash, bodies and next_dt; a report on STOP."""

    def _ready_for(self, cycle: Cycle) -> bool:
        """Return whether the verdict can be applied (an agent needs the terrain update first)."""
        return True

    def _resend(self) -> None:  # noqa: B027  few have anything else
        """Repeat further messages of the cached answer (an agent's delta, terrain's update)."""

    def _after_answer(self, cycle: Cycle) -> None:  # noqa: B027  nor do all publish
        """Publish the state committed by this record; called after the answer, and not while the past is repeated."""

    # -- the state machine --------------------------------------------------------------------------------------

    def on_cycle(self, cycle: Cycle) -> None:
        """Process a record of the world."""
        loop = self.begin(cycle)
        if loop is not None:
            loop()
            self.finish(cycle)

    def ready_for(self, cycle: Cycle) -> bool:
        """Return whether a record can be processed; else it waits for what its verdict is about."""
        if cycle.verdict != Verdict.COMMIT or self._last_key is None:
            return True
        fresh = cycle.key.epoch == self.epoch and cycle.key > self._last_key and self.name in cycle.participants
        return not fresh or self._ready_for(cycle)

    def begin(self, cycle: Cycle) -> Callable[[], None] | None:
        """Process a record up to the part that may run in another thread, and return that part.

        None: there is no such part, and the record is finished. Otherwise the caller runs it, then :meth:`finish`.
        """
        if cycle.key.epoch >= self.epoch:
            self.away = self.name not in cycle.participants
            self.stopped = self.stopped or (self.away and cycle.command == Command.STOP)
        if cycle.key.epoch != self.epoch or self.away:
            return None
        if self._last_key is not None and cycle.key <= self._last_key:
            if cycle.key == self._last_key:
                self._resend()
                if self.__answer is not None:
                    self._send_result(self.__answer)
            return None
        if not self.ready_for(cycle):
            self.__stashed = cycle
            return None
        self.__stashed, self.silent = None, cycle.resimulating
        # A participant that has just been restored or has rejoined has nothing tentative to judge.
        if self._last_key is not None:
            if cycle.verdict == Verdict.COMMIT:
                self._commit(cycle)
            elif cycle.verdict == Verdict.DISCARD:
                self._discard()
        self._last_key = cycle.key
        self.__answer = None
        with self._telling_failure(cycle):
            loop = self._prepare(cycle) if cycle.command == Command.EVOLVE else None
        if loop is None:
            self.finish(cycle)
        return loop

    def finish(self, cycle: Cycle) -> None:
        """Finish the record of :meth:`begin`, and answer."""
        with self._telling_failure(cycle):
            answer = self._evolve(cycle) if cycle.command == Command.EVOLVE else self._idle_answer(cycle)
        if answer is not None:
            self._reply(answer)
        self.stopped = cycle.command == Command.STOP
        if not cycle.resimulating:
            self._after_answer(cycle)

    @contextmanager
    def _telling_failure(self, cycle: Cycle) -> Iterator[None]:
        """Report an exception to the world, which would wait for an answer otherwise."""
        try:
            yield
        except Exception as error:
            known = isinstance(error, ParticipantFailed)
            failure = str(error) if known else f'{self.name}: {type(error).__name__}: {error}'
            self._send_result(CycleResult(cycle.key, self.name, 0, failure=failure))
            raise

    def retry_deferred(self) -> None:
        """Process the deferred record; to be called when its missing message arrives."""
        if self.__stashed is not None:
            self.on_cycle(self.__stashed)

    @property
    def last_answer(self) -> CycleResult | None:
        """The answer to the newest record; None before it."""
        return self.__answer

    def _reply(self, answer: CycleResult) -> None:
        self.__answer = answer
        self._send_result(answer)

    def set_epoch(self, epoch: int) -> None:
        """Drop all memory of earlier records; the next record of ``epoch`` counts as the first."""
        self.epoch, self.away = epoch, False
        self._last_key = None
        self.__answer = None
        self.__stashed = None
