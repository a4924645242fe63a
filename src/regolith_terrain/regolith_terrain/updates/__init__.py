# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil updates: merge of the changes of vehicles, and copies of the soil that follow them.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.updates.committed_soil import COMMITTED_TOPIC as COMMITTED_TOPIC
    from regolith_terrain.updates.committed_soil import CommittedSoil as CommittedSoil
    from regolith_terrain.updates.committed_soil import SoilChanges as SoilChanges
    from regolith_terrain.updates.committed_soil import SoilCommit as SoilCommit
    from regolith_terrain.updates.committed_soil import nodes_of as nodes_of
    from regolith_terrain.updates.merge import SoilDelta as SoilDelta
    from regolith_terrain.updates.merge import SoilUpdate as SoilUpdate
    from regolith_terrain.updates.soil_copy import SoilCopy as SoilCopy

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'committed_soil': (
            'COMMITTED_TOPIC',
            'CommittedSoil',
            'SoilChanges',
            'SoilCommit',
            'nodes_of',
        ),
        'merge': (
            'SoilDelta',
            'SoilUpdate',
        ),
        'soil_copy': ('SoilCopy',),
    },
)
