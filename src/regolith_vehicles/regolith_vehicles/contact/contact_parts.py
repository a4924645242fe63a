# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts of a vehicle that can touch soil: its running gear, and the ground shapes of its hull."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_terrain import contact
from regolith_terrain.bodies import shapes as body_shapes
from regolith_terrain.contact import SHAPE_CYLINDER, SHAPE_GROUSERED, SHAPE_MESH
from regolith_terrain.grid import SoilGrid
from regolith_terrain.solids import STIFFNESS_OF_PART, Polyhedron
from regolith_vehicles.description.mesh_files import load_triangles
from regolith_vehicles.description.model_config import GroundShapeConfig, VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.dynamics import substeps
from regolith_vehicles.dynamics.multibody import Multibody, point_velocities
from regolith_vehicles.running_gear import ContactPart
from regolith_world.numerics import kernel, portable_math

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

_LEVEL = np.eye(3)
_Z_TO_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""Rotation that turns a shape's y axis to z; columns are axes."""


@dataclass(frozen=True, slots=True)
class ShapeGroup:
    """Ground shapes fixed to one body, in one box along that body's axes."""

    body: int
    """Index of the body."""
    members: tuple[int, ...]
    """Indices of the shapes."""
    middle: Vector
    """Middle of the box in the body frame [m], shape (3,)."""
    half: Vector
    """Half lengths of the box [m], shape (3,)."""


@dataclass(frozen=True, slots=True)
class PartSet:
    """All n parts of a vehicle: those of the running gear first, then the ground shapes of the hull."""

    names: tuple[str, ...]
    """Names for errors."""
    gear: int
    """Number of the running gear's parts."""
    body: Indices
    """Index of each part's body, shape (n,)."""
    offset: Vector
    """Origins of the shapes in their body frames [m], shape (n, 3)."""
    frame: Vector
    """Rotations of the shapes in their body frames, shape (n, 3, 3)."""
    shapes: contact.Shapes
    reach: Vector
    """Radius around the origin that encloses each shape in any orientation [m], shape (n,)."""
    box_middle: Vector
    """Middles of boxes around the shapes, in their body frames [m], shape (n, 3)."""
    box_half: Vector
    """Half lengths of these boxes along the shapes' axes [m], shape (n, 3)."""
    hull: tuple[ShapeGroup, ...]
    belly: NDArray[np.bool_]
    """Whether each part should not touch the ground: ground shapes on bodies without tools, shape (n,)."""
    layer: Indices
    """Index of the soil memory of each part, shape (n,)."""
    yielding: Vector
    """Inverse of the mass with which each part yields individually [1/kg], shape (n,)."""
    tool_surfaces: dict[int, Vector]
    """Closed surfaces of tools with a mesh, by the index of the only ground shape on their body, in its frame [m],
    shape (k, 3, 3) each."""
    stiffness: Vector
    """Stiffness of each part in contact with a solid [N/m], shape (n,)."""

    @property
    def hull_area(self) -> float:
        """Largest face of the box around any ground shape [m^2]; 0 without ground shapes."""
        h = self.box_half[self.gear :]
        return 4.0 * float(np.max(h[:, [0, 1, 2]] * h[:, [1, 2, 0]], initial=0.0))

    def centers(self, count: int, place: Vector, turn: Vector) -> Vector:
        """Return the origins of the first ``count`` shapes in the world frame [m], shape (count, 3).

        Args:
            count: Number of shapes.
            place: Origins of all bodies in the world frame [m], shape (nbody, 3).
            turn: Rotations of all bodies, shape (nbody, 9).
        """
        out: Vector = _centers(self.body, self.offset, count, place, turn)
        return out

    def solids(self, data: Any, own: tuple[Vector, Vector] | None) -> Iterator[tuple[Polyhedron, Vector, Vector]]:
        """Yield a convex shape around each part, with its position in the world [m] and rotation matrix.

        It is a cylinder for a wheel, otherwise the box around the part.

        Args:
            data: MuJoCo state (mujoco.MjData).
            own: As in :meth:`whereabouts`.
        """
        centers = self.centers(len(self.names), data.xpos, data.xmat)
        for k, body in enumerate(self.body.tolist()):
            turn = data.xmat[body].reshape(3, 3)
            axes = portable_math.times(turn, self.frame[k])
            if int(self.shapes.kind[k]) in (SHAPE_CYLINDER, SHAPE_GROUSERED):
                radius, half, _ = self.box_half[k].tolist()
                yield body_shapes.cylinder(radius, half).solid, centers[k], portable_math.times(axes, _Z_TO_Y)
                continue
            place = data.xpos[body] + portable_math.times(turn, self.box_middle[k])
            if own is not None and k < self.gear:
                place = own[0][k]
            yield body_shapes.box(self.box_half[k]).solid, place, axes

    def whereabouts(self, count: int, data: Any, root: int, own: tuple[Vector, Vector] | None) -> tuple[Vector, Vector]:
        """Return origins [m] and velocities [m/s] of the first ``count`` shapes in the world, shape (count, 3) each.

        Args:
            count: Number of shapes.
            data: MuJoCo state (mujoco.MjData).
            root: Root body of the vehicle's subtree.
            own: Origins and velocities of the running gear's shapes if it moves them itself, else None.
        """
        centers = self.centers(count, data.xpos, data.xmat)
        velocities = point_velocities(data.cvel, centers, data.subtree_com[root], self.body)
        if own is not None:
            centers[: self.gear], velocities[: self.gear] = own
        return centers, velocities

    def hull_is_near(
        self,
        grid: SoilGrid,
        felt_above: float,
        place: Vector,
        turn: Vector,
        cvel: Vector,
        com: Vector,
        dt: float,
        acceleration: float = substeps.MARGIN_ACCELERATION,
    ) -> bool:
        """Return whether any part of the hull can touch the ground within a cycle.

        False is certain. Each shape is then above the plane of the lowest face of its box. This plane, lowered by the
        shape's maximum motion, stays above every grid node within reach. All shapes of a body are first checked as one
        box.

        Args:
            grid: Soil grid.
            felt_above: Height above the ground at which contact with a part starts [m].
            place: Origins of all bodies in the world frame [m], shape (nbody, 3).
            turn: Rotations of all bodies, shape (nbody, 9).
            cvel: MuJoCo's velocities of the bodies at ``com``, shape (nbody, 6).
            com: Center of mass of the vehicle [m], shape (3,).
            dt: Duration of the cycle [s].
            acceleration: Maximum acceleration within the cycle [m/s^2].
        """
        slack = 0.5 * acceleration * dt * dt + felt_above
        for group in self.hull:
            b = group.body
            bounds = _underside(group.middle, group.half, _LEVEL, place[b], turn[b], cvel[b], com)
            if bounds[-1] <= substeps.TOP_SPEED and not grid.rises_above(bounds[:-1], bounds[-1] * dt + slack):
                continue
            for k in group.members:
                bounds = _underside(
                    self.box_middle[k], self.box_half[k], self.frame[k], place[b], turn[b], cvel[b], com
                )
                if not bounds[-1] <= substeps.TOP_SPEED:  # also true for NaN
                    return True
                if grid.rises_above(bounds[:-1], bounds[-1] * dt + slack):
                    return True
        return False


