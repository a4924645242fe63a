# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""SCM as a terrain model."""

from __future__ import annotations

from regolith_terrain.scm.soil import ScmSoilConfig
from regolith_terrain.terrain_model import NodeField, TerrainModel

SCM = TerrainModel(
    config=ScmSoilConfig,
    contact='regolith_terrain.scm.contact:ScmContact',
    body_contact='regolith_terrain.scm.body_contact:BodyScmContact',
    own=(
        NodeField('sinkage_plastic', 'm', "plastic sinkage along the node's normal, positive down"),
        NodeField('sigma_yield', 'Pa', 'largest pressure so far'),
    ),
    outdoes='regolith_terrain.scm.merge_rule:dominates',
    default_soil='lunar_nominal',
)
"""Terrain model SCM, the default."""
