# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scene for ray tracing: terrain tiles, and rocks and vehicles as instances with material and name.

One scene serves all sensors of a vehicle. It is a function of soil, poses and center, independent of the order in which
they were set.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_sensors.rays.backend import RayBackend
from regolith_sensors.rays.registry import ray_backend
from regolith_sensors.scene.irradiance_points import CELL_M, IrradiancePoints, irradiance_points
from regolith_sensors.surfaces.materials import HapkeSoil, Material, material_table
from regolith_sensors.surfaces.mesh_detail import CORNER_COLUMNS, corner_table
from regolith_sensors.surfaces.meshes import Mesh
from regolith_sensors.surfaces.micro_relief import micro_relief
from regolith_sensors.surfaces.scene_arrays import SceneArrays, SceneParts
from regolith_sensors.surfaces.soil_relief import relief_shadows, soil_tile
from regolith_sensors.surfaces.table_columns import (
    DISC_BEND,
    DISC_COLUMNS,
    DISC_NORMAL,
    DISC_PLACE,
    DISC_RADIUS,
    DISCS,
    MESH,
    TERRAIN,
)
from regolith_sensors.surfaces.terrain_tiles import HeightSource, TerrainTiles
from regolith_terrain.contact import Surfels
from regolith_world.numerics import rotation

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


@dataclass
class SceneObject:
    """A named object; its parts are instances that move independently."""

    number: int
    """Number in instance images; 0 is the sky, 1 the ground."""
    name: str
    first: int
    """Number of its first instance among those of all objects."""
    count: int
    """Number of its instances."""


