# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects that the world computes: bodies, platforms, force fields, constraints, linkages.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_world.objects.bounding_box import ShapeBounds as ShapeBounds
    from regolith_world.objects.constraint_checks import impossible_constraint as impossible_constraint
    from regolith_world.objects.constraints import attachable_bodies as attachable_bodies
    from regolith_world.objects.field_regions import FieldRegions as FieldRegions
    from regolith_world.objects.field_regions import depth_in_field as depth_in_field
    from regolith_world.objects.field_regions import inside_fields as inside_fields
    from regolith_world.objects.field_regions import make_field_regions as make_field_regions
    from regolith_world.objects.linkages.linkage_types import inertia_of as inertia_of
    from regolith_world.objects.named_poses import NamedPose as NamedPose
    from regolith_world.objects.object_types import RigidBodyConfig as RigidBodyConfig
    from regolith_world.objects.object_types import VisualConfig as VisualConfig
    from regolith_world.objects.object_types import all_object_types as all_object_types
    from regolith_world.objects.object_types import hull_shape as hull_shape
    from regolith_world.objects.object_types import make_objects as make_objects
    from regolith_world.objects.object_types import object_visuals as object_visuals
    from regolith_world.objects.rigid_body import RigidBody as RigidBody
    from regolith_world.objects.rigid_state import box_inertia as box_inertia
    from regolith_world.objects.rigid_state import capsule_inertia as capsule_inertia
    from regolith_world.objects.rigid_state import cylinder_inertia as cylinder_inertia
    from regolith_world.objects.rigid_state import make_rigid_state as make_rigid_state
    from regolith_world.objects.rigid_state import sphere_inertia as sphere_inertia
    from regolith_world.objects.spawning import URI_SCHEME as URI_SCHEME
    from regolith_world.objects.spawning import Spawnable as Spawnable
    from regolith_world.objects.spawning import SpawnPose as SpawnPose
    from regolith_world.objects.spawning import SpawnSource as SpawnSource
    from regolith_world.objects.static_body import StaticBody as StaticBody

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'bounding_box': ('ShapeBounds',),
        'constraint_checks': ('impossible_constraint',),
        'constraints': ('attachable_bodies',),
        'field_regions': (
            'FieldRegions',
            'depth_in_field',
            'inside_fields',
            'make_field_regions',
        ),
        'linkages.linkage_types': ('inertia_of',),
        'named_poses': ('NamedPose',),
        'object_types': (
            'RigidBodyConfig',
            'VisualConfig',
            'all_object_types',
            'hull_shape',
            'make_objects',
            'object_visuals',
        ),
        'rigid_body': ('RigidBody',),
        'rigid_state': (
            'box_inertia',
            'capsule_inertia',
            'cylinder_inertia',
            'make_rigid_state',
            'sphere_inertia',
        ),
        'spawning': (
            'SpawnPose',
            'SpawnSource',
            'Spawnable',
            'URI_SCHEME',
        ),
        'static_body': ('StaticBody',),
    },
)
