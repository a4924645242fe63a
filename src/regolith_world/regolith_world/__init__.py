# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation coordinator: adaptive steps, objects, collision detection, contacts, constraints, checkpoints.

The names below are the public interface. They are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files.lazy_names import lazy_names

if TYPE_CHECKING:
    from regolith_world.config import WorldConfig as WorldConfig
    from regolith_world.cycle.participant import Participant as Participant
    from regolith_world.cycle.participant_context import ParticipantContext as ParticipantContext
    from regolith_world.cycle.participant_type import ParticipantType as ParticipantType
    from regolith_world.cycle.records import BodyState as BodyState
    from regolith_world.cycle.records import Command as Command
    from regolith_world.cycle.records import Cycle as Cycle
    from regolith_world.cycle.records import CycleResult as CycleResult
    from regolith_world.cycle.records import Impulse as Impulse
    from regolith_world.cycle.records import JoinRequest as JoinRequest
    from regolith_world.cycle.records import Roles as Roles
    from regolith_world.cycle.records import Shape as Shape
    from regolith_world.cycle.records import ShapeKind as ShapeKind
    from regolith_world.numerics.rotation import from_rotation_vector as from_rotation_vector
    from regolith_world.numerics.rotation import from_rpy_deg as from_rpy_deg
    from regolith_world.numerics.rotation import matrix as matrix
    from regolith_world.numerics.rotation import product as product
    from regolith_world.objects.constraints import Constraint as Constraint
    from regolith_world.objects.force_field import ForceField as ForceField
    from regolith_world.objects.object import Intersection as Intersection
    from regolith_world.objects.object import Object as Object
    from regolith_world.objects.object import SavedObject as SavedObject
    from regolith_world.objects.object_types import ObjectType as ObjectType
    from regolith_world.objects.object_types import ShapeConfig as ShapeConfig
    from regolith_world.objects.rigid_body import RigidBody as RigidBody
    from regolith_world.objects.static_body import StaticBody as StaticBody
    from regolith_world.random.keyed_generator import generator as generator
    from regolith_world.ros.clock_offset import stamp as stamp
    from regolith_world.world import World as World

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        'config': ('WorldConfig',),
        'cycle.participant': ('Participant',),
        'cycle.participant_context': ('ParticipantContext',),
        'cycle.participant_type': ('ParticipantType',),
        'cycle.records': (
            'BodyState',
            'Command',
            'Cycle',
            'CycleResult',
            'Impulse',
            'JoinRequest',
            'Roles',
            'Shape',
            'ShapeKind',
        ),
        'numerics.rotation': (
            'from_rotation_vector',
            'from_rpy_deg',
            'matrix',
            'product',
        ),
        'objects.constraints': ('Constraint',),
        'objects.force_field': ('ForceField',),
        'objects.object': (
            'Intersection',
            'Object',
            'SavedObject',
        ),
        'objects.object_types': (
            'ObjectType',
            'ShapeConfig',
        ),
        'objects.rigid_body': ('RigidBody',),
        'objects.static_body': ('StaticBody',),
        'random.keyed_generator': ('generator',),
        'ros.clock_offset': ('stamp',),
        'world': ('World',),
    },
)
