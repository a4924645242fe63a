# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Section ``dust`` of a scenario: how much soil vehicles and bodies throw up, how it flies, and how it looks."""

from __future__ import annotations

import math

from pydantic import Field

from regolith_files import Section

GRAIN_KGPM3 = 3100.0
"""Density of the grains [kg/m^3]."""


class DustConfig(Section):
    """Dust that vehicles and bodies throw up; without this section there is none."""

    lofted_fraction: float = Field(
        1e-4, gt=0.0, le=0.1, description='Share of the soil that moves at a wheel, tool or body and is thrown up.'
    )
    threshold_mps: float = Field(
        0.05, ge=0.001, le=100.0, description='Velocity of the soil from which it is thrown up [m/s].'
    )
    soil_density_kgpm3: float = Field(1500.0, ge=100.0, le=10_000.0, description='Bulk density of the soil [kg/m^3].')
    extinction_m2pkg: float = Field(
        12.1, ge=0.01, le=1000.0, description='Extinction cross section per mass; 12.1: grains of 20 um [m^2/kg].'
    )
    air_viscosity_pas: float = Field(
        0.0, ge=0.0, le=1e-3, description='Viscosity of still air, 0: vacuum, Earth: 1.8e-5 [Pa s].'
    )
    parcel_mass_kg: float = Field(
        2e-7, ge=1e-12, le=1.0, description='Mass of a parcel, which stands for many grains [kg].'
    )
    max_parcels: int = Field(
        100_000, ge=1, le=1_000_000, description='Most parcels in flight; further ones are counted and left out.'
    )

    @property
    def grain_radius_m(self) -> float:
        """Radius of grains whose extinction cross section is that of their disc, 3 / (4 r rho_g) per mass [m]."""
        return 0.75 / (self.extinction_m2pkg * GRAIN_KGPM3)

    @property
    def stopping_time_s(self) -> float:
        """Time constant of a grain in still air by Stokes' drag, 2 rho_g r^2 / (9 mu) [s]; infinite in vacuum.

        Source: stokes1851.
        Checked by: test_dust_in_air.py::test_grain_falls_at_stokes_velocity.
        """
        if self.air_viscosity_pas == 0.0:
            return math.inf
        return 2.0 * GRAIN_KGPM3 * self.grain_radius_m**2 / (9.0 * self.air_viscosity_pas)
