# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of rigid parts with any terrain: shapes, poses, wrenches, statistics, status codes, shear memory.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.contact.arrays import Shapes as Shapes
    from regolith_terrain.contact.arrays import Wrench as Wrench
    from regolith_terrain.contact.arrays import make_wrench as make_wrench
    from regolith_terrain.contact.arrays import push_at as push_at
    from regolith_terrain.contact.closed_surface import refuse_unless_solid as refuse_unless_solid
    from regolith_terrain.contact.constants import CONTACT_OK as CONTACT_OK
    from regolith_terrain.contact.constants import CREEP_SPEED as CREEP_SPEED
    from regolith_terrain.contact.constants import LEFT_WINDOW as LEFT_WINDOW
    from regolith_terrain.contact.constants import RING_START as RING_START
    from regolith_terrain.contact.constants import SCRATCH_TOO_SMALL as SCRATCH_TOO_SMALL
    from regolith_terrain.contact.constants import SHAPE_CYLINDER as SHAPE_CYLINDER
    from regolith_terrain.contact.constants import SHAPE_GROUSERED as SHAPE_GROUSERED
    from regolith_terrain.contact.constants import SHAPE_MESH as SHAPE_MESH
    from regolith_terrain.contact.constants import SHEAR_RELAXATION_S as SHEAR_RELAXATION_S
    from regolith_terrain.contact.constants import STAT_COUNT as STAT_COUNT
    from regolith_terrain.contact.constants import STAT_DISPLACED as STAT_DISPLACED
    from regolith_terrain.contact.constants import STAT_HIT_NODES as STAT_HIT_NODES
    from regolith_terrain.contact.constants import STAT_INVERSE_WIDTH as STAT_INVERSE_WIDTH
    from regolith_terrain.contact.constants import STAT_LOADED_AREA as STAT_LOADED_AREA
    from regolith_terrain.contact.constants import STAT_LOADED_NODES as STAT_LOADED_NODES
    from regolith_terrain.contact.constants import STAT_MAX_SINKAGE as STAT_MAX_SINKAGE
    from regolith_terrain.contact.constants import STAT_MEAN_PRESSURE as STAT_MEAN_PRESSURE
    from regolith_terrain.contact.constants import STAT_PATCHES as STAT_PATCHES
    from regolith_terrain.contact.constants import WINDOW_MARGIN_CELLS as WINDOW_MARGIN_CELLS
    from regolith_terrain.contact.ground_contact import ContactSetting as ContactSetting
    from regolith_terrain.contact.ground_contact import GroundContact as GroundContact
    from regolith_terrain.contact.ground_contact import LooseBodies as LooseBodies
    from regolith_terrain.contact.ground_contact import PartPose as PartPose
    from regolith_terrain.contact.ground_contact import Press as Press
    from regolith_terrain.contact.ground_contact import StepLimit as StepLimit
    from regolith_terrain.contact.ground_contact import make_pose as make_pose
    from regolith_terrain.contact.kernel_binding import bind_kernels as bind_kernels
    from regolith_terrain.contact.kernel_binding import unbound as unbound
    from regolith_terrain.contact.mixed_contact import make_contact as make_contact
    from regolith_terrain.contact.shapes import box as box
    from regolith_terrain.contact.shapes import cap as cap
    from regolith_terrain.contact.shapes import cylinder as cylinder
    from regolith_terrain.contact.shapes import flexible_cylinder as flexible_cylinder
    from regolith_terrain.contact.shapes import grousered_wheel as grousered_wheel
    from regolith_terrain.contact.shapes import join_shapes as join_shapes
    from regolith_terrain.contact.shapes import mesh as mesh
    from regolith_terrain.contact.shapes import reach as reach
    from regolith_terrain.contact.surfel_messages import SURFEL_BYTES as SURFEL_BYTES
    from regolith_terrain.contact.surfel_messages import SURFEL_FIELDS as SURFEL_FIELDS
    from regolith_terrain.contact.surfel_messages import SURFEL_TOPIC as SURFEL_TOPIC
    from regolith_terrain.contact.surfel_messages import surfels_record as surfels_record
    from regolith_terrain.contact.surfels import Surfels as Surfels
    from regolith_terrain.contact.surfels import joined_surfels as joined_surfels

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'arrays': (
            'Shapes',
            'Wrench',
            'make_wrench',
            'push_at',
        ),
        'closed_surface': ('refuse_unless_solid',),
        'constants': (
            'CONTACT_OK',
            'CREEP_SPEED',
            'LEFT_WINDOW',
            'RING_START',
            'SCRATCH_TOO_SMALL',
            'SHAPE_CYLINDER',
            'SHAPE_GROUSERED',
            'SHAPE_MESH',
            'SHEAR_RELAXATION_S',
            'STAT_COUNT',
            'STAT_DISPLACED',
            'STAT_HIT_NODES',
            'STAT_INVERSE_WIDTH',
            'STAT_LOADED_AREA',
            'STAT_LOADED_NODES',
            'STAT_MAX_SINKAGE',
            'STAT_MEAN_PRESSURE',
            'STAT_PATCHES',
            'WINDOW_MARGIN_CELLS',
        ),
        'ground_contact': (
            'ContactSetting',
            'GroundContact',
            'LooseBodies',
            'PartPose',
            'Press',
            'StepLimit',
            'make_pose',
        ),
        'kernel_binding': (
            'bind_kernels',
            'unbound',
        ),
        'mixed_contact': ('make_contact',),
        'shapes': (
            'box',
            'cylinder',
            'flexible_cylinder',
            'grousered_wheel',
            'join_shapes',
            'cap',
            'mesh',
            'reach',
        ),
        'surfel_messages': (
            'SURFEL_BYTES',
            'SURFEL_FIELDS',
            'SURFEL_TOPIC',
            'surfels_record',
        ),
        'surfels': (
            'Surfels',
            'joined_surfels',
        ),
    },
)
