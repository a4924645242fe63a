# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Committed soil of a run as an observer follows it: a complete state, then every committed change in order.

Terrain publishes each change after the verdict of the world, so nothing here was or will be discarded. The class
:class:`regolith_terrain.ros.SoilFollower` connects it to a running simulation. Readers of a bag pass it the recorded
messages.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np

from regolith_terrain.grid.node_records import NodeRecords
from regolith_world.cycle import CycleKey

COMMITTED_TOPIC = '/regolith/terrain/committed'
"""Name of the topic of type regolith_msgs/TerrainCommitted, relative to the namespace of the run."""


class SoilCommit(NamedTuple):
    """Soil changes of one committed cycle."""

    key: CycleKey
    """Key of the committed attempt."""
    t_ns: int
    """Simulated time of the commit [ns]."""
    soil_seq: int
    """Number of the committed update."""
    records: NodeRecords
    """Changed nodes."""
    soil_hash: str
    """Hash of the whole soil after the commit."""

    @classmethod
    def of(cls, message: Any) -> SoilCommit:
        """Return the content of a TerrainCommitted message, as received or as read from a bag."""
        key = CycleKey(int(message.key.epoch), int(message.key.cycle), int(message.key.attempt))
        return cls(key, int(message.t_ns), int(message.soil_seq), nodes_of(message.nodes), message.soil_hash)


class SoilChanges(NamedTuple):
    """Soil changes since the last query."""

    complete: bool
    """Whether they begin with a complete state, which replaces all earlier changes."""
    records: list[NodeRecords]
    """Changed nodes in the order of their commits. Of equal nodes the last one counts."""


class CommittedSoil:
    """Order of the committed changes, without repetitions.

    Args:
        recorded: Whether the changes are from a recording. Then no complete state can be requested: the first change
            continues the undisturbed ground, and missing changes are skipped.
    """

    def __init__(self, *, recorded: bool = False) -> None:
        self._recorded = recorded
        self.lost = not recorded
        """Whether a complete state is needed: at the start, after a missing change, after a rewind."""
        self.epoch = -1
        """Epoch of the changes."""
        self.soil_seq = 0
        """Number of the last update that :meth:`changes` returned."""
        self.from_ns = -1
        """Simulated time of the complete state, before which the soil is unknown [ns]."""
        self.until_ns = -1
        """Simulated time of the newest change received [ns]."""
        self._state: NodeRecords | None = None
        self._waiting: deque[SoilCommit] = deque()

    def begin(self, epoch: int) -> None:
        """Discard all waiting changes if an epoch is new, i.e. after a rewind. A complete state is then needed."""
        if epoch > self.epoch:
            self.epoch, self.from_ns, self.until_ns = epoch, -1, -1
            self._state, self.lost = None, not self._recorded
            self._waiting.clear()
            self.soil_seq = 0

    def take(self, commit: SoilCommit) -> None:
        """Store a change until :meth:`changes` returns it. Changes of earlier epochs are ignored."""
        if commit.key.epoch >= self.epoch:
            self.begin(commit.key.epoch)
            self._waiting.append(commit)
            self.until_ns = max(self.until_ns, commit.t_ns)

    def load(self, epoch: int, t_ns: int, soil_seq: int, records: NodeRecords) -> None:
        """Continue from a complete state. One of an earlier epoch is ignored, because the world has rewound since.

        Args:
            epoch: Epoch of the state.
            t_ns: Simulated time of its last commit [ns]; -1: no commit in this epoch.
            soil_seq: Number of updates in it.
            records: All changed nodes.
        """
        if epoch < self.epoch:
            return
        self.begin(epoch)
        self._waiting = deque(commit for commit in self._waiting if commit.soil_seq > soil_seq)
        self._state, self.soil_seq, self.lost = records, soil_seq, False
        self.from_ns, self.until_ns = t_ns, max(self.until_ns, t_ns)

    def changes(self, t_ns: int | None = None) -> SoilChanges:
        """Return the changes since the last call. A missing change ends them and sets :attr:`lost`.

        Args:
            t_ns: Simulated time of the last commit to return [ns]; None: all that were received.
        """
        state, self._state = self._state, None
        found = [] if state is None else [state]
        while self._waiting and not self.lost and (t_ns is None or self._waiting[0].t_ns <= t_ns):
            if self._waiting[0].soil_seq > self.soil_seq + 1 and not self._recorded:
                self.lost = True
                break
            commit = self._waiting.popleft()
            if commit.soil_seq > self.soil_seq:
                self.soil_seq = commit.soil_seq
                found.append(commit.records)
        return SoilChanges(state is not None, [records for records in found if len(records)])


def nodes_of(message: Any) -> NodeRecords:
    """Return the records of a SoilNodes message, as received or as read from a bag."""
    fields = tuple(message.fields)
    table = np.asarray(message.values, np.float64).reshape(len(fields), len(message.x))
    return NodeRecords(np.asarray(message.x, np.int32), np.asarray(message.y, np.int32), table, fields)
