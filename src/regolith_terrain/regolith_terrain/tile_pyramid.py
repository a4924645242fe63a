# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Cache of terrain tiles at several resolutions."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from regolith_terrain.height_field import HeightField, Heights

TILE = 64
"""Cells along the side of a tile; tiles have one more node, shared with their neighbors."""


class TilePyramid:
    """Tiles of a height field; nodes of level L are ``spacing 2^L`` apart.

    Level 0 is the field itself. Coarser levels omit relief finer than their spacing. A tile depends on its key only,
    and neighbors of a level are bit-identical at their common border. The ``capacity`` most recently used tiles are
    kept.
    """

    def __init__(self, field: HeightField, spacing: float, *, capacity: int = 1024) -> None:
        """Create an empty cache.

        Args:
            field: Height field of the tiles.
            spacing: Node spacing of level 0 [m].
            capacity: Number of tiles to keep, 33 kB each.

        Raises:
            ValueError: If spacing or capacity is not positive.
        """
        if not spacing > 0.0 or capacity < 1:
            raise ValueError(f'spacing {spacing!r} m, capacity {capacity!r}; allowed: > 0, at least 1')
        self.field = field
        self.spacing = float(spacing)
        self.capacity = int(capacity)
        self._kept: OrderedDict[tuple[int, int, int], Heights] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of cached tiles."""
        return len(self._kept)

    def spacing_of(self, level: int) -> float:
        """Return the node spacing of a level [m]."""
        return float(self.spacing * 2.0**level)

    def tile(self, level: int, i: int, j: int) -> Heights:
        """Return z [m] at x = (TILE i + a) s, y = (TILE j + b) s for 0 <= a, b <= TILE; read-only, shape (65, 65).

        Args:
            level: Level of the tile, >= 0; s = ``spacing_of(level)``.
            i: Tile index along x.
            j: Tile index along y.
        """
        key = (level, i, j)
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found
        if level < 0:
            raise ValueError(f'level {level}; allowed: 0 and above')
        block = (TILE * i, TILE * i + TILE + 1, TILE * j, TILE * j + TILE + 1)
        made = self.field.nodes if level == 0 else self.field.coarse_nodes
        tile = np.ascontiguousarray(made(*block, self.spacing_of(level)))
        tile.flags.writeable = False
        self._kept[key] = tile
        if len(self._kept) > self.capacity:
            self._kept.popitem(last=False)
        return tile
