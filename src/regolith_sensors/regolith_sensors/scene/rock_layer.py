# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The rocks of a site in a scene: those near the viewer in full number, farther off only the larger ones."""

from __future__ import annotations

import numpy as np

from regolith_sensors.scene.meshes import Mesh, rock
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_terrain.lunar.rocks import RockField, Rocks
from regolith_world.rotation import from_yaw

SHAPES = 12
MOST = 60_000
"""Rocks of a site: their numbers must fit into an instance image of 16 bits."""
_LEAST_M = 0.03
_SITE_LIMIT_M = 400.0
_RANGE_M = 400.0
_ANGLE = 1.0 / 700.0
"""Width over distance below which a rock is left out [rad]: about a pixel."""
_BURIED = 0.3


def rock_shapes(material: int) -> list[Mesh]:
    """Return the shapes of rocks, scaled to half widths of 1 along every axis."""
    meshes = []
    for number in range(SHAPES):
        mesh = rock(number, 2, material)
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        meshes.append(Mesh((2.0 * mesh.vertices - low - high) / (high - low), mesh.triangles, mesh.material))
    return meshes


def site_rocks(field: RockField, size_m: float) -> Rocks:
    """Return the rocks in the square of ``size_m`` (at most 400 m) about the origin, in order of x, then y.

    Where there are more than 60 000, the smallest ones of the whole site are left out.
    """
    half = 0.5 * min(size_m, _SITE_LIMIT_M)
    least = _LEAST_M
    rocks = field.rocks_in(-half, half, -half, half, least)
    while len(rocks) > MOST:
        least *= 1.25
        rocks = field.rocks_in(-half, half, -half, half, least)
    # The order of a catalogue depends on the box of the query; the number of a rock must not.
    order = np.lexsort((rocks.y, rocks.x))
    return Rocks(**{name: values[order] for name, values in rocks.columns().items()})  # type: ignore[arg-type]


class RockLayer:
    """The visible rocks of a scene.

    Simplifications: rocks outside the site are not shown, nor any narrower than 3 cm. Three tenths of each rock's
    height are in the ground. Vehicles do not collide with them.
    """

    def __init__(self, rocks: Rocks, scene: Scene, material: int, first_number: int) -> None:
        """Add the shapes to a scene that is otherwise complete.

        :param rocks: of the site
        :param material: of the scene's
        :param first_number: of the first rock in instance images
        """
        self.rocks = rocks
        self.first_number = first_number
        self._scene = scene
        self._meshes = [scene.add_mesh(mesh) for mesh in rock_shapes(material)]
        self._kept = len(scene.objects)

    def show(self) -> None:
        """Put the rocks around the scene's centre into it."""
        scene, r = self._scene, self.rocks
        scene.keep_objects(self._kept)
        x, y = scene.tiles.middle
        away = np.hypot(r.x - x, r.y - y)
        for k in np.flatnonzero((away < _RANGE_M) & (r.diameter > away * _ANGLE)).tolist():
            mesh = self._meshes[int(r.shape[k]) % SHAPES]
            thing = scene.add_object(f'rock_{k}', [(mesh, Semantic.ROCK)], self.first_number + k)
            half = 0.5 * r.height[k] / (1.0 - _BURIED)
            place = (r.x[k], r.y[k], r.z[k] + r.height[k] - half)
            scale = (0.5 * r.diameter[k], 0.5 * r.diameter[k] * r.aspect[k], half)
            scene.place(thing, 0, place, from_yaw(float(r.yaw[k])), scale)
