# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Visual description of a vehicle of any type: moving parts, shapes fixed to them, meshes and materials.

Together with the poses of the moving parts it contains all data for drawing a vehicle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.description.model_config import GrouserConfig, VehicleModelConfig
from regolith_vehicles.dynamics.multibody import Multibody, quaternion_to_ros
from regolith_vehicles.visuals.urdf import link_names
from regolith_world.numerics import rotation

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

_KINDS = {
    int(getattr(mujoco.mjtGeom, f'mjGEOM_{kind.upper()}')): (kind, size)
    for kind, size in (('box', 3), ('sphere', 1), ('ellipsoid', 3), ('capsule', 2), ('cylinder', 2))
}
"""Shape names and number of size values, by MuJoCo's type of geom."""
_MESH = int(mujoco.mjtGeom.mjGEOM_MESH)
_UNPAINTED = (0.5, 0.5, 0.5, 1.0)
"""Color of geoms without a color in the file."""


class PartRole(IntEnum):
    """Role of a moving part; values as in regolith_msgs/VisualPart."""

    BODY = 0
    WHEEL = 1
    TRACK_SHOE = 2
    SPROCKET = 3
    IDLER = 4
    ROAD_WHEEL = 5


@dataclass(frozen=True)
class VisualMaterial:
    """Material of a visual."""

    name: str
    color: tuple[float, float, float]
    """Color: red, green, blue, linear."""
    roughness: float = 0.5
    metallic: float = 0.0
    specular: float = 0.04
    """Reflectance at normal incidence of nonmetals."""


BARE = VisualMaterial('bare', (0.14, 0.14, 0.14), 0.65, 0.0, 0.04)
"""Anodized metal, for geoms without a color in the file.

Terrain with a reflectance of 0.1 sets a camera's exposure; a gray of 0.5 beside it would be saturated.
"""


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangle mesh."""

    name: str
    vertices: NDArray[np.float32]
    """Vertices [m], shape (n, 3)."""
    triangles: NDArray[np.uint32]
    """Vertex indices, counterclockwise from outside, shape (m, 3)."""


@dataclass(frozen=True, eq=False)
class Visual:
    """Visual: a shape or a mesh with one material."""

    shape: str = ''
    """One of box, sphere, ellipsoid, capsule, cylinder, grouser_wheel; '' for a mesh."""
    size: tuple[float, ...] = ()
    """Size as in regolith_msgs/VisualPart [m]."""
    mesh: TriangleMesh | None = None
    paint: VisualMaterial = BARE
    position: Vector = field(default_factory=lambda: np.zeros(3))
    """Position in the moving part's frame [m]."""
    orientation: Vector = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    """Orientation in the moving part's frame, quaternion (x, y, z, w)."""
    name: str = ''

    @property
    def in_place(self) -> bool:
        """Whether its frame equals the moving part's frame."""
        return not self.position.any() and not self.orientation[:3].any()


@dataclass(frozen=True, eq=False)
class DrawnPart:
    """Drawn part that moves but is not a body of the MJCF file, such as a track's shoe."""

    name: str
    role: PartRole
    visuals: tuple[Visual, ...]
    """Visuals of the part; parts with equal visuals share one tuple, so they share one mesh when drawn."""


@dataclass(frozen=True, slots=True)
class Roller:
    """Body of a running gear that rotates on an axle."""

    body: int
    """Index of the MJCF body."""
    name: str
    """Name in messages."""
    role: PartRole
    radius: float
    """Radius [m]."""
    width: float
    """Width [m]."""
    grousers: GrouserConfig | None = None
    """Grousers drawn on a plain cylinder of that radius."""


@dataclass(frozen=True, eq=False)
class MovingPart:
    """Moving part with all visuals fixed to it."""

    name: str
    parent: str
    """Name of the part to which a joint connects it; '' for the base and free parts."""
    role: PartRole
    visuals: tuple[Visual, ...]
    frame: str = ''
    """Frame id on /tf without the vehicle's prefix; '': no frame."""
    position: Vector = field(default_factory=lambda: np.zeros(3))
    """Position in the parent's frame with all joints at zero [m]."""
    orientation: Vector = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))


@dataclass(frozen=True, eq=False)
class VisualDescription:
    """Visual description of a vehicle."""

    parts: tuple[MovingPart, ...]
    """Moving parts, the base first and parents before children; poses have the same order."""

    @property
    def family(self) -> str:
        """'tracked' for a vehicle with track shoes, 'wheeled' for one with wheels, else 'other'."""
        roles = {part.role for part in self.parts}
        return 'tracked' if PartRole.TRACK_SHOE in roles else 'wheeled' if PartRole.WHEEL in roles else 'other'

    def rows(self, role: PartRole) -> list[int]:
        """Return the indices among the poses of all parts of a role."""
        return [k for k, part in enumerate(self.parts) if part.role == role]


@dataclass(frozen=True, eq=False)
class BodyVisuals(VisualDescription):
    """Visual description of a vehicle in this process, with poses from its bodies."""

    bodies: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """MJCF bodies of the first parts; later parts are those of the running gear, see RunningGear.drawn."""


def visuals_of(config: VehicleModelConfig, body: Multibody, gear: Any) -> BodyVisuals:
    """Return the visual description of a vehicle: drawn or rolling bodies, and drawn parts of the running gear.

    Bodies without a joint are drawn with their parent body.

    Args:
        config: Vehicle model.
        body: Multibody model.
        gear: Running gear of the vehicle (:class:`regolith_vehicles.running_gear.RunningGear`).
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
            orientation = rotation.from_matrix(frame.T @ data.geom_xmat[geom].reshape(3, 3))
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
                rotation.from_matrix(frame.T @ data.xmat[b].reshape(3, 3)) if bears else np.array([0.0, 0.0, 0.0, 1.0]),
            )
        )
    parts += [MovingPart(drawn.name, '', drawn.role, drawn.visuals) for drawn in gear.drawn]
    return BodyVisuals(tuple(parts), np.array(moving, dtype=np.int64))


def _look(
    model: Any, geom: int, roller: Roller | None, meshes: dict[int, TriangleMesh]
) -> tuple[str, tuple[float, ...], TriangleMesh | None] | None:
    """Return shape, size and mesh of a geom; None for planes and height fields."""
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
    """Return a geom's material; equal materials are the same object."""
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
