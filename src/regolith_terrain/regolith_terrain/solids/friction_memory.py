# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory of a vehicle's contacts with solids between cycles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.arrays import Shapes
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.contact import MOST_DISCS, SLOTS, SolidContactArrays
from regolith_terrain.solids.solids import NOTHING_NEAR, Solids

Indices = NDArray[np.int64]

_NO_SHAPES = Shapes(
    np.zeros(0, np.int32),
    np.zeros((0, 6)),
    np.zeros((0, 2), np.int32),
    np.zeros((0, 4)),
    np.zeros((0, 2), np.int32),
    np.zeros((0, 9)),
)


def _no_arrays() -> SolidContactArrays:
    none = np.zeros(0, dtype=np.int64)
    return SolidContactArrays(
        NOTHING_NEAR,
        _NO_SHAPES,
        np.zeros(0),
        np.zeros(0),
        np.zeros((0, 6, 6)),
        none,
        np.zeros((0, SLOTS), dtype=np.int64),
        np.zeros((0, SLOTS, 3)),
        np.zeros((SLOTS, 8)),
        np.zeros(SLOTS, dtype=np.int64),
        np.zeros((SLOTS, 3)),
        np.zeros((16, 3)),
        np.zeros((MOST_DISCS, 5)),
    )


NO_SOLIDS = _no_arrays()
"""Arrays of a vehicle without a solid nearby."""


class SolidContact:
    """Contact of one vehicle's parts with solids; its memory is the mobilized friction of each point."""

    def __init__(self, solids: Solids, shapes: Shapes, reach: Floats, stiffness: Floats) -> None:
        """Create the contact of parts that touch no solid.

        Args:
            solids: Solids of the scenario.
            shapes: Shapes of all parts.
            reach: Radius about its origin that encloses each part [m], shape (n,).
            stiffness: Total spring stiffness of each part [N/m], shape (n,).
        """
        self.solids = solids
        self._shapes, self._reach = shapes, reach
        self._stiffness = stiffness
        parts = len(reach)
        self._count = np.zeros(parts, dtype=np.int64)
        self._nothing = self._count.astype('<i8').tobytes()
        self._key = np.zeros((parts, SLOTS), dtype=np.int64)
        self._held = np.zeros((parts, SLOTS, 3))
        most = max(16, int(np.diff(solids.library.first_vertex).max()))
        self._rooms = (
            np.zeros((SLOTS, 8)),
            np.zeros(SLOTS, dtype=np.int64),
            np.zeros((SLOTS, 3)),
            np.zeros((most, 3)),
            np.zeros((MOST_DISCS, 5)),
        )

    def arrays(self, numbers: Indices, inverse: Floats) -> SolidContactArrays:
        """Return the arguments of :func:`touch` for a cycle.

        Args:
            numbers: Numbers of the nearby solids, ascending.
            inverse: Inverse inertia, see :attr:`SolidContactArrays.inverse`.
        """
        return SolidContactArrays(
            self.solids.near(numbers),
            self._shapes,
            self._reach,
            self._stiffness,
            inverse,
            self._count,
            self._key,
            self._held,
            *self._rooms,
        )

    def part(self, first: int = 0) -> None:
        """Reset the contacts of parts from the first on, which have no solid nearby."""
        self._count[first:] = 0

    def save(self) -> bytes:
        """Return the contact memory; equal memories give equal bytes."""
        if not self._count.any():
            return self._nothing
        kept = np.arange(SLOTS) < self._count[:, None]
        return b''.join(
            (
                self._count.astype('<i8').tobytes(),
                self._key[kept].astype('<i8').tobytes(),
                self._held[kept].astype('<f8').tobytes(),
            )
        )

    def load(self, blob: bytes) -> None:
        """Restore the result of :meth:`save`.

        Args:
            blob: Saved memory.

        Raises:
            ValueError: If the length does not match.
        """
        head = 8 * len(self._count)
        count = np.frombuffer(blob[:head], '<i8') if len(blob) >= head else None
        total = 0 if count is None else int(count.sum())
        if count is None or (len(count) and not 0 <= count.max() <= SLOTS) or len(blob) != head + 32 * total:
            raise ValueError(
                f'saved contacts with solids of {len(blob)} bytes; allowed: contacts that are not truncated'
            )
        self._count[:] = count
        kept = np.arange(SLOTS) < self._count[:, None]
        self._key[kept] = np.frombuffer(blob, '<i8', total, head)
        self._held[kept] = np.frombuffer(blob, '<f8', 3 * total, head + 8 * total).reshape(-1, 3)
