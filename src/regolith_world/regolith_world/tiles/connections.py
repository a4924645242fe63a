# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Connections between tiles: where connection points of two tiles meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regolith_world.tiles.tile_list import Tile

MEET_M = 1.5
"""Largest distance along each axis at which connection points meet [m]."""


@dataclass(frozen=True, slots=True)
class Connections:
    """Connections between the tiles of a list."""

    neighbors: tuple[tuple[Tile, Tile], ...]
    """All pairs of neighbors, each in the order of the list."""
    open_points: dict[int, tuple[int, ...]]
    """Numbers of the connection points that meet no other tile, by the id of the tile."""


def find_connections(tiles: Sequence[Tile]) -> Connections:
    """Return the connections between tiles."""
    points = [tile.in_world(tile.type.points) for tile in tiles]
    owner = np.repeat(np.arange(len(tiles)), [len(part) for part in points])
    every = np.concatenate(points)
    pairs: list[tuple[Tile, Tile]] = []
    unmet: dict[int, tuple[int, ...]] = {}
    for number, own in enumerate(points):
        meets = np.abs(own[:, None] - every[None]).max(axis=2) <= MEET_M
        meets[:, owner == number] = False
        pairs += [(tiles[number], tiles[k]) for k in np.unique(owner[meets.any(axis=0)]).tolist() if k > number]
        unmet[tiles[number].id] = tuple(np.flatnonzero(~meets.any(axis=1)).tolist())
    return Connections(tuple(pairs), unmet)
