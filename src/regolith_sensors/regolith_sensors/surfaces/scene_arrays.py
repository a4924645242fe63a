# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a scene as arrays, the input of ray back ends.

Instances are numbered from 0: terrain tiles first, then the parts of objects in their order, then all discs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.surfaces.meshes import Mesh
from regolith_sensors.surfaces.terrain_tiles import TerrainTile

Singles = NDArray[np.float32]


class SceneArrays(NamedTuple):
    """A scene of n instances as arrays for compiled loops; coordinates relative to the scene origin."""

    facts: NDArray[np.int32]
    """Columns FACT_* of each instance, shape (n, 6)."""
    frames: Singles
    """Frame of each instance, shape (n, 9). For a tile: corner (3) and width of a cell [m]. For a mesh: the row-major
    matrix that transforms its normals to the world, the inverse transpose of its transform."""
    nodes: Singles
    """Nodes of all tiles, tile by tile and row by row, shape (m, 4), see
    :class:`regolith_sensors.surfaces.terrain_tiles.TerrainTiles`."""
    mesh_material: NDArray[np.uint16]
    """Material of every triangle of every mesh."""
    mesh_corners: Singles
    """Corners of the triangles, see :func:`regolith_sensors.surfaces.mesh_detail.corner_table`, shape (m, 22)."""
    materials: Singles
    """Table of materials, see :func:`regolith_sensors.surfaces.materials.material_table`."""
    texels: Singles
    """Tile of the micro-relief, shape (m, 4), see :func:`regolith_sensors.surfaces.micro_relief.micro_relief`."""
    layers: Singles
    """Position, scale and rotation of its two layers, shape (2, 5), from the same function."""
    horizons: NDArray[np.uint8]
    """Horizons of the micro-relief, see :func:`regolith_sensors.surfaces.soil_relief.relief_shadows`."""
    relief: Singles
    """Numbers of its shadows, from the same function; empty without shadows."""
    transforms: Singles
    """Transforms of the instances to the scene's coordinates, shape (n, 3, 4)."""
    hulls: NDArray[np.int32]
    """Instances that receive indirect light, shape (h, 6): number, first and count of their points, first and count of
    their nodes among all such instances, first node of their mesh."""
    light_nodes: int
    """Number of nodes that receive indirect light."""
    lattice: NDArray[np.int32]
    """Nodes of all triangles, see :class:`regolith_sensors.scene.irradiance_points.IrradiancePoints`."""
    light_points: Singles
    """:attr:`.IrradiancePoints.points` of all meshes."""
    light_near: NDArray[np.int32]
    """:attr:`.IrradiancePoints.near` of all meshes."""
    light_weight: Singles
    """:attr:`.IrradiancePoints.weight` of all meshes."""
    discs: Singles
    """Surface of moving soil, columns DISC_*, shape (d, 13). All discs together are one instance, the last."""


@dataclass(frozen=True)
class SceneParts:
    """Content of a scene at one time."""

    tiles: Sequence[TerrainTile]
    """Tiles, which are instances 0 to t - 1."""
    meshes: Sequence[Mesh]
    placed: Sequence[int]
    """Mesh number of each instance from t on, except those of discs."""
    arrays: SceneArrays
    """Arrays of all instances; an update changes them in place and replaces the discs."""
