# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of two recorded runs cycle by cycle, bit for bit, up to the first difference.

The compared data is what world and participants sent in each committed cycle: bodies, inputs, spawned objects, all
state hashes, terrain hash, soil changes. Wall time, repetitions and message counts are ignored, as in the state hash.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from regolith_bringup.bag.reading import Bag
from regolith_files import counted_noun

_EVOLVE = 0
_ANSWERS, _SOIL, _CYCLES = '/regolith/cycle_result', '/regolith/terrain/committed', '/regolith/cycle'
_LATE = 50
"""Maximum delay with which the recorder writes a result [cycles]."""
_NOT_OF_THE_STATE = {'key', 'report', 'verdict', 'swept_min', 'swept_max', '__msgtype__'}
"""Fields that depend on message transport or follow from other fields."""


@dataclass(frozen=True, slots=True)
class Difference:
    """First difference between two runs."""

    cycle: int
    """Number of the cycle. Committed state k leads to k + 1."""
    t_s: float
    """Simulated time at the start of the cycle [s]."""
    name: str
    """Name of the object or participant."""
    field: str
    """First field that differs."""
    first: str
    second: str

    def __str__(self) -> str:
        where = f'cycle {self.cycle} at {self.t_s:.3f} s: {self.name}: {self.field}'
        return f'{where}: {self.first} in one run, {self.second} in the other'


@dataclass(slots=True)
class CycleContent:
    """Messages of one cycle."""

    number: int
    cycle: Any
    results: dict[str, Any]
    soil: Any


def cycles(run: str | Path) -> Iterator[CycleContent]:
    """Yield all committed cycles of a recorded run in order.

    Args:
        run: Run folder or bag folder.
    """
    open_cycles: dict[int, _Open] = {}
    newest = -1
    for message in Bag(run).messages(_CYCLES, _ANSWERS, _SOIL):
        content = message.content
        number, attempt = int(content.key.cycle), int(content.key.attempt)
        here = open_cycles.setdefault(number, _Open())
        if message.topic == _ANSWERS:
            for result in content.results:
                here.said.setdefault(attempt, {}).setdefault(str(result.name), result)
        elif message.topic == _SOIL:
            here.merged.setdefault(attempt, content)
        elif content.command == _EVOLVE:
            here.asked.setdefault(attempt, content)
            newest = max(newest, number)
        # Messages of several senders are written in order of arrival.
        while open_cycles and min(open_cycles) < newest - _LATE:
            number = min(open_cycles)
            yield from open_cycles.pop(number).spoken(number)
    for number in sorted(open_cycles):
        yield from open_cycles[number].spoken(number)


class _Open:
    """Cycle that is being read: messages of each attempt."""

    def __init__(self) -> None:
        self.asked: dict[int, Any] = {}
        self.said: dict[int, dict[str, Any]] = {}
        self.merged: dict[int, Any] = {}

    def spoken(self, number: int) -> Iterator[CycleContent]:
        """Yield the messages of the last attempt, if there was one."""
        if self.asked:
            last = max(self.asked)
            yield CycleContent(number, self.asked[last], self.said.get(last, {}), self.merged.get(last))


def first_difference(one: str | Path, other: str | Path) -> Difference | None:
    """Return the first difference between two recorded runs, or None if they are equal.

    Args:
        one: Run folder or bag folder.
        other: Run folder or bag folder to compare with.
    """
    theirs = cycles(other)
    for mine in cycles(one):
        against = next(theirs, None)
        if against is None:
            return _of(mine, 'world', ('cycles', 'is present', 'is missing'))
        if found := _between(mine, against):
            return found
    rest = next(theirs, None)
    return None if rest is None else _of(rest, 'world', ('cycles', 'is missing', 'is present'))


def _of(spoken: CycleContent, name: str, found: tuple[str, str, str]) -> Difference:
    return Difference(spoken.number, 1e-9 * int(spoken.cycle.t_ns), name, *found)


def _between(mine: CycleContent, against: CycleContent) -> Difference | None:
    """Return the first difference in one cycle: message of the world, then results by name, then soil."""
    if found := _unlike(mine.cycle, against.cycle):
        return _named(mine, 'world', mine.cycle, found)
    if mine.results.keys() != against.results.keys():
        return _of(mine, 'world', ('results', ', '.join(sorted(mine.results)), ', '.join(sorted(against.results))))
    for name in sorted(mine.results):
        if found := _unlike(mine.results[name], against.results[name]):
            return _named(mine, name, mine.results[name], found)
    if found := _unlike(mine.soil, against.soil):
        return _of(mine, 'terrain', found)
    return None


def _named(spoken: CycleContent, who: str, content: Any, found: tuple[str, str, str]) -> Difference:
    """Return a difference with the name of the body concerned, if there is one."""
    field, first, second = found
    head, _, rest = field.partition('.')
    if head.startswith('bodies['):
        number = int(head.removeprefix('bodies[').rstrip(']'))
        return _of(spoken, str(content.bodies[number].name), (rest or head, first, second))
    return _of(spoken, who, found)


def _unlike(a: Any, b: Any, path: str = '') -> tuple[str, str, str] | None:
    """Return the path of the first field in which two messages differ bit for bit, and both values."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if np.shape(a) != np.shape(b):
            return path, counted_noun(np.size(a), 'value'), counted_noun(np.size(b), 'value')
        x, y = np.ascontiguousarray(a).reshape(-1), np.ascontiguousarray(b).reshape(-1)
        if x.tobytes() == y.tobytes():
            return None
        k = next(k for k in range(len(x)) if x[k].tobytes() != y[k].tobytes())
        return f'{path}[{k}]', repr(x[k].item()), repr(y[k].item())
    if hasattr(a, '__dataclass_fields__') and hasattr(b, '__dataclass_fields__'):
        # Hashes show that states differ, but not where. They are compared last.
        names = [n for n in a.__dataclass_fields__ if n not in _NOT_OF_THE_STATE]
        for name in sorted(names, key=lambda n: n.endswith('_hash')):
            if found := _unlike(getattr(a, name), getattr(b, name), f'{path}.{name}' if path else name):
                return found
        return None
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return path, f'{len(a)} items', f'{len(b)} items'
        for k, (x, y) in enumerate(zip(a, b)):
            if found := _unlike(x, y, f'{path}[{k}]'):
                return found
        return None
    same = a == b or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))
    if same and isinstance(a, float) and math.copysign(1.0, a) != math.copysign(1.0, b):
        same = False
    return None if same else (path, repr(a), repr(b))
