# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What a vehicle of any family looks like: parts that move, what is fixed to them, meshes and materials.

With the poses of the parts that move it is all that is needed to draw a vehicle, wherever that is done.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.description.model_config import GrouserConfig, VehicleModelConfig
from regolith_vehicles.description.urdf import link_names
from regolith_vehicles.dynamics.multibody import Multibody, quaternion_to_ros
from regolith_world.numerics.rotation import from_matrix

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

_KINDS = {
    int(getattr(mujoco.mjtGeom, f'mjGEOM_{kind.upper()}')): (kind, size)
    for kind, size in (('box', 3), ('sphere', 1), ('ellipsoid', 3), ('capsule', 2), ('cylinder', 2))
}
"""MuJoCo's kind of geom -> name of the shape and how many numbers its size has."""
_MESH = int(mujoco.mjtGeom.mjGEOM_MESH)
_UNPAINTED = (0.5, 0.5, 0.5, 1.0)
"""The colour of geoms of which the file says none."""


class PartRole(IntEnum):
    """What a part that moves is there for; values as in regolith_msgs/VisualPart."""

    BODY = 0
    WHEEL = 1
    TRACK_SHOE = 2
    SPROCKET = 3
    IDLER = 4
    ROAD_WHEEL = 5


@dataclass(frozen=True)
class VisualMaterial:
    """A material."""

    name: str
    color: tuple[float, float, float]
    """Red, green, blue, linear."""
    roughness: float = 0.5
    metallic: float = 0.0
    specular: float = 0.04
    """Reflectance at normal incidence of what is no metal."""


BARE = VisualMaterial('bare', (0.14, 0.14, 0.14), 0.65, 0.0, 0.04)
"""Anodised metal, for what the file gives no colour. Ground that reflects a tenth sets the exposure of a camera; a grey
of a half burns out beside it."""


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """A mesh."""

    name: str
    vertices: NDArray[np.float32]
    """[m], shape (n, 3)."""
    triangles: NDArray[np.uint32]
    """Counter-clockwise from outside, shape (m, 3)."""


@dataclass(frozen=True, eq=False)
class Visual:
    """A shape or a mesh, in one material."""

    shape: str = ''
    """One of box, sphere, ellipsoid, capsule, cylinder, grouser_wheel; '' of a mesh."""
    size: tuple[float, ...] = ()
    """As in regolith_msgs/VisualPart [m]."""
    mesh: TriangleMesh | None = None
    paint: VisualMaterial = BARE
    position: Vector = field(default_factory=lambda: np.zeros(3))
    """In the frame of the part that moves [m]."""
    orientation: Vector = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    """Quaternion (x, y, z, w)."""
    name: str = ''

    @property
    def in_place(self) -> bool:
        """Whether it lies in its part's frame as it is."""
        return not self.position.any() and not self.orientation[:3].any()


@dataclass(frozen=True, eq=False)
class DrawnPart:
    """Something that moves and is drawn, though it is no body of the MJCF file, as a track's shoe."""

    name: str
    role: PartRole
    visuals: tuple[Visual, ...]
    """Things that look alike share one tuple: then they share one mesh wherever they are drawn."""


@dataclass(frozen=True, slots=True)
class Roller:
    """A body of a running gear that turns on an axle."""

    body: int
    """MJCF body."""
    name: str
    """Name in messages."""
    role: PartRole
    radius: float
    """[m]."""
    width: float
    """[m]."""
    grousers: GrouserConfig | None = None
    """Plates with which a plain cylinder of that radius is drawn."""


@dataclass(frozen=True, eq=False)
class MovingPart:
    """A part that moves, with all that is fixed to it."""

    name: str
    parent: str
    """Name of the part it is jointed to; '' of the base and of what moves freely."""
    role: PartRole
    visuals: tuple[Visual, ...]
    frame: str = ''
    """Its frame on /tf without the vehicle's prefix; '': none."""
    position: Vector = field(default_factory=lambda: np.zeros(3))
    """In the parent with all joints at zero [m]."""
    orientation: Vector = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))


@dataclass(frozen=True, eq=False)
class VisualDescription:
    """A vehicle's looks."""

    parts: tuple[MovingPart, ...]
    """The base first, parents before what they bear; poses come in this order."""

    @property
    def family(self) -> str:
        """'tracked' if it has a track's shoes, 'wheeled' if it has wheels, else 'other'."""
        roles = {part.role for part in self.parts}
        return 'tracked' if PartRole.TRACK_SHOE in roles else 'wheeled' if PartRole.WHEEL in roles else 'other'

    def rows(self, role: PartRole) -> list[int]:
        """Return the places of all parts of a role among the poses."""
        return [k for k, part in enumerate(self.parts) if part.role == role]


@dataclass(frozen=True, eq=False)
class BodyVisuals(VisualDescription):
    """Looks of a vehicle in this process, whose poses come from its bodies."""

    bodies: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """MJCF bodies of the first parts; those behind them are the running gear's own, see RunningGear.drawn."""


