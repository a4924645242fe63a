# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The copy of the ground that an agent in a process of its own holds, kept equal to terrain's."""

from __future__ import annotations

import numpy as np

from regolith_terrain.grid.merge import SoilUpdate
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_world.cycle.records import CycleKey


class SoilCopy:
    """A soil grid that follows the committed updates of terrain.

    With ``compaction_transfer`` off, nodes that another agent owns arrive as SynChrono's do: at their new level but as
    virgin soil. Such a copy differs from terrain's ground by design; :meth:`soil_hash` then returns terrain's, which
    it follows.
    """

    def __init__(self, grid: SoilGrid, owner: str, compaction_transfer: bool = True) -> None:
        """Follow terrain's updates on ``grid``, for the agent ``owner``."""
        self.grid = grid
        self.owner = owner
        self.compaction_transfer = compaction_transfer
        self.soil_seq = 0
        self._received: dict[CycleKey, SoilUpdate] = {}
        self._followed = grid.soil_hash()

    def receive(self, update: SoilUpdate) -> None:
        """Hold an update until the verdict on its attempt is known; repeated ones change nothing."""
        self._received.setdefault(update.key, update)

    def has(self, key: CycleKey) -> bool:
        """Return whether the update of an attempt is here."""
        return key in self._received

    def commit(self, key: CycleKey) -> None:
        """Apply the update of an attempt that was committed, and forget all older ones.

        Raises:
            LookupError: If that update never came.
            RuntimeError: If the ground then differs from terrain's.
        """
        if key not in self._received:
            raise LookupError(f'{self.owner}: no soil update for {key}')
        update = self._received[key]
        if self.compaction_transfer:
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
        """Forget the updates of this attempt and of all before it (after a DISCARD)."""
        self._received = {other: update for other, update in self._received.items() if other > key}

    def soil_hash(self) -> str:
        """Return the hash of the ground this copy follows."""
        return self._followed

    def load(self, blob: bytes, soil_seq: int) -> None:
        """Become a saved ground (terrain's snapshot); held updates of the past are forgotten by their keys later.

        Args:
            blob: From :meth:`SoilGrid.save`.
            soil_seq: Number of updates committed in it.
        """
        self.grid.load(blob)
        self.soil_seq = soil_seq
        self._followed = self.grid.soil_hash()


def as_undisturbed(records: NodeRecords, where: np.ndarray) -> NodeRecords:
    """Return records without history at some nodes: level_initial = level, the law's own fields zero.

    Args:
        where: Bool, shape (n,).
    """
    virgin = NodeRecords(records.i, records.j, records.values(), records.fields)
    virgin.level_initial[where] = virgin.level[where]
    virgin.table[2:-1, where] = 0.0  # between the two heights and the mass, which no history changes
    return virgin
