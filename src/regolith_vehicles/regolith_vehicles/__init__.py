# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicle dynamics: multibody models, running gear, tires, drivers, excavation tools.

The names below are the public interface. They are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files.lazy_names import lazy_names

if TYPE_CHECKING:
    from regolith_vehicles.agent.agent import VehicleAgent as VehicleAgent
    from regolith_vehicles.commands.command import DriveCommand as DriveCommand
    from regolith_vehicles.config import VehicleEntry as VehicleEntry
    from regolith_vehicles.config import load_vehicle_model as load_vehicle_model
    from regolith_vehicles.description.model_config import VehicleModelConfig as VehicleModelConfig
    from regolith_vehicles.drivers.builtin import Driver as Driver
    from regolith_vehicles.dynamics.multibody import compile_vehicle as compile_vehicle
    from regolith_vehicles.dynamics.vehicle import Vehicle as Vehicle
    from regolith_vehicles.running_gear import RunningGear as RunningGear
    from regolith_vehicles.running_gear import TelemetryQuantity as TelemetryQuantity
    from regolith_vehicles.tires.tire import Tire as Tire
    from regolith_vehicles.tires.tire import load_tire as load_tire

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        'agent.agent': ('VehicleAgent',),
        'commands.command': ('DriveCommand',),
        'config': (
            'VehicleEntry',
            'load_vehicle_model',
        ),
        'description.model_config': ('VehicleModelConfig',),
        'drivers.builtin': ('Driver',),
        'dynamics.multibody': ('compile_vehicle',),
        'dynamics.vehicle': ('Vehicle',),
        'running_gear': (
            'RunningGear',
            'TelemetryQuantity',
        ),
        'tires.tire': (
            'Tire',
            'load_tire',
        ),
    },
)
