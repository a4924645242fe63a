# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The cycle protocol: participants, their messages, step control, state hash.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_world.cycle.codec import OptionalNumber as OptionalNumber
    from regolith_world.cycle.codec import Part as Part
    from regolith_world.cycle.codec import Saved as Saved
    from regolith_world.cycle.codec import StateField as StateField
    from regolith_world.cycle.codec import StateLayout as StateLayout
    from regolith_world.cycle.codec import decode_record as decode_record
    from regolith_world.cycle.codec import encode_record as encode_record
    from regolith_world.cycle.codec import plain as plain
    from regolith_world.cycle.codec import state_fields as state_fields
    from regolith_world.cycle.participant import Participant as Participant
    from regolith_world.cycle.participant import ParticipantFailed as ParticipantFailed
    from regolith_world.cycle.participant_group import ParticipantGroup as ParticipantGroup
    from regolith_world.cycle.participant_type import TERRAIN_NAME as TERRAIN_NAME
    from regolith_world.cycle.participant_type import ParticipantType as ParticipantType
    from regolith_world.cycle.participant_type import ProgressCallback as ProgressCallback
    from regolith_world.cycle.participant_type import SpawnPlace as SpawnPlace
    from regolith_world.cycle.participant_type import participant_types as participant_types
    from regolith_world.cycle.records import TERRAIN_ROLES as TERRAIN_ROLES
    from regolith_world.cycle.records import VEHICLE_ROLES as VEHICLE_ROLES
    from regolith_world.cycle.records import Anchor as Anchor
    from regolith_world.cycle.records import AssignedBody as AssignedBody
    from regolith_world.cycle.records import BodyState as BodyState
    from regolith_world.cycle.records import Command as Command
    from regolith_world.cycle.records import ComputedBody as ComputedBody
    from regolith_world.cycle.records import Cycle as Cycle
    from regolith_world.cycle.records import CycleKey as CycleKey
    from regolith_world.cycle.records import CycleResult as CycleResult
    from regolith_world.cycle.records import FieldRecord as FieldRecord
    from regolith_world.cycle.records import JoinRequest as JoinRequest
    from regolith_world.cycle.records import ObjectVisual as ObjectVisual
    from regolith_world.cycle.records import Roles as Roles
    from regolith_world.cycle.records import Shape as Shape
    from regolith_world.cycle.records import ShapeKind as ShapeKind
    from regolith_world.cycle.records import SpawnedObject as SpawnedObject
    from regolith_world.cycle.records import Vector as Vector
    from regolith_world.cycle.records import Verdict as Verdict

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'codec': (
            'OptionalNumber',
            'Part',
            'Saved',
            'StateField',
            'StateLayout',
            'decode_record',
            'encode_record',
            'plain',
            'state_fields',
        ),
        'participant': (
            'Participant',
            'ParticipantFailed',
        ),
        'participant_group': ('ParticipantGroup',),
        'participant_type': (
            'SpawnPlace',
            'ParticipantType',
            'ProgressCallback',
            'TERRAIN_NAME',
            'participant_types',
        ),
        'records': (
            'Anchor',
            'BodyState',
            'Command',
            'ComputedBody',
            'Cycle',
            'CycleKey',
            'CycleResult',
            'FieldRecord',
            'JoinRequest',
            'ObjectVisual',
            'Roles',
            'Shape',
            'ShapeKind',
            'SpawnedObject',
            'TERRAIN_ROLES',
            'VEHICLE_ROLES',
            'AssignedBody',
            'Vector',
            'Verdict',
        ),
    },
)
