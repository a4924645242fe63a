# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tiled worlds as terrain: the floor of tunnel tiles as a height field, their walls and roofs as solids.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.tiles.tile_floor import TileFloor as TileFloor
    from regolith_terrain.tiles.tile_solids import tile_obstacles as tile_obstacles
    from regolith_terrain.tiles.tunnels import Tunnels as Tunnels
    from regolith_terrain.tiles.tunnels import read_tunnels as read_tunnels

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'tile_floor': ('TileFloor',),
        'tile_solids': ('tile_obstacles',),
        'tunnels': (
            'Tunnels',
            'read_tunnels',
        ),
    },
)
