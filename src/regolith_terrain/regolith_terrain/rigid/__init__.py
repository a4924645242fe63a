# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid terrain: bedrock, a landing pad, a laboratory floor.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.rigid import contact as contact
    from regolith_terrain.rigid.contact import RigidContact as RigidContact
    from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL as RIGID_TERRAIN_MODEL
    from regolith_terrain.rigid.surface import SOIL_FRICTION as SOIL_FRICTION
    from regolith_terrain.rigid.surface import SOIL_STIFFNESS as SOIL_STIFFNESS
    from regolith_terrain.rigid.surface import RigidArrays as RigidArrays
    from regolith_terrain.rigid.surface import find_foot as find_foot
    from regolith_terrain.rigid.surface import foot_normal as foot_normal
    from regolith_terrain.rigid.surface import soil_at as soil_at
    from regolith_terrain.rigid.surface import surface_at as surface_at

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'contact': ('RigidContact',),
        'law': ('RIGID_TERRAIN_MODEL',),
        'surface': (
            'RigidArrays',
            'SOIL_FRICTION',
            'SOIL_STIFFNESS',
            'find_foot',
            'foot_normal',
            'soil_at',
            'surface_at',
        ),
    },
    modules=('contact',),
)
