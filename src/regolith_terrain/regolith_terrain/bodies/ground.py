# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ground of rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass

from regolith_terrain.grid.node_records import Floats
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.grid.soil_map import SoilMap
from regolith_terrain.solids.solids import Solids


@dataclass(frozen=True, slots=True)
class BodyGround:
    """The ground of rigid bodies."""

    grid: SoilGrid
    """Committed soil."""
    soils: SoilMap
    """Soils of the terrain."""
    gravity: Floats
    """Gravity [m/s^2], shape (3,)."""
    solids: Solids | None = None
    """Rocks and obstacles; none: no solids."""
    mode: str = 'regolith'
    """Mode of the terrain model."""
