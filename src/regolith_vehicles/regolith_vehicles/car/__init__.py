# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Road vehicles: wheels on tires, powertrain, brakes and steering linkage.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.car.running_gear import Car as Car

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'running_gear': ('Car',),
    },
)
