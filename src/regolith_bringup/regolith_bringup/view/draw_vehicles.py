# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Drawing of vehicles: their parts once, then the poses of the parts; and their paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import rerun as rr
from numpy.typing import NDArray

from regolith_bringup.view.colors import color_of
from regolith_bringup.view.message import ViewMessage
from regolith_bringup.view.rerun_canvas import Canvas, path_of, placed, screen
from regolith_sensors.scene import MeshPart, vehicle_parts
from regolith_sensors.surfaces import Material, Mesh, Principled, corner_normals
from regolith_vehicles.visuals import PartRole, VisualDescription, state_poses, visuals_from_message
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]

LOOKS, POSES = 'visual_description', 'part_poses'
_LOOKS_TYPE = 'regolith_msgs/msg/VisualDescription'
_PATH_NS = 500_000_000
_PATH_POINTS = 400
_PAST = 12
"""Number of points at the end of a path that must be visible."""
_ABOVE_M = 0.03
"""Height of paths above the soil surface at the vehicle [m]."""


@dataclass
class _Vehicle:
    """Drawn vehicle."""

    looks: VisualDescription
    parts: list[MeshPart]
    alone: list[tuple[str, int]]
    """Paths and rows of parts with separate entities."""
    many: list[tuple[str, NDArray[np.int64]]]
    """Paths and rows of parts that share a mesh and an entity."""
    height: float | None = None
    """Initial height of the base frame above the lowest point [m]."""
    trail: list[Floats] = field(default_factory=list)
    stride_ns: int = _PATH_NS
    next_ns: int = 0


class DrawnVehicles:
    """Drawer of all vehicles that publish a visual description.

    Args:
        canvas: Canvas to draw on.
        period_ns: Minimum time between two states [ns].
    """

    def __init__(self, canvas: Canvas, period_ns: int) -> None:
        self._canvas, self._period_ns = canvas, period_ns
        self._vehicles: dict[str, _Vehicle] = {}
        self._frames: dict[str, str] = {}

    def meet(self, types: Mapping[str, str]) -> Mapping[str, int]:
        """Return the topics with visual descriptions and states of all vehicles."""
        names = [topic.split('/')[1] for topic, kind in types.items() if kind == _LOOKS_TYPE]
        return {f'/{name}/{LOOKS}': 0 for name in names} | {f'/{name}/{POSES}': self._period_ns for name in names}

    def path_of_frame(self, frame: str) -> str | None:
        """Return the entity path of the part with a frame, or None for unknown frames."""
        return self._frames.get(frame)

    def places(self) -> Floats:
        """Return present positions of vehicles, and those some seconds ago [m], shape (n, 2)."""
        trails = [vehicle.trail for vehicle in self._vehicles.values() if vehicle.trail]
        found = [trail[k][:2] for trail in trails for k in (max(-_PAST, -len(trail)), -1)]
        return np.array(found, dtype=np.float64).reshape(-1, 2)

    def take(self, message: ViewMessage) -> None:
        """Draw a vehicle, or move its parts."""
        _, name, what = message.topic.split('/')
        if what == LOOKS:
            if name not in self._vehicles:
                self._vehicles[name] = self._appear(name, message)
        elif name in self._vehicles:
            self._place(name, self._vehicles[name], message.raw)

    def tick(self, t_ns: int) -> None:
        """Do nothing, because states are drawn immediately."""

    def _appear(self, name: str, message: ViewMessage) -> _Vehicle:
        looks = visuals_from_message(message.content)
        materials: list[Material] = []
        parts = vehicle_parts(looks, materials)
        base, first = message.content.header.frame_id, looks.parts[0].frame
        prefix = base.removesuffix(first) if first else ''
        alone, shoes = [], []
        meshes: dict[int, rr.Mesh3D] = {}
        for part in parts:
            if part.role == PartRole.TRACK_SHOE:
                shoes.append(part)
                continue
            path = path_of('world/vehicles', name, part.name)
            self._canvas.fix(path, meshes.setdefault(id(part.mesh), painted(part.mesh, materials)))
            alone.append((path, part.row))
            frame = looks.parts[part.row].frame
            if frame:
                self._frames[f'{prefix}{frame}'] = path
        self._frames.setdefault(base, alone[0][0])
        many = []
        for number, mesh in enumerate({id(part.mesh): part.mesh for part in shoes}.values()):
            path = path_of('world/vehicles', name, f'shoes_{number}')
            self._canvas.fix(path, painted(mesh, materials))
            many.append((path, np.array([part.row for part in shoes if part.mesh is mesh])))
        return _Vehicle(looks, parts, alone, many)

    def _place(self, name: str, vehicle: _Vehicle, raw: bytes) -> None:
        t_ns, _, poses = state_poses(raw)
        if len(poses) != len(vehicle.looks.parts):
            return  # state of another vehicle that had this name
        for path, row in vehicle.alone:
            self._canvas.put(t_ns, path, placed(poses[row, :3], poses[row, 3:]))
        for path, rows in vehicle.many:
            poses_of_many = rr.InstancePoses3D(translations=poses[rows, :3], quaternions=poses[rows, 3:])
            self._canvas.put(t_ns, path, poses_of_many)
        if t_ns >= vehicle.next_ns or not vehicle.trail:
            self._extend(name, vehicle, t_ns, poses)

    def _extend(self, name: str, vehicle: _Vehicle, t_ns: int, poses: Floats) -> None:
        """Extend the path. A long path keeps every other point, so that its cost stays constant."""
        if vehicle.height is None:
            vehicle.height = float(poses[0, 2]) - min(
                float((part.mesh.vertices @ rotation.matrix(poses[part.row, 3:])[2]).min() + poses[part.row, 2])
                for part in vehicle.parts
            )
        vehicle.trail.append(poses[0, :3] + (0.0, 0.0, _ABOVE_M - vehicle.height))
        if len(vehicle.trail) > _PATH_POINTS:
            vehicle.trail = vehicle.trail[::2]
            vehicle.stride_ns *= 2
        vehicle.next_ns = t_ns + vehicle.stride_ns
        line = rr.LineStrips3D([np.array(vehicle.trail)], colors=[color_of(name)], radii=rr.Radius.ui_points(1.5))
        self._canvas.put(t_ns, path_of('world/paths', name), line)


def painted(mesh: Mesh, materials: list[Material]) -> rr.Mesh3D:
    """Return a mesh with material colors and smooth normals on round surfaces, lit by the viewer."""
    colors = np.array([screen(m.color) if isinstance(m, Principled) else (128, 128, 128) for m in materials])
    corners = mesh.vertices[mesh.triangles].reshape(-1, 3)
    return rr.Mesh3D(
        vertex_positions=corners,
        vertex_normals=corner_normals(mesh).reshape(-1, 3),
        vertex_colors=np.repeat(colors[mesh.material], 3, axis=0),
    )
