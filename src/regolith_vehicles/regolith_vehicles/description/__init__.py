# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Description of a vehicle: model file, visual description, URDF.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.description.mesh_files import load_triangles as load_triangles
    from regolith_vehicles.description.model_config import CollisionShape as CollisionShape
    from regolith_vehicles.description.model_config import VehicleModelConfig as VehicleModelConfig

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'mesh_files': ('load_triangles',),
        'model_config': (
            'CollisionShape',
            'VehicleModelConfig',
        ),
    },
)
