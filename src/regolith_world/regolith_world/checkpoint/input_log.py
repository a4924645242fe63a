# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Log of the external inputs and world edits of a run, from which the past is resimulated bit for bit.

The world appends to it at every commit, with a mark of every state. So a resimulation that diverges is detected at
once.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from regolith_world.cycle import codec


class InputHistory(Mapping[int, bytes]):
    """Inputs of one participant by cycle. Of consecutive equal inputs only the first is stored.

    Args:
        first: Number of the first cycle.
    """

    def __init__(self, first: int) -> None:
        self.first = self.end = first
        self._starts: list[int] = []
        self._values: list[bytes] = []

    def append(self, cycle: int, value: bytes) -> None:
        """Add the input of a cycle. An input that is already stored does not change."""
        if cycle < self.end:
            return
        self.end = cycle + 1
        if not self._values or self._values[-1] != value:
            self._starts.append(cycle)
            self._values.append(value)

    def cut(self, cycle: int) -> None:
        """Delete the inputs of a cycle and all later ones."""
        kept = bisect_left(self._starts, cycle)
        del self._starts[kept:], self._values[kept:]
        self.end = max(self.first, min(self.end, cycle))

    def __getitem__(self, cycle: int) -> bytes:
        """Return the input of a cycle."""
        if not self.first <= cycle < self.end:
            raise KeyError(cycle)
        return self._values[bisect_right(self._starts, cycle) - 1]

    def __iter__(self) -> Iterator[int]:
        """Iterate over the cycles."""
        return iter(range(self.first, self.end))

    def __len__(self) -> int:
        """Return the number of cycles."""
        return self.end - self.first

    def encode(self) -> bytes:
        """Return all inputs as bytes."""
        return codec.encode_record(_Runs(self.first, self.end, tuple(self._starts), tuple(self._values)))

    @classmethod
    def decode(cls, blob: bytes) -> InputHistory:
        """Return the history of :meth:`encode`.

        Args:
            blob: The bytes.

        Raises:
            ValueError: If the bytes hold no history.
        """
        runs, made = codec.decode_record(_Runs, blob), cls(0)
        made.first, made.end = runs.first, runs.end
        made._starts, made._values = list(runs.starts), list(runs.values)
        return made


@dataclass(slots=True)
class _Runs:
    first: int
    end: int
    starts: tuple[int, ...]
    values: tuple[bytes, ...]


ActT = TypeVar('ActT')


class ReplayDiverged(RuntimeError):
    """A resimulation diverged from the logged run. The message states where."""


class InputLog(Generic[ActT]):
    """Log of a run: commits with times and marks, inputs of participants, and world edits.

    A state has the number of the cycle that follows it. The first state is the one with which the log begins.
    """

    def __init__(self, cycle: int = 0, t_ns: int = 0, state_hash: str = '') -> None:
        self.first = cycle
        self._times = array('q', [t_ns])
        self._marks = array('Q', [_mark(state_hash)])
        self.inputs: dict[str, InputHistory] = {}
        """Input histories by participant."""
        self.acts: list[tuple[int, ActT]] = []
        """World edits between cycles in their order, each with the number of the state that it changed."""

    @property
    def last(self) -> int:
        """Number of the last state."""
        return self.first + len(self._times) - 1

    def time_ns(self, cycle: int) -> int:
        """Return the time of a state [ns]."""
        return self._times[cycle - self.first]

    def commit(self, t_ns: int, state_hash: str, latched: Mapping[str, bytes], cycle: int) -> None:
        """Add the state at the end of a cycle, or compare it with the logged one.

        Args:
            t_ns: Time of the state [ns].
            state_hash: Hash of the state.
            latched: Inputs of the cycle by participant.
            cycle: Number of the state.

        Raises:
            ReplayDiverged: If the logged state differs.
        """
        if cycle <= self.last:
            if (self.time_ns(cycle), self._marks[cycle - self.first]) != (t_ns, _mark(state_hash)):
                now = f'{state_hash[:16]} at {t_ns * 1e-9:.4f} s'
                before = f'{self._marks[cycle - self.first]:016x} at {self.time_ns(cycle) * 1e-9:.4f} s'
                raise ReplayDiverged(
                    f'the run does not repeat itself: cycle {cycle - 1} led to {now}, before the rewind to {before}'
                )
            return
        self._times.append(t_ns)
        self._marks.append(_mark(state_hash))
        for name, value in latched.items():
            self.inputs.setdefault(name, InputHistory(cycle - 1)).append(cycle - 1, value)

    def at_or_before(self, t_ns: int) -> int | None:
        """Return the number of the last state at or before a time [ns]; None if the time is before the first state."""
        found = bisect_right(self._times, t_ns) - 1
        return self.first + found if found >= 0 else None

    def has(self, cycle: int, t_ns: int, state_hash: str) -> bool:
        """Return whether a state is in the log."""
        if not self.first <= cycle <= self.last or self.time_ns(cycle) != t_ns:
            return False
        return self._marks[cycle - self.first] == _mark(state_hash)

    def cut(self, cycle: int, acts: int | None = None) -> None:
        """Delete everything after a state.

        Args:
            cycle: Number of the state.
            acts: Number of world edits to keep; None: those of earlier states.
        """
        kept = cycle - self.first + 1
        del self._times[kept:], self._marks[kept:]
        for inputs in self.inputs.values():
            inputs.cut(cycle)
        self.acts = [a for a in self.acts if a[0] < cycle] if acts is None else self.acts[:acts]


def _mark(state_hash: str) -> int:
    """Return the first 64 bits of a hash."""
    return int(state_hash[:16] or '0', 16)