def contact_parts(
    config: VehicleModelConfig, body: Multibody, mjcf_path: str | Path, gear: Sequence[ContactPart]
) -> PartSet:
    """Return the parts of a vehicle that can touch soil.

    Args:
        config: Vehicle model.
        body: Multibody model.
        mjcf_path: Path of the MJCF file.
        gear: Parts of the running gear.

    Raises:
        VehicleModelError: If a section's values do not define a shape.
    """
    folder, where = Path(mjcf_path).parent, config.file or mjcf_path
    hull, digging = config.ground_shapes, {tool.body for tool in config.tools.values()}
    model = body.model
    shapes, frames = [part.shape for part in gear], [part.frame for part in gear]
    bodies = [part.body for part in gear]
    for shape in hull:
        name = shape.body if shape.body is not None else config.chassis
        index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
        if index <= 0:
            known = ', '.join(model.body(k).name for k in range(1, model.nbody))
            raise VehicleModelError(where, f'ground_shapes.{shape.name}.body', name, known, 'no such body')
        bodies.append(index)
        try:
            shapes.append(_hull_shape(shape, folder, float(model.stat.extent)))
        except ValueError as error:
            raise _unusable(where, f'ground_shapes.{shape.name}', error) from None
        frames.append(_hull_frame(shape))
    joined, frame = contact.join_shapes(shapes), np.array(frames)
    offset = np.array([*(part.offset for part in gear), *(s.position for s in hull)], dtype=np.float64)
    body_of = np.array(bodies, dtype=np.int64)
    middle, half = _boxes(joined, offset, frame)
    return PartSet(
        names=(*(part.name for part in gear), *(f'ground shape {s.name}' for s in hull)),
        gear=len(gear),
        body=body_of,
        offset=offset,
        frame=frame,
        shapes=joined,
        reach=np.array([contact.reach(shape) for shape in shapes]),
        box_middle=middle,
        box_half=half,
        hull=_groups(body_of, len(gear), middle, half, frame),
        belly=np.array([*(False for _ in gear), *(s.body not in digging for s in hull)], np.bool_),
        layer=_layers([part.layer for part in gear], len(hull)),
        tool_surfaces=_tool_surfaces(config, folder, len(gear), offset, frame),
        yielding=np.array([*(1.0 / part.own_mass for part in gear), *(0.0 for _ in hull)]),
        stiffness=np.array([*(part.stiffness for part in gear), *(STIFFNESS_OF_PART for _ in hull)]),
    )


