# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Copy of the soil grid in a process of vehicles."""

from __future__ import annotations

import numpy as np

from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.updates.merge import SoilUpdate
from regolith_terrain.updates.surface_edit import raised_nodes
from regolith_world.cycle import Command, Cycle, CycleKey, Verdict


class SoilCopy:
    """Soil grid that follows the committed terrain updates in a process without the terrain participant.

    All vehicles of a process share one copy, which is a :class:`regolith_world.cycle.participant_group.TerrainCopy`.
    With ``merge_compaction`` off, each has its own: nodes of another vehicle arrive as in SynChrono, at their new level
    but as undisturbed soil. Such a copy differs from the soil of terrain by design; :meth:`soil_hash` then returns that
    of terrain.

    Args:
        grid: Soil grid to update. Vehicles only read it.
        owner: Name of the vehicle, or of the process for messages.
        merge_compaction: Whether the history of nodes of other vehicles is taken over.
        epoch: Epoch of the records that follow.
    """

    def __init__(self, grid: SoilGrid, owner: str, merge_compaction: bool = True, epoch: int = 0) -> None:
        self.grid = grid
        self.owner = owner
        self.merge_compaction = merge_compaction
        self.soil_seq = 0
        self._received: dict[CycleKey, SoilUpdate] = {}
        self._followed = grid.soil_hash()
        self._epoch = epoch
        self._last: CycleKey | None = None
        self._tentative: CycleKey | None = None

    def receive(self, update: SoilUpdate) -> None:
        """Store an update until its attempt is committed or discarded; repeated updates have no effect."""
        self._received.setdefault(update.key, update)

    def ready_for(self, cycle: Cycle) -> bool:
        """Return whether a record can be processed: the update that it commits was received."""
        awaited = self._tentative if self._is_new(cycle) and cycle.verdict == Verdict.COMMIT else None
        return awaited is None or awaited in self._received

    def on_cycle(self, cycle: Cycle) -> None:
        """Commit or discard the update of a record; repeated and outdated records have no effect."""
        if not self._is_new(cycle):
            return
        self._last = cycle.key
        if self._tentative is not None and cycle.verdict == Verdict.COMMIT:
            self.commit(self._tentative)
        elif self._tentative is not None and cycle.verdict == Verdict.DISCARD:
            self.drop(self._tentative)
        if cycle.verdict != Verdict.NONE:
            self._tentative = None
        if cycle.command == Command.EVOLVE:
            self._tentative = cycle.key

    def _is_new(self, cycle: Cycle) -> bool:
        return cycle.key.epoch == self._epoch and (self._last is None or cycle.key > self._last)

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
        raised = raised_nodes(self.grid, update.records, update.owner)
        if self.merge_compaction:
            self.grid.apply(update.records, raised)
            if self.grid.soil_hash() != update.soil_hash:
                raise RuntimeError(
                    f'{self.owner}: soil differs from the terrain after {key}: {self.grid.soil_hash()} here, '
                    f'{update.soil_hash} there'
                )
        else:
            mine = update.agents.index(self.owner) if self.owner in update.agents else -1
            self.grid.apply(as_undisturbed(update.records, update.owner != mine), raised)
        self._followed = update.soil_hash
        self.soil_seq = update.soil_seq
        self.drop(key)

    def drop(self, key: CycleKey) -> None:
        """Discard the updates of this attempt and of all before it (after a DISCARD)."""
        self._received = {other: update for other, update in self._received.items() if other > key}

    def soil_hash(self) -> str:
        """Return the soil hash of terrain that this copy follows."""
        return self._followed

    def load(self, soil_seq: int, blob: bytes, epoch: int) -> None:
        """Load a saved soil grid, such as a snapshot of the terrain, unless it is the present one.

        Stored updates of the past are discarded later by their keys.

        Args:
            soil_seq: Number of updates committed in it.
            blob: Bytes of :meth:`SoilGrid.save`.
            epoch: Epoch of the records that follow.
        """
        if epoch == self._epoch and soil_seq == self.soil_seq:
            return
        self.grid.load(blob)
        self.soil_seq = soil_seq
        self._followed = self.grid.soil_hash()
        self._epoch, self._last, self._tentative = epoch, None, None


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
