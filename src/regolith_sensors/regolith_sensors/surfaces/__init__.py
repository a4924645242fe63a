# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces of a scene as arrays: terrain tiles, meshes, materials, their reflectance and micro-relief.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_sensors.surfaces import meshes as meshes
    from regolith_sensors.surfaces.materials import Material as Material
    from regolith_sensors.surfaces.materials import Principled as Principled
    from regolith_sensors.surfaces.meshes import Mesh as Mesh
    from regolith_sensors.surfaces.meshes import corner_normals as corner_normals

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'materials': (
            'Material',
            'Principled',
        ),
        'meshes': (
            'Mesh',
            'corner_normals',
        ),
    },
    modules=('meshes',),
)
