# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory of the shear under a vehicle's parts between cycles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.node_records import Floats, Indices
from regolith_world.cycle import Saved, StateField, StateLayout, state_fields
from regolith_world.numerics import kernel

Flags = NDArray[np.bool_]


@dataclass(slots=True)
class ShearMemory(Saved):
    """Nonzero shear of (layer, node), sorted by (layer, i, j).

    A layer is a wheel or a part of the hull (regolith mode) or the whole vehicle (reference mode, layer 0). The meaning
    of the two values depends on the mode, see :func:`regolith_terrain.scm.body_wrench`. The memory is part of the
    vehicle's state; merges of soil do not change it.
    """

    layers: int
    """Number of layers."""
    layer: Indices
    """Layer of each entry, shape (n,)."""
    i: Indices
    """Node index along x, shape (n,)."""
    j: Indices
    """Node index along y, shape (n,)."""
    value: Floats
    """Shear of each entry, shape (n, 2)."""
    STATE: ClassVar[StateLayout] = StateLayout(
        'shear',
        *state_fields('q', 'layers', 'count'),
        StateField('layer', '<i4', ('count',)),
        StateField('i', '<i4', ('count',)),
        StateField('j', '<i4', ('count',)),
        StateField('value', '<f8', ('count', 2)),
    )

    @staticmethod
    def empty(layers: int) -> ShearMemory:
        """Return the memory of a vehicle without contacts."""
        none = np.zeros(0, dtype=np.int32)
        return ShearMemory(layers, none, none, none, np.zeros((0, 2)))

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.layer)

    def first(self, layers: int) -> ShearMemory:
        """Return the entries of the first layers, in a memory with the same number of layers."""
        if len(self) == 0 or self.layer[-1] < layers:
            return self
        n = int(np.searchsorted(self.layer, layers))
        return ShearMemory(self.layers, self.layer[:n], self.i[:n], self.j[:n], self.value[:n])

    def scatter(self, i0: int, i1: int, j0: int, j1: int) -> Floats:
        """Return dense arrays for the nodes i0 <= i < i1, j0 <= j < j1, shape (layers, i1 - i0, j1 - j0, 2)."""
        dense = np.zeros((self.layers, i1 - i0, j1 - j0, 2))
        self.scatter_into(i0, j0, dense)
        return dense

    def scatter_into(self, i0: int, j0: int, dense: Floats) -> None:
        """Write the entries to zeroed arrays, shape (layers, ni, nj, 2), whose first node is (i0, j0).

        Fewer layers are sufficient if the last ones have no entries (see :meth:`first`).
        """
        _scatter(self.layer, self.i, self.j, self.value, 1.0, i0, j0, dense)

    def clear(self, i0: int, j0: int, dense: Floats) -> None:
        """Set the arrays to zero at all entries of this memory, the result of :meth:`gather`."""
        _scatter(self.layer, self.i, self.j, self.value, 0.0, i0, j0, dense)

    def gather(self, i0: int, j0: int, dense: Floats, touched: Flags) -> ShearMemory:
        """Return the memory after a cycle: old values of untouched nodes, values of ``dense`` for touched ones.

        Args:
            i0: Index of the window's first row.
            j0: Index of the window's first column.
            dense: Arrays of :meth:`scatter`, changed by the kernels.
            touched: Nodes loaded by the kernels, shape (ni, nj). Other shear does not change, but may have been reset.
        """
        kept, layer, i, j, value = _gather(self.layer, self.i, self.j, self.value, i0, j0, dense, touched)
        if kept:
            # The kernel lists the kept entries first, so the order is restored here.
            order = np.lexsort((j, i, layer))
            layer, i, j, value = layer[order], i[order], j[order], value[order]
        return ShearMemory(self.layers, layer, i, j, value)


@kernel
def _scatter(
    layer: Indices, i: Indices, j: Indices, value: Floats, factor: float, i0: int, j0: int, dense: Floats
) -> None:
    """Write ``factor`` times the value of each entry to the dense arrays."""
    for n in range(layer.shape[0]):
        r = i[n] - i0
        c = j[n] - j0
        if 0 <= r < dense.shape[1] and 0 <= c < dense.shape[2]:
            dense[layer[n], r, c, 0] = factor * value[n, 0]
            dense[layer[n], r, c, 1] = factor * value[n, 1]


@kernel
def _gather(
    layer: Indices, i: Indices, j: Indices, value: Floats, i0: int, j0: int, dense: Floats, touched: Flags
) -> tuple[int, Indices, Indices, Indices, Floats]:
    """Return the number of kept entries and all entries after a cycle (layer, i, j, value), kept ones first.

    See :meth:`ShearMemory.gather`.
    """
    layers, ni, nj = dense.shape[0], dense.shape[1], dense.shape[2]
    total = 0
    for r in range(ni):
        for c in range(nj):
            if touched[r, c]:
                total += 1
    rows = np.empty(total, np.int32)
    cols = np.empty(total, np.int32)
    at = 0
    for r in range(ni):
        for c in range(nj):
            if touched[r, c]:
                rows[at], cols[at] = r, c
                at += 1
    capacity = layer.shape[0] + layers * total
    out_layer = np.empty(capacity, np.int32)
    out_i = np.empty(capacity, np.int32)
    out_j = np.empty(capacity, np.int32)
    out_value = np.empty((capacity, 2))
    at = 0
    for n in range(layer.shape[0]):
        r, c = i[n] - i0, j[n] - j0
        inside = 0 <= r < ni and 0 <= c < nj
        if inside and (touched[r, c] or (dense[layer[n], r, c, 0] == 0.0 and dense[layer[n], r, c, 1] == 0.0)):
            continue
        out_layer[at], out_i[at], out_j[at] = layer[n], i[n], j[n]
        out_value[at, 0], out_value[at, 1] = value[n, 0], value[n, 1]
        at += 1
    kept = at
    for k in range(layers):
        for n in range(total):
            r, c = rows[n], cols[n]
            if dense[k, r, c, 0] != 0.0 or dense[k, r, c, 1] != 0.0:
                out_layer[at], out_i[at], out_j[at] = k, r + i0, c + j0
                out_value[at, 0], out_value[at, 1] = dense[k, r, c, 0], dense[k, r, c, 1]
                at += 1
    return kept, out_layer[:at].copy(), out_i[:at].copy(), out_j[:at].copy(), out_value[:at].copy()
