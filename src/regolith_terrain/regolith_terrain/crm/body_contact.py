# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of loose rigid bodies with CRM soil, while the owner of the region computes them.

The soil belongs to the vehicle's contact, which also moves it past the bodies. This contact only holds the wrenches of
that soil for the substeps of the bodies, so it has no memory.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.contact.ground_contact import ContactSetting, GroundContact, LooseBodies, StepLimit
from regolith_terrain.crm.contact import ParticleArrays, press
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_world.cycle import StateLayout


class ParticleBodyContact(GroundContact):
    """Wrenches of CRM soil on bodies, see the module."""

    STATE = StateLayout('particles of bodies')
    press = staticmethod(press)

    def __init__(self, setting: ContactSetting) -> None:
        super().__init__(setting)
        self._arrays = ParticleArrays(np.zeros((self.parts, 3)), np.zeros((self.parts, 3)))

    def arrays(self, window: SoilWindow, active: int) -> ParticleArrays:
        """Return the arguments of the contact function, without forces until :meth:`take_wrenches`."""
        self._arrays.force[:] = self._arrays.torque[:] = 0.0
        return self._arrays

    def take_wrenches(self, bodies: LooseBodies) -> None:
        """Take the wrenches of moving soil on some bodies."""
        self._arrays.force[bodies.rows], self._arrays.torque[bodies.rows] = bodies.force, bodies.torque

    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return no limit: soil has separate steps."""
        return StepLimit(math.inf, 'particles')
