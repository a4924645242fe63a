# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Exact state of a vehicle as bytes: bodies, running gear, payloads, statistics, odometry, contact memory."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from regolith_terrain.contact import GroundContact
from regolith_vehicles.contact.obstacle_contact import ObstacleContact
from regolith_vehicles.dynamics.odometry import Odometry
from regolith_vehicles.dynamics.payloads import Payloads
from regolith_vehicles.dynamics.run_statistics import COUNT as STATISTICS_COUNT
from regolith_vehicles.dynamics.run_statistics import RunStatistics
from regolith_vehicles.running_gear import RunningGear
from regolith_vehicles.tools.vehicle_tools import VehicleTools

_MAGIC = b'REGVEH01'
_HEAD = struct.Struct('<8sqq')
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


@dataclass(frozen=True, slots=True)
class ExactState:
    """Complete state of a vehicle except the terrain."""

    name: str
    model: Any
    """MuJoCo model (mujoco.MjModel)."""
    data: Any
    """MuJoCo state (mujoco.MjData)."""
    gear: RunningGear
    payloads: Payloads
    tools: VehicleTools
    solids: ObstacleContact
    contact: GroundContact

    def pack(self, statistics: RunStatistics) -> bytes:
        """Return the state and the statistics of the run as bytes (little-endian)."""
        size = mujoco.mj_stateSize(self.model, _STATE)
        vector = np.empty(size)
        mujoco.mj_getState(self.model, self.data, vector, _STATE)
        gear = self.gear
        own = np.concatenate((gear.values(), gear.charge, self.payloads.table.reshape(-1), statistics.values()))
        head = _HEAD.pack(_MAGIC, size, len(own)) + vector.astype('<f8').tobytes() + own.astype('<f8').tobytes()
        odometry = b'' if gear.odometry is None else gear.odometry.save()
        return head + odometry + self.solids.save() + self.tools.save() + self.contact.save()

    def unpack(self, blob: bytes) -> RunStatistics:
        """Restore the state from :meth:`pack`, and return the statistics of the run.

        Args:
            blob: State from :meth:`pack`.

        Raises:
            ValueError: If the blob is not the state of a vehicle of this model.
        """
        size = mujoco.mj_stateSize(self.model, _STATE)
        gear_size, charge = len(self.gear.values()), self.gear.charge
        own_size = gear_size + len(charge) + self.payloads.table.size + STATISTICS_COUNT
        if len(blob) < _HEAD.size or _HEAD.unpack_from(blob) != (_MAGIC, size, own_size):
            raise ValueError(f'{self.name}: blob is not the saved state of a vehicle of this model ({len(blob)} bytes)')
        at = _HEAD.size
        vector = np.frombuffer(blob, '<f8', size, at).astype(np.float64)
        at += 8 * size
        own = np.frombuffer(blob, '<f8', own_size, at).astype(np.float64)
        at += 8 * own_size
        odometry_size = 0
        if self.gear.odometry is not None:
            odometry_size = len(self.gear.odometry.save())
            self.gear.odometry = Odometry.load(blob[at : at + odometry_size])
        at = self.tools.load(blob, self.solids.load(blob, at + odometry_size))
        self.contact.load(blob[at:])
        mujoco.mj_setState(self.model, self.data, vector, _STATE)
        self.data.warning.number[:] = 0
        self.gear.take(own[:gear_size].copy())
        charge[:] = own[gear_size : gear_size + len(charge)]
        carried = own[gear_size + len(charge) : -STATISTICS_COUNT].reshape(-1, 4)
        if not np.array_equal(carried, self.payloads.table):
            self.payloads.take(carried)
        return RunStatistics(*(float(value) for value in own[-STATISTICS_COUNT:]))
