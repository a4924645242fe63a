# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of message fields to arrays, without an object for each message.

All messages are in one buffer and are decoded together, field by field, up to the last selected one. The start of a
field is an array with one position per message, which depends on the lengths of texts and sequences before the field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.interfaces import Nodetype

Integers = NDArray[np.int64]

_HEAD = 4
"""Length of the encapsulation header, after which alignment counts [bytes]."""
_WIDEST = 8
"""Maximum alignment of numbers [bytes]."""
_KINDS: dict[str, np.dtype[Any]] = {name: np.dtype('u1') for name in ('bool', 'byte', 'char', 'octet')}
_KINDS |= {f'{kind}{8 * size}': np.dtype(f'<{kind[0]}{size}') for kind in ('int', 'uint') for size in (1, 2, 4, 8)}
_KINDS |= {'float32': np.dtype('<f4'), 'float64': np.dtype('<f8')}


@dataclass(frozen=True, eq=False)
class FieldColumn:
    """Numbers of one field in n messages."""

    stored: NDArray[Any]
    """Buffer with the numbers, among others."""
    first: Integers
    """Position of the first number of each message, shape (n,)."""
    counts: Integers
    """Count of numbers of each message, shape (n,)."""
    many: bool
    """Whether the field is an array or in a sequence."""

    def table(self) -> NDArray[Any]:
        """Return the numbers with shape (n,), or (n, k) for arrays and sequences.

        Raises:
            ValueError: If the counts differ between messages.
        """
        if not self.many:
            return np.asarray(self.stored[self.first])
        count = int(self.counts[0])
        if not (self.counts == count).all():
            other = int(self.counts[self.counts != count][0])
            raise ValueError(f'one message has {count} values, another {other}')
        return np.asarray(self.stored[self.first[:, None] + np.arange(count)])


