# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of runs as series of text paths: gathered, stored, compared.

:class:`Series` flattens whatever it is given (dataclasses, messages, mappings, arrays, numbers, text) into paths. Per path
it keeps the first, a middle and the last value and a weighted mean of all, in which each message has an irrational weight:
a value that is wrong at one time only, or two that are swapped, change it.
"""

from __future__ import annotations

import array
import dataclasses
import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from regolith_terrain.excavation.loose_soil import LooseSoil
from regolith_terrain.grid.node_records import NodeRecords

FOLDER = Path(__file__).parent / 'baselines'
"""Scenarios and their stored numbers."""

RELATIVE = 1e-5
"""Tolerance relative to the largest value of a path. A change of gravity by 1e-12 of it, thousands of times the rounding of a
number, changes values by at most 2e-7 (``test_small_changes_of_gravity_stay_small``). Other processors were not tried."""
ABSOLUTE = 1e-13
"""Below this a number is the rounding of zero: no quantity here has a meaning this small in its unit."""

SMALL = 9
"""Arrays of up to so many numbers are kept one by one, larger ones as length, mean, root mean square, weighted sum."""
DIGITS = 9

Row = list[Any]
"""First, middle, last value and weighted mean of all; of text the same without the mean; one entry if all are equal."""
Rows = dict[str, Row]


def weights(count: int) -> np.ndarray:
    """Return ``count`` fixed weights in [-1, 1], no two alike: fractional parts of multiples of the golden ratio."""
    golden = 0.5 * (math.sqrt(5.0) - 1.0)
    made: np.ndarray = 2.0 * np.mod(np.arange(1, count + 1) * golden, 1.0) - 1.0
    return made


def numbers(value: Any, path: str = '') -> Iterator[tuple[str, float | str]]:
    """Return paths and values, numbers or text, of anything made of fields.

    Bytes, hashes and functions are left out: they have no size to compare.
    """
    if value is None or isinstance(value, (str, Enum)):
        yield path, str(value) if not isinstance(value, Enum) else value.name
    elif isinstance(value, (bool, int, float, np.number, np.bool_)):
        yield path, float(value)
    elif isinstance(value, (np.ndarray, array.array)):
        yield from _of_array(np.asarray(value), path)
    elif isinstance(value, (bytes, bytearray, memoryview)) or callable(value):
        return
    elif isinstance(value, BaseModel):
        yield from numbers(value.model_dump(), path)
    elif isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield from numbers(value[key], f'{path}.{key}' if path else str(key))
    elif hasattr(value, 'get_fields_and_field_types'):  # a ROS message
        for name in value.get_fields_and_field_types():
            yield from numbers(getattr(value, name), f'{path}.{name}')
    elif isinstance(value, (NodeRecords, LooseSoil)):
        yield from _of_nodes(value, path)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from numbers(getattr(value, field.name), f'{path}.{field.name}')
    elif hasattr(value, '_fields'):
        for name in value._fields:
            yield from numbers(getattr(value, name), f'{path}.{name}')
    elif isinstance(value, Iterable):
        parts = list(value)
        if parts and all(isinstance(part, (bool, int, float, np.number)) for part in parts):
            yield from _of_array(np.array(parts), path)
            return
        yield f'{path}.n', float(len(parts))
        for number, part in enumerate(parts):
            yield from numbers(part, f'{path}[{getattr(part, "name", number) or number}]')


def _of_array(values: np.ndarray, path: str) -> Iterator[tuple[str, float | str]]:
    if values.dtype.names:
        for name in values.dtype.names:
            yield from _of_array(np.ascontiguousarray(values[name]), f'{path}.{name}')
        return
    if values.dtype.kind not in 'biuf':
        for number, part in enumerate(values.tolist()):
            yield from numbers(part, f'{path}[{number}]')
        return
    flat = values.astype(np.float64).ravel()
    if flat.size <= SMALL:
        for number, each in enumerate(flat.tolist()):
            yield f'{path}[{number}]', each
        return
    finite = np.isfinite(flat)
    yield f'{path}.shape', 'x'.join(map(str, values.shape))
    if not finite.all():
        yield f'{path}.finite', float(finite.sum())
        flat = np.where(finite, flat, 0.0)
    rms = math.sqrt(math.fsum((flat * flat).tolist()) / flat.size)
    yield f'{path}.rms', rms
    yield f'{path}.mean', math.fsum(flat.tolist()) / flat.size
    # Of the size of a single value, so that one that changes is seen even among many.
    yield f'{path}.weighted', math.fsum((weights(flat.size) * flat).tolist()) / math.sqrt(flat.size)


def _of_nodes(nodes: NodeRecords | LooseSoil, path: str) -> Iterator[tuple[str, float | str]]:
    """Return sums over soil nodes with a weight per place, so that one of which nothing changes counts for nothing."""
    golden, silver = 0.5 * (math.sqrt(5.0) - 1.0), math.sqrt(2.0) - 1.0
    weight = 1.0 + np.mod(golden * nodes.i + silver * nodes.j, 1.0)
    for name in nodes.fields if isinstance(nodes, NodeRecords) else ('mass', 'mark'):
        yield f'{path}.{name}', math.fsum((weight * getattr(nodes, name)).tolist())


class Series:
    """Values of paths over the messages of a run."""

    def __init__(self) -> None:
        self._values: dict[str, list[float | str]] = {}

    def add(self, path: str, value: Any) -> None:
        """Take one message."""
        for at, each in numbers(value, path):
            self._values.setdefault(at, []).append(each)

    def rows(self) -> Rows:
        """Return what is kept of each path, sorted."""
        return {path: _row(values) for path, values in sorted(self._values.items())}


def _row(values: Sequence[float | str]) -> Row:
    if any(isinstance(value, str) for value in values):
        texts = [str(value) for value in values]
        changes = [texts[0]] + [b for a, b in itertools.pairwise(texts) if a != b]
        return [*changes[:4], len(changes)] if len(changes) > 1 else [texts[0], len(texts)]
    floats = [float(value) for value in values]
    if len(floats) == 1:
        return [_short(floats[0])]
    finite = [value if math.isfinite(value) else 0.0 for value in floats]
    # In [0.5, 1.5], so that a constant value keeps its size.
    mean = math.fsum(value * (1.0 + 0.5 * w) for value, w in zip(finite, weights(len(floats)).tolist())) / len(floats)
    return [*(_short(floats[k]) for k in (0, len(floats) // 2, -1)), _short(mean), len(floats)]


def _short(value: float) -> float | str:
    if not math.isfinite(value):
        return str(value)
    return float(f'{value:.{DIGITS}g}')


# -- stored ----------------------------------------------------------------------------------------------------------


def write(file: Path, rows: Rows) -> None:
    """Store rows, one a line, sorted."""
    lines = [f'{json.dumps(path, ensure_ascii=False)}: {json.dumps(rows[path])}' for path in sorted(rows)]
    file.write_text('{\n' + ',\n'.join(lines) + '\n}\n', encoding='utf-8')


def read(file: Path) -> Rows:
    """Return the rows of :func:`write`."""
    rows: Rows = json.loads(file.read_text(encoding='utf-8'))
    return rows


@dataclasses.dataclass(frozen=True)
class Difference:
    """A value that is not as stored."""

    path: str
    old: Any
    new: Any

    def __str__(self) -> str:
        if self.old is None:
            return f'{self.path}: new, {self.new}'
        if self.new is None:
            return f'{self.path}: gone, was {self.old}'
        return f'{self.path}: expected {self.old}, got {self.new}{self._by()}'

    def _by(self) -> str:
        pairs = [p for p in zip(self.old, self.new) if all(isinstance(v, (int, float)) for v in p)]
        changes = [abs(b - a) / max(abs(a), abs(b)) for a, b in pairs if a != b]
        return f' (by up to {100.0 * max(changes):.3g} %)' if changes else ''


def differences(old: Rows, new: Rows, relative: float = RELATIVE) -> list[Difference]:
    """Return what differs by more than the tolerance, in the order of paths."""
    found = []
    for path in sorted(old.keys() | new.keys()):
        a, b = old.get(path), new.get(path)
        if a is None or b is None or not _same(a, b, relative, _scale(old, path)):
            found.append(Difference(path, a, b))
    return found


def _scale(rows: Rows, path: str) -> float:
    """Return the size of a path's values: for sums over an array that of its numbers, for its parts that of the largest."""
    stem, dot, last = path.rpartition('.')
    if dot and last in ('mean', 'weighted') and f'{stem}.rms' in rows:
        return _largest(rows[f'{stem}.rms'])
    if path.endswith(']') and path[path.rindex('[') + 1 : -1].isdigit():
        stem = path[: path.rindex('[')]
        return max(_largest(rows[f'{stem}[{k}]']) for k in range(SMALL) if f'{stem}[{k}]' in rows)
    return _largest(rows[path]) if path in rows else 0.0


def _largest(row: Row) -> float:
    values = row[:4] if len(row) == 5 else row[:1]
    return max((abs(value) for value in values if isinstance(value, (int, float))), default=0.0)


def _same(a: Row, b: Row, relative: float, scale: float) -> bool:
    if len(a) != len(b):
        return False
    bound = max(ABSOLUTE, relative * scale)
    return all(
        abs(x - y) <= bound if isinstance(x, (int, float)) and isinstance(y, (int, float)) else x == y
        for x, y in zip(a, b)
    )


def closeness(old: Rows, new: Rows) -> dict[str, float]:
    """Return how far values are apart, relative to their size, where they are not equal."""
    apart = {}
    for path in sorted(old.keys() & new.keys()):
        pairs = [p for p in zip(old[path], new[path]) if all(isinstance(v, (int, float)) for v in p)]
        largest = max((abs(x - y) for x, y in pairs), default=0.0)
        if largest > ABSOLUTE:
            apart[path] = largest / max(_scale(old, path), ABSOLUTE)
    return apart
