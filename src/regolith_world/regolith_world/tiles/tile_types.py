# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of tiles: connection points, classes and the boxes that enclose them.

The table ``data/tile_types.csv`` has the connection points and classes of the SubT simulator. The meshes of the tiles
are not available, so their bounding boxes follow from the connection points: passages lead from point to point, and
the box extends half a width beside them and a height above them.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_HALF_WIDTH_M = {'TUNNEL': 3.5, 'CAVE': 10.0, 'URBAN': 10.0}
"""Half width of a passage with its walls, by circuit [m]. That of tunnels is measured, the others are estimates."""
_HEIGHT_M = {'TUNNEL': 3.5, 'CAVE': 12.5, 'URBAN': 10.0}
"""Height of a passage with its roof above the connection points, by circuit [m]; measured for tunnels only."""
_OTHER_M = 5.0
"""Half width and height of passages of all other circuits [m], an estimate."""
_BOXES = {
    'subt_tunnel_staging_area': ((-12.5, -11.5, 0.0), (10.0, 11.5, 20.5)),
    'tunnel tile 7': ((-3.5, -10.0, 0.0), (3.5, 10.0, 9.5)),
}
"""Measured boxes that differ from those of the connection points [m]."""
_COLLINEAR = 1e-6


@dataclass(frozen=True, slots=True)
class TileType:
    """A type of tile."""

    name: str
    turn: bool
    """Whether the tile has a bend or an intersection, which costs more than a straight passage."""
    circuit: str
    """Circuit of the competition, e.g. ``TUNNEL``; '' if none is stated."""
    points: Floats
    """Connection points in the tile's frame [m], shape (n, 3)."""

    def passages(self) -> Floats:
        """Return the ends of the passages in the tile's frame [m], shape (k, 2, 3).

        Two connection points on opposite sides are joined by one passage. Otherwise a passage leads from the origin
        to each.
        """
        if len(self.points) == 2:
            (x0, y0), (x1, y1) = self.points[:, :2].tolist()
            if abs(x0 * y1 - y0 * x1) < _COLLINEAR and x0 * x1 + y0 * y1 <= 0.0:
                return self.points[None].copy()
        return np.stack([np.zeros_like(self.points), self.points], axis=1)

    def box(self) -> tuple[Floats, Floats]:
        """Return the corners with the smallest and the largest coordinates of the enclosing box [m], shape (3,)."""
        given = _BOXES.get(self.name.lower())
        if given is not None:
            return np.array(given[0]), np.array(given[1])
        ends = self.passages()
        along = np.abs(ends[:, 1, :2] - ends[:, 0, :2])
        length = np.hypot(along[:, 0], along[:, 1])
        beside = self.half_width_m() * (1.0 - along / np.where(length > 0.0, length, np.inf)[:, None])
        low, high = ends.min(axis=(0, 1)), ends.max(axis=(0, 1))
        low[:2] = np.minimum(low[:2], (ends[..., :2] - beside[:, None]).min(axis=(0, 1)))
        high[:2] = np.maximum(high[:2], (ends[..., :2] + beside[:, None]).max(axis=(0, 1)))
        high[2] += _HEIGHT_M.get(self.circuit, _OTHER_M)
        return low, high

    def half_width_m(self) -> float:
        """Return the half width of the passages with their walls [m]."""
        return _HALF_WIDTH_M.get(self.circuit, _OTHER_M)


@cache
def known_tile_types() -> dict[str, TileType]:
    """Return the known types by their names."""
    text = (resources.files('regolith_world') / 'tiles' / 'data' / 'tile_types.csv').read_text(encoding='utf-8')
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith('#'))
    return {
        row['tile_type']: TileType(
            row['tile_type'],
            row['connection_class'] == 'TURN',
            row['circuit'],
            np.array([[float(v) for v in point.split()] for point in row['connection_points_xyz_m'].split(';')]),
        )
        for row in rows
    }