@dataclass(eq=False)
class _Leaf:
    """Positions of the numbers of one path."""

    many: bool
    kind: np.dtype[Any]
    runs: list[tuple[Integers, Integers, Integers]] = field(default_factory=list)
    """Messages, and for each the position and length of a contiguous block [bytes]."""

    def column(self, buffer: NDArray[np.uint8], messages: int) -> FieldColumn:
        """Return the numbers, which are in a buffer."""
        stored = buffer.view(self.kind)
        if len(self.runs) == 1 and len(self.runs[0][0]) == messages:
            _, at, count = self.runs[0]
            return FieldColumn(stored, at // self.kind.itemsize, count, self.many)
        counts = np.zeros(messages, np.int64)
        for rows, _, count in self.runs:
            counts[rows] += count
        first = np.cumsum(counts) - counts
        to, together = first.copy(), np.empty(counts.sum(), self.kind)
        for rows, at, count in self.runs:
            # The numbers of each block, one after another.
            among = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
            place = np.repeat(at // self.kind.itemsize, count) + among
            together[np.repeat(to[rows], count) + among] = stored[place]
            to[rows] += count
        return FieldColumn(together, first, counts, self.many)


class _Walk:
    """Decoding of n messages, field by field.

    Args:
        definitions: Definitions of all types.
        type_name: Type of the messages.
        data: Serialized messages.
        paths: Selected field paths.

    Raises:
        ValueError: If a path has no numbers, or a message is too short.
    """

    def __init__(
        self, definitions: Mapping[str, Any], type_name: str, data: Sequence[bytes], paths: Sequence[str]
    ) -> None:
        self._definitions, self._type = definitions, type_name
        self._leaves: dict[str, _Leaf] = {}
        self._lengths = np.fromiter(map(len, data), np.int64, len(data))
        # Each message starts at a position with the same alignment after its header as in a separate buffer.
        gaps = -self._lengths % _WIDEST
        parts = [b'\0' * (_WIDEST - _HEAD)]
        for message, gap in zip(data, gaps.tolist(), strict=True):
            parts += [message, b'\0' * gap]
        parts.append(b'\0' * _HEAD)
        self._buffer = np.frombuffer(b''.join(parts), np.uint8)
        self._words = self._buffer.view('<u4')
        rows = np.arange(len(data))
        at = _WIDEST + np.cumsum(self._lengths + gaps) - self._lengths - gaps
        ends = at - _HEAD + self._lengths
        for name, part in definitions[type_name][1]:
            if self._leaves.keys() >= {*paths}:
                break
            at = self._field(part, name, rows, at, False)
            if (at > ends).any():
                raise ValueError(f'{type_name}: a message ends before {name}')
        if missing := sorted({*paths} - self._leaves.keys()):
            raise ValueError(f'{type_name}: no numbers in {missing[0]!r}; allowed: {", ".join(sorted(self._leaves))}')

    def column(self, path: str) -> FieldColumn:
        """Return the numbers of a path."""
        return self._leaves[path].column(self._buffer, len(self._lengths))

    def _field(self, node: Any, path: str, rows: Integers, at: Integers, many: bool) -> Integers:
        """Record the numbers of a field that starts at given positions in some messages, and return its end
        positions."""
        kind, of = node
        if kind == Nodetype.NAME:
            for name, part in self._definitions[of][1]:
                at = self._field(part, f'{path}.{name}', rows, at, many)
            return at
        if kind == Nodetype.BASE:
            if of[0] in _KINDS:
                return self._numbers(of[0], path, rows, at, np.ones(len(rows), np.int64), many)
            length, at = self._count(path, rows, at)
            return at + length
        element, fixed = of
        count = np.full(len(rows), fixed)
        if kind == Nodetype.SEQUENCE:
            count, at = self._count(path, rows, at)
        if element[0] == Nodetype.BASE and element[1][0] in _KINDS:
            return self._numbers(element[1][0], path, rows, at, count, True)
        at = at.copy()
        # Decode once even if all sequences are empty, so that the paths of the elements are known.
        for number in range(count.max(initial=1)):
            more = count > number
            at[more] = self._field(element, path, rows[more], at[more], True)
        return at

    def _count(self, path: str, rows: Integers, at: Integers) -> tuple[Integers, Integers]:
        """Return lengths of texts or sequences, and the positions after the lengths."""
        place = (at + 3) // 4
        if len(place) and place.max() >= len(self._words):
            raise ValueError(f'{self._type}: a message ends before {path}')
        count = self._words[place].astype(np.int64)
        if (count > self._lengths[rows]).any():
            raise ValueError(f'{self._type}: a message ends before the end of {path}')
        return count, 4 * place + 4

    def _numbers(self, base: str, path: str, rows: Integers, at: Integers, count: Integers, many: bool) -> Integers:
        leaf = self._leaves.setdefault(path, _Leaf(many, _KINDS[base]))
        size = leaf.kind.itemsize
        at = at + np.where(count > 0, -at % size, 0)
        leaf.runs.append((rows, at, count))
        return at + count * size


def columns(
    data: Sequence[bytes], type_name: str, definitions: Mapping[str, Any], paths: Sequence[str]
) -> dict[str, FieldColumn]:
    """Return fields of n messages by path.

    Args:
        data: Messages as little-endian CDR, at least one.
        type_name: Type of the messages.
        definitions: Definitions of all types (``fielddefs`` of a ``rosbags.typesys.store.Typestore``).
        paths: Paths of numbers, e.g. ``pose.pose.position.x``, ``wheels.slip_ratio`` (all wheels in their order).

    Raises:
        ValueError: If a path has no numbers, or a message is too short.
    """
    walk = _Walk(definitions, type_name, data, paths)
    return {path: walk.column(path) for path in paths}


def tables(part: Mapping[str, FieldColumn]) -> dict[str, NDArray[Any]]:
    """Return columns as tables.

    Args:
        part: Columns by path.

    Raises:
        ValueError: If the counts of a column differ between messages.
    """
    found = {}
    for path, column in part.items():
        try:
            found[path] = column.table()
        except ValueError as error:
            raise ValueError(f'{path}: {error}') from None
    return found


def joined(parts: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Return tables of consecutive messages joined to one table per path, empty for no tables.

    Args:
        parts: Tables by path.

    Raises:
        ValueError: If the counts of a column differ between messages.
    """
    found = {}
    for path in parts[0] if parts else ():
        counts = {part[path].shape[1:]: None for part in parts}
        if len(counts) > 1:
            one, other, *_ = (shape[0] for shape in counts)
            raise ValueError(f'{path}: one message has {one} values, another {other}')
        found[path] = np.concatenate([part[path] for part in parts])
    return found
