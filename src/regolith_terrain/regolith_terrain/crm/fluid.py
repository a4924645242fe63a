# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Weakly compressible viscous fluid as a material of a particle bed.

The bed computes it like soil: sums, boundaries and steps are the same, the stress is that of
:func:`regolith_terrain.crm.plasticity.return_mapping`. Simplification: there is neither surface tension nor a second
phase, and the sound speed is far below that of the real fluid.
"""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from regolith_files import Section
from regolith_terrain.crm.arrays import FLUID, Material

FASTER = 10.0
"""Sound speed over the largest speed; density then changes by about 1 %."""


class Fluid(Section):
    """A weakly compressible viscous fluid; defaults are those of water."""

    law: Literal['fluid'] = Field(default='fluid', description='Material law.')
    density_kgpm3: float = Field(default=1000.0, gt=0.0, le=1e5, description='Density at zero pressure [kg/m^3].')
    viscosity_pas: float = Field(default=1e-3, ge=0.0, le=1e6, description='Dynamic viscosity [Pa s].')
    sound_speed_mps: float = Field(
        gt=0.0, le=1e4, description='Numerical sound speed [m/s], about ten times the largest speed.'
    )

    @classmethod
    def falling(cls, gravity: float, depth: float, **values: float) -> Fluid:
        """Return a fluid with the sound speed 10 sqrt(2 g h) for motions that fall by a depth.

        Args:
            gravity: Gravity g [m/s^2].
            depth: Depth h [m].
            values: Other values of the fluid.

        Source: monaghan1994.
        Checked by: test_crm_fluid.py::test_fluid_at_rest_has_hydrostatic_pressure.
        """
        return cls.model_validate({**values, 'sound_speed_mps': FASTER * math.sqrt(2.0 * gravity * depth)})

    def material(self) -> Material:
        """Return the parameters in the form of the kernels."""
        bulk = self.density_kgpm3 * self.sound_speed_mps**2
        return Material(
            FLUID, self.density_kgpm3, 0.0, bulk, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, viscosity=self.viscosity_pas
        )
