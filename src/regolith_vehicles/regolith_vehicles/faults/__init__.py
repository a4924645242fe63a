# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Faults of a vehicle's devices on purpose, for tests of autonomy.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.faults.config import KINDS as KINDS
    from regolith_vehicles.faults.config import FaultConfig as FaultConfig
    from regolith_vehicles.faults.config import fault_problem as fault_problem
    from regolith_vehicles.faults.vehicle_faults import VehicleFaults as VehicleFaults

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'config': (
            'KINDS',
            'FaultConfig',
            'fault_problem',
        ),
        'vehicle_faults': ('VehicleFaults',),
    },
)
