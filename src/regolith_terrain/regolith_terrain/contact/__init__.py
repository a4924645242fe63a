# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of rigid parts with the terrain: kernels, rigid terrain, shear memory.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.contact import rigid_contact as rigid_contact
    from regolith_terrain.contact.ground_contact import ContactSetting as ContactSetting
    from regolith_terrain.contact.ground_contact import GroundContact as GroundContact
    from regolith_terrain.contact.ground_contact import PartPose as PartPose
    from regolith_terrain.contact.ground_contact import StepLimit as StepLimit
    from regolith_terrain.contact.ground_contact import make_pose as make_pose
    from regolith_terrain.contact.kernel_binding import bind_kernels as bind_kernels
    from regolith_terrain.contact.mixed_contact import make_contact as make_contact
    from regolith_terrain.contact.rigid_contact import RigidContact as RigidContact
    from regolith_terrain.contact.rigid_surface import SOIL_FRICTION as SOIL_FRICTION
    from regolith_terrain.contact.rigid_surface import SOIL_STIFFNESS as SOIL_STIFFNESS
    from regolith_terrain.contact.rigid_surface import RigidArrays as RigidArrays
    from regolith_terrain.contact.rigid_surface import find_foot as find_foot
    from regolith_terrain.contact.rigid_surface import foot_normal as foot_normal
    from regolith_terrain.contact.rigid_surface import soil_at as soil_at
    from regolith_terrain.contact.rigid_surface import surface_at as surface_at

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'ground_contact': (
            'ContactSetting',
            'GroundContact',
            'PartPose',
            'StepLimit',
            'make_pose',
        ),
        'kernel_binding': ('bind_kernels',),
        'mixed_contact': ('make_contact',),
        'rigid_contact': ('RigidContact',),
        'rigid_surface': (
            'RigidArrays',
            'SOIL_FRICTION',
            'SOIL_STIFFNESS',
            'find_foot',
            'foot_normal',
            'soil_at',
            'surface_at',
        ),
    },
    modules=('rigid_contact',),
)
