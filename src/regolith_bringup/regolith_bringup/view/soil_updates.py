# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Committed soil changes from messages, collected until they are drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

UPDATES = '/regolith/terrain/update'
"""Name of the topic of type regolith_msgs/TerrainUpdate."""


class NodeChanges(NamedTuple):
    """Changed grid nodes. Among equal nodes the last one counts."""

    i: NDArray[np.int64]
    """Grid node (i, j) is at (i, j) * spacing."""
    j: NDArray[np.int64]
    level: NDArray[np.float64]
    """Height [m]."""


class SoilChanges:
    """Soil updates in order of arrival.

    An update is known to be committed when an update of a later cycle arrives. Another attempt of its cycle replaces
    it.
    """

    def __init__(self) -> None:
        self._held: Any = None
        self._waiting: list[NodeChanges] = []
        self.epoch = -1
        """Epoch of the last update."""

    def take(self, update: Any) -> None:
        """Process a TerrainUpdate."""
        held, key = self._held, update.key
        if held is not None and (held.key.epoch, held.key.cycle) < (key.epoch, key.cycle):
            self._gather(held.nodes)
        self._held, self.epoch = update, int(key.epoch)

    def load(self, nodes: Any, soil_seq: int, since: Iterable[Any] = ()) -> None:
        """Load the SoilNodes of a complete soil state, and later updates.

        Args:
            nodes: SoilNodes of the complete state.
            soil_seq: Number of the last update included in the state.
            since: Last TerrainUpdate received before the request, which may not have been committed then, and all
                received until the response.
        """
        self._gather(nodes)
        for update in since:
            if update.soil_seq > soil_seq:
                self.take(update)

    def close(self) -> None:
        """Process the last update as committed, because its run has ended."""
        if self._held is not None:
            self._gather(self._held.nodes)
            self._held = None

    def _gather(self, nodes: Any) -> None:
        if len(nodes.x):
            self._waiting.append(change(nodes))

    def take_changes(self) -> NodeChanges | None:
        """Return all changes committed since the last call, or None."""
        if not self._waiting:
            return None
        found, self._waiting = self._waiting, []
        return (
            found[0] if len(found) == 1 else NodeChanges(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
        )


def change(nodes: Any) -> NodeChanges:
    """Return the heights in a SoilNodes message."""
    fields = list(nodes.fields)
    values = np.asarray(nodes.values, dtype=np.float64).reshape(len(fields), -1)[fields.index('level')]
    return NodeChanges(np.asarray(nodes.x, dtype=np.int64), np.asarray(nodes.y, dtype=np.int64), values)
