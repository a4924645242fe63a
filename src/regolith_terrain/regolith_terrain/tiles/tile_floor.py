# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Floor of a tiled world as a height field."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import ArrayLike

from regolith_terrain.grid.node_records import Floats
from regolith_terrain.height_field import HeightField, Heights
from regolith_terrain.tiles.tunnels import CLEAR_HEIGHT_M, HALF_WIDTH_M, WALL_M, Tunnels
from regolith_world.numerics import kernel


class TileFloor(HeightField):
    """Floor of tunnels. Outside them, the height of the nearest floor continues.

    Where tiles are above each other, this is the lowest floor. The floors above are solids.
    """

    def __init__(self, tunnels: Tunnels) -> None:
        """Create the floor of tunnels."""
        self._planes = np.array(
            [_plane(floor) for piece in tunnels.pieces if not piece.raised for floor in piece.floors()]
        )
        shapes = [
            (piece.tile.type.name, piece.tile.position.tolist(), piece.quarters, piece.closed, piece.raised)
            for piece in tunnels.pieces
        ]
        text = f'tiles {HALF_WIDTH_M!r} {CLEAR_HEIGHT_M!r} {WALL_M!r} {shapes!r}'
        self._hash = hashlib.sha256(text.encode() + self._planes.astype('<f8').tobytes()).hexdigest()

    def heights(self, x: ArrayLike, y: ArrayLike) -> Heights:
        """Return z [m] at (x, y) [m]."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        out = np.empty(x.size)
        if x.size:
            _fill(self._near(x, y), np.ascontiguousarray(x).ravel(), np.ascontiguousarray(y).ravel(), out)
        return out.reshape(x.shape)

    def _near(self, x: Floats, y: Floats) -> Floats:
        """Return the floors that can be the nearest ones of positions.

        Of the rectangle around the positions no point is farther from a floor than its farthest corner.
        """
        planes = self._planes
        sides = ((x.min(), x.max(), planes[:, 0], planes[:, 1]), (y.min(), y.max(), planes[:, 2], planes[:, 3]))
        least, most = np.zeros(len(planes)), np.zeros(len(planes))
        for first, last, low, high in sides:
            least += np.maximum(np.maximum(low - last, first - high), 0.0) ** 2
            most += np.maximum(np.maximum(low - first, last - high), 0.0) ** 2
        return np.ascontiguousarray(planes[least <= most.min() * (1.0 + 1e-9)])

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of the tiles, which define floors, walls and roofs."""
        return self._hash


def _plane(corners: Floats) -> Floats:
    """Return a floor as smallest and largest x, smallest and largest y, height at the first of both, and slopes."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    at = {(bool(x > low[0]), bool(y > low[1])): float(z) for x, y, z in corners}
    origin = at[False, False]
    slopes = ((at[True, False] - origin) / (high[0] - low[0]), (at[False, True] - origin) / (high[1] - low[1]))
    return np.array([low[0], high[0], low[1], high[1], origin, *slopes])


@kernel
def _fill(planes: Floats, x: Floats, y: Floats, out: Floats) -> None:
    """Write the height of the nearest floor at each position; of equally near ones that of the lowest."""
    for k in range(x.shape[0]):
        nearest, height = np.inf, 0.0
        for n in range(planes.shape[0]):
            px = min(max(x[k], planes[n, 0]), planes[n, 1])
            py = min(max(y[k], planes[n, 2]), planes[n, 3])
            dx, dy = x[k] - px, y[k] - py
            square = dx * dx + dy * dy
            if square > nearest:
                continue
            z = planes[n, 4] + planes[n, 5] * (px - planes[n, 0]) + planes[n, 6] * (py - planes[n, 2])
            if square < nearest or z < height:
                nearest, height = square, z
        out[k] = height
