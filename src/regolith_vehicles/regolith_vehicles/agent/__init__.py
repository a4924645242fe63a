# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Agent: the participant that computes one vehicle.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.agent.agent import VehicleAgent as VehicleAgent
    from regolith_vehicles.agent.planned_path import planned_base_path as planned_base_path
    from regolith_vehicles.agent.planned_path import running_gear_radius as running_gear_radius
    from regolith_vehicles.agent.startup_check import DEEP_M as DEEP_M
    from regolith_vehicles.agent.startup_check import SinksInError as SinksInError
    from regolith_vehicles.agent.startup_check import placement_conflict as placement_conflict
    from regolith_vehicles.agent.startup_check import test_drive as test_drive
    from regolith_vehicles.agent.vehicle import Vehicle as Vehicle
    from regolith_vehicles.agent.vehicle_group import VehicleGroup as VehicleGroup
    from regolith_vehicles.agent.vehicle_state import CycleMotion as CycleMotion
    from regolith_vehicles.agent.vehicle_state import VehicleState as VehicleState

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'agent': ('VehicleAgent',),
        'planned_path': (
            'planned_base_path',
            'running_gear_radius',
        ),
        'startup_check': (
            'DEEP_M',
            'SinksInError',
            'placement_conflict',
            'test_drive',
        ),
        'vehicle': ('Vehicle',),
        'vehicle_group': ('VehicleGroup',),
        'vehicle_state': (
            'CycleMotion',
            'VehicleState',
        ),
    },
)
