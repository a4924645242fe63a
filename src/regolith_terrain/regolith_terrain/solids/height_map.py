# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Solids as a height map, for objects that pass above them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.polyhedron import Polyhedron
from regolith_world.numerics import portable_math

_UPWARD = 1e-9
_AT_ONCE = 1000
"""Number of facets processed together; each with a few posts needs 19 arrays of 24 bytes."""


class ObstacleHeightMap:
    """Upper faces of static convex solids."""

    def __init__(self, solids: Sequence[tuple[Polyhedron, Floats, Floats]]) -> None:
        """Create the map of solids.

        Args:
            solids: Shape, position of its origin [m], and its axes in the world as columns, see :class:`Placed`.
        """
        facets = [np.zeros((0, 3, 3))]
        for shape, middle, axes in solids:
            corners = (portable_math.times(shape.vertices, axes.T) + middle)[shape.triangles]
            across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            facets.append(corners[across[:, 2] > _UPWARD * np.linalg.norm(across, axis=1)])
        self.facets: Floats = np.concatenate(facets)
        """Corners of the faces visible from above [m], shape (n, 3, 3)."""

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of the faces, to a micrometer."""
        return hashlib.sha256(np.round(self.facets * 1e6).astype('<i8').tobytes()).hexdigest()

    def max_heights(self, heights: Floats, west: float, south: float, spacing: float) -> Floats:
        """Return a height map in which each post has the highest point within one spacing of it.

        So an object between posts has its full height in the interpolated map, even if it is as thin as a wall, and is
        up to one spacing wider on every side. Distances are along x and along y.

        Args:
            heights: Heights of the surface [m], shape (nx, ny).
            west: x of the first row [m].
            south: y of the first column [m].
            spacing: Post spacing [m].
        """
        out = np.array(heights, dtype=np.float64)
        low, high = self.facets.min(axis=1), self.facets.max(axis=1)
        corner = np.array([west, south])
        first = np.maximum(np.floor((low[:, :2] - corner) / spacing).astype(np.int64), 0)
        last = np.minimum(np.ceil((high[:, :2] - corner) / spacing).astype(np.int64), np.array(out.shape) - 1)
        count = np.maximum(last - first + 1, 0)
        for start in range(0, len(self.facets), _AT_ONCE):
            rows = np.arange(start, min(start + _AT_ONCE, len(self.facets)))
            posts = count[rows].prod(axis=1)
            facet = np.repeat(rows, posts)
            number = np.arange(len(facet)) - np.repeat(np.cumsum(posts) - posts, posts)
            i = first[facet, 0] + number // np.maximum(count[facet, 1], 1)
            j = first[facet, 1] + number % np.maximum(count[facet, 1], 1)
            middle = corner + spacing * np.stack((i, j), axis=1)
            np.maximum.at(out, (i, j), _highest(self.facets[facet], middle, spacing))
        return out


def _highest(facets: Floats, middle: Floats, half: float) -> Floats:
    """Return the highest point of facets within squares about positions [m], shape (n,); -inf without one.

    It is a corner of the facet, a point where its outline crosses that of the square, or one at a corner of the square.

    Args:
        facets: Corners [m], shape (n, 3, 3).
        middle: Centers of the squares [m], shape (n, 2).
        half: Half width of the squares [m].
    """
    at = facets[:, :, :2] - middle[:, None]
    z = facets[:, :, 2]
    best = np.where((np.abs(at) <= half).all(axis=2), z, -np.inf).max(axis=1, initial=-np.inf)
    with np.errstate(divide='ignore', invalid='ignore'):
        for k in range(3):
            here, step = at[:, k], at[:, (k + 1) % 3] - at[:, k]
            rise = z[:, (k + 1) % 3] - z[:, k]
            for axis in (0, 1):
                for side in (-half, half):
                    part = (side - here[:, axis]) / step[:, axis]
                    other = here[:, 1 - axis] + part * step[:, 1 - axis]
                    meets = (part >= 0.0) & (part <= 1.0) & (np.abs(other) <= half)
                    best = np.maximum(best, np.where(meets, z[:, k] + part * rise, -np.inf))
    one, two = at[:, 1] - at[:, 0], at[:, 2] - at[:, 0]
    area = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    for dx, dy in ((-half, -half), (half, -half), (half, half), (-half, half)):
        px, py = dx - at[:, 0, 0], dy - at[:, 0, 1]
        u = (px * two[:, 1] - py * two[:, 0]) / area
        v = (one[:, 0] * py - one[:, 1] * px) / area
        level = z[:, 0] + u * (z[:, 1] - z[:, 0]) + v * (z[:, 2] - z[:, 0])
        best = np.maximum(best, np.where((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0), level, -np.inf))
    return np.asarray(best)
