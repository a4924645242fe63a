# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Base class of participants: the participant's side of the evolution protocol, independent of the transport.

A participant is a state machine driven by :class:`~regolith_world.cycle.records.Cycle` records. It is *idempotent*. For
a repeated record it sends the cached result again; it ignores a stale one. So a transport may duplicate or delay
messages, or lose them as long as the world repeats its own, without changing a bit of the result.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from regolith_world.cycle.records import Command, Cycle, CycleKey, CycleResult, JoinRequest, Verdict


class ParticipantFailed(RuntimeError):
    """A participant cannot continue. The message states its name, the time and the reason.

    It ends the run for every value of ``on_failure``, because it would occur again after any checkpoint.
    """


class Participant(ABC):
    """Base class of all participants: vehicle agents, terrain and registered participants.

    Subclasses implement the hooks. The hooks never receive duplicates, stale records or records of another epoch.
    """

    def __init__(self, name: str, send_result: Callable[[CycleResult], None], epoch: int = 0) -> None:
        self.name = name
        self.epoch = epoch
        self.replay_inputs: Mapping[int, bytes] = {}
        """Inputs by cycle that replace external inputs; see :attr:`Roles.inputs`."""
        self.silent = False
        """Whether the participant resimulates the past without publishing."""
        self.away = False
        """Whether it is removed from the run. A rewind may add it again."""
        self.stopped = False
        """Whether the result of STOP was sent."""
        self._send_result = send_result
        self._last_key: CycleKey | None = None
        self.__result: CycleResult | None = None

    # -- hooks of subclasses ------------------------------------------------------------------------------------

    @abstractmethod
    def join_request(self) -> JoinRequest:
        """Return the request to join."""

    @abstractmethod
    def save(self) -> bytes:
        """Return the committed state without the terrain (for the terrain participant: with it)."""

    @abstractmethod
    def restore(self, blob: bytes, epoch: int) -> None:
        """Restore the state of :meth:`save`. Implementations call :meth:`set_epoch` with the new epoch."""

    def soil_hash(self) -> str:
        """Return the hash of the committed soil that the participant uses; '': it uses none."""
        return ''

    def start_on_terrain(self) -> None:  # noqa: B027  only vehicles stand on the terrain
        """Set the initial state again on terrain that was loaded later, before the first cycle."""

    @abstractmethod
    def _commit(self, cycle: Cycle) -> None:
        """Make the tentative state the committed one; ``cycle`` is the record that carries the verdict."""

    @abstractmethod
    def _discard(self) -> None:
        """Discard the tentative state."""

    def warm_up(self) -> None:  # noqa: B027  not every participant has kernels
        """Compile all kernels so that no cycle waits for them."""

    def _prepare(self, cycle: Cycle) -> Callable[[], None] | None:
        """Return the part of evolving that may run in another thread without the interpreter lock; None: no such part.

        It is called between :meth:`begin` and :meth:`finish`.
        """
        return None

    @abstractmethod
    def _evolve(self, cycle: Cycle) -> CycleResult | None:
        """Return the result after evolving by ``cycle.dt_ns`` on committed inputs.

        None means that :meth:`_reply` sends it later. It runs after the part of :meth:`_prepare`, if there is one.
        """

    @abstractmethod
    def _idle_result(self, cycle: Cycle) -> CycleResult:
        """Return the result of HOLD or STOP: hash, bodies and next_dt of the committed state; on STOP also a report."""

    def _resend(self) -> None:  # noqa: B027  only some send more than the result
        """Send the further messages of the cached result again (an agent's delta, the terrain update)."""

    def _after_answer(self, cycle: Cycle) -> None:  # noqa: B027  not every participant publishes
        """Publish the state that this record committed. It is called after the result, and not during resimulation."""

    # -- the state machine --------------------------------------------------------------------------------------

    def on_cycle(self, cycle: Cycle) -> None:
        """Process a record of the world."""
        loop = self.begin(cycle)
        if loop is not None:
            loop()
            self.finish(cycle)

    def begin(self, cycle: Cycle) -> Callable[[], None] | None:
        """Process a record up to the part that may run in another thread, and return that part.

        None means that there is no such part and the record is finished. Otherwise the caller runs the part, then calls
        :meth:`finish`.
        """
        if cycle.key.epoch >= self.epoch:
            self.away = self.name not in cycle.participants
            self.stopped = self.stopped or (self.away and cycle.command == Command.STOP)
        if cycle.key.epoch != self.epoch or self.away:
            return None
        if self._last_key is not None and cycle.key <= self._last_key:
            if cycle.key == self._last_key:
                self._resend()
                if self.__result is not None:
                    self._send_result(self.__result)
            return None
        self.silent = cycle.resimulating
        # A participant that was just restored or has just joined again has no tentative state to commit or discard.
        if self._last_key is not None:
            if cycle.verdict == Verdict.COMMIT:
                self._commit(cycle)
            elif cycle.verdict == Verdict.DISCARD:
                self._discard()
        self._last_key = cycle.key
        self.__result = None
        try:
            loop = self._prepare(cycle) if cycle.command == Command.EVOLVE else None
        except Exception as error:
            self._tell_failure(cycle, error)
            raise
        if loop is None:
            self.finish(cycle)
        return loop

    def finish(self, cycle: Cycle) -> None:
        """Finish the record of :meth:`begin` and send the result."""
        try:
            result = self._evolve(cycle) if cycle.command == Command.EVOLVE else self._idle_result(cycle)
        except Exception as error:
            self._tell_failure(cycle, error)
            raise
        if result is not None:
            self._reply(result)
        self.stopped = cycle.command == Command.STOP
        if not cycle.resimulating:
            self._after_answer(cycle)

    def _tell_failure(self, cycle: Cycle, error: Exception) -> None:
        """Report an exception to the world, which would otherwise wait for a result."""
        known = isinstance(error, ParticipantFailed)
        failure = str(error) if known else f'{self.name}: {type(error).__name__}: {error}'
        self._send_result(CycleResult(cycle.key, self.name, 0, failure=failure))

    @property
    def last_result(self) -> CycleResult | None:
        """Result of the newest record; None before it is sent."""
        return self.__result

    def _reply(self, result: CycleResult) -> None:
        self.__result = result
        self._send_result(result)

    def set_epoch(self, epoch: int) -> None:
        """Reset the memory of earlier records. The next record of ``epoch`` counts as the first."""
        self.epoch, self.away = epoch, False
        self._last_key = None
        self.__result = None
