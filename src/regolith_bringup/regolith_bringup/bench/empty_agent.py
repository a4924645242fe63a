# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Agent without computation, used to measure the cost of the protocol."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable

import numpy as np

from regolith_terrain import NO_STEP_LIMIT_NS, HeightField, TerrainConfig, handshake_parameters
from regolith_terrain.grid import NodeRecords, SoilGrid
from regolith_terrain.updates import SoilDelta
from regolith_world.cycle import VEHICLE_ROLES, BodyState, Cycle, CycleKey, CycleResult, JoinRequest, Participant


class EmptyAgent(Participant):
    """Agent that responds to each EVOLVE with an unmoved body and an empty delta.

    Args:
        name: Name of the agent.
        terrain: Terrain settings.
        field: Height field of the terrain.
        gravity_mps2: Gravity [m/s^2].
        send_result: Callback that sends a cycle result.
        send_delta: Callback that sends a soil delta.
        grid: Committed soil, shared with other agents.
    """

    def __init__(
        self,
        name: str,
        terrain: TerrainConfig,
        field: HeightField,
        gravity_mps2: float,
        send_result: Callable[[CycleResult], None],
        send_delta: Callable[[SoilDelta], None],
        grid: SoilGrid,
    ) -> None:
        super().__init__(name, send_result)
        self._send_delta = send_delta
        self._parameters = {**handshake_parameters(terrain, field), 'world.gravity_mps2': repr(gravity_mps2)}
        self._body = BodyState(name, np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3), np.zeros(3), 1.0)
        self._cycles = 0
        self._tentative: CycleKey | None = None
        self._delta: SoilDelta | None = None
        self._grid = grid

    def join_request(self) -> JoinRequest:
        """Return the join request with a body at rest."""
        return JoinRequest(
            self.name,
            VEHICLE_ROLES,
            (),
            (self._body,),
            NO_STEP_LIMIT_NS,
            self._hash(),
            self.soil_hash(),
            dict(self._parameters),
        )

    def save(self) -> bytes:
        """Return the serialized state."""
        return struct.pack('<q', self._cycles)

    def restore(self, blob: bytes, epoch: int) -> None:
        """Restore a state returned by :meth:`save`."""
        (self._cycles,) = struct.unpack('<q', blob)
        self._tentative = None
        self.set_epoch(epoch)

    def _commit(self, cycle: Cycle) -> None:
        if self._tentative is None:
            return
        self._cycles = self._tentative.cycle + 1
        self._tentative = None

    def _discard(self) -> None:
        self._tentative = None

    def _evolve(self, cycle: Cycle) -> CycleResult:
        self._tentative = cycle.key
        self._delta = SoilDelta(cycle.key, self.name, NodeRecords.empty())
        self._send_delta(self._delta)
        return self._answer_to(cycle)

    def _idle_result(self, cycle: Cycle) -> CycleResult:
        self._delta = None
        return self._answer_to(cycle)

    def _resend(self) -> None:
        if self._delta is not None:
            self._send_delta(self._delta)

    def _answer_to(self, cycle: Cycle) -> CycleResult:
        return CycleResult(
            cycle.key, self.name, NO_STEP_LIMIT_NS, (self._body,), state_hash=self._hash(), soil_hash=self.soil_hash()
        )

    def soil_hash(self) -> str:
        """Return the hash of the committed soil."""
        return self._grid.soil_hash()

    def _hash(self) -> str:
        return hashlib.sha256(self.name.encode() + self.save()).hexdigest()
