# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Visual description and poses of a vehicle from messages VehicleDescription and VehicleState.

All programs that draw vehicles use these messages. They can be ROS messages, or come from a bag that was read without
ROS.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.visuals.visual_description import (
    MovingPart,
    PartRole,
    TriangleMesh,
    Visual,
    VisualDescription,
    VisualMaterial,
)

Vector = NDArray[np.float64]

_LEVEL = np.array([0.0, 0.0, 0.0, 1.0])
_LITTLE = struct.pack('=H', 1) == struct.pack('<H', 1)


def visuals_from_message(message: Any) -> VisualDescription:
    """Return the visual description in a VehicleDescription message.

    Args:
        message: Message VehicleDescription.

    Raises:
        ValueError: If it refers to a mesh, a material or a parent that it does not contain.
    """
    paints = {
        p.name: VisualMaterial(p.name, (p.color[0], p.color[1], p.color[2]), p.roughness, p.metallic, p.specular)
        for p in message.materials
    }
    meshes = {
        each.name: TriangleMesh(
            each.name,
            np.array(each.vertices, np.float32).reshape(-1, 3),
            np.array(each.triangles, np.uint32).reshape(-1, 3),
        )
        for each in message.meshes
    }
    visuals: dict[str, list[Visual]] = {}
    moving: list[Any] = []
    try:
        for part in message.parts:
            if part.moving:
                visuals[part.name] = []
                moving.append(part)
            if part.shape or part.mesh:
                mesh = meshes[part.mesh] if part.mesh else None
                place: tuple[Vector, Vector] = (np.zeros(3), _LEVEL) if part.moving else _pose(part.pose)
                name, paint = part.name.rpartition('/')[2], paints[part.material]
                visual = Visual(part.shape, tuple(part.size), mesh, paint, *place, name)
                visuals[part.name if part.moving else part.parent].append(visual)
    except KeyError as error:
        raise ValueError(
            f'description of {message.name}: {error} is not defined; allowed: names defined before'
        ) from None
    # Parts with equal visuals share one tuple again, as in the original description.
    shared: dict[Any, tuple[Visual, ...]] = {}
    return VisualDescription(
        tuple(
            MovingPart(
                part.name,
                part.parent,
                PartRole(part.role),
                shared.setdefault(tuple(map(_key, visuals[part.name])), tuple(visuals[part.name])),
                part.frame_id,
                *_pose(part.pose),
            )
            for part in moving
        )
    )


def state_poses(raw: bytes) -> tuple[int, int, Vector]:
    """Return stamp [ns], epoch and poses, shape (n, 7), of a serialized PartPoses, without decoding it.

    Args:
        raw: Serialized message.

    Raises:
        ValueError: If it is not encoded as CDR in native byte order.
    """
    return state_values(raw)[:3]


def state_values(raw: bytes) -> tuple[int, int, Vector, Vector]:
    """Return the values of :func:`state_poses`, and the temperatures of the parts [K], shape (n,) or (0,)."""
    if raw[:2] != (b'\0\1' if _LITTLE else b'\0\0'):
        raise ValueError(f'PartPoses: encapsulation {raw[:4]!r}; allowed: CDR in native byte order')
    body = memoryview(raw)[4:]  # alignment counts from the end of the encapsulation header
    sec, nanosec = struct.unpack_from('=iI', body)
    at = 8
    for _ in range(2):  # frame_id, name
        (length,) = struct.unpack_from('=I', body, at)
        at = (at + 4 + length + 3) // 4 * 4
    epoch, count = struct.unpack_from('=II', body, at)
    at += 8
    temperatures = np.zeros(0)
    if count:
        at = (at + 7) // 8 * 8
        temperatures = np.frombuffer(body, np.float64, count, at)
        at += 8 * count
    (count,) = struct.unpack_from('=I', body, at)
    at = (at + 4 + 7) // 8 * 8
    poses = np.frombuffer(body, np.float64, 7 * count, at).reshape(count, 7)
    return sec * 10**9 + nanosec, epoch, poses, temperatures


def poses_from_message(message: Any) -> Vector:
    """Return the poses of a decoded PartPoses, shape (n, 7)."""
    return np.array([np.concatenate(_pose(each)) for each in message.poses])


def _pose(message: Any) -> tuple[Vector, Vector]:
    p, q = message.position, message.orientation
    return np.array([p.x, p.y, p.z]), np.array([q.x, q.y, q.z, q.w])


def _key(visual: Visual) -> tuple[Any, ...]:
    mesh = visual.mesh.name if visual.mesh is not None else ''
    return visual.shape, visual.size, mesh, visual.paint, visual.position.tobytes(), visual.orientation.tobytes()
