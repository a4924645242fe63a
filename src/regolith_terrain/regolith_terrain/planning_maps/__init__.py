# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Maps for planners: layers from heights, and the layouts in which they travel.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.planning_maps.carriers import MapFrame as MapFrame
    from regolith_terrain.planning_maps.carriers import grid_map_values as grid_map_values
    from regolith_terrain.planning_maps.carriers import occupancy_values as occupancy_values
    from regolith_terrain.planning_maps.carriers import raster_values as raster_values
    from regolith_terrain.planning_maps.layers import BLOCKED as BLOCKED
    from regolith_terrain.planning_maps.layers import UNKNOWN as UNKNOWN
    from regolith_terrain.planning_maps.layers import Limits as Limits
    from regolith_terrain.planning_maps.layers import PlaneFits as PlaneFits
    from regolith_terrain.planning_maps.layers import covered_share as covered_share
    from regolith_terrain.planning_maps.layers import drive_cost as drive_cost
    from regolith_terrain.planning_maps.layers import horn_slope as horn_slope
    from regolith_terrain.planning_maps.layers import plane_fits as plane_fits
    from regolith_terrain.planning_maps.layers import rms_deviation as rms_deviation
    from regolith_terrain.planning_maps.layers import traversability as traversability
    from regolith_terrain.planning_maps.surface import places_in_cells as places_in_cells
    from regolith_terrain.planning_maps.surface import surface_from_above as surface_from_above

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'carriers': (
            'MapFrame',
            'grid_map_values',
            'occupancy_values',
            'raster_values',
        ),
        'layers': (
            'BLOCKED',
            'UNKNOWN',
            'Limits',
            'PlaneFits',
            'covered_share',
            'drive_cost',
            'horn_slope',
            'plane_fits',
            'rms_deviation',
            'traversability',
        ),
        'surface': (
            'places_in_cells',
            'surface_from_above',
        ),
    },
)
