# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A scene's content as arrays, the input of ray back ends.

Instances are numbered from 0: tiles of the ground first, then the parts of objects in their order, then all discs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.scene.meshes import Mesh
from regolith_sensors.scene.terrain_tiles import TerrainTile

Singles = NDArray[np.float32]


class SceneArrays(NamedTuple):
    """A scene of n instances as arrays for compiled loops; coordinates from the scene's origin."""

    facts: NDArray[np.int32]
    """Columns FACT_* of each instance, shape (n, 6)."""
    frames: Singles
    """For a tile: corner (3) and width of a cell [m]; for a mesh: the matrix (row-major) that takes its normals to the
    world, the inverse transpose of its transform; shape (n, 9)."""
    nodes: Singles
    """Nodes of all tiles, see :class:`regolith_sensors.scene.terrain_tiles.TerrainTiles`."""
    mesh_material: NDArray[np.uint16]
    """Material of every triangle of every mesh."""
    mesh_normals: Singles
    """Normals at their corners, see :func:`regolith_sensors.scene.meshes.corner_normals`."""
    materials: Singles
    """See :func:`regolith_sensors.scene.materials.material_table`."""
    texels: Singles
    """Tile of the micro-relief, shape (m, 4), see :func:`regolith_sensors.scene.micro_relief.micro_relief`."""
    layers: Singles
    """Place, scale and turn of its two layers, shape (2, 5), from the same function."""
    transforms: Singles
    """Transforms of the instances to the scene's coordinates, shape (n, 3, 4)."""
    hulls: NDArray[np.int32]
    """Instances that hold light: number, first and count of their points, first and count of their nodes among all that
    hold light, first of their mesh's; shape (h, 6)."""
    light_nodes: int
    """Number of nodes that hold light."""
    lattice: NDArray[np.int32]
    """Nodes of all triangles, see :class:`regolith_sensors.scene.irradiance_points.IrradiancePoints`."""
    light_points: Singles
    """:attr:`.LitSurface.points` of all meshes."""
    light_near: NDArray[np.int32]
    """:attr:`.LitSurface.near` of all meshes."""
    light_weight: Singles
    """:attr:`.LitSurface.weight` of all meshes."""
    discs: Singles
    """Surface of soil that moves, columns DISC_*, shape (d, 13). If there is any, they are one instance, the last."""


@dataclass(frozen=True)
class SceneParts:
    """A scene at one moment."""

    tiles: Sequence[TerrainTile]
    """Instances 0 to t - 1."""
    meshes: Sequence[Mesh]
    placed: Sequence[int]
    """Mesh number of each instance from t on, those of discs excepted."""
    arrays: SceneArrays
    """Facts, places and light of all instances; an update changes them in place, and replaces the discs."""
