# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of testbeds that press bodies slowly into CRM soil."""

from __future__ import annotations

from pydantic import Field

from regolith_files import Section
from regolith_terrain.crm import SMOOTHING_PRESSED, VISCOSITY_SLOW, Discretization


class DiscretizationSettings(Section):
    """Particle spacing and numerical parameters of CRM soil."""

    spacing_m: float = Field(default=0.02, gt=0.0, le=1.0, description='CRM only: particle spacing [m].')
    artificial_viscosity: float = Field(
        default=VISCOSITY_SLOW, ge=0.0, le=2.0, description='CRM only: artificial viscosity alpha [-].'
    )
    smoothing_ratio: float = Field(
        default=SMOOTHING_PRESSED, ge=1.1, le=1.6, description='CRM only: smoothing length over particle spacing [-].'
    )
    xsph_coefficient: float = Field(
        default=0.25, ge=0.0, le=1.0, description='CRM only: XSPH velocity smoothing coefficient [-].'
    )
    free_surface_threshold: float = Field(
        default=2.0,
        ge=0.0,
        lt=3.0,
        description='CRM only: divergence of position below which soil is free of stress [-].',
    )

    def discretization(self) -> Discretization:
        """Return the discretization of the CRM soil."""
        return Discretization(
            spacing_m=self.spacing_m,
            smoothing_ratio=self.smoothing_ratio,
            artificial_viscosity=self.artificial_viscosity,
            xsph_coefficient=self.xsph_coefficient,
            free_surface_threshold=self.free_surface_threshold,
        )
