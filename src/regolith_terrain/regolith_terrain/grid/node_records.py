# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of changed soil nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.terrain_model import DEFAULT_TERRAIN_MODEL, find_terrain_model
from regolith_world.cycle import Saved, StateField, StateLayout, state_fields

FIELDS = find_terrain_model(DEFAULT_TERRAIN_MODEL).names
"""Names of the node fields of the default terrain model, in the order of arrays, messages and files."""

Floats = NDArray[np.float64]
"""Array of numbers."""
Indices = NDArray[np.int32]
"""Array of indices of grid nodes."""


@dataclass(slots=True)
class NodeRecords(Saved):
    """Records of soil nodes, unique and sorted by (i, j) in messages and files.

    Every field is also an attribute: ``records.level``, shape (n,).
    """

    i: Indices
    """Node index along x, shape (n,); the node is at x = i spacing."""
    j: Indices
    """Node index along y, shape (n,)."""
    table: Floats
    """One row per field, C-contiguous, shape (number of fields, n)."""
    fields: tuple[str, ...] = FIELDS
    """Names of the rows, as in the terrain model."""
    STATE: ClassVar[StateLayout] = StateLayout(
        'records of nodes',
        StateField('fields', tuple[str, ...]),
        *state_fields('q', 'rows', 'nodes'),
        StateField('i', '<i4', ('nodes',)),
        StateField('j', '<i4', ('nodes',)),
        StateField('table', '<f8', ('rows', 'nodes')),
    )

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.i)

    def __getattr__(self, name: str) -> Floats:
        """Return a field by its name, shape (n,)."""
        return row_of(self, name, self.table)

    @staticmethod
    def empty(fields: tuple[str, ...] = FIELDS) -> NodeRecords:
        """Return empty records."""
        return NodeRecords(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros((len(fields), 0)), fields)

    @staticmethod
    def restored(blob: bytes) -> NodeRecords:
        """Return the records of :meth:`save`."""
        made = NodeRecords.empty()
        made.load(blob)
        return made

    @staticmethod
    def from_values(i: Indices, j: Indices, values: Floats, fields: tuple[str, ...] = FIELDS) -> NodeRecords:
        """Return records from node indices, shape (n,), and values in the order of the fields, shape (fields, n)."""
        return NodeRecords(i, j, np.ascontiguousarray(values, dtype=np.float64), fields)

    def joined(self, others: Sequence[NodeRecords]) -> NodeRecords:
        """Return the union of these and other records of disjoint nodes, sorted by (i, j)."""
        parts = [self, *(other for other in others if len(other))]
        if len(parts) == 1:
            return self
        i, j = np.concatenate([part.i for part in parts]), np.concatenate([part.j for part in parts])
        order = np.argsort(node_key(i, j), kind='stable')
        table = np.concatenate([part.table for part in parts], axis=1)[:, order]
        return NodeRecords.from_values(i[order], j[order], table, self.fields)

    def where(self, chosen: NDArray[np.bool_]) -> NodeRecords:
        """Return the records of selected nodes, in their order.

        Args:
            chosen: Whether a node is selected, shape (n,).
        """
        return NodeRecords.from_values(self.i[chosen], self.j[chosen], self.table[:, chosen], self.fields)

    def values(self) -> Floats:
        """Return a copy of the values in the order of the fields, C-contiguous, shape (fields, n)."""
        return self.table.copy()

    def is_sorted(self) -> bool:
        """Return whether the nodes are unique and sorted by (i, j)."""
        if len(self) < 2:
            return True
        key = node_key(self.i, self.j)
        return bool(np.all(key[1:] > key[:-1]))

    def equals(self, other: NodeRecords) -> bool:
        """Return whether both have the same nodes and bit-identical values."""
        return (
            np.array_equal(self.i, other.i)
            and np.array_equal(self.j, other.j)
            and self.fields == other.fields
            and self.table.tobytes() == other.table.tobytes()
        )


def row_of(owner: object, name: str, table: Floats) -> Floats:
    """Return the table row that an attribute names, for ``__getattr__`` of an object with ``fields``.

    Args:
        owner: Object with ``fields``.
        name: Name of the attribute.
        table: Values, one row per field.

    Raises:
        AttributeError: If there is no such field.
    """
    fields: tuple[str, ...] = object.__getattribute__(owner, 'fields')
    if name not in fields:
        raise AttributeError(f'{type(owner).__name__} has no {name!r}; its fields: {", ".join(fields)}')
    row: Floats = table[fields.index(name)]
    return row


def node_key(i: NDArray[np.signedinteger[Any]], j: NDArray[np.signedinteger[Any]]) -> NDArray[np.int64]:
    """Return one int64 per node with the sort order of (i, j)."""
    return (i.astype(np.int64) << 32) + (j.astype(np.int64) + 2**31)
