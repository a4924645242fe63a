# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rendered scene: terrain tiles, rocks, vehicles and materials.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_sensors.scene.gltf_files import load_gltf as load_gltf
    from regolith_sensors.scene.object_history import ObjectHistory as ObjectHistory
    from regolith_sensors.scene.object_layer import object_mesh as object_mesh
    from regolith_sensors.scene.own_hull import MIN_SENSOR_CLEARANCE_M as MIN_SENSOR_CLEARANCE_M
    from regolith_sensors.scene.own_hull import nearest_part as nearest_part
    from regolith_sensors.scene.vehicle_mesh import MeshPart as MeshPart
    from regolith_sensors.scene.vehicle_mesh import vehicle_parts as vehicle_parts

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'gltf_files': ('load_gltf',),
        'object_history': ('ObjectHistory',),
        'object_layer': ('object_mesh',),
        'own_hull': (
            'MIN_SENSOR_CLEARANCE_M',
            'nearest_part',
        ),
        'vehicle_mesh': (
            'MeshPart',
            'vehicle_parts',
        ),
    },
)
