# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tiled worlds of the SubT simulator: lists of tiles, and the types of tiles.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_world.tiles.connections import MEET_M as MEET_M
    from regolith_world.tiles.connections import Connections as Connections
    from regolith_world.tiles.connections import find_connections as find_connections
    from regolith_world.tiles.tile_list import Tile as Tile
    from regolith_world.tiles.tile_list import TileList as TileList
    from regolith_world.tiles.tile_list import read_tile_list as read_tile_list
    from regolith_world.tiles.tile_types import TileType as TileType
    from regolith_world.tiles.tile_types import known_tile_types as known_tile_types

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'connections': (
            'Connections',
            'MEET_M',
            'find_connections',
        ),
        'tile_list': (
            'Tile',
            'TileList',
            'read_tile_list',
        ),
        'tile_types': (
            'TileType',
            'known_tile_types',
        ),
    },
)
