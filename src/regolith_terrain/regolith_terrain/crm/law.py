# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""CRM as a terrain model."""

from __future__ import annotations

from typing import Any

from regolith_terrain.crm.soil import ParticleSoil
from regolith_terrain.terrain_model import TerrainModel


def lay_region(section: Any) -> Any:
    """Return the particle region of a section of ``regions``, whose keys are set."""
    from regolith_terrain.crm.region import ParticleRegion  # kernels are slow to import

    return ParticleRegion(
        section.name,
        section.vehicle,
        section.rectangle.low,
        section.rectangle.high,
        section.depth_m,
        section.other_vehicles == 'stop',
        section.spacing_m,
        section.soil,
        section.threads,
    )


CRM = TerrainModel(
    config=ParticleSoil,
    contact='regolith_terrain.crm.contact:ParticleContact',
    body_contact='regolith_terrain.crm.body_contact:ParticleBodyContact',
    default_soil='lunar_regolith',
    lay_region=lay_region,
)
"""Terrain model CRM, valid only in regions that belong to a vehicle."""
