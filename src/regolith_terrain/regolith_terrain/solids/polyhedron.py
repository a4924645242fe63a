# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Convex polyhedra: hulls of points and of the pieces of a mesh."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.grid.node_records import Floats
from regolith_world.numerics import portable_math

Indices = NDArray[np.int64]

_SAMPLE_M = 0.05
"""Distance of points along long edges at which boxes are checked [m]."""
_MOST_SAMPLES = 40
"""Largest number of such points along one edge."""
_FLAT = 1e-6
"""Angle below which two facets count as one plane [rad]."""


@dataclass(frozen=True, slots=True)
class Polyhedron:
    """A convex polyhedron with triangular facets."""

    vertices: Floats
    """Vertices [m], shape (n, 3)."""
    triangles: Indices
    """Corners of the facets, counterclockwise from outside, shape (m, 3)."""
    samples: Floats
    """Vertices, and points along long edges [m], shape (k, 3)."""

    @property
    def normals(self) -> Floats:
        """Outward unit normals of the facets, shape (m, 3)."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        across = np.cross(b - a, c - a)
        out: Floats = across / np.linalg.norm(across, axis=1, keepdims=True)
        return out


def convex_hull(points: ArrayLike) -> Polyhedron:
    """Return the convex hull of points [m], shape (n, 3).

    Raises:
        ValueError: If the points have no volume.
    """
    from scipy.spatial import ConvexHull, QhullError

    given = np.asarray(points, dtype=np.float64)
    try:
        found = ConvexHull(given)
    except (QhullError, ValueError):
        raise ValueError('points have no volume; allowed: points of a solid') from None
    kept = np.sort(found.vertices)
    row = np.full(len(given), -1, dtype=np.int64)
    row[kept] = np.arange(len(kept))
    vertices, triangles = given[kept], row[found.simplices]
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    turned = np.einsum('ij,ij->i', np.cross(b - a, c - a), found.equations[:, :3]) < 0.0
    triangles[turned] = triangles[turned][:, [0, 2, 1]]
    return Polyhedron(vertices, triangles, _samples(vertices, triangles))


def _samples(vertices: Floats, triangles: Indices) -> Floats:
    """Return the vertices, and points along all edges except those within a flat face."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    beside: dict[tuple[int, int], list[int]] = {}
    for number, corners in enumerate(triangles.tolist()):
        for k in range(3):
            p, q = corners[k], corners[(k + 1) % 3]
            beside.setdefault((min(p, q), max(p, q)), []).append(number)
    points = [vertices]
    for (p, q), (one, *rest) in sorted(beside.items()):
        if rest and portable_math.dot(normal[one], normal[rest[0]]) > 1.0 - 0.5 * _FLAT:
            continue
        count = min(int(portable_math.norm(vertices[q] - vertices[p]) / _SAMPLE_M), _MOST_SAMPLES)
        part = (np.arange(count) + 1.0)[:, None] / (count + 1.0)
        points.append(vertices[p] + part * (vertices[q] - vertices[p]))
    return np.concatenate(points)


def pieces(triangles: Floats) -> list[Floats]:
    """Return the corners of each connected piece of a mesh.

    Args:
        triangles: Corners [m], shape (k, 3, 3); those within 1 um of each other are merged.

    Returns:
        Points of each piece [m], shape (n, 3), in the order of the first triangles.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    points, place = np.unique(np.round(triangles.reshape(-1, 3), 6), axis=0, return_inverse=True)
    corners = place.reshape(-1, 3)
    rows, columns = corners[:, [0, 1]].ravel(), corners[:, [1, 2]].ravel()
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(points), len(points)))
    _, label = connected_components(graph, directed=False)
    order = dict.fromkeys(label[corners[:, 0]].tolist())
    return [points[label == piece] for piece in order]


def underside(planes: Floats, x: Floats, y: Floats) -> Floats:
    """Return the height of the underside of a convex polyhedron above positions [m], inf beside it; the shape of x.

    Args:
        planes: Outward unit normals of the facets in the world and their distances from the origin, shape (m, 4).
        x: Positions along x [m].
        y: Positions along y [m].
    """
    low, high = np.full(x.shape, -math.inf), np.full(x.shape, math.inf)
    for nx, ny, nz, away in planes.tolist():
        rest = away - nx * x - ny * y
        if nz < -1e-9:
            low = np.maximum(low, rest / nz)
        elif nz > 1e-9:
            high = np.minimum(high, rest / nz)
        else:
            high = np.where(rest < 0.0, -math.inf, high)
    out: Floats = np.where(high >= low, low, math.inf)
    return out
