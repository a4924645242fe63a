# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Copy of the soil grid shared by all agents of a process."""

from __future__ import annotations

from regolith_terrain.grid.merge import SoilUpdate
from regolith_terrain.grid.soil_copy import SoilCopy
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_world.cycle import Command, Cycle, CycleKey, Verdict


class SharedSoilCopy:
    """Soil grid that follows the committed terrain updates, once for all agents of a process.

    It is a :class:`regolith_world.cycle.participant_group.SharedTerrain`.

    Args:
        grid: Soil grid to update.
        owner: Name for messages.
    """

    def __init__(self, grid: SoilGrid, owner: str) -> None:
        self.grid = grid
        """Soil grid, read only for the agents."""
        self._copy = SoilCopy(grid, owner)
        self._epoch = 0
        self._last: CycleKey | None = None
        self._tentative: CycleKey | None = None

    def receive(self, update: SoilUpdate) -> None:
        """Store an update until its attempt is committed or discarded."""
        self._copy.receive(update)

    def ready_for(self, cycle: Cycle) -> bool:
        """Return whether a record can be processed: the update that it commits was received."""
        awaited = self._tentative if self._is_new(cycle) and cycle.verdict == Verdict.COMMIT else None
        return awaited is None or self._copy.has(awaited)

    def on_cycle(self, cycle: Cycle) -> None:
        """Commit or discard the update of a record; repeated and outdated records have no effect."""
        if not self._is_new(cycle):
            return
        self._last = cycle.key
        if self._tentative is not None and cycle.verdict == Verdict.COMMIT:
            self._copy.commit(self._tentative)
        elif self._tentative is not None and cycle.verdict == Verdict.DISCARD:
            self._copy.drop(self._tentative)
        if cycle.verdict != Verdict.NONE:
            self._tentative = None
        if cycle.command == Command.EVOLVE:
            self._tentative = cycle.key

    def load(self, soil_seq: int, ground: bytes, epoch: int) -> None:
        """Load a saved soil grid, unless it is the present one.

        Args:
            soil_seq: Number of updates committed in it.
            ground: Bytes of :meth:`SoilGrid.save`.
            epoch: Epoch of the saved soil.
        """
        if epoch == self._epoch and soil_seq == self._copy.soil_seq:
            return
        self._copy.load(ground, soil_seq)
        self._epoch, self._last, self._tentative = epoch, None, None

    def _is_new(self, cycle: Cycle) -> bool:
        return cycle.key.epoch == self._epoch and (self._last is None or cycle.key > self._last)
