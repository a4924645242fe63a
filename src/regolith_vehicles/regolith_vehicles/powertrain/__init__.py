# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Powertrains of cars and tracked vehicles (engines, motors, couplings, gearboxes, brakes), and batteries.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.powertrain import columns as columns
    from regolith_vehicles.powertrain.battery import DRAWN as DRAWN
    from regolith_vehicles.powertrain.battery import STORED as STORED

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'battery': (
            'DRAWN',
            'STORED',
        ),
    },
    modules=('columns',),
)
