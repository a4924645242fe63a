# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Section ``dust`` of a scenario: how much soil wheels and tracks throw up, and how it looks."""

from __future__ import annotations

from pydantic import Field

from regolith_files import Section


class DustConfig(Section):
    """Dust that wheels and tracks throw up; without this section there is none."""

    lofted_fraction: float = Field(
        1e-4, gt=0.0, le=0.1, description='Share of the soil that slips under a wheel and is thrown up.'
    )
    threshold_mps: float = Field(
        0.05, ge=0.001, le=100.0, description='Slip velocity from which soil is thrown up [m/s].'
    )
    soil_density_kgpm3: float = Field(1500.0, ge=100.0, le=10_000.0, description='Bulk density of the soil [kg/m^3].')
    extinction_m2pkg: float = Field(
        12.1, ge=0.01, le=1000.0, description='Extinction cross section per mass; 12.1: grains of 20 um [m^2/kg].'
    )
    parcel_mass_kg: float = Field(
        2e-7, ge=1e-12, le=1.0, description='Mass of a parcel, which stands for many grains [kg].'
    )
    max_parcels: int = Field(
        100_000, ge=1, le=1_000_000, description='Most parcels in flight; further ones are counted and left out.'
    )