class Scene:
    """Scene with terrain, objects and moving soil, and its ray back end."""

    def __init__(
        self,
        ground: HeightSource,
        materials: Sequence[Material] = (),
        *,
        soil: Material | None = None,
        view_range: float = 2000.0,
        detail: float = 5.0,
        micro_slope_deg: float = 10.0,
        micro_albedo: float = 0.06,
        micro_shadows: bool = False,
        rays: RayBackend | None = None,
    ) -> None:
        """Create a scene with terrain only.

        Args:
            ground: Source of the heights.
            materials: Materials of meshes, by number.
            soil: Material of the ground; None: ``lunar_sato2014``.
            view_range: Distance to which the ground is shown [m].
            detail: Level of detail; cells are about distance / (32 detail) wide.
            micro_slope_deg: R.m.s. slope of the relief below the grid [deg].
            micro_albedo: R.m.s. of the relative brightness below the grid [-].
            micro_shadows: Whether the relief below the grid has clods and craters and casts shadows; its slopes are
                then subtracted from the mean slope of Hapke's model.
            rays: Back end of this scene alone; None: a new one of the default type.
        """
        self.rays = rays if rays is not None else ray_backend()()
        self.ground = ground
        self.tiles = TerrainTiles(ground, view_range, detail)
        self.origin = np.zeros(3)
        """Origin of the rays' coordinates in the world frame [m]."""
        self.objects: list[SceneObject] = []
        self._materials: list[Material] = [*materials, soil if soil is not None else HapkeSoil()]
        self._micro = (float(np.tan(np.deg2rad(micro_slope_deg))), micro_albedo)
        self._micro_shadows = micro_shadows and micro_slope_deg > 0.0
        self._meshes: list[Mesh] = []
        self._corners: list[Singles] = []
        self._lit: list[IrradiancePoints | None] = []
        self._instances: list[tuple[int, int, Semantic]] = []
        self._place = np.zeros((0, 3, 4))
        self._stale = True
        self._moved: set[int] = set()
        """Moved instances, as numbers among the objects' instances."""
        self._reshaped: set[int] = set()
        """Numbers of changed tiles."""
        self._discs = Surfels.none()
        self._stirred = False
        """Whether the discs changed since the last commit."""
        self._parts: SceneParts | None = None

    def add_mesh(self, mesh: Mesh, holds_light: bool = False, light_cell_m: float = CELL_M) -> int:
        """Add a mesh and return its number.

        Args:
            mesh: Mesh.
            holds_light: Whether it receives indirect light, see :meth:`.RayBackend.vehicle_indirect_light`.
            light_cell_m: Distance of the points where that light is gathered [m].
        """
        self._meshes.append(mesh)
        self._corners.append(corner_table(mesh))
        self._lit.append(irradiance_points(mesh, light_cell_m) if holds_light else None)
        self._stale = True
        return len(self._meshes) - 1

    @property
    def instance_count(self) -> int:
        """Return the number of instances of objects; those of tiles come before them, one of all discs after them."""
        return len(self._instances)

    def add_material(self, material: Material) -> int:
        """Add a material of meshes and return its number."""
        self._materials.insert(len(self._materials) - 1, material)  # the last one is that of the ground
        self._stale = True
        return len(self._materials) - 2

    def add_object(self, name: str, parts: Iterable[tuple[int, Semantic]], number: int | None = None) -> SceneObject:
        """Add an object made of meshes, each with its class, at the world's origin; return it.

        Args:
            name: Name of the object.
            parts: Mesh number and class of each part.
            number: Number in instance images, from 2 on; None: the next one after all objects.
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
        """Remove all but the first ``count`` objects; meshes stay."""
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
        """Set the pose of a part of an object in the world frame.

        The position [m] has shape (3,), the orientation is a quaternion (x, y, z, w). The scale of the mesh is one
        number or one per axis of the mesh.
        """
        number = thing.first + part
        turned = rotation.matrix(np.asarray(orientation, dtype=np.float64)) * np.asarray(scale, dtype=np.float64)
        self._place[number, :, :3] = turned
        self._place[number, :, 3] = position
        self._moved.add(number)

    def center(self, position: ArrayLike) -> bool:
        """Select tiles and origin for viewers near a position in the world frame [m], shape (3,).

        Returns:
            Whether any of them changed.
        """
        position = np.asarray(position, dtype=np.float64)
        origin = np.floor(position / _ORIGIN_STEP + 0.5) * _ORIGIN_STEP
        came_or_went = self.tiles.center(float(position[0]), float(position[1]))
        if came_or_went or not np.array_equal(origin, self.origin):
            self.origin = origin
            self._stale = True
            return True
        return False

    def update(self, i: NDArray[np.int32], j: NDArray[np.int32]) -> int:
        """Rebuild the tiles of changed soil nodes and return their number; the ground already contains the changes."""
        # The tiles of a node follow from the undisturbed ground, which does not change.
        dirty = self.tiles.changed(i, j)
        self._reshaped.update(dirty)
        return len(dirty)

    def set_surfels(self, discs: Surfels) -> None:
        """Replace the discs of moving soil; the rest of the ground stays a height field.

        Raises:
            ValueError: If the ray back end does not show discs.
        """
        if len(discs.place) and not self.rays.shows_discs:
            problem = f'{type(self.rays).__name__} does not show moving soil'
            raise ValueError(f'{problem}; allowed: a back end that shows_discs, or ground without particles')
        # The number of instances depends on whether there are discs.
        self._stale |= (len(discs.place) > 0) != (len(self._discs.place) > 0)
        self._stirred |= discs is not self._discs
        self._discs = discs

    def commit(self) -> RayBackend:
        """Apply all changes for rays and return the ray back end."""
        if self._stale or self._parts is None:
            self._parts = self._rebuilt()
            self.rays.build(self._parts)
            self._stale = False
        elif self._moved or self._reshaped or self._stirred:
            self._move(self._parts.arrays)
            first = len(self._parts.tiles)
            changed = [*sorted(self._reshaped), *(first + number for number in sorted(self._moved))]
            if self._stirred and len(self._discs.place):
                arrays = self._parts.arrays._replace(discs=self._disc_table())
                self._parts = replace(self._parts, arrays=arrays)
                changed.append(first + len(self._parts.placed))
            self.rays.update(self._parts, changed)
        self._moved.clear()
        self._reshaped.clear()
        self._stirred = False
        return self.rays

    def _disc_table(self) -> Singles:
        discs, table = self._discs, np.empty((len(self._discs.place), DISC_COLUMNS), np.float32)
        table[:, DISC_PLACE:DISC_RADIUS] = discs.place - self.origin
        table[:, DISC_RADIUS] = discs.radius
        table[:, DISC_NORMAL:DISC_BEND] = discs.normal
        table[:, DISC_BEND:] = discs.bend
        return table

    def _object_transforms(self) -> Singles:
        moved = self._place[: len(self._instances)].copy()
        moved[:, :, 3] -= self.origin
        return moved.astype(np.float32)

    def _move(self, arrays: SceneArrays) -> None:
        moved = np.array(sorted(self._moved), dtype=np.int64)
        transforms = self._place[moved]
        numbers = len(self.tiles.tiles) + moved
        arrays.frames[numbers] = _normal_matrices(transforms[:, :, :3])
        transforms[:, :, 3] -= self.origin
        arrays.transforms[numbers] = transforms

    def _rebuilt(self) -> SceneParts:
        tiles = self.tiles.tiles
        corners = np.array([self.tiles.corner(tile) for tile in tiles]).reshape(-1, 3)
        ground = np.tile(np.eye(3, 4), (len(tiles), 1, 1))
        ground[:, :, 3] = corners - self.origin
        discs = self._disc_table()
        # One instance for all discs, if there are any; its transform is the identity.
        stirred = np.tile(np.eye(3, 4, dtype=np.float32), (min(1, len(discs)), 1, 1))
        transforms = np.ascontiguousarray(
            np.concatenate([ground.astype(np.float32), self._object_transforms(), stirred]), dtype=np.float32
        )
        first = len(tiles)
        sizes = np.cumsum([0, *(len(mesh.triangles) for mesh in self._meshes)])
        soil = len(self._materials) - 1
        facts = [(TERRAIN, tile.slot, 1, int(Semantic.GROUND), soil, -1) for tile in tiles]
        hulls, light_nodes, starts = self._hulls(first)
        facts += [
            (MESH, int(sizes[mesh]), number, int(s), 0, start)
            for (number, mesh, s), start in zip(self._instances, starts)
        ]
        facts += [(DISCS, 0, 1, int(Semantic.GROUND), soil, -1)] * len(stirred)
        frames = np.zeros((len(facts), 9), dtype=np.float32)
        frames[:first, :3] = corners - self.origin
        frames[:first, 3] = [self.tiles.cell(tile) for tile in tiles]
        frames[first : first + len(self._instances)] = _normal_matrices(self._place[: len(self._instances), :, :3])
        arrays = SceneArrays(
            np.array(facts, dtype=np.int32),
            frames,
            self.tiles.nodes.reshape(-1, self.tiles.nodes.shape[3]),
            np.concatenate([*(mesh.material for mesh in self._meshes), np.zeros(0, np.uint16)]),
            np.concatenate([*self._corners, np.zeros((0, CORNER_COLUMNS), np.float32)]),
            material_table([self._below_relief(material) for material in self._materials]),
            *micro_relief(
                self.ground.spacing, self.origin, *self._micro, soil_tile().slopes if self._micro_shadows else None
            ),
            *relief_shadows(self._micro[0] if self._micro_shadows else 0.0),
            transforms,
            hulls,
            light_nodes,
            *self._light_tables(),
            discs,
        )
        return SceneParts(tuple(tiles), tuple(self._meshes), tuple(mesh for _, mesh, _ in self._instances), arrays)

    def _below_relief(self, material: Material) -> Material:
        """Return a material with the roughness that is left below a relief that casts shadows."""
        if not self._micro_shadows or not isinstance(material, HapkeSoil):
            return material
        return material.below_relief(self._micro[0])

    def _hulls(self, first: int) -> tuple[NDArray[np.int32], int, list[int]]:
        """Return the table of hulls, the number of their nodes, and the first node of each instance.

        Args:
            first: Number of the first mesh among the instances.
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
            for mesh, part in zip(self._meshes, self._lit)
        ]
        return (
            np.concatenate([*lattice, np.zeros((0, 2), np.int32)]),
            np.concatenate([*(part.points for part in lit), np.zeros((0, 6), np.float32)]),
            np.concatenate([*(part.near for part in lit), np.zeros((0, 4), np.int32)]),
            np.concatenate([*(part.weight for part in lit), np.zeros((0, 4), np.float32)]),
        )


def _normal_matrices(linear: Floats) -> Singles:
    """Return the inverse transposes, shape (n, 9), which transform normals from objects to the world."""
    return np.swapaxes(np.linalg.inv(linear), 1, 2).astype(np.float32).reshape(-1, 9)
