# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Points on a hull where indirect light is gathered, and its interpolation over the hull's triangles.

The light itself is computed in :mod:`regolith_sensors.rays.embree.irradiance_cache`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.surfaces.meshes import Mesh, corner_normals

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

NEIGHBORS = 4
"""Number of points from which a node's light is interpolated."""
CELL_M = 0.5
"""Distance of gathering points on a vehicle [m]."""
_MOST_PIECES = 4
_LIFT_M = 2e-3


@dataclass(frozen=True)
class IrradiancePoints:
    """Gathering points of a mesh, and the weights that interpolate their light."""

    lattice: NDArray[np.int32]
    """First node of each triangle and number of segments of each side, shape (m, 2)."""
    points: Singles
    """Positions and normals of the gathering points in the mesh frame, shape (p, 6)."""
    near: NDArray[np.int32]
    """Gathering points of each node, shape (nodes, 4)."""
    weight: Singles
    """Weights of those points, which sum to 1, shape (nodes, 4)."""


def irradiance_points(mesh: Mesh, cell_m: float = CELL_M) -> IrradiancePoints:
    """Return the gathering points of a mesh: one per cell and per direction that its surface faces.

    Args:
        mesh: Mesh.
        cell_m: Width of the cells [m].

    Source: ward1988.
    Checked by: test_irradiance_cache.py::test_nodes_use_points_with_the_same_facing.
    """
    corners = mesh.vertices[mesh.triangles]
    normals = corner_normals(mesh).reshape(-1, 3, 3).astype(np.float64)
    longest = np.max(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2), axis=1)
    pieces = np.clip(np.ceil(longest / cell_m), 1, _MOST_PIECES).astype(np.int32)
    counts = (pieces + 1) * (pieces + 2) // 2
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    shares = {int(n): _lattice(int(n)) for n in np.unique(pieces)}
    places = np.concatenate([shares[int(n)] @ c for n, c in zip(pieces, corners)])
    turned = np.concatenate([shares[int(n)] @ c for n, c in zip(pieces, normals)])
    turned /= np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-12)
    keys = np.concatenate([np.floor(places / cell_m + 0.5), np.round(0.8 * turned)], axis=1).astype(np.int64)
    _, cell = np.unique(keys, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    number = np.bincount(cell)[:, None]
    middle = np.stack([np.bincount(cell, places[:, a]) for a in range(3)], axis=1) / number
    off = np.linalg.norm(places - middle[cell], axis=1)
    # In each cell the node nearest to its center; the first of equals.
    order = np.lexsort((np.arange(len(off)), off, cell))
    chosen = order[np.searchsorted(cell[order], np.arange(len(number)))]
    points = np.concatenate([places[chosen] + _LIFT_M * turned[chosen], turned[chosen]], axis=1)
    near, weight = _weights(places, turned, points, cell_m)
    lattice = np.stack([first, pieces], axis=1).astype(np.int32)
    return IrradiancePoints(lattice, points.astype(np.float32), near, weight)


def _lattice(pieces: int) -> Floats:
    """Return the barycentric coordinates of a triangle's nodes, in the kernels' order."""
    nodes = [(i, j) for i in range(pieces + 1) for j in range(pieces + 1 - i)]
    return np.array([(pieces - i - j, i, j) for i, j in nodes]) / pieces


def _weights(places: Floats, normals: Floats, points: Floats, cell_m: float) -> tuple[NDArray[np.int32], Singles]:
    # Triangles that share a corner on a smooth side share a node.
    nodes, node = np.unique(np.concatenate([places, normals], axis=1), axis=0, return_inverse=True)
    near = np.zeros((len(nodes), NEIGHBORS), np.int32)
    weight = np.zeros((len(nodes), NEIGHBORS), np.float32)
    for k in range(len(nodes)):
        away2 = np.sum((points[:, :3] - nodes[k, :3]) ** 2, axis=1)
        facing = np.maximum(points[:, 3:] @ nodes[k, 3:], 0.0)
        # Never zero, so that far points count by their distance.
        value = facing**4 * np.exp(-away2 / cell_m**2) + 1e-9 * (1e-3 + facing) / (1.0 + away2)
        order = np.argsort(-value, kind='stable')
        best = order[:NEIGHBORS]
        # The weight is zero where the next point takes over, so that the light is continuous.
        least = 0.999 * value[order[NEIGHBORS]] if len(order) > NEIGHBORS else 0.0
        near[k, : len(best)] = best
        weight[k, : len(best)] = (value[best] - least) / (value[best] - least).sum()
    return near[node.reshape(-1)], weight[node.reshape(-1)]
