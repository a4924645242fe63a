# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicle dynamics: multibody models, running gear, tires, drivers, excavation tools.

The names below are the public interface. They are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.agent.agent import VehicleAgent as VehicleAgent
    from regolith_vehicles.agent.vehicle import Vehicle as Vehicle
    from regolith_vehicles.commands.command import DriveCommand as DriveCommand
    from regolith_vehicles.config import VehicleEntry as VehicleEntry
    from regolith_vehicles.description.model_config import VehicleModelConfig as VehicleModelConfig
    from regolith_vehicles.description.model_files import VEHICLE_LIBRARY as VEHICLE_LIBRARY
    from regolith_vehicles.description.model_files import VehicleModelError as VehicleModelError
    from regolith_vehicles.description.model_files import known_vehicles as known_vehicles
    from regolith_vehicles.description.model_files import load_vehicle_model as load_vehicle_model
    from regolith_vehicles.drivers.config import ConstantDriverConfig as ConstantDriverConfig
    from regolith_vehicles.drivers.config import ExternalDriverConfig as ExternalDriverConfig
    from regolith_vehicles.drivers.config import PathDriverConfig as PathDriverConfig
    from regolith_vehicles.drivers.config import PluginDriverConfig as PluginDriverConfig
    from regolith_vehicles.drivers.config import waypoints_of as waypoints_of
    from regolith_vehicles.drivers.driver import Driver as Driver
    from regolith_vehicles.dynamics.multibody import compile_vehicle as compile_vehicle
    from regolith_vehicles.running_gear import RunningGear as RunningGear
    from regolith_vehicles.running_gear import TelemetryQuantity as TelemetryQuantity
    from regolith_vehicles.running_gear_registry import contact_patch_width as contact_patch_width
    from regolith_vehicles.running_gear_registry import has_drive as has_drive
    from regolith_vehicles.running_gear_registry import load_visuals as load_visuals
    from regolith_vehicles.running_gear_registry import make_running_gear as make_running_gear
    from regolith_vehicles.running_gear_registry import topics_without_values as topics_without_values
    from regolith_vehicles.running_gear_registry import unpublished_topics as unpublished_topics
    from regolith_vehicles.tires.tire import Tire as Tire
    from regolith_vehicles.tires.tire import load_tire as load_tire
    from regolith_vehicles.wheels import Wheels as Wheels

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'agent.agent': ('VehicleAgent',),
        'agent.vehicle': ('Vehicle',),
        'commands.command': ('DriveCommand',),
        'config': ('VehicleEntry',),
        'description.model_config': ('VehicleModelConfig',),
        'description.model_files': (
            'VEHICLE_LIBRARY',
            'VehicleModelError',
            'known_vehicles',
            'load_vehicle_model',
        ),
        'drivers.config': (
            'ConstantDriverConfig',
            'ExternalDriverConfig',
            'PathDriverConfig',
            'PluginDriverConfig',
            'waypoints_of',
        ),
        'drivers.driver': ('Driver',),
        'dynamics.multibody': ('compile_vehicle',),
        'running_gear': (
            'RunningGear',
            'TelemetryQuantity',
        ),
        'running_gear_registry': (
            'contact_patch_width',
            'has_drive',
            'load_visuals',
            'make_running_gear',
            'topics_without_values',
            'unpublished_topics',
        ),
        'tires.tire': (
            'Tire',
            'load_tire',
        ),
        'wheels': ('Wheels',),
    },
)
