# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The world as rays see it: ground in tiles, rocks and vehicles as instances, each with its material and its name.

One scene serves all sensors of a process. It is a pure function of what it was told: soil, poses, centre; not of the
order in which it was told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_sensors.rays.embree import Device, Geometry, InstanceScene
from regolith_sensors.scene.layout import MESH, TERRAIN
from regolith_sensors.scene.lit_surface import LitSurface, lit_surface
from regolith_sensors.scene.materials import Material, Regolith, material_table
from regolith_sensors.scene.meshes import Mesh, corner_normals
from regolith_sensors.scene.micro_relief import micro_relief
from regolith_sensors.scene.terrain_tiles import Ground, TerrainTiles
from regolith_world.rotation import matrix

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

_ORIGIN_STEP = 64.0


class Semantic(IntEnum):
    """Classes of the semantic image."""

    SKY = 0
    GROUND = 1
    ROCK = 2
    VEHICLE = 3
    WHEEL = 4
    OTHER = 5


class SceneArrays(NamedTuple):
    """What compiled loops need of a scene; n instances, coordinates from the scene's origin."""

    handle: int
    """Of the Embree scene."""
    facts: NDArray[np.int32]
    """Columns FACT_* of each instance, shape (n, 6)."""
    frames: Singles
    """Of a tile: corner (3) and width of a cell [m]; of a mesh: the matrix (row-major) that takes its normals to the
    world, the inverse transpose of its transform; shape (n, 9)."""
    nodes: Singles
    """Of all tiles, see :class:`TerrainTiles`."""
    mesh_material: NDArray[np.uint16]
    """Material of every triangle of every mesh."""
    mesh_normals: Singles
    """Normals at their corners, see :func:`regolith_sensors.scene.meshes.corner_normals`."""
    materials: Singles
    """See :func:`regolith_sensors.scene.materials.material_table`."""
    texels: Singles
    """See :func:`regolith_sensors.scene.micro_relief.micro_relief`."""
    layers: Singles
    """See there."""
    transforms: Singles
    """Of the instances, from the scene's origin, shape (n, 3, 4)."""
    hulls: NDArray[np.int32]
    """Instances that hold light: number, first and count of their points, first and count of their nodes among all that
    hold light, first of their mesh's; shape (h, 6)."""
    light_nodes: int
    """How many nodes hold light."""
    lattice: NDArray[np.int32]
    """Nodes of all triangles, see :class:`regolith_sensors.scene.lit_surface.LitSurface`, as what follows."""
    light_points: Singles
    light_near: NDArray[np.int32]
    light_weight: Singles


@dataclass
class SceneObject:
    """A thing with a name; its parts are instances that move by themselves."""

    number: int
    """In instance images; 0 is the sky, 1 the ground."""
    name: str
    first: int
    """Of its instances, among those of all objects."""
    count: int