def _tool_surfaces(
    config: VehicleModelConfig, folder: Path, first: int, offset: Vector, frame: Vector
) -> dict[int, Vector]:
    """Return the surfaces of tools with a mesh, by the index of the only ground shape on their body.

    Args:
        config: Vehicle model.
        folder: Folder of the MJCF file.
        first: Index of the first ground shape.
        offset: Origins of the parts in their body frames [m], shape (n, 3).
        frame: Rotations of the parts in their body frames, shape (n, 3, 3).
    """
    found = {}
    for _, tool in sorted(config.tools.items()):
        parts = [first + k for k, shape in enumerate(config.ground_shapes) if shape.body == tool.body]
        if tool.mesh is None or len(parts) != 1:
            continue
        (part,) = parts
        matrix = np.empty(9)
        x, y, z, w = tool.orientation
        mujoco.mju_quat2Mat(matrix, np.array([w, x, y, z]))
        corners = portable_math.times(load_triangles(folder / tool.mesh, tool.mesh_scale), matrix.reshape(3, 3).T)
        found[part] = portable_math.times(corners + np.array(tool.position) - offset[part], frame[part])
    return found


def _layers(given: Sequence[int | None], more: int) -> Indices:
    """Return the soil memories of a running gear's parts, separate ones by default, then ``more`` separate ones."""
    own = (max((k for k in given if k is not None), default=-1) + 1) if given else 0
    layers = []
    for k in given:
        layers.append(own if k is None else k)
        own += k is None
    return np.array([*layers, *range(own, own + more)], dtype=np.int64)


def _unusable(file: str | Path, key: str, error: ValueError) -> VehicleModelError:
    problem, _, allowed = str(error).partition('; allowed: ')
    return VehicleModelError(file, key, None, allowed or 'a solid with a volume', problem)


def _hull_shape(shape: GroundShapeConfig, folder: Path, extent: float) -> contact.Shapes:
    """Return a ground shape for the soil contact.

    Args:
        shape: Configuration of the ground shape.
        folder: Folder of the MJCF file.
        extent: Extent of the vehicle's bodies [m].

    Raises:
        ValueError: If the mesh cannot be read, or its size does not match the vehicle.
    """
    if shape.mesh is not None:
        made, what = contact.mesh(load_triangles(folder / shape.mesh, shape.mesh_scale)), f'{folder / shape.mesh}: '
        fix = 'set mesh_scale, 0.001 for millimeters'
    else:
        assert shape.size is not None
        length, width, *height = shape.size
        made = (
            contact.box(2.0 * length, 2.0 * width, 2.0 * height[0]) if height else contact.cylinder(length, 2.0 * width)
        )
        what, fix = '', 'sizes and positions are in meters'
    reach = contact.reach(made) + math.hypot(*shape.position)
    if not 1e-3 * extent <= reach <= 5.0 * extent:
        raise ValueError(
            f'{what}extends {reach:.4g} m from the origin of its body, in a vehicle of {extent:.4g} m; '
            f'allowed: 0.001 to 5 times this extent; fix: {fix}'
        )
    return made


def _hull_frame(shape: GroundShapeConfig) -> Vector:
    """Return the rotation of a ground shape in its body frame, shape (3, 3)."""
    x, y, z, w = shape.orientation
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, np.array([w, x, y, z]))
    turn: Vector = matrix.reshape(3, 3)
    # The soil contact's cylinders are along y.
    return portable_math.times(turn, _Z_TO_Y) if shape.kind == 'cylinder' else turn


