# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects of the world, and entities of participants, in a scene: meshes and materials of their visuals."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.brdf import mare_rock
from regolith_sensors.scene.gltf_files import SUFFIXES, load_gltf
from regolith_sensors.scene.scene import Scene, SceneObject, Semantic
from regolith_sensors.surfaces.materials import HapkeSoil, Material, Principled
from regolith_sensors.surfaces.meshes import Mesh, cylinder, joined, of_shape
from regolith_vehicles.description import load_triangles
from regolith_world.cycle import Anchor, ObjectVisual, plain

ROCK = HapkeSoil(mare_rock(), (1.12, 1.0, 0.88), micro_relief=0.6, facets=0.3)
"""Material of rocks: blocks of mare basalt and breccia, less red than the soil."""
OBSTACLES: dict[str, Material] = {
    'rock': ROCK,
    'concrete': Principled((0.22, 0.215, 0.20), 0.9, facets=0.15),
    'metal': Principled((0.25, 0.25, 0.26), 0.4, 0.9),
    'wood': Principled((0.18, 0.11, 0.06), 0.8),
}
"""Materials of obstacles and objects, by the key ``material``."""
_STONE_ROUGHNESS = 0.9
"""Roughness of painted rocks."""
_LINE_SIDES = 16
_LIGHT_CELLS_M = (0.1, 0.5)
"""Limits of the distance of points where light is gathered [m]; it is half an object's size."""
_LEAST_LIT_M = 0.04
"""Width of a mesh below which no light is gathered on it [m]: ropes and cables have many thin parts."""


class ObjectLayer:
    """Meshes and materials of objects in one scene; objects with equal visuals share a mesh.

    Checked by: test_objects_seen.py.
    """

    def __init__(self, scene: Scene) -> None:
        """Create the layer.

        Args:
            scene: Scene of the objects.
        """
        self._scene = scene
        self._materials: dict[tuple[str, tuple[float, ...]], int] = {}
        self._meshes: dict[str, int] = {}
        self._rows: dict[Material, int] = {}

    def add(self, visual: ObjectVisual, number: int | None = None) -> SceneObject:
        """Add an object to the scene and return it.

        Args:
            visual: Visual of the object.
            number: Number in instance images; None: the next one.
        """
        look = (plain(visual.shapes), visual.material, visual.mesh, visual.mesh_scale, visual.color.tolist())
        key = str((visual.anchor == Anchor.LINE, look))
        if key not in self._meshes:
            paint = None if len(visual.color) else self._number
            mesh = object_mesh(visual, self._material(visual), paint)
            sizes = np.sort(np.ptp(mesh.vertices, axis=0))
            cell_m = float(np.clip(0.5 * sizes[2], *_LIGHT_CELLS_M))
            self._meshes[key] = self._scene.add_mesh(mesh, bool(sizes[1] >= _LEAST_LIT_M), cell_m)
        semantic = Semantic.ROCK if visual.material == 'rock' else Semantic.OTHER
        return self._scene.add_object(visual.name, [(self._meshes[key], semantic)], number)

    def _material(self, visual: ObjectVisual) -> int:
        key = (visual.material, tuple(visual.color.tolist()))
        if key not in self._materials:
            material = OBSTACLES.get(visual.material, OBSTACLES['metal'])
            if len(visual.color):
                red, green, blue = visual.color.tolist()
                roughness = material.roughness if isinstance(material, Principled) else _STONE_ROUGHNESS
                material = Principled((red, green, blue), roughness)  # paint
            self._materials[key] = self._number(material)
        return self._materials[key]

    def _number(self, material: Material) -> int:
        """Return the row of a material in the scene's table; a new one is added."""
        if material not in self._rows:
            self._rows[material] = self._scene.add_material(material)
        return self._rows[material]


def object_mesh(visual: ObjectVisual, material: int = 0, paint: Callable[[Principled], int] | None = None) -> Mesh:
    """Return the mesh of a visual in its own frame, that of a line along z with a length of 1 m; beams are left out.

    A mesh file that cannot be read is replaced by the shapes, with a warning. This can only happen to spawned objects,
    because those of a scenario are checked before the run.

    Args:
        visual: A visible visual.
        material: Row of the material table.
        paint: Function that returns the row of a material of a mesh file; None: all have ``material``.
    """
    if visual.anchor == Anchor.LINE:
        return cylinder(float(visual.shapes[0].size[0]), 0.5, _LINE_SIDES, material)
    if visual.mesh:
        try:
            return _of_file(visual.mesh, visual.mesh_scale, material, paint)
        except (OSError, ValueError) as error:
            warnings.warn(f'{visual.name}: {error}; its collision shapes are shown', stacklevel=2)
    return joined([mesh for shape in visual.shapes if (mesh := of_shape(shape, material)) is not None])


def _of_file(path: str, scale: float, material: int, paint: Callable[[Principled], int] | None) -> Mesh:
    rows: Sequence[int] | NDArray[np.int64] = ()
    if path.lower().endswith(SUFFIXES):
        found = load_gltf(Path(path), scale)
        corners = found.triangles.reshape(-1, 3)
        rows = np.array([paint(each) for each in found.materials])[found.material] if paint is not None else ()
    else:
        corners = load_triangles(Path(path), scale).reshape(-1, 3)
    triangles = np.arange(len(corners), dtype=np.uint32).reshape(-1, 3)
    numbers = np.asarray(rows, np.uint16) if len(rows) else np.full(len(triangles), material, dtype=np.uint16)
    return Mesh(corners, triangles, numbers)
