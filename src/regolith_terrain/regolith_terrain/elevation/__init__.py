# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Elevation models: reading, plausibility checks, and placement in a local metric frame.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.elevation.file_description import describe_elevation_model as describe_elevation_model
    from regolith_terrain.elevation.grid import ElevationGrid as ElevationGrid
    from regolith_terrain.elevation.grid import LocalFrame as LocalFrame
    from regolith_terrain.elevation.grid import StoredValues as StoredValues
    from regolith_terrain.elevation.grid import celestial_body as celestial_body
    from regolith_terrain.elevation.grid import local_frame as local_frame
    from regolith_terrain.elevation.grid import rectangle_window as rectangle_window
    from regolith_terrain.elevation.import_model import ImportRequest as ImportRequest
    from regolith_terrain.elevation.import_model import import_elevation_model as import_elevation_model
    from regolith_terrain.elevation.open_model import open_elevation_model as open_elevation_model
    from regolith_terrain.elevation.plausibility import height_statistics as height_statistics
    from regolith_terrain.elevation.plausibility import unusual_heights as unusual_heights
    from regolith_terrain.elevation.terrain_files import geotiff_profile as geotiff_profile
    from regolith_terrain.elevation.terrain_files import new_folder as new_folder
    from regolith_terrain.elevation.terrain_files import write_about as write_about

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'file_description': ('describe_elevation_model',),
        'grid': (
            'ElevationGrid',
            'LocalFrame',
            'StoredValues',
            'celestial_body',
            'local_frame',
            'rectangle_window',
        ),
        'import_model': (
            'ImportRequest',
            'import_elevation_model',
        ),
        'open_model': ('open_elevation_model',),
        'plausibility': (
            'height_statistics',
            'unusual_heights',
        ),
        'terrain_files': (
            'geotiff_profile',
            'new_folder',
            'write_about',
        ),
    },
)