class Scene:
    """The scene of one process."""

    def __init__(
        self, ground: Ground, materials: Sequence[Material] = (), *, soil: Material | None = None,
        view_range: float = 2000.0, detail: float = 5.0, micro_slope_deg: float = 10.0, micro_albedo: float = 0.06,
    ) -> None:  # fmt: skip
        """Begin with the ground alone.

        :param ground: where heights come from
        :param materials: that meshes refer to by number
        :param soil: of the ground; none: ``lunar_paper``
        :param view_range: to which the ground is shown [m]
        :param detail: cells are about distance / (32 detail) wide
        :param micro_slope_deg: r.m.s. slope of the relief below the grid [deg]
        :param micro_albedo: r.m.s. of the relative brightness below the grid
        """
        self.device = Device()
        self.ground = ground
        self.tiles = TerrainTiles(self.device, ground, view_range, detail)
        self.origin = np.zeros(3)
        """Of the coordinates that rays use, in the world [m]."""
        self.objects: list[SceneObject] = []
        self._materials: list[Material] = [*materials, soil if soil is not None else Regolith()]
        self._micro = (float(np.tan(np.deg2rad(micro_slope_deg))), micro_albedo)
        self._top = InstanceScene(self.device)
        self._meshes: list[tuple[Mesh, Geometry]] = []
        self._normals: list[Singles] = []
        self._lit: list[LitSurface | None] = []
        self._instances: list[tuple[int, int, Semantic]] = []
        self._place = np.zeros((0, 3, 4))
        self._stale = True
        self._moved: set[int] = set()
        self._arrays: SceneArrays | None = None

    def add_mesh(self, mesh: Mesh, holds_light: bool = False) -> int:
        """Take in a mesh and return its number.

        :param holds_light: whether its shadows get ground light, see :mod:`regolith_sensors.rays.surface_light`
        """
        geometry = Geometry.triangles(self.device, mesh.vertices.astype(np.float32), mesh.triangles)
        self._meshes.append((mesh, geometry))
        self._normals.append(corner_normals(mesh))
        self._lit.append(lit_surface(mesh) if holds_light else None)
        self._stale = True
        return len(self._meshes) - 1

    def add_object(
        self, name: str, parts: Iterable[tuple[int, Semantic]], number: int | None = None
    ) -> SceneObject:
        """Add a thing made of meshes, each with its class; it stands at the world's origin until it is placed.

        :param number: in instance images, from 2 on; none: one more than there are objects
        """
        members = list(parts)
        number = len(self.objects) + 2 if number is None else number
        added = SceneObject(number, name, len(self._instances), len(members))
        self.objects.append(added)
        self._instances += [(added.number, mesh, semantic) for mesh, semantic in members]
        self._reserve(len(self._instances))
        self._place[added.first : len(self._instances)] = np.eye(3, 4)
        self._stale = True
        return added

    def keep_objects(self, count: int) -> None:
        """Take all but the first ``count`` objects out again; their meshes stay."""
        if count < len(self.objects):
            first = self.objects[count].first
            del self.objects[count:], self._instances[first:]
            self._moved = {number for number in self._moved if number < first}
            self._stale = True

    def _reserve(self, count: int) -> None:
        if count > len(self._place):
            more = np.zeros((max(count, 2 * len(self._place)) - len(self._place), 3, 4))
            self._place = np.concatenate([self._place, more])

    def place(
        self, thing: SceneObject, part: int, position: ArrayLike, orientation: ArrayLike, scale: ArrayLike = 1.0
    ) -> None:
        """Put a part of an object somewhere.

        :param position: in the world [m], shape (3,)
        :param orientation: quaternion (x, y, z, w)
        :param scale: of the mesh, one number or one per axis of the mesh
        """
        number = thing.first + part
        turned = matrix(np.asarray(orientation, dtype=np.float64)) * np.asarray(scale, dtype=np.float64)
        self._place[number, :, :3] = turned
        self._place[number, :, 3] = position
        self._moved.add(number)

    def centre(self, position: ArrayLike) -> bool:
        """Choose tiles and origin for viewers near a position in the world [m], shape (3,); say whether any changed."""
        position = np.asarray(position, dtype=np.float64)
        origin = np.floor(position / _ORIGIN_STEP + 0.5) * _ORIGIN_STEP
        came_or_went = self.tiles.centre(float(position[0]), float(position[1]))
        if came_or_went or not np.array_equal(origin, self.origin):
            self.origin = origin
            self._stale = True
            return True
        return False

    def update(self, i: NDArray[np.int32], j: NDArray[np.int32]) -> int:
        """Take in that soil nodes changed; return the number of tiles rebuilt. The ground must have them already."""
        dirty = self.tiles.changed(i, j)
        if not self._stale:
            for number in dirty:
                tile = self.tiles.tiles[number]
                # The datum hangs on the undisturbed ground, which does not change.
                self._top.place(number, self._tile_transform(self.tiles.corner(tile)))
        self._moved.update(() if not dirty else {-1})
        return len(dirty)

    def commit(self) -> SceneArrays:
        """Make everything told so far visible to rays, and return what the kernels need."""
        if self._stale or self._arrays is None:
            self._rebuild()
        elif self._moved:
            self._move()
        self._moved.clear()
        arrays = self._arrays
        assert arrays is not None
        return arrays

    def _tile_transform(self, corner: tuple[float, float, float]) -> Singles:
        transform = np.eye(3, 4)
        transform[:, 3] = np.array(corner) - self.origin
        return np.ascontiguousarray(transform, dtype=np.float32)

    def _object_transforms(self) -> Singles:
        moved = self._place[: len(self._instances)].copy()
        moved[:, :, 3] -= self.origin
        return moved.astype(np.float32)

    def _move(self) -> None:
        arrays = self._arrays
        assert arrays is not None
        first = len(self.tiles.tiles)
        for number in sorted(self._moved - {-1}):
            transform = self._place[number].copy()
            transform[:, 3] -= self.origin
            arrays.transforms[first + number] = transform
            self._top.place(first + number, np.ascontiguousarray(transform, dtype=np.float32))
            arrays.frames[first + number] = _normal_matrix(self._place[number, :, :3])
        self._top.commit()

    def _rebuild(self) -> None:
        tiles = self.tiles.tiles
        corners = np.array([self.tiles.corner(tile) for tile in tiles]).reshape(-1, 3)
        ground = np.array([self._tile_transform((c[0], c[1], c[2])) for c in corners]).reshape(-1, 3, 4)
        transforms = np.ascontiguousarray(np.concatenate([ground, self._object_transforms()]), dtype=np.float32)
        geometries = [tile.geometry for tile in tiles if tile.geometry is not None]
        geometries += [self._meshes[mesh][1] for _, mesh, _ in self._instances]
        self._top.set(geometries, transforms)
        first = len(tiles)
        sizes = np.cumsum([0, *(len(mesh.triangles) for mesh, _ in self._meshes)])
        soil = len(self._materials) - 1
        facts = [(TERRAIN, tile.slot, 1, int(Semantic.GROUND), soil, -1) for tile in tiles]
        hulls, light_nodes, starts = self._hulls(first)
        facts += [
            (MESH, int(sizes[mesh]), number, int(s), 0, start)
            for (number, mesh, s), start in zip(self._instances, starts)
        ]
        frames = np.zeros((len(facts), 9), dtype=np.float32)
        frames[:first, :3] = corners - self.origin
        frames[:first, 3] = [self.tiles.cell(tile) for tile in tiles]
        for number in range(len(self._instances)):
            frames[first + number] = _normal_matrix(self._place[number, :, :3])
        materials = [mesh.material for mesh, _ in self._meshes]
        self._arrays = SceneArrays(
            int(self._top.handle),
            np.array(facts, dtype=np.int32),
            frames,
            self.tiles.nodes,
            np.concatenate([*materials, np.zeros(0, np.uint16)]),
            np.concatenate([*self._normals, np.zeros((0, 9), np.float32)]),
            material_table(self._materials),
            *micro_relief(self.ground.spacing, self.origin, *self._micro),
            transforms,
            hulls,
            light_nodes,
            *self._light_tables(),
        )
        self._stale = False

    def _hulls(self, first: int) -> tuple[NDArray[np.int32], int, list[int]]:
        """Return the table of hulls, the number of their nodes, and where those of each instance begin.

        :param first: number of the first mesh among the instances
        """
        points = np.cumsum([0, *(len(lit.points) if lit is not None else 0 for lit in self._lit)])
        nodes = np.cumsum([0, *(len(lit.near) if lit is not None else 0 for lit in self._lit)])
        rows, starts, count = [], [], 0
        for number, (_, mesh, _) in enumerate(self._instances):
            lit = self._lit[mesh]
            starts.append(count if lit is not None else -1)
            if lit is not None:
                rows.append((first + number, points[mesh], len(lit.points), count, len(lit.near), nodes[mesh]))
                count += len(lit.near)
        return np.array(rows, dtype=np.int32).reshape(-1, 6), count, starts

    def _light_tables(self) -> tuple[NDArray[np.int32], Singles, NDArray[np.int32], Singles]:
        lit = [part for part in self._lit if part is not None]
        lattice = [
            part.lattice if part is not None else np.zeros((len(mesh.triangles), 2), np.int32)
            for (mesh, _), part in zip(self._meshes, self._lit)
        ]
        return (
            np.concatenate([*lattice, np.zeros((0, 2), np.int32)]),
            np.concatenate([*(part.points for part in lit), np.zeros((0, 6), np.float32)]),
            np.concatenate([*(part.near for part in lit), np.zeros((0, 4), np.int32)]),
            np.concatenate([*(part.weight for part in lit), np.zeros((0, 4), np.float32)]),
        )


def _normal_matrix(linear: Floats) -> Singles:
    """Return the inverse transpose, shape (9,): Embree gives the normals of instances in object space."""
    return np.linalg.inv(linear).T.astype(np.float32).reshape(9)
