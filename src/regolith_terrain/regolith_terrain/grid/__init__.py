# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil grid: node records, merging, hashes, copies, mass balance, height profiles.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2 as MASS_QUANTUM_KGPM2
    from regolith_terrain.grid.mass_balance import soil_mass_balance as soil_mass_balance
    from regolith_terrain.grid.node_records import Floats as Floats
    from regolith_terrain.grid.node_records import Indices as Indices
    from regolith_terrain.grid.node_records import NodeRecords as NodeRecords
    from regolith_terrain.grid.node_records import node_key as node_key
    from regolith_terrain.grid.owned_region import ForeignSoilError as ForeignSoilError
    from regolith_terrain.grid.owned_region import OwnedRegion as OwnedRegion
    from regolith_terrain.grid.owned_region import records_outside as records_outside
    from regolith_terrain.grid.soil_grid import SoilGrid as SoilGrid
    from regolith_terrain.grid.soil_grid import SoilWindow as SoilWindow
    from regolith_terrain.grid.soil_map import SoilMap as SoilMap

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'mass_balance': (
            'MASS_QUANTUM_KGPM2',
            'soil_mass_balance',
        ),
        'node_records': (
            'Floats',
            'Indices',
            'NodeRecords',
            'node_key',
        ),
        'owned_region': (
            'ForeignSoilError',
            'OwnedRegion',
            'records_outside',
        ),
        'soil_grid': (
            'SoilGrid',
            'SoilWindow',
        ),
        'soil_map': ('SoilMap',),
    },
)
