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
from regolith_world.cycle import Saved, StateField, StateLayout

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


class SolidContact(Saved):
    """Contact of one vehicle's parts with solids; its memory is the mobilized friction of each point."""

    STATE = StateLayout(
        'contacts with solids',
        StateField('_count', '<i8', shared=True),
        StateField('_keys', '<i8', ('contacts',)),
        StateField('_forces', '<f8', ('contacts', 3)),
    )

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

    @property
    def _present(self) -> NDArray[np.bool_]:
        """Which slots are contacts, shape (parts, SLOTS)."""
        return np.arange(SLOTS) < self._count[:, None]

    @property
    def _keys(self) -> NDArray[np.int64]:
        """Keys of all contacts, shape (n,)."""
        return self._key[self._present] if self._count.any() else self._key[:0].ravel()

    @_keys.setter
    def _keys(self, keys: NDArray[np.int64]) -> None:
        self._key[self._present] = keys

    @property
    def _forces(self) -> Floats:
        """Mobilized friction of all contacts, shape (n, 3)."""
        return self._held[self._present] if self._count.any() else self._held[:0].reshape(-1, 3)

    @_forces.setter
    def _forces(self, held: Floats) -> None:
        self._held[self._present] = held
