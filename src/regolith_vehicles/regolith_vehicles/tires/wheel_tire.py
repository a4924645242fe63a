# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tire of a wheel in a vehicle's file."""

from __future__ import annotations

from pathlib import Path

from regolith_files import InputError
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.tires.tire import TIRES, Tire, load_tire

SLACK = 0.1
"""Relative difference allowed between the radii of a tire and its wheel, the rigid cylinder on soil [-]."""


def wheel_tire(config: VehicleModelConfig, key: str, name: str, radius: float, behavior: str = 'regolith') -> Tire:
    """Return the tire of a wheel.

    Args:
        config: Vehicle model; relative paths refer to the folder of its file.
        key: Key of the tire in that file, for errors.
        name: Name of a known tire, or path of a tire YAML file.
        radius: Radius of the wheel [m].
        behavior: Mode of the tire; see :class:`regolith_vehicles.tires.tire.Tire`.

    Raises:
        InputError: If the tire does not exist, its file is invalid, or its radius does not match.
    """
    folder = Path(config.file).parent if config.file else Path()
    try:
        path = TIRES.find(name, folder)
    except InputError as error:
        first = error.problems[0]
        raise VehicleModelError(config.file, key, name, first.allowed, first.problem) from None
    tire = load_tire(path, behavior)
    if abs(tire.config.radius_m - radius) > SLACK * radius:
        allowed = f'a tire radius of {(1.0 - SLACK) * radius:.3g} to {(1.0 + SLACK) * radius:.3g} m'
        problem = f'has a radius of {tire.config.radius_m!r} m, but the wheel has {radius!r} m'
        raise VehicleModelError(config.file, key, name, allowed, problem)
    return tire
