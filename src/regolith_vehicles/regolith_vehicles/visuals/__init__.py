# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Visual description of vehicles: drawn parts, URDF, messages.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.visuals.urdf import frame_joints as frame_joints
    from regolith_vehicles.visuals.visual_description import PartRole as PartRole
    from regolith_vehicles.visuals.visual_description import TriangleMesh as TriangleMesh
    from regolith_vehicles.visuals.visual_description import Visual as Visual
    from regolith_vehicles.visuals.visual_description import VisualDescription as VisualDescription
    from regolith_vehicles.visuals.visual_description import VisualMaterial as VisualMaterial
    from regolith_vehicles.visuals.visual_messages import poses_from_message as poses_from_message
    from regolith_vehicles.visuals.visual_messages import state_poses as state_poses
    from regolith_vehicles.visuals.visual_messages import state_values as state_values
    from regolith_vehicles.visuals.visual_messages import visuals_from_message as visuals_from_message

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'urdf': ('frame_joints',),
        'visual_description': (
            'PartRole',
            'TriangleMesh',
            'Visual',
            'VisualDescription',
            'VisualMaterial',
        ),
        'visual_messages': (
            'poses_from_message',
            'state_poses',
            'state_values',
            'visuals_from_message',
        ),
    },
)
