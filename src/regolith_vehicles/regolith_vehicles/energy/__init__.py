# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Energy of a vehicle: solar panels, electric loads, temperatures.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.energy.environment import Radiation as Radiation
    from regolith_vehicles.energy.environment import RadiativeEnvironment as RadiativeEnvironment
    from regolith_vehicles.energy.nodes import part_nodes as part_nodes

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'environment': ('Radiation', 'RadiativeEnvironment'),
        'nodes': ('part_nodes',),
    },
)
