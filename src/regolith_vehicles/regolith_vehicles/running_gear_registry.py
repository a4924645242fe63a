# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The running gear that a vehicle's file asks for: wheels, or one by name."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from regolith_files.plugins import PluginError
from regolith_vehicles.config import VehicleModelConfig, VehicleModelError
from regolith_vehicles.description.visual_description import BodyVisuals, visuals_of
from regolith_vehicles.dynamics.multibody import Multibody, compile_vehicle
from regolith_vehicles.running_gear import RunningGear, running_gear_class
from regolith_vehicles.wheels import Wheels


def load_visuals(config: VehicleModelConfig, mjcf_path: str | Path) -> BodyVisuals:
    """Return the looks of a vehicle by its files.

    Raises:
        VehicleModelError: If they describe none.
    """
    body = compile_vehicle(config, mjcf_path, np.zeros(3))
    return visuals_of(config, body, make_running_gear(config, body, mjcf_path))


def contact_patch(config: VehicleModelConfig) -> float:
    """Return the shorter side of the smallest area by which a vehicle's gear meets the ground [m]; inf if unknown."""
    named = config.running_gear
    try:
        return (Wheels if named is None else running_gear_class(named.name)).patch(config)
    except PluginError:  # that it is not installed is reported where it is made
        return math.inf


def make_running_gear(config: VehicleModelConfig, body: Multibody, mjcf_path: str | Path) -> RunningGear:
    """Return the running gear that a vehicle's file names, its wheels if none.

    Raises:
        VehicleModelError: If it cannot be made.
    """
    named = config.running_gear
    if named is None:
        return Wheels(config, body, mjcf_path)
    try:
        return running_gear_class(named.name)(config, body, mjcf_path, **named.parameters)
    except (TypeError, ValueError) as error:
        if isinstance(error, VehicleModelError):
            raise
        problem, _, allowed = str(error).partition('; allowed: ')
        where, key = config.file or mjcf_path, 'running_gear'
        raise VehicleModelError(where, key, named.name, allowed or 'a gear and its parameters', problem) from None
