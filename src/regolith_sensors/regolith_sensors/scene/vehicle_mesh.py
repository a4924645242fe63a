# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Visual description of a vehicle as meshes, one per moving part; parts with the same visuals share a mesh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.surfaces.materials import Material, Principled
from regolith_sensors.surfaces.meshes import Mesh, joined
from regolith_sensors.surfaces.visual_mesh import visual_mesh
from regolith_vehicles.visuals import PartRole, VisualDescription, VisualMaterial
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MeshPart:
    """A moving, visible part of a vehicle."""

    name: str
    """Name of the part in the description; the base comes first."""
    mesh: Mesh
    """Mesh in the part's own frame; the same object for parts with the same visuals."""
    role: PartRole
    row: int
    """Index among the poses of a state."""


def vehicle_parts(looks: VisualDescription, materials: list[Material]) -> list[MeshPart]:
    """Return the moving, visible parts; their materials are appended to ``materials``.

    Args:
        looks: Visual description of the vehicle.
        materials: Materials of the scene; meshes refer to their numbers, from 0.

    Raises:
        ValueError: If the base or a wheel has no visual.
    """
    paints: dict[VisualMaterial, int] = {}
    made: dict[int, Mesh] = {}
    parts = []
    for row, part in enumerate(looks.parts):
        if not part.visuals:
            if row == 0 or part.role == PartRole.WHEEL:
                allowed = 'box, cylinder, capsule, sphere, ellipsoid, mesh'
                raise ValueError(f'{part.name} has no visual; allowed: {allowed}')
            continue
        if id(part.visuals) not in made:
            shapes = [(visual_mesh(v, _material(v.paint, materials, paints)), v) for v in part.visuals]
            made[id(part.visuals)] = joined(
                [mesh.moved(v.position, rotation.matrix(v.orientation)) for mesh, v in shapes]
            )
        parts.append(MeshPart(part.name, made[id(part.visuals)], part.role, row))
    return parts


def _material(paint: VisualMaterial, materials: list[Material], paints: dict[VisualMaterial, int]) -> int:
    """Return the number of a material; a new one is appended."""
    if paint not in paints:
        paints[paint] = len(materials)
        materials.append(Principled(paint.color, paint.roughness, paint.metallic, paint.specular))
    return paints[paint]
