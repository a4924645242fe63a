# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The tyre that a vehicle's file puts on a wheel."""

from __future__ import annotations

from pathlib import Path

from regolith_files.problems import InputError
from regolith_vehicles.config import VehicleModelError
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.tires.tire import TYRES, Tire, load_tire

SLACK = 0.1
"""Share by which a tyre's radius may differ from that of its wheel, a rigid cylinder, on ground that yields."""


def wheel_tire(config: VehicleModelConfig, key: str, name: str, radius: float, behaviour: str = 'regolith') -> Tire:
    """Return the tyre of a wheel.

    Args:
        config: Of the vehicle, whose file relative paths start at.
        key: Of the tyre in that file, for errors.
        name: Name or path of the tyre.
        radius: Of the wheel [m].

    Raises:
        InputError: If there is no such tyre, its file is wrong, or it does not fit.
    """
    folder = Path(config.file).parent if config.file else Path()
    try:
        path = TYRES.find(name, folder)
    except InputError as error:
        first = error.problems[0]
        raise VehicleModelError(config.file, key, name, first.allowed, first.problem) from None
    tyre = load_tire(path, behaviour)
    if abs(tyre.config.radius_m - radius) > SLACK * radius:
        allowed = f'a tyre of {(1.0 - SLACK) * radius:.3g} to {(1.0 + SLACK) * radius:.3g} m'
        problem = f'has a radius of {tyre.config.radius_m!r} m, and the wheel one of {radius!r} m'
        raise VehicleModelError(config.file, key, name, allowed, problem)
    return tyre
