# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Drawing of terrain with ruts, and of rocks and obstacles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import rerun as rr
from numpy.typing import NDArray

from regolith_bringup.view.message import ViewMessage
from regolith_bringup.view.rerun_canvas import Canvas, path_of, placed
from regolith_bringup.view.terrain_mesh import MeshPiece, TerrainMesh
from regolith_terrain import build_height_field, build_rocks
from regolith_terrain.grid import NodeRecords
from regolith_terrain.lunar import Rocks
from regolith_terrain.solids import rock_shapes
from regolith_terrain.updates import COMMITTED_TOPIC, CommittedSoil, SoilCommit
from regolith_vehicles.contact import build_obstacles
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]

_MOST_ROCKS = 6000
_ROCK = (122, 116, 110)
_OBSTACLES = {
    'rock': _ROCK,
    'concrete': (150, 148, 144),
    'metal': (140, 142, 148),
    'wood': (126, 98, 70),
}


class TerrainDrawer:
    """Drawer of the terrain.

    Args:
        canvas: Canvas to draw on.
        pieces: Mesh of the terrain.
        period_ns: Minimum time between two states [ns].
        soil: Committed soil to draw.
    """

    def __init__(self, canvas: Canvas, pieces: TerrainMesh, period_ns: int, soil: CommittedSoil) -> None:
        self._canvas, self._pieces, self._period_ns, self._soil = canvas, pieces, period_ns, soil
        self._next_ns = -1

    def begin(self, t_ns: int, places: Floats, tiles: Iterable[tuple[int, int]] = ()) -> None:
        """Show the terrain around positions.

        Args:
            t_ns: Simulated time [ns].
            places: Present or later positions of vehicles [m], shape (n, 2).
            tiles: Tiles that will change.
        """
        self._draw(t_ns, self._pieces.show(self._pieces.patches_around(places), tiles))

    def meet(self, types: Mapping[str, str]) -> Mapping[str, int]:
        """Return the topic of committed soil changes, of which all messages are needed."""
        return {COMMITTED_TOPIC: 0} if COMMITTED_TOPIC in types else {}

    def take(self, message: ViewMessage) -> None:
        """Store a soil change."""
        self._soil.take(SoilCommit.of(message.content))

    def tick(self, t_ns: int) -> None:
        """Draw the changes, once per period."""
        if t_ns >= self._next_ns:
            self.flush(t_ns)

    def flush(self, t_ns: int) -> None:
        """Draw the changes."""
        self._next_ns = (t_ns // self._period_ns + 1) * self._period_ns
        complete, changes = self._soil.changes()
        if complete:
            self._draw(t_ns, self._pieces.restart())
        self.dig(t_ns, changes)

    def dig(self, t_ns: int, changes: Sequence[NodeRecords]) -> None:
        """Draw soil changes."""
        if changes:
            self._draw(t_ns, self._pieces.take(changes))

    def _draw(self, t_ns: int, pieces: list[MeshPiece]) -> None:
        for piece in pieces:
            parts: dict[str, Any] = {'vertex_positions': piece.vertices, 'vertex_colors': piece.colors}
            if piece.triangles is not None:
                parts['triangle_indices'] = piece.triangles
            self._canvas.put(t_ns, f'world/ground/{piece.name}', rr.Mesh3D.from_fields(**parts))


def draw_obstacles(canvas: Canvas, scenario: Any, middle: Floats) -> None:
    """Draw rocks and obstacles, without roofs.

    Args:
        canvas: Canvas to draw on.
        scenario: Resolved scenario.
        middle: Mean of the vehicle positions [m], shape (2,). If there are many rocks, only those with the largest
            apparent size from there are drawn.
    """
    terrain = scenario.terrain
    field = build_height_field(terrain, scenario.seed)
    for thing in build_obstacles(terrain, field):
        corners = thing.without_roofs().reshape(-1, 3)
        mesh = shaded(corners, np.arange(len(corners)).reshape(-1, 3), _OBSTACLES[thing.config.material])
        turn = rotation.from_yaw(math.radians(thing.config.heading_deg))
        canvas.fix(path_of('world/obstacles', thing.name), mesh, placed(thing.middle, turn))
    rocks = build_rocks(terrain, scenario.seed)
    if rocks is None:
        return
    found = rock_shapes.site_rocks(rocks, terrain.map_size_m)
    if field.extent is not None:
        # For a rotated map, the view draws the square around the origin.
        west, east, south, north = field.extent
        drawn = (found.x >= west) & (found.x <= east) & (found.y >= south) & (found.y <= north)
        found = Rocks(**{name: values[drawn] for name, values in found.columns().items()})  # type: ignore[arg-type]
    middles, halves = rock_shapes.placed(found)
    distance = np.hypot(found.x - middle[0], found.y - middle[1])
    chosen = np.argsort(-found.diameter / (distance + 5.0), kind='stable')[:_MOST_ROCKS]
    turns = np.array([rotation.from_yaw(float(yaw)) for yaw in found.yaw[chosen]]).reshape(-1, 4)
    for shape in range(rock_shapes.SHAPES):
        of_shape = np.asarray(found.shape)[chosen] % rock_shapes.SHAPES == shape
        if not of_shape.any():
            continue
        poses = rr.InstancePoses3D(
            translations=middles[chosen][of_shape], quaternions=turns[of_shape], scales=halves[chosen][of_shape]
        )
        canvas.fix(f'world/rocks/{shape}', shaded(*rock_shapes.scaled_rock(shape), _ROCK), poses)


def shaded(vertices: Any, triangles: Any, color: tuple[int, int, int]) -> rr.Mesh3D:
    """Return a mesh with flat facets in one color, lit by the viewer."""
    corners = np.asarray(vertices, dtype=np.float64)[np.asarray(triangles, dtype=np.int64)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    return rr.Mesh3D(
        vertex_positions=corners.reshape(-1, 3), vertex_normals=np.repeat(normals, 3, axis=0), albedo_factor=color
    )
