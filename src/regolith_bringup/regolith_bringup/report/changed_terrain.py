# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Terrain changed by a run, from its bag: the final height of every changed grid node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.bag.reading import Bag
from regolith_terrain.grid import NodeRecords, node_key
from regolith_terrain.updates import COMMITTED_TOPIC, CommittedSoil, SoilCommit
from regolith_world.cycle import CycleKey

if TYPE_CHECKING:
    from regolith_bringup.bag.columns import FieldColumn

Array = NDArray[np.float64]

_NUMBERS = ('key.epoch', 't_ns', 'soil_seq')
_NODES = ('nodes.x', 'nodes.y', 'nodes.values')
COMMIT_PATHS = (*_NUMBERS, *_NODES)
"""Fields of a TerrainCommitted used by :class:`ChangedLevels`."""
_SPARSE = 16
"""Maximum area of the enclosing rectangle per changed node for which a dense array is used instead of sorting."""


@dataclass(frozen=True)
class ChangedTerrain:
    """Changed nodes of the soil grid at the end of a run, sorted by (i, j), shape (n,) each."""

    spacing: float
    """Spacing of the soil grid [m]."""
    i: NDArray[np.int64]
    j: NDArray[np.int64]
    """Grid node (i, j) is at (i, j) * spacing."""
    level: Array
    """Height [m]."""


class ChangedLevels:
    """Heights after all committed changes. Those of a state discarded by a rewind are in another bag.

    Args:
        bag: Bag with the changes.
    """

    def __init__(self, bag: Bag) -> None:
        first = next(bag.messages(COMMITTED_TOPIC), None)
        self._field = list(first.content.nodes.fields).index('level') if first is not None else 0
        self._soil = CommittedSoil(recorded=True)
        self._levels = LatestLevels()

    def take(self, part: Mapping[str, FieldColumn]) -> None:
        """Process TerrainCommitted messages with the fields :data:`COMMIT_PATHS`, in order of arrival."""
        numbers = [part[path].table().tolist() for path in _NUMBERS]
        x, y, values = (part[path] for path in _NODES)
        places = (each.tolist() for each in (x.first, y.first, values.first, x.counts))
        for epoch, t_ns, soil_seq, i, j, first, count in zip(*numbers, *places, strict=True):
            level = first + self._field * count
            table = values.stored[level : level + count][None]
            records = NodeRecords(x.stored[i : i + count], y.stored[j : j + count], table, ('level',))
            self._soil.take(SoilCommit(CycleKey(epoch, 0, 0), t_ns, soil_seq, records, ''))
        changed = self._soil.changes().records
        if changed:
            rows = ((records.i, records.j, records.level) for records in changed)
            self._levels.set(*(np.concatenate(each) for each in zip(*rows, strict=True)))

    def changed_terrain(self, spacing: float) -> ChangedTerrain:
        """Return the changed terrain.

        Args:
            spacing: Spacing of the soil grid [m].
        """
        return ChangedTerrain(spacing, *self._levels.all())


class LatestLevels:
    """Heights of grid nodes, where later values replace earlier ones."""

    _MANY = 2_000_000
    """Number of stored heights from which replaced ones are removed."""

    def __init__(self) -> None:
        self._nodes: list[tuple[NDArray[Any], NDArray[Any]]] = []
        self._levels: list[Array] = []
        self._count = 0

    def set(self, i: NDArray[Any], j: NDArray[Any], level: Array) -> None:
        """Store heights of grid nodes (i, j). Among equal nodes the last one counts."""
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
        """Return i, j and height of all grid nodes, sorted by (i, j)."""
        if not self._nodes:
            none = np.zeros(0, np.int64)
            return none, none, np.zeros(0)
        self._drop()
        (i, j), level = self._nodes[0], self._levels[0]
        return i.astype(np.int64), j.astype(np.int64), level


def _last_of_each(i: NDArray[Any], j: NDArray[Any]) -> NDArray[np.int64]:
    """Return the index of the last occurrence of each grid node, sorted by (i, j)."""
    if not len(i):
        return np.zeros(0, np.int64)
    row, column = (each.astype(np.int64) - each.min() for each in (i, j))
    width = int(column.max()) + 1
    size = (int(row.max()) + 1) * width
    if size > _SPARSE * len(i):
        # np.unique returns the first index of each.
        return len(i) - 1 - np.unique(node_key(i, j)[::-1], return_index=True)[1]
    last = np.full(size, -1)
    # Of several values with one index, the last one is kept.
    last[row * width + column] = np.arange(len(i))
    return last[last >= 0]
