# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A vehicle's looks as meshes, one for each part that moves; parts that look the same share one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.scene.materials import Material, Principled
from regolith_sensors.scene.meshes import Mesh, box, capsule, cylinder, icosphere, joined
from regolith_sensors.scene.meshes import wheel as wheel_mesh
from regolith_vehicles.description.visual_description import PartRole, Visual, VisualDescription, VisualMaterial
from regolith_world.numerics.rotation import matrix

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MeshPart:
    """A part of a vehicle that moves and is to be seen."""

    name: str
    """As in its description; the base comes first."""
    mesh: Mesh
    """In the part's own frame; the same object for parts that look the same."""
    role: PartRole
    row: int
    """Its place among the poses of a state."""


def vehicle_parts(looks: VisualDescription, materials: list[Material]) -> list[MeshPart]:
    """Return the parts that move and are to be seen; their materials are appended to ``materials``.

    Args:
        looks: of the vehicle
        materials: of the scene; the meshes number them from 0

    Raises:
        ValueError: if the base or a wheel looks like nothing
    """
    paints: dict[VisualMaterial, int] = {}
    made: dict[int, Mesh] = {}
    parts = []
    for row, part in enumerate(looks.parts):
        if not part.visuals:
            if row == 0 or part.role == PartRole.WHEEL:
                allowed = 'box, cylinder, capsule, sphere, ellipsoid, mesh'
                raise ValueError(f'nothing to show of {part.name}; allowed: {allowed}')
            continue
        if id(part.visuals) not in made:
            shapes = [(_mesh(v, _material(v.paint, materials, paints)), v) for v in part.visuals]
            made[id(part.visuals)] = joined([mesh.moved(v.position, matrix(v.orientation)) for mesh, v in shapes])
        parts.append(MeshPart(part.name, made[id(part.visuals)], part.role, row))
    return parts


def _mesh(visual: Visual, material: int) -> Mesh:
    """Return what is seen of a visual, in its own frame.

    Raises:
        ValueError: if its shape is unknown
    """
    size = visual.size
    if visual.mesh is not None:
        triangles = visual.mesh.triangles
        numbers = np.full(len(triangles), material, dtype=np.uint16)
        return Mesh(visual.mesh.vertices.astype(np.float64), triangles, numbers)
    if visual.shape == 'box':
        return box((size[0], size[1], size[2]), material)
    if visual.shape == 'cylinder':
        return cylinder(size[0], size[1], 48, material)
    if visual.shape == 'capsule':
        return capsule(size[0], size[1], 16, material)
    if visual.shape in ('sphere', 'ellipsoid'):
        ball = icosphere(3, material)
        return Mesh(ball.vertices * np.array(size), ball.triangles, ball.material)
    if visual.shape == 'grouser_wheel':
        return wheel_mesh(size[0], size[1], (int(size[2]), size[3], size[4]), material)
    allowed = 'box, sphere, ellipsoid, capsule, cylinder, grouser_wheel'
    raise ValueError(f'shape {visual.shape!r} of {visual.name}; allowed: {allowed}')


def _material(paint: VisualMaterial, materials: list[Material], paints: dict[VisualMaterial, int]) -> int:
    """Return the number of a material, new ones appended."""
    if paint not in paints:
        paints[paint] = len(materials)
        materials.append(Principled(paint.color, paint.roughness, paint.metallic, paint.specular))
    return paints[paint]
