# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of the soil as messages tell them: committed ones only, gathered until somebody draws them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

UPDATES = '/regolith/terrain/update'
"""Topic, of regolith_msgs/TerrainUpdate."""


class NodeChanges(NamedTuple):
    """Nodes that changed; of equal ones the last counts."""

    i: NDArray[np.int64]
    """Node (i, j) lies at (i, j) * spacing."""
    j: NDArray[np.int64]
    level: NDArray[np.float64]
    """Height [m]."""


class SoilChanges:
    """The updates of the ground in the order they came.

    An update is known to be committed when that of a later cycle comes: another attempt at its own takes its place.
    """

    def __init__(self) -> None:
        self._held: Any = None
        self._waiting: list[NodeChanges] = []
        self.epoch = -1
        """Of the last update."""

    def take(self, update: Any) -> None:
        """Take a TerrainUpdate."""
        held, key = self._held, update.key
        if held is not None and (held.key.epoch, held.key.cycle) < (key.epoch, key.cycle):
            self._gather(held.nodes)
        self._held, self.epoch = update, int(key.epoch)

    def load(self, nodes: Any, soil_seq: int, since: Iterable[Any] = ()) -> None:
        """Take the SoilNodes of a snapshot, then those of some updates that it does not contain.

        Args:
            soil_seq: number of the last update in the snapshot
            since: the last TerrainUpdate received before the snapshot was requested, which may not have been committed
                by then, and all until its response
        """
        self._gather(nodes)
        for update in since:
            if update.soil_seq > soil_seq:
                self.take(update)

    def close(self) -> None:
        """Take the last update, too: its run has ended."""
        if self._held is not None:
            self._gather(self._held.nodes)
            self._held = None

    def _gather(self, nodes: Any) -> None:
        if len(nodes.x):
            self._waiting.append(change(nodes))

    def take_changes(self) -> NodeChanges | None:
        """Return all that was committed since the last call; None: nothing."""
        if not self._waiting:
            return None
        found, self._waiting = self._waiting, []
        return (
            found[0] if len(found) == 1 else NodeChanges(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
        )


def change(nodes: Any) -> NodeChanges:
    """Return the heights that a SoilNodes tells."""
    fields = list(nodes.fields)
    values = np.asarray(nodes.values, dtype=np.float64).reshape(len(fields), -1)[fields.index('level')]
    return NodeChanges(np.asarray(nodes.x, dtype=np.int64), np.asarray(nodes.y, dtype=np.int64), values)
