# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A vehicle's shapes: the geoms of its MJCF file as meshes, one for the body and one per wheel.

Simplification: struts and uprights are drawn in the body's frame as they stand at rest; their few millimetres of travel
and their turning with the steered wheels are not shown. Wheels are, in full.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_sensors.scene.materials import Material, Principled
from regolith_sensors.scene.meshes import Mesh, box, capsule, cylinder, icosphere, joined
from regolith_sensors.scene.meshes import wheel as wheel_mesh
from regolith_vehicles.model_config import GrouserConfig, VehicleModelConfig, WheelConfig

Floats = NDArray[np.float64]

_UNPAINTED = (0.5, 0.5, 0.5, 1.0)
"""The colour of geoms of which the file says none."""
_BARE = (0.14, 0.14, 0.14, 0.65, 0.0, 0.04)
"""Anodised metal: colour, roughness, metallic, specular. Ground that reflects a tenth sets the exposure; a grey of a
half burns out beside it."""


@dataclass(frozen=True)
class Part:
    """A rigid part of a vehicle."""

    name: str
    """``chassis`` or the wheel's name."""
    mesh: Mesh
    """In the part's own frame: the base frame, or that of the wheel's body."""


def vehicle_parts(config: VehicleModelConfig, mjcf: Path, materials: list[Material]) -> list[Part]:
    """Return chassis and wheels, in this order; their materials are appended to ``materials``.

    :param config: of the vehicle's model
    :param mjcf: its MJCF file
    :param materials: of the scene; the meshes number them from 0
    :raises ValueError: if chassis or a wheel has no visible geom
    """
    model = mujoco.MjModel.from_xml_path(str(mjcf))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    names = ['chassis', *(wheel.name for wheel in config.wheels)]
    bodies = [model.body(config.chassis).id, *(model.body(wheel.body).id for wheel in config.wheels)]
    shapes: dict[int, list[Mesh]] = {body: [] for body in bodies}
    drawn = config.visuals.grousers
    wheels = {body: (wheel, wheel.grousers or drawn) for wheel, body in zip(config.wheels, bodies[1:])}
    looks: dict[tuple[float, ...], int] = {}
    for geom in range(model.ngeom):
        owner = int(model.geom_bodyid[geom])
        while owner not in shapes and owner != 0:
            owner = int(model.body_parentid[owner])
        if owner not in shapes:
            continue
        material = _material(model, geom, materials, looks)
        mesh = _tread(model, geom, wheels.get(owner), material) or _shape(model, geom, material)
        if mesh is not None:
            frame = data.xmat[owner].reshape(3, 3)
            position = frame.T @ (data.geom_xpos[geom] - data.xpos[owner])
            shapes[owner].append(mesh.moved(position, frame.T @ data.geom_xmat[geom].reshape(3, 3)))
    for name, body in zip(names, bodies):
        if not shapes[body]:
            raise ValueError(f'{mjcf}: nothing to show of {name}; allowed: box, cylinder, capsule, sphere, mesh')
    return [Part(name, joined(shapes[body])) for name, body in zip(names, bodies)]


def _tread(
    model: mujoco.MjModel, geom: int, wheel: tuple[WheelConfig, GrouserConfig | None] | None, material: int
) -> Mesh | None:
    """Return the drum with its grousers for a geom that is the wheel's plain cylinder; else None."""
    config, grousers = wheel if wheel is not None else (None, None)
    if config is None or grousers is None or int(model.geom_type[geom]) != mujoco.mjtGeom.mjGEOM_CYLINDER:
        return None
    radius, half_width = (float(v) for v in model.geom_size[geom][:2])
    if abs(radius - config.radius_m) > 0.02 * config.radius_m:
        return None
    return wheel_mesh(radius, half_width, (grousers.count, grousers.height_m, grousers.thickness_m), material)


def _shape(model: mujoco.MjModel, geom: int, material: int) -> Mesh | None:
    """Return the mesh of one geom in its own frame; None for planes, fields and invisible geoms."""
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    if model.geom_rgba[geom, 3] == 0.0:
        return None
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return box((float(size[0]), float(size[1]), float(size[2])), material)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return cylinder(float(size[0]), float(size[1]), 48, material)
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return capsule(float(size[0]), float(size[1]), 16, material)
    if kind in (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_ELLIPSOID):
        axes = np.full(3, size[0]) if kind == mujoco.mjtGeom.mjGEOM_SPHERE else size
        ball = icosphere(3, material)
        return Mesh(ball.vertices * axes, ball.triangles, ball.material)
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        number = int(model.geom_dataid[geom])
        first, count = int(model.mesh_vertadr[number]), int(model.mesh_vertnum[number])
        face, faces = int(model.mesh_faceadr[number]), int(model.mesh_facenum[number])
        return Mesh(
            np.array(model.mesh_vert[first : first + count], dtype=np.float64),
            np.array(model.mesh_face[face : face + faces], dtype=np.uint32),
            np.full(faces, material, dtype=np.uint16),
        )
    return None


def _material(model: mujoco.MjModel, geom: int, materials: list[Material], looks: dict[tuple[float, ...], int]) -> int:
    """Return the number of a geom's material, new ones appended."""
    number = int(model.geom_matid[geom])
    if number < 0 and tuple(float(v) for v in model.geom_rgba[geom]) == _UNPAINTED:
        return _new(_BARE, materials, looks)
    rgba = model.geom_rgba[geom] if number < 0 else model.mat_rgba[number]
    shininess = 0.5 if number < 0 else float(model.mat_shininess[number])
    specular = 0.5 if number < 0 else float(model.mat_specular[number])
    metallic = 0.0 if number < 0 else max(float(model.mat_metallic[number]), 0.0)
    look = (*(float(v) for v in rgba[:3]), 1.0 - shininess, metallic, 0.08 * specular)
    return _new(look, materials, looks)


def _new(look: tuple[float, ...], materials: list[Material], looks: dict[tuple[float, ...], int]) -> int:
    if look not in looks:
        looks[look] = len(materials)
        materials.append(Principled((look[0], look[1], look[2]), look[3], look[4], look[5]))
    return looks[look]