@kernel
def _centers(body: Indices, offset: Vector, count: int, place: Vector, turn: Vector) -> Vector:
    """Return the origins of shapes in the world frame [m], shape (count, 3); see :meth:`PartSet.centers`."""
    out = np.empty((count, 3))
    for k in range(count):
        b = body[k]
        for a in range(3):
            out[k, a] = place[b, a] + (
                turn[b, 3 * a] * offset[k, 0] + turn[b, 3 * a + 1] * offset[k, 1] + turn[b, 3 * a + 2] * offset[k, 2]
            )
    return out


def _boxes(shapes: contact.Shapes, offset: Vector, frame: Vector) -> tuple[Vector, Vector]:
    """Return boxes around all shapes: middles in the body frames, half lengths along the shapes' axes."""
    half, middle = shapes.size[:, :3].copy(), offset.copy()
    for k, kind in enumerate(shapes.kind):
        if kind in (SHAPE_CYLINDER, SHAPE_GROUSERED):
            radius = shapes.size[k, 0] + (shapes.size[k, 3] if kind == SHAPE_GROUSERED else 0.0)
            half[k] = radius, shapes.size[k, 1], radius
        elif kind == SHAPE_MESH:
            middle[k] += portable_math.times(frame[k], shapes.size[k, 3:6])
    return middle, half


def _groups(body: Indices, first: int, middle: Vector, half: Vector, frame: Vector) -> tuple[ShapeGroup, ...]:
    """Return the shapes from index ``first``, grouped by their bodies."""
    groups = []
    for b in sorted(set(body[first:].tolist())):
        members = [k for k in range(first, len(body)) if body[k] == b]
        reach = np.array([portable_math.times(np.abs(frame[k]), half[k]) for k in members])
        low, high = (middle[members] - reach).min(axis=0), (middle[members] + reach).max(axis=0)
        groups.append(ShapeGroup(b, tuple(members), 0.5 * (low + high), 0.5 * (high - low)))
    return tuple(groups)


@kernel
def _underside(
    middle: Vector, half: Vector, frame: Vector, place: Vector, turn: Vector, cvel: Vector, com: Vector
) -> tuple[float, float, float, float, float, float, float, float]:
    """Return the position of a box on a body, a plane below the whole box, and the maximum speed of its points.

    Args:
        middle: Middle of the box in the body frame [m].
        half: Half lengths of the box [m].
        frame: Axes of the box in the body frame.
        place: Origin of the body in the world frame [m].
        turn: Rotation of the body, shape (9,).
        cvel: MuJoCo's velocity of the body at ``com``, shape (6,).
        com: Center of mass of the vehicle [m], shape (3,).

    Returns:
        x, y, half extents along x and y, height of the plane at (x, y) [m], slopes of the plane; speed [m/s].
    """
    axes = np.empty((3, 3))
    center = np.empty(3)
    for a in range(3):
        for c in range(3):
            axes[a, c] = turn[3 * a] * frame[0, c] + turn[3 * a + 1] * frame[1, c] + turn[3 * a + 2] * frame[2, c]
        center[a] = place[a] + turn[3 * a] * middle[0] + turn[3 * a + 1] * middle[1] + turn[3 * a + 2] * middle[2]
    face = 0
    for c in range(1, 3):
        if abs(axes[2, c]) > abs(axes[2, face]):
            face = c
    # n . (p - center) = -half on the downward face, with its axis n pointing upward.
    sign = 1.0 if axes[2, face] > 0.0 else -1.0
    nx, ny, nz = sign * axes[0, face], sign * axes[1, face], sign * axes[2, face]
    reach_x = half[0] * abs(axes[0, 0]) + half[1] * abs(axes[0, 1]) + half[2] * abs(axes[0, 2])
    reach_y = half[0] * abs(axes[1, 0]) + half[1] * abs(axes[1, 1]) + half[2] * abs(axes[1, 2])
    wx, wy, wz = cvel[0], cvel[1], cvel[2]
    rx, ry, rz = center[0] - com[0], center[1] - com[1], center[2] - com[2]
    vx = cvel[3] + wy * rz - wz * ry
    vy = cvel[4] + wz * rx - wx * rz
    vz = cvel[5] + wx * ry - wy * rx
    turning = math.sqrt((wx * wx + wy * wy + wz * wz) * (half[0] * half[0] + half[1] * half[1] + half[2] * half[2]))
    speed = math.sqrt(vx * vx + vy * vy + vz * vz) + turning
    return center[0], center[1], reach_x, reach_y, center[2] - half[face] / nz, -nx / nz, -ny / nz, speed
