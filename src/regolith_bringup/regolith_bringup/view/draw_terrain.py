# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ground with its ruts, and what stands on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import rerun as rr
from numpy.typing import NDArray

from regolith_bringup.view.message import ViewMessage
from regolith_bringup.view.rerun_canvas import Canvas, path_of, placed
from regolith_bringup.view.soil_updates import UPDATES, NodeChanges, SoilChanges
from regolith_bringup.view.terrain_mesh import MeshPiece, TerrainMesh
from regolith_terrain.height_field_builder import build_height_field, build_rocks
from regolith_terrain.lunar.rocks import Rocks
from regolith_terrain.solids import rock_shapes
from regolith_vehicles.contact.static_obstacles import build_obstacles
from regolith_world.numerics.rotation import from_yaw

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
    """The ground.

    Args:
        pieces: of which it is made
        period_ns: least time between two states of it [ns]
    """

    def __init__(self, canvas: Canvas, pieces: TerrainMesh, period_ns: int) -> None:
        self._canvas, self._pieces, self._period_ns = canvas, pieces, period_ns
        self.soil = SoilChanges()
        self._next_ns = -1

    def begin(self, t_ns: int, places: Floats, tiles: Iterable[tuple[int, int]] = ()) -> None:
        """Show the ground around places.

        Args:
            places: where vehicles are, or will be [m], shape (n, 2)
            tiles: that will change
        """
        self._draw(t_ns, self._pieces.show(self._pieces.patches_around(places), tiles))

    def restart(self, t_ns: int) -> None:
        """Forget all changes of the soil."""
        self.soil = SoilChanges()
        self._next_ns = -1
        self._draw(t_ns, self._pieces.restart())

    def meet(self, types: Mapping[str, str]) -> Mapping[str, int]:
        """Return the topic of the soil's changes, of which all are needed."""
        return {UPDATES: 0} if UPDATES in types else {}

    def take(self, told: ViewMessage) -> None:
        """Remember a change."""
        self.soil.take(told.content)

    def tick(self, t_ns: int) -> None:
        """Draw what has changed, once per period."""
        if t_ns >= self._next_ns:
            self.flush(t_ns)

    def flush(self, t_ns: int) -> None:
        """Draw what has changed."""
        self._next_ns = (t_ns // self._period_ns + 1) * self._period_ns
        fresh = self.soil.take_changes()
        if fresh is not None:
            self.dig(t_ns, fresh)

    def dig(self, t_ns: int, change: NodeChanges) -> None:
        """Draw a change of the soil."""
        self._draw(t_ns, self._pieces.take(change))

    def _draw(self, t_ns: int, pieces: list[MeshPiece]) -> None:
        for piece in pieces:
            parts: dict[str, Any] = {'vertex_positions': piece.vertices, 'vertex_colors': piece.colors}
            if piece.triangles is not None:
                parts['triangle_indices'] = piece.triangles
            self._canvas.put(t_ns, f'world/ground/{piece.name}', rr.Mesh3D.from_fields(**parts))


def draw_obstacles(canvas: Canvas, scenario: Any, middle: Floats) -> None:
    """Draw rocks and obstacles.

    Args:
        middle: of the vehicles' places [m], shape (2,): of many rocks those are shown that look largest from there
    """
    terrain = scenario.terrain
    field = build_height_field(terrain, scenario.seed)
    for thing in build_obstacles(terrain, field):
        corners = thing.triangles.reshape(-1, 3)
        mesh = shaded(corners, np.arange(len(corners)).reshape(-1, 3), _OBSTACLES[thing.config.material])
        turn = from_yaw(math.radians(thing.config.heading_deg))
        canvas.fix(path_of('world/obstacles', thing.name), mesh, placed(thing.middle, turn))
    rocks = build_rocks(terrain, scenario.seed)
    if rocks is None:
        return
    found = rock_shapes.site_rocks(rocks, terrain.map_size_m)
    if field.extent is not None:
        # Of a map askew the view draws the square around the origin.
        west, east, south, north = field.extent
        drawn = (found.x >= west) & (found.x <= east) & (found.y >= south) & (found.y <= north)
        found = Rocks(**{name: values[drawn] for name, values in found.columns().items()})  # type: ignore[arg-type]
    middles, halves = rock_shapes.placed(found)
    away = np.hypot(found.x - middle[0], found.y - middle[1])
    chosen = np.argsort(-found.diameter / (away + 5.0), kind='stable')[:_MOST_ROCKS]
    turns = np.array([from_yaw(float(yaw)) for yaw in found.yaw[chosen]]).reshape(-1, 4)
    for shape in range(rock_shapes.SHAPES):
        of_shape = np.asarray(found.shape)[chosen] % rock_shapes.SHAPES == shape
        if not of_shape.any():
            continue
        poses = rr.InstancePoses3D(
            translations=middles[chosen][of_shape], quaternions=turns[of_shape], scales=halves[chosen][of_shape]
        )
        canvas.fix(f'world/rocks/{shape}', shaded(*rock_shapes.scaled_rock(shape), _ROCK), poses)


def shaded(vertices: Any, triangles: Any, color: tuple[int, int, int]) -> rr.Mesh3D:
    """Return a mesh of flat facets in one colour, lit by the viewer."""
    corners = np.asarray(vertices, dtype=np.float64)[np.asarray(triangles, dtype=np.int64)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    return rr.Mesh3D(
        vertex_positions=corners.reshape(-1, 3), vertex_normals=np.repeat(normals, 3, axis=0), albedo_factor=color
    )
