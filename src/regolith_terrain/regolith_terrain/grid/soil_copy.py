# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Copy of the soil grid in an agent with a separate process."""

from __future__ import annotations

import numpy as np

from regolith_terrain.grid.merge import SoilUpdate
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_world.cycle import CycleKey


class SoilCopy:
    """Soil grid that follows the committed terrain updates.

    With ``merge_compaction`` off, nodes of another agent arrive as in SynChrono: at their new level but as
    undisturbed soil. Such a copy differs from the soil of terrain by design; :meth:`soil_hash` then returns that of
    terrain.
    """

    def __init__(self, grid: SoilGrid, owner: str, merge_compaction: bool = True) -> None:
        """Follow the terrain updates with ``grid`` for the agent ``owner``."""
        self.grid = grid
        self.owner = owner
        self.merge_compaction = merge_compaction
        self.soil_seq = 0
        self._received: dict[CycleKey, SoilUpdate] = {}
        self._followed = grid.soil_hash()

    def receive(self, update: SoilUpdate) -> None:
        """Store an update until its attempt is committed or discarded; repeated updates have no effect."""
        self._received.setdefault(update.key, update)

    def has(self, key: CycleKey) -> bool:
        """Return whether the update of an attempt was received."""
        return key in self._received

    def commit(self, key: CycleKey) -> None:
        """Apply the update of a committed attempt and discard all older ones.

        Args:
            key: Key of the attempt.

        Raises:
            LookupError: If the update was not received.
            RuntimeError: If the soil then differs from that of terrain.
        """
        if key not in self._received:
            raise LookupError(f'{self.owner}: soil update for {key} is missing')
        update = self._received[key]
        if self.merge_compaction:
            self.grid.apply(update.records)
            if self.grid.soil_hash() != update.soil_hash:
                raise RuntimeError(
                    f'{self.owner}: soil differs from the terrain after {key}: {self.grid.soil_hash()} here, '
                    f'{update.soil_hash} there'
                )
        else:
            mine = update.agents.index(self.owner) if self.owner in update.agents else -1
            self.grid.apply(as_undisturbed(update.records, update.owner != mine))
        self._followed = update.soil_hash
        self.soil_seq = update.soil_seq
        self.drop(key)

    def drop(self, key: CycleKey) -> None:
        """Discard the updates of this attempt and of all before it (after a DISCARD)."""
        self._received = {other: update for other, update in self._received.items() if other > key}

    def soil_hash(self) -> str:
        """Return the soil hash of terrain that this copy follows."""
        return self._followed

    def load(self, blob: bytes, soil_seq: int) -> None:
        """Load a saved soil grid, such as a snapshot of the terrain.

        Stored updates of the past are discarded later by their keys.

        Args:
            blob: Bytes of :meth:`SoilGrid.save`.
            soil_seq: Number of updates committed in it.
        """
        self.grid.load(blob)
        self.soil_seq = soil_seq
        self._followed = self.grid.soil_hash()


def as_undisturbed(records: NodeRecords, where: np.ndarray) -> NodeRecords:
    """Return records without history at selected nodes.

    There, ``level_initial`` equals ``level`` and the fields of the terrain model are zero.

    Args:
        records: Records of nodes.
        where: Whether a node is selected, shape (n,).
    """
    virgin = NodeRecords(records.i, records.j, records.values(), records.fields)
    virgin.level_initial[where] = virgin.level[where]
    virgin.table[2:-1, where] = 0.0  # fields between the two heights and the mass
    return virgin
