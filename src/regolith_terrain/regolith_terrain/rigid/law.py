# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid terrain as a terrain model."""

from __future__ import annotations

from regolith_terrain.terrain_model import TerrainModel
from regolith_terrain.terrain_parameters import RigidTerrainConfig

RIGID_TERRAIN_MODEL = TerrainModel(
    config=RigidTerrainConfig,
    contact='regolith_terrain.rigid.contact:RigidContact',
    body_contact='regolith_terrain.rigid.body_contact:BodyRigidContact',
)
"""Terrain model of rigid ground, which keeps no ruts."""
