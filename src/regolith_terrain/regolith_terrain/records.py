# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What is said about changed soil nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FIELDS = ('level_initial', 'level', 'sinkage_plastic', 'sigma_yield', 'mass_remainder')
"""The five values of a node's synchronised record, in the order every array and file uses."""

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]


@dataclass(slots=True)
class NodeRecords:
    """Records of some soil nodes; unique and sorted by (i, j) wherever they travel."""

    i: Indices
    """Node index along x, shape (n,): the node lies at x = i spacing."""
    j: Indices
    """Node index along y, shape (n,)."""
    level_initial: Floats
    """Height the present sinkage counts from [m], shape (n,)."""
    level: Floats
    """Present height [m], shape (n,)."""
    sinkage_plastic: Floats
    """Plastic set along the node's normal [m], shape (n,)."""
    sigma_yield: Floats
    """Largest pressure borne so far [Pa], shape (n,)."""
    mass_remainder: Floats
    """Displaced soil not placed yet, as height [m], shape (n,)."""

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.i)

    @staticmethod
    def empty() -> NodeRecords:
        """Return records of no node."""
        none = np.zeros(0)
        return NodeRecords(np.zeros(0, np.int32), np.zeros(0, np.int32), none, none, none, none, none)

    @staticmethod
    def from_values(i: Indices, j: Indices, values: Floats) -> NodeRecords:
        """Return records from node indices, shape (n,), and values in the order of FIELDS, shape (5, n)."""
        return NodeRecords(i, j, values[0], values[1], values[2], values[3], values[4])

    def values(self) -> Floats:
        """Return the values in the order of FIELDS, C-contiguous, shape (5, n)."""
        return np.array([getattr(self, name) for name in FIELDS], dtype=np.float64)

    def is_sorted(self) -> bool:
        """Say whether the nodes are unique and sorted by (i, j)."""
        key = node_key(self.i, self.j)
        return bool(np.all(key[1:] > key[:-1]))

    def equals(self, other: NodeRecords) -> bool:
        """Say whether both hold the same nodes with the same bits."""
        return (
            np.array_equal(self.i, other.i)
            and np.array_equal(self.j, other.j)
            and self.values().tobytes() == other.values().tobytes()
        )


def node_key(i: Indices, j: Indices) -> NDArray[np.int64]:
    """Return one int64 per node that sorts as (i, j) does."""
    return (i.astype(np.int64) << 32) + (j.astype(np.int64) + 2**31)
