# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Visual description of a vehicle as meshes, one per moving part; parts with the same visuals share a mesh."""

from __future__ import annotations

from dataclasses import dataclass, replace

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


_SETTLED = 0.3
"""Share of dust on surfaces that face upward, relative to that of wheels."""
_REACH = 4.0
"""Height above the ground in wheel radii up to which wheels throw dust at a hull."""


def vehicle_parts(looks: VisualDescription, materials: list[Material], dust: float = 0.0) -> list[MeshPart]:
    """Return the moving, visible parts; their materials are appended to ``materials``.

    Args:
        looks: Visual description of the vehicle.
        materials: Materials of the scene; meshes refer to their numbers, from 0.
        dust: Share of wheels and of the lowest parts of the hull that dust covers, see :func:`_dusty`.

    Raises:
        ValueError: If the base or a wheel has no visual.
    """
    paints: dict[VisualMaterial, int] = {}
    made: dict[int, MeshPart] = {}
    parts = []
    for row, part in enumerate(looks.parts):
        if not part.visuals:
            if row == 0 or part.role == PartRole.WHEEL:
                allowed = 'box, cylinder, capsule, sphere, ellipsoid, mesh'
                raise ValueError(f'{part.name} has no visual; allowed: {allowed}')
            continue
        if id(part.visuals) not in made:
            shapes = [(visual_mesh(v, _material(v.paint, materials, paints)), v) for v in part.visuals]
            mesh = joined([mesh.moved(v.position, rotation.matrix(v.orientation)) for mesh, v in shapes])
            made[id(part.visuals)] = MeshPart(part.name, mesh, part.role, row)
        parts.append(MeshPart(part.name, made[id(part.visuals)].mesh, part.role, row))
    if dust <= 0.0:
        return parts
    dusty = _dusty(looks, list(made.values()), dust)
    return [replace(part, mesh=dusty[id(part.mesh)]) for part in parts]


def _dusty(looks: VisualDescription, parts: list[MeshPart], dust: float) -> dict[int, Mesh]:
    """Return the meshes of parts with dust, by the identity of the mesh without.

    Wheels and shoes have the whole share. On the rest it falls with the height at rest to zero at four wheel radii
    above the ground, with the power 1.5; surfaces that face upward have 0.3 of it at least. The heights are those of
    the first part with the mesh.
    """
    frames: dict[str, tuple[Floats, Floats]] = {'': (np.zeros(3), np.eye(3))}
    for each in looks.parts:
        place, turn = frames[each.parent]
        frames[each.name] = place + turn @ each.position, turn @ rotation.matrix(each.orientation)
    at_rest = [part.mesh.moved(*frames[part.name]) for part in parts]
    low = min(float(mesh.vertices[:, 2].min()) for mesh in at_rest)
    high = max(float(mesh.vertices[:, 2].max()) for mesh in at_rest)
    wheels = [np.ptp(part.mesh.vertices[:, 2]) for part in parts if part.role == PartRole.WHEEL]
    reach = _REACH * 0.5 * float(max(wheels)) if wheels else 0.5 * (high - low)
    found = {}
    for part, mesh in zip(parts, at_rest):
        corners = mesh.vertices[mesh.triangles]
        facets = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        upward = facets[:, 2] / np.maximum(np.linalg.norm(facets, axis=1), 1e-12)
        height = corners[:, :, 2] - low
        share = np.maximum(1.0 - height / max(reach, 1e-6), 0.0) ** 1.5
        share = np.maximum(share, _SETTLED * np.maximum(upward, 0.0)[:, None])
        if part.role != PartRole.BODY:
            share = np.ones_like(share)
        found[id(part.mesh)] = replace(part.mesh, dust=dust * share)
    return found


def _material(paint: VisualMaterial, materials: list[Material], paints: dict[VisualMaterial, int]) -> int:
    """Return the number of a material; a new one is appended."""
    if paint not in paints:
        paints[paint] = len(materials)
        materials.append(Principled(paint.color, paint.roughness, paint.metallic, paint.specular))
    return paints[paint]
