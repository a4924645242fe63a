# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Exact state of a vehicle as bytes: bodies, running gear, payloads, statistics, odometry, contact memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact import GroundContact
from regolith_terrain.solids import SolidContact
from regolith_vehicles.contact.assigned_bodies import AssignedBodies
from regolith_vehicles.dynamics.dispensers import Dispensers
from regolith_vehicles.dynamics.payloads import Payloads
from regolith_vehicles.dynamics.run_statistics import RunStatistics
from regolith_vehicles.energy.vehicle_energy import VehicleEnergy
from regolith_vehicles.running_gear import RunningGear
from regolith_vehicles.tools.vehicle_tools import VehicleTools
from regolith_world.cycle import Part, Saved, StateField, StateLayout

_INTEGRATION = int(mujoco.mjtState.mjSTATE_INTEGRATION)


@dataclass
class ExactState(Saved):
    """Complete state of a vehicle except the terrain."""

    STATE: ClassVar[StateLayout] = StateLayout(
        'a vehicle of this model',
        StateField('sizes', '<i8', same=True),
        StateField('bodies', '<f8'),
        StateField('gear', Saved),
        StateField('gear.charge', '<f8', shared=True),
        StateField('carried', '<f8'),
        StateField('statistics', Saved),
        StateField('gear.odometry', Saved),
        StateField('energy', Saved),
        StateField('gear.faults', Saved),
        StateField('gear.traction', Saved),
        StateField('solids', Part(1)),
        StateField('tools', Part(8)),
        StateField('assigned', Part(1)),
        StateField('contact', Part()),
        tag=b'REGVEH01',
    )

    name: str
    model: Any
    """MuJoCo model (mujoco.MjModel)."""
    data: Any
    """MuJoCo state (mujoco.MjData)."""
    gear: RunningGear
    payloads: Payloads
    tools: VehicleTools | None
    solids: SolidContact | None
    contact: GroundContact
    dispensers: Dispensers
    assigned: AssignedBodies | None = None
    energy: VehicleEnergy | None = None
    statistics: RunStatistics = field(default_factory=RunStatistics)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Numbers of values of the bodies, and of running gear, payloads and statistics."""
        own = len(self.gear.save()) + self.gear.charge.nbytes + self.carried.nbytes + len(self.statistics.save())
        return np.array([mujoco.mj_stateSize(self.model, _INTEGRATION), own // 8])

    @property
    def bodies(self) -> NDArray[np.float64]:
        """State of the bodies, as MuJoCo integrates it."""
        vector = np.empty(self.sizes[0])
        mujoco.mj_getState(self.model, self.data, vector, _INTEGRATION)
        return vector

    @bodies.setter
    def bodies(self, vector: NDArray[np.float64]) -> None:
        mujoco.mj_setState(self.model, self.data, vector, _INTEGRATION)
        self.data.warning.number[:] = 0

    @property
    def carried(self) -> NDArray[np.float64]:
        """Mass and moments of inertia of the payloads, then the numbers of objects that dispensers have released."""
        if not self.dispensers.names:
            return self.payloads.table
        return np.concatenate((self.payloads.table.ravel(), self.dispensers.released))

    @carried.setter
    def carried(self, table: NDArray[np.float64]) -> None:
        if count := len(self.dispensers.names):
            self.dispensers.released = table[-count:].copy()
            table = table[:-count].reshape(-1, 4)
        if not np.array_equal(table, self.payloads.table):
            self.payloads.take(table)
