# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ground that a run changed, as its bag tells it: the last level of every node that a committed update touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.bag.reading import Bag
from regolith_terrain.grid.node_records import node_key

if TYPE_CHECKING:
    from regolith_bringup.bag.columns import FieldColumn

Array = NDArray[np.float64]
Key = tuple[int, int, int]
"""(epoch, cycle, attempt)"""

UPDATE = '/regolith/terrain/update'
"""Topic, of regolith_msgs/TerrainUpdate."""
_KEY = ('key.epoch', 'key.cycle', 'key.attempt')
_NODES = ('nodes.x', 'nodes.y', 'nodes.values')
_CONFLICTS = 'conflicts'
UPDATE_PATHS = (*_KEY, *_NODES, _CONFLICTS)
"""The fields of an update that :class:`CommittedSoil` takes."""
_SPARSE = 16
"""Nodes of the rectangle about all, over their number, up to which the rectangle is made instead of sorting them."""


@dataclass(frozen=True)
class ChangedTerrain:
    """The changed nodes of the soil grid at the end, sorted by (i, j), shape (n,) each."""

    spacing: float
    """[m]"""
    i: NDArray[np.int64]
    j: NDArray[np.int64]
    """Node (i, j) lies at (i, j) * spacing."""
    level: Array
    """Height [m]."""
    conflicts: int = 0
    """Number of nodes changed by several agents in one cycle, summed over cycles."""


class _Update(NamedTuple):
    """A TerrainUpdate."""

    key: Key
    conflicts: int
    i: NDArray[Any]
    j: NDArray[Any]
    level: Array


class CommittedSoil:
    """What committed updates made of the ground.

    The past that a run gave up when it went back is in another bag, so that an update was committed, after attempts at
    the same cycle that were not, if one of a later cycle follows.

    Args:
        bag: where the updates are from
    """

    def __init__(self, bag: Bag) -> None:
        first = next(bag.messages(UPDATE), None)
        self._field = list(first.content.nodes.fields).index('level') if first is not None else 0
        self._levels = LatestLevels()
        self._conflicts = 0
        self._held: _Update | None = None

    def take(self, part: Mapping[str, FieldColumn]) -> None:
        """Take TerrainUpdates, by :data:`UPDATE_PATHS`, in order of arrival."""
        columns = [part[path].table().tolist() for path in (*_KEY, _CONFLICTS)]
        x, y, values = (part[path] for path in _NODES)
        places = (each.tolist() for each in (x.first, y.first, values.first, x.counts))
        committed: list[_Update] = []
        for epoch, cycle, attempt, conflicts, i, j, first, count in zip(*columns, *places, strict=True):
            held = self._held
            if held is not None and cycle < held.key[1]:
                continue  # it was sent again
            if held is not None and cycle > held.key[1]:
                committed.append(held)
            level = first + self._field * count
            self._held = _Update(
                (epoch, cycle, attempt),
                conflicts,
                x.stored[i : i + count],
                y.stored[j : j + count],
                values.stored[level : level + count],
            )
        self._commit(committed)
        if (held := self._held) is not None:
            # What it is part of is a thousand times as large.
            self._held = held._replace(i=held.i.copy(), j=held.j.copy(), level=held.level.copy())

    def _commit(self, updates: Sequence[_Update]) -> None:
        if updates:
            self._conflicts += sum(update.conflicts for update in updates)
            self._levels.set(*(np.concatenate(each) for each in zip(*(update[2:] for update in updates), strict=True)))

    def ground(self, committed: set[Key], spacing: float) -> ChangedTerrain:
        """Return the changed ground.

        Args:
            committed: attempts that were, by which the last update is judged
        """
        if self._held is not None and self._held.key in committed:
            self._commit([self._held])
        self._held = None
        return ChangedTerrain(spacing, *self._levels.all(), self._conflicts)


class LatestLevels:
    """Levels of nodes, the last of each."""

    _MANY = 2_000_000
    """Numbers of levels from which those that others followed are dropped."""

    def __init__(self) -> None:
        self._nodes: list[tuple[NDArray[Any], NDArray[Any]]] = []
        self._levels: list[Array] = []
        self._count = 0

    def set(self, i: NDArray[Any], j: NDArray[Any], level: Array) -> None:
        """Take levels of nodes (i, j); of equal ones the last counts."""
        self._nodes.append((i, j))
        self._levels.append(level)
        self._count += len(level)
        if self._count > self._MANY:
            self._drop()
            self._count = 0

    def _drop(self) -> None:
        i, j = (np.concatenate(parts) for parts in zip(*self._nodes, strict=True))
        last = _last_of_each(i, j)
        self._nodes, self._levels = [(i[last], j[last])], [np.concatenate(self._levels)[last]]

    def all(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
        """Return i, j and level of all nodes, sorted by (i, j)."""
        if not self._nodes:
            none = np.zeros(0, np.int64)
            return none, none, np.zeros(0)
        self._drop()
        (i, j), level = self._nodes[0], self._levels[0]
        return i.astype(np.int64), j.astype(np.int64), level


def _last_of_each(i: NDArray[Any], j: NDArray[Any]) -> NDArray[np.int64]:
    """Return where among nodes the last of each is, sorted by (i, j)."""
    if not len(i):
        return np.zeros(0, np.int64)
    row, column = (each.astype(np.int64) - each.min() for each in (i, j))
    width = int(column.max()) + 1
    size = (int(row.max()) + 1) * width
    if size > _SPARSE * len(i):
        # np.unique finds the first of each.
        return len(i) - 1 - np.unique(node_key(i, j)[::-1], return_index=True)[1]
    last = np.full(size, -1)
    # Of values for one place the last stays.
    last[row * width + column] = np.arange(len(i))
    return last[last >= 0]