def visuals_of(config: VehicleModelConfig, body: Multibody, gear: Any) -> BodyVisuals:
    """Return the looks of a vehicle: its bodies that are drawn or roll, and what its gear draws beside them.

    Bodies without a joint are drawn with the one that bears them.

    Args:
        gear: The vehicle's :class:`regolith_vehicles.running_gear.RunningGear`.
    """
    model, frames = body.model, link_names(config, body)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    rollers: dict[int, Roller] = {roller.body: roller for roller in gear.rollers}
    visuals: dict[int, list[Visual]] = {}
    meshes: dict[int, TriangleMesh] = {}
    paints: dict[int | tuple[float, ...], VisualMaterial] = {}
    for geom in range(model.ngeom):
        owner = int(model.geom_bodyid[geom])
        mover = int(model.body_weldid[owner])
        if int(model.body_rootid[owner]) != body.base or model.geom_rgba[geom, 3] == 0.0:
            continue
        look = _look(model, geom, rollers.get(mover), meshes)
        if look is None:
            continue
        shape, size, mesh = look
        position, orientation = model.geom_pos[geom].copy(), quaternion_to_ros(model.geom_quat[geom])
        if owner != mover:
            frame = data.xmat[mover].reshape(3, 3)
            position = frame.T @ (data.geom_xpos[geom] - data.xpos[mover])
            orientation = from_matrix(frame.T @ data.geom_xmat[geom].reshape(3, 3))
        of_body = visuals.setdefault(mover, [])
        name = model.geom(geom).name or f'{model.body(mover).name}_{len(of_body)}'
        of_body.append(Visual(shape, size, mesh, _paint(model, geom, paints), position, orientation, name))
    moving = sorted({body.base, *visuals, *rollers})
    names = {b: rollers[b].name if b in rollers else frames.get(b) or model.body(b).name for b in moving}
    parts = []
    for b in moving:
        parent = int(model.body_parentid[b])
        while parent not in names and parent != 0:
            parent = int(model.body_parentid[parent])
        bears = b != body.base
        frame = data.xmat[parent].reshape(3, 3) if bears else np.eye(3)
        parts.append(
            MovingPart(
                names[b],
                names[parent] if bears else '',
                rollers[b].role if b in rollers else PartRole.BODY,
                tuple(visuals.get(b, ())),
                frames.get(b, ''),
                frame.T @ (data.xpos[b] - data.xpos[parent]) if bears else np.zeros(3),
                from_matrix(frame.T @ data.xmat[b].reshape(3, 3)) if bears else np.array([0.0, 0.0, 0.0, 1.0]),
            )
        )
    parts += [MovingPart(drawn.name, '', drawn.role, drawn.visuals) for drawn in gear.drawn]
    return BodyVisuals(tuple(parts), np.array(moving, dtype=np.int64))


def _look(
    model: Any, geom: int, roller: Roller | None, meshes: dict[int, TriangleMesh]
) -> tuple[str, tuple[float, ...], TriangleMesh | None] | None:
    """Return shape, size and mesh of a geom; None for planes and fields."""
    kind = int(model.geom_type[geom])
    if kind == _MESH:
        number = int(model.geom_dataid[geom])
        if number not in meshes:
            first, count = int(model.mesh_vertadr[number]), int(model.mesh_vertnum[number])
            face, faces = int(model.mesh_faceadr[number]), int(model.mesh_facenum[number])
            meshes[number] = TriangleMesh(
                model.mesh(number).name or f'mesh_{number}',
                model.mesh_vert[first : first + count].copy(),
                model.mesh_face[face : face + faces].astype(np.uint32),
            )
        return '', (), meshes[number]
    if kind not in _KINDS:
        return None
    shape, count = _KINDS[kind]
    size = tuple(float(value) for value in model.geom_size[geom][:count])
    plates = roller.grousers if roller is not None and shape == 'cylinder' else None
    if roller is not None and plates is not None and abs(size[0] - roller.radius) <= 0.02 * roller.radius:
        return 'grouser_wheel', (*size, float(plates.count), plates.height_m, plates.thickness_m), None
    return shape, size, None


def _paint(model: Any, geom: int, paints: dict[int | tuple[float, ...], VisualMaterial]) -> VisualMaterial:
    """Return a geom's material; equal ones are the same."""
    number = int(model.geom_matid[geom])
    rgba = tuple(float(v) for v in (model.geom_rgba[geom] if number < 0 else model.mat_rgba[number]))
    if number < 0 and rgba == _UNPAINTED:
        return BARE
    key = rgba if number < 0 else number
    if key not in paints:
        shininess = 0.5 if number < 0 else float(model.mat_shininess[number])
        specular = 0.5 if number < 0 else float(model.mat_specular[number])
        metallic = 0.0 if number < 0 else max(float(model.mat_metallic[number]), 0.0)
        name = model.mat(number).name if number >= 0 else ''
        color = (rgba[0], rgba[1], rgba[2])
        paints[key] = VisualMaterial(name or f'paint_{len(paints)}', color, 1.0 - shininess, metallic, 0.08 * specular)
    return paints[key]
