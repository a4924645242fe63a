# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Message of a vehicle's visual description; :mod:`regolith_vehicles.visuals.visual_messages` decodes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from regolith_msgs import msg as m

from regolith_vehicles.visuals.visual_description import Visual, VisualDescription, VisualMaterial
from regolith_world.ros import pose_message, typed_array


def description_message(
    name: str, looks: VisualDescription, base_frame: str, mass: float, shapes: Sequence[Any] = ()
) -> m.VisualDescription:
    """Return the description message of a vehicle.

    Equal visuals share one mesh. A single visual in its part's frame is included in the part; other visuals are fixed
    parts after it.

    Args:
        name: Name of the vehicle.
        looks: Visual description of the vehicle.
        base_frame: Frame id of the base with the vehicle's prefix.
        mass: Mass of the vehicle [kg].
        shapes: Collision shapes, regolith_msgs/Shape.
    """
    message = m.VisualDescription(name=name, family=looks.family, mass=mass, shapes=list(shapes))
    message.header.frame_id = base_frame
    meshes: dict[int, str] = {}
    paints: dict[VisualMaterial, str] = {}

    def dress(part: m.VisualPart, visual: Visual) -> None:
        part.shape, part.size = visual.shape, list(visual.size)
        part.material = paints.setdefault(visual.paint, _fresh(visual.paint.name, paints.values()))
        if (mesh := visual.mesh) is not None:
            if id(mesh) not in meshes:
                meshes[id(mesh)] = _fresh(mesh.name, meshes.values())
                vertices, triangles = typed_array('f', mesh.vertices), typed_array('I', mesh.triangles)
                message.meshes.append(m.VisualMesh(name=meshes[id(mesh)], vertices=vertices, triangles=triangles))
            part.mesh = meshes[id(mesh)]

    for moving in looks.parts:
        part = m.VisualPart(name=moving.name, parent=moving.parent, role=int(moving.role), moving=True)
        part.frame_id, part.pose = moving.frame, pose_message(moving.position, moving.orientation)
        message.parts.append(part)
        visuals = list(moving.visuals)
        if len(visuals) == 1 and visuals[0].in_place:
            dress(part, visuals.pop())
        for visual in visuals:
            fixed = m.VisualPart(name=f'{moving.name}/{visual.name}', parent=moving.name)
            fixed.pose = pose_message(visual.position, visual.orientation)
            dress(fixed, visual)
            message.parts.append(fixed)
    for paint, known in paints.items():
        message.materials.append(
            m.VisualMaterial(
                name=known,
                color=list(paint.color),
                roughness=paint.roughness,
                metallic=paint.metallic,
                specular=paint.specular,
            )
        )
    return message


def _fresh(name: str, taken: Iterable[str]) -> str:
    """Return the name, with a number appended if it is already used."""
    known = set(taken)
    return next(tried for k in range(len(known) + 1) if (tried := f'{name}_{k}' if k else name) not in known)
