# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a vehicle stands and rolls at all: a model that compiles may still blow up, or sink in for good."""

from __future__ import annotations

import numpy as np

from regolith_vehicles.trouble import VehicleError
from regolith_vehicles.vehicle import Vehicle

_CYCLE_NS = 50_000_000
_CYCLES = 10
"""Of standing, then of driving."""
_SHARE = 0.2
"""Of the top speed, at which it drives."""
_DEEPEST = 2.0
"""Sinkage over the wheel's radius from which a wheel is under the ground."""


def try_out(vehicle: Vehicle, x: float, y: float) -> None:
    """Put a vehicle on its ground, have it stand for half a second and drive for another; the soil keeps the marks.

    :param vehicle: whose soil is level at the place
    :param x: of the place [m]; so is y
    :raises VehicleError: saying what becomes of it
    """
    drive = vehicle.config.drive
    wheels = vehicle.config.wheels
    vehicle.place(x, y, 0.0)
    for cycle in range(2 * _CYCLES):
        speed = _SHARE * drive.max_wheel_speed_radps if cycle >= _CYCLES else 0.0
        vehicle.grid.apply(vehicle.evolve(_CYCLE_NS, np.full(len(wheels), speed), np.zeros(len(wheels))))
        vehicle.commit()
        for state, wheel in zip(vehicle.wheel_states(), wheels, strict=True):
            if state.sinkage_total > _DEEPEST * wheel.radius_m:
                raise VehicleError(
                    f'{vehicle.name}: wheel {wheel.name} sinks in by {state.sinkage_total:.3g} m, deeper than it is'
                    f' high; the vehicle weighs {vehicle.body.mass:.4g} kg'
                )
