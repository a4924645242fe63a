# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fields of many messages of one type as arrays, without an object for each message.

Messages with the same lengths of texts and sequences have their fields at the same places, so that one of them is
walked through, up to the last field that is asked for, and all others are cut like it. Almost all messages of a topic
are alike: names do not change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.interfaces import Nodetype

_BEHIND = 4
"""Length of the encapsulation header, behind which alignment counts [bytes]."""
_KINDS: dict[str, np.dtype[Any]] = {name: np.dtype('u1') for name in ('bool', 'byte', 'char', 'octet')}
_KINDS |= {f'{kind}{8 * size}': np.dtype(f'<{kind[0]}{size}') for kind in ('int', 'uint') for size in (1, 2, 4, 8)}
_KINDS |= {'float32': np.dtype('<f4'), 'float64': np.dtype('<f8')}


@dataclass
class _Leaf:
    """The numbers of one path in a message."""

    many: bool
    """Whether the path leads through an array or a sequence."""
    kind: np.dtype[Any]
    runs: list[tuple[int, int]] = field(default_factory=list)
    """Place [bytes] and number of those that lie together."""


class _Layout:
    """Where the parts of a message are.

    :param definitions: of all types
    :param type_name: of the message
    :param data: the message
    :param paths: that are asked for
    :raises ValueError: if it has no numbers at one of them
    """

    def __init__(self, definitions: Mapping[str, Any], type_name: str, data: bytes, paths: Sequence[str]) -> None:
        self.counts: list[int] = []
        """Places of the lengths of texts and sequences [bytes]."""
        self.leaves: dict[str, _Leaf] = {}
        """By path."""
        self._definitions, self._data = definitions, data
        self.end = _BEHIND
        """Where the last part begins that nobody asks for [bytes]."""
        for name, part in definitions[type_name][1]:
            if self.leaves.keys() >= {*paths}:
                break
            self.end = self._walk(part, name, self.end, False)
        if missing := sorted({*paths} - self.leaves.keys()):
            raise ValueError(f'{type_name}: no numbers {missing[0]!r}; allowed: {", ".join(sorted(self.leaves))}')

    def _walk(self, node: Any, path: str, at: int, many: bool) -> int:
        """Note the parts of a field that begins at a place; return where it ends."""
        kind, of = node
        if kind == Nodetype.NAME:
            for name, part in self._definitions[of][1]:
                at = self._walk(part, f'{path}.{name}', at, many)
            return at
        if kind == Nodetype.BASE:
            return self._numbers(of[0], path, at, 1, many) if of[0] in _KINDS else self._text(at)
        element, count = of
        if kind == Nodetype.SEQUENCE:
            at, count = self._count(at)
        if element[0] == Nodetype.BASE and element[1][0] in _KINDS:
            return self._numbers(element[1][0], path, at, count, True)
        if count == 0:
            self._none(element, path)
        for _ in range(count):
            at = self._walk(element, path, at, True)
        return at

    def _none(self, node: Any, path: str) -> None:
        """Note the paths of what a sequence would hold."""
        kind, of = node
        if kind == Nodetype.NAME:
            for name, part in self._definitions[of][1]:
                self._none(part, f'{path}.{name}')
        elif kind != Nodetype.BASE:
            self._none(of[0], path)
        elif of[0] in _KINDS:
            self.leaves.setdefault(path, _Leaf(True, _KINDS[of[0]]))

    def _count(self, at: int) -> tuple[int, int]:
        at += -at % 4
        self.counts.append(at)
        return at + 4, int.from_bytes(self._data[at : at + 4], 'little')

    def _text(self, at: int) -> int:
        at, length = self._count(at)
        return at + length

    def _numbers(self, base: str, path: str, at: int, count: int, many: bool) -> int:
        leaf = self.leaves.setdefault(path, _Leaf(many, _KINDS[base]))
        if count:
            at += -(at - _BEHIND) % leaf.kind.itemsize
            leaf.runs.append((at, count))
        return at + count * leaf.kind.itemsize

    def cut(self, path: str, table: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the numbers of one path of messages with this layout, which lie below one another."""
        leaf = self.leaves[path]
        if not leaf.runs:
            return np.zeros((len(table), 0), leaf.kind)
        size = leaf.kind.itemsize
        runs = [np.ascontiguousarray(table[:, at : at + count * size]).view(leaf.kind) for at, count in leaf.runs]
        return np.concatenate(runs, axis=1) if leaf.many else runs[0][:, 0]


def columns(
    data: Sequence[bytes], type_name: str, definitions: Mapping[str, Any], paths: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """Return fields of n messages by their paths: shape (n,), or (n, k) of fields that are arrays or in sequences.

    :param data: messages as CDR, little-endian, one at least
    :param definitions: of all types (``fielddefs`` of a ``rosbags.typesys.store.Typestore``)
    :param paths: of numbers, e.g. ``pose.pose.position.x``, ``wheels.slip_ratio`` (of all wheels in their order)
    :raises ValueError: if there are no such numbers, or how many there are changes
    """
    lengths = np.fromiter(map(len, data), np.int64, len(data))
    rest = np.arange(len(data))
    found: dict[str, NDArray[Any]] = {}
    while len(rest):
        first = data[rest[0]]
        layout = _Layout(definitions, type_name, first, paths)
        rows, end = rest[lengths[rest] >= layout.end], layout.end
        table = np.frombuffer(b''.join([data[row][:end] for row in rows.tolist()]), np.uint8).reshape(-1, end)
        places = (np.array(layout.counts, np.int64)[:, None] + np.arange(4)).ravel()
        alike = (table[:, places] == table[0, places]).all(axis=1)
        rows, table = rows[alike], table[alike]
        for path in paths:
            values = layout.cut(path, table)
            whole = found.setdefault(path, np.empty((len(data), *values.shape[1:]), values.dtype))
            if whole.shape[1:] != values.shape[1:]:
                numbers = f'{whole.shape[1]} in one message, {values.shape[1]} in another'
                raise ValueError(f'{type_name}: {path}: there are {numbers}')
            whole[rows] = values
        rest = np.setdiff1d(rest, rows, assume_unique=True)
    return found
