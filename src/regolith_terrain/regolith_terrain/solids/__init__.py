# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Static solids on the terrain, rocks and obstacles, and contact with them.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.solids import rock_shapes as rock_shapes
    from regolith_terrain.solids.config import ObstacleConfig as ObstacleConfig
    from regolith_terrain.solids.contact import STIFFNESS_OF_PART as STIFFNESS_OF_PART
    from regolith_terrain.solids.contact import add_solid_wrench as add_solid_wrench
    from regolith_terrain.solids.contact_arrays import SolidContactArrays as SolidContactArrays
    from regolith_terrain.solids.friction_memory import NO_SOLIDS as NO_SOLIDS
    from regolith_terrain.solids.friction_memory import NOTHING_MOVES as NOTHING_MOVES
    from regolith_terrain.solids.friction_memory import SolidContact as SolidContact
    from regolith_terrain.solids.height_map import ObstacleHeightMap as ObstacleHeightMap
    from regolith_terrain.solids.moving_solids import MovingSolids as MovingSolids
    from regolith_terrain.solids.obstacles import Obstacle as Obstacle
    from regolith_terrain.solids.obstacles import make_obstacle as make_obstacle
    from regolith_terrain.solids.point_force import POINT_DEPTH as POINT_DEPTH
    from regolith_terrain.solids.point_force import STIFFEST as STIFFEST
    from regolith_terrain.solids.polyhedron import Polyhedron as Polyhedron
    from regolith_terrain.solids.polyhedron import convex_hull as convex_hull
    from regolith_terrain.solids.solids import NearbySolids as NearbySolids
    from regolith_terrain.solids.solids import Solid as Solid
    from regolith_terrain.solids.solids import SolidCells as SolidCells
    from regolith_terrain.solids.solids import Solids as Solids
    from regolith_terrain.solids.solids import solids_within as solids_within

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'config': ('ObstacleConfig',),
        'contact': (
            'STIFFNESS_OF_PART',
            'add_solid_wrench',
        ),
        'contact_arrays': ('SolidContactArrays',),
        'friction_memory': (
            'NO_SOLIDS',
            'NOTHING_MOVES',
            'SolidContact',
        ),
        'height_map': ('ObstacleHeightMap',),
        'moving_solids': ('MovingSolids',),
        'obstacles': (
            'Obstacle',
            'make_obstacle',
        ),
        'point_force': (
            'POINT_DEPTH',
            'STIFFEST',
        ),
        'polyhedron': (
            'Polyhedron',
            'convex_hull',
        ),
        'solids': (
            'NearbySolids',
            'Solid',
            'SolidCells',
            'Solids',
            'solids_within',
        ),
    },
    modules=('rock_shapes',),
)
