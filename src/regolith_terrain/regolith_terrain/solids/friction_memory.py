# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory of a vehicle's contacts with solids between cycles."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.arrays import Shapes
from regolith_terrain.contact.ground_contact import make_pose
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.contact_arrays import MOST_DISCS, SLOTS, SolidContactArrays
from regolith_terrain.solids.moving_solids import MovingSolids
from regolith_terrain.solids.solids import NOTHING_NEAR, NearbySolids, Solids
from regolith_world.cycle import Saved, StateField, StateLayout

Indices = NDArray[np.int64]

MOST_VERTICES = 400
"""Largest number of vertices of a solid, for work arrays."""

_NO_SHAPES = Shapes(
    np.zeros(0, np.int32),
    np.zeros((0, 6)),
    np.zeros((0, 2), np.int32),
    np.zeros((0, 4)),
    np.zeros((0, 2), np.int32),
    np.zeros((0, 9)),
    np.zeros((2, 0)),
)


NOTHING_MOVES = MovingSolids(
    row=np.zeros(0, dtype=np.int64),
    position=np.zeros((0, 3)),
    velocity=np.zeros((0, 3)),
    spin=np.zeros((0, 3)),
    mobility=np.zeros((0, 6, 6)),
    force=np.zeros((0, 3)),
    torque=np.zeros((0, 3)),
    touching=np.zeros((0, 2), dtype=np.int64),
    done=np.zeros(0, dtype=np.bool_),
    friction=np.zeros(0),
    damping_ratio=np.zeros(0),
    relative=make_pose(),
    both=np.zeros((6, 6)),
)
"""Bodies among solids that all stand fast."""


def _no_arrays() -> SolidContactArrays:
    none = np.zeros(0, dtype=np.int64)
    return SolidContactArrays(
        NOTHING_NEAR,
        NOTHING_MOVES,
        _NO_SHAPES,
        np.zeros(0),
        np.zeros(0),
        np.zeros((0, 6, 6)),
        none,
        np.zeros((0, SLOTS), dtype=np.int64),
        np.zeros((0, SLOTS, 3)),
        np.zeros((SLOTS, 8)),
        np.zeros(SLOTS, dtype=np.int64),
        np.zeros(SLOTS, dtype=np.int64),
        np.zeros((SLOTS, 3)),
        np.zeros((16, 3)),
        np.zeros((MOST_DISCS, 6)),
    )


NO_SOLIDS = _no_arrays()
"""Arrays of a vehicle without a solid nearby."""


class PartFriction(Saved):
    """Memory of the contact of one part with solids, which another contact with the same solids can load."""

    STATE = StateLayout(
        'contact of a part with solids',
        StateField('count', '<i8', shared=True),
        StateField('keys', '<i8', ('contacts',)),
        StateField('forces', '<f8', ('contacts', 3)),
    )

    def __init__(self, count: Indices, key: Indices, held: Floats) -> None:
        """Refer to the memory of a part.

        Args:
            count: Number of contacts, shape (1,).
            key: Keys, shape (SLOTS,).
            held: Mobilized friction, shape (SLOTS, 3).
        """
        self.count, self._key, self._held = count, key, held

    @property
    def keys(self) -> Indices:
        """Solid and feature of each contact, shape (contacts,)."""
        return self._key[: self.count[0]]

    @keys.setter
    def keys(self, keys: Indices) -> None:
        self._key[: len(keys)] = keys

    @property
    def forces(self) -> Floats:
        """Mobilized friction of each contact, shape (contacts, 3)."""
        return self._held[: self.count[0]]

    @forces.setter
    def forces(self, held: Floats) -> None:
        self._held[: len(held)] = held


class SolidContact(Saved):
    """Contact of one vehicle's parts with solids; its memory is the mobilized friction of each point."""

    STATE = StateLayout(
        'contacts with solids',
        StateField('_count', '<i8', shared=True),
        StateField('_keys', '<i8', ('contacts',)),
        StateField('_forces', '<f8', ('contacts', 3)),
    )

    def __init__(self, solids: Solids | None, shapes: Shapes, reach: Floats, stiffness: Floats) -> None:
        """Create the contact of parts that touch no solid.

        Args:
            solids: Static solids of the scenario; none: only bodies that move.
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
        most = MOST_VERTICES if solids is None else int(np.diff(solids.library.first_vertex).max())
        self._work = (
            np.zeros((SLOTS, 8)),
            np.zeros(SLOTS, dtype=np.int64),
            np.zeros(SLOTS, dtype=np.int64),
            np.zeros((SLOTS, 3)),
            np.zeros((max(most, MOST_VERTICES), 3)),
            np.zeros((MOST_DISCS, 6)),
        )

    def arrays(
        self,
        numbers: Indices,
        inverse: Floats,
        bodies: Callable[[NearbySolids], tuple[NearbySolids, MovingSolids]] | None = None,
    ) -> SolidContactArrays:
        """Return the arguments of :func:`add_solid_wrench` for a cycle.

        Args:
            numbers: Numbers of the nearby static solids, ascending.
            inverse: Inverse inertia, see :attr:`SolidContactArrays.inverse`.
            bodies: Function that adds moving bodies to the solids; none: no bodies.
        """
        near = NOTHING_NEAR if self.solids is None else self.solids.near(numbers)
        near, moving = (near, NOTHING_MOVES) if bodies is None else bodies(near)
        return SolidContactArrays(
            near,
            moving,
            self._shapes,
            self._reach,
            self._stiffness,
            inverse,
            self._count,
            self._key,
            self._held,
            *self._work,
        )

    def part(self, first: int = 0) -> None:
        """Reset the contacts of parts from the first on, which have no solid nearby."""
        self._count[first:] = 0

    def release(self, parts: Sequence[int]) -> None:
        """Reset the contacts of some parts."""
        self._count[list(parts)] = 0

    def of_part(self, part: int) -> PartFriction:
        """Return the memory of a part."""
        return PartFriction(self._count[part : part + 1], self._key[part], self._held[part])

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
