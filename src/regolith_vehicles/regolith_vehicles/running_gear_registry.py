# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Selection of the running gear of a vehicle's file: wheels, or a running gear by name."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from regolith_files import PluginError
from regolith_vehicles.contact import wheel_state
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.dynamics.multibody import Multibody, compile_vehicle
from regolith_vehicles.running_gear import RunningGear, running_gear_class
from regolith_vehicles.visuals.visual_description import BodyVisuals, PartRole, visuals_of
from regolith_vehicles.wheels import Wheels


def load_visuals(config: VehicleModelConfig, mjcf_path: str | Path) -> BodyVisuals:
    """Return the visual description of a vehicle from its files.

    Args:
        config: Configuration of the vehicle.
        mjcf_path: MJCF file of the vehicle.

    Raises:
        VehicleModelError: If the files do not define a vehicle.
    """
    body = compile_vehicle(config, mjcf_path, np.zeros(3))
    return visuals_of(config, body, make_running_gear(config, body, mjcf_path))


def contact_patch_width(config: VehicleModelConfig) -> float:
    """Return the shorter side of the smallest ground contact area of a vehicle [m]; inf if unknown."""
    named = config.running_gear
    try:
        return (Wheels if named is None else running_gear_class(named.name)).patch(config)
    except PluginError:  # a missing package is reported when the running gear is made
        return math.inf


def has_drive(config: VehicleModelConfig) -> bool:
    """Return whether a vehicle follows any command; True if its running gear is not installed."""
    named = config.running_gear
    try:
        return named is None or bool(running_gear_class(named.name).faces)
    except PluginError:  # a missing package is reported when the running gear is made
        return True


def unpublished_topics(config: VehicleModelConfig, mjcf_path: str | Path) -> frozenset[str]:
    """Return the topics of wheels and odometry that a vehicle does not publish, without its namespace.

    Args:
        config: Configuration of the vehicle.
        mjcf_path: MJCF file of the vehicle.

    Raises:
        VehicleModelError: If the files do not define a vehicle.
    """
    if config.running_gear is None:  # wheels, without the time to make them
        return frozenset()
    return topics_without_values(make_running_gear(config, compile_vehicle(config, mjcf_path, np.zeros(3)), mjcf_path))


def topics_without_values(gear: RunningGear) -> frozenset[str]:
    """Return the topics of :func:`unpublished_topics` of a vehicle with this running gear."""
    wheeled = any(roller.role == PartRole.WHEEL for roller in gear.rollers)
    lacks = {
        'odom': gear.layout is None,
        'wheel_states': not wheeled or gear.columns != wheel_state.NAMES,
        'wheeled_description': not wheeled,
        'wheeled_state': not wheeled,
    }
    return frozenset(topic for topic, missing in lacks.items() if missing)


def make_running_gear(config: VehicleModelConfig, body: Multibody, mjcf_path: str | Path) -> RunningGear:
    """Return the running gear that a vehicle's file names; by default its wheels.

    Args:
        config: Configuration of the vehicle.
        body: Compiled model of the vehicle.
        mjcf_path: MJCF file of the vehicle.

    Raises:
        VehicleModelError: If the running gear cannot be made.
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
        raise VehicleModelError(
            where, key, named.name, allowed or 'a running gear and its parameters', problem
        ) from None
