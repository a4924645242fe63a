# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Excavation: soil that tools cut, carry and dump, and how loose soil slumps.

``cutting`` has the force on a blade, ``sweep`` the soil requested by a moving tool, ``exchange`` the soil that terrain
grants and takes back, ``relaxation`` the slumping of loose soil.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.excavation import sweep as sweep
    from regolith_terrain.excavation.diggable_soil import DiggableSoil as DiggableSoil
    from regolith_terrain.excavation.exchange import SoilDeposit as SoilDeposit
    from regolith_terrain.excavation.exchange import SoilGrant as SoilGrant
    from regolith_terrain.excavation.exchange import SoilRequest as SoilRequest
    from regolith_terrain.excavation.exchange import ToolExchange as ToolExchange
    from regolith_terrain.excavation.sweep import ToolArrays as ToolArrays
    from regolith_terrain.excavation.sweep import make_tools as make_tools
    from regolith_terrain.excavation.sweep import sweep_drum as sweep_drum
    from regolith_terrain.excavation.sweep import sweep_edge as sweep_edge

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'diggable_soil': ('DiggableSoil',),
        'exchange': (
            'SoilDeposit',
            'SoilGrant',
            'SoilRequest',
            'ToolExchange',
        ),
        'sweep': (
            'ToolArrays',
            'make_tools',
            'sweep_drum',
            'sweep_edge',
        ),
    },
    modules=('sweep',),
)
