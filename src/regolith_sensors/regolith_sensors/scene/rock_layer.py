# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rocks of a site in a scene: all rocks near the viewer, only the larger ones farther away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.surfaces.meshes import Mesh
from regolith_terrain.lunar import Rocks
from regolith_terrain.scenario_bodies import MovableRock
from regolith_terrain.solids import rock_shapes
from regolith_world.numerics import rotation

_RANGE_M = 400.0
_ANGLE = 1.0 / 700.0
"""Ratio of width and distance below which a rock is left out [rad]: about a pixel."""


def rock_meshes(material: int) -> list[Mesh]:
    """Return the shapes of rocks, scaled to half widths of 1 along every axis."""
    shapes = (rock_shapes.scaled_rock(number) for number in range(rock_shapes.SHAPES))
    return [Mesh(v, t.astype(np.uint32), np.full(len(t), material, dtype=np.uint16)) for v, t in shapes]


def movable_mesh(rock: MovableRock, shape: int, material: int = 0) -> Mesh:
    """Return the mesh of a rock that moves, in the frame of the body, whose origin is the center of mass.

    Args:
        rock: The rock.
        shape: Number that selects its shape, :attr:`regolith_terrain.lunar.rocks.Rocks.shape`.
        material: Row of the material table.
    """
    unit = rock_meshes(material)[shape % rock_shapes.SHAPES]
    return Mesh(unit.vertices * rock.halves - rock.center, unit.triangles, unit.material)


class RockLayer:
    """The visible rocks of a scene.

    Simplifications: rocks outside the site and rocks narrower than 3 cm are not shown. Three tenths of each rock's
        height
    are in the ground. Vehicles collide with rocks wider than 5 cm (:mod:`regolith_terrain.solids`).
    """

    def __init__(
        self, rocks: Rocks, scene: Scene, material: int, first_number: int, movable: Sequence[int] = ()
    ) -> None:
        """Add the shapes of the rocks to an otherwise complete scene.

        Args:
            rocks: Rocks of the site.
            scene: Scene of the rocks.
            material: Number of the material in the scene.
            first_number: Number of the first rock in instance images.
            movable: Numbers of the rocks that are not shown here, because they move.
        """
        self.rocks = rocks
        self.first_number = first_number
        self._scene = scene
        self._middles, self._halves = rock_shapes.placed(rocks)
        self._fixed = np.ones(len(rocks), dtype=bool)
        self._fixed[list(movable)] = False
        self._meshes = [scene.add_mesh(mesh) for mesh in rock_meshes(material)]
        self.objects_before = len(scene.objects)
        """Number of objects of the scene that are not rocks."""

    def show(self) -> None:
        """Place the rocks around the center of the scene."""
        scene, r = self._scene, self.rocks
        scene.keep_objects(self.objects_before)
        x, y = scene.tiles.middle
        away = np.hypot(r.x - x, r.y - y)
        for k in np.flatnonzero(self._fixed & (away < _RANGE_M) & (r.diameter > away * _ANGLE)).tolist():
            mesh = self._meshes[int(r.shape[k]) % rock_shapes.SHAPES]
            thing = scene.add_object(f'rock_{k}', [(mesh, Semantic.ROCK)], self.first_number + k)
            place, scale = self._middles[k], self._halves[k]
            scene.place(thing, 0, place, rotation.from_yaw(float(r.yaw[k])), scale)
