# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A trial of whether a vehicle stands and rolls: a model that compiles may still blow up, or sink in for good."""

from __future__ import annotations

from regolith_vehicles.command import DriveCommand
from regolith_vehicles.trouble import VehicleError
from regolith_vehicles.vehicle import Vehicle

_CYCLE_NS = 50_000_000
_CYCLES = 10
"""Cycles of standing, then as many of driving."""
_SHARE = 0.2
"""Share of the top speed at which it drives [-]."""


DEEP_M = 0.2
"""How deep a vehicle may be in obstacles where it is put [m]: it is pushed out of less without being thrown."""


def stands_clear(vehicle: Vehicle, x: float, y: float, heading: float) -> str:
    """Return what keeps a vehicle from standing at a place among solids, in words; '' if nothing does.

    It is put there as if the ground were level.

    :param x: of the place [m]; so is y; heading: [rad]
    """
    vehicle.put(x, y, heading)
    deep = vehicle.depth_in_solids()
    return f'stands {deep:.2g} m deep in an obstacle' if deep > DEEP_M else ''


def try_out(vehicle: Vehicle, x: float, y: float) -> None:
    """Place a vehicle on its ground, let it stand for half a second and drive for another; the soil keeps the marks.

    :param vehicle: whose soil is level at the place
    :param x: of the place [m]; so is y
    :raises VehicleError: naming what fails
    """
    gear = vehicle.gear
    vehicle.place(x, y, 0.0)
    for cycle in range(2 * _CYCLES):
        command = DriveCommand(_SHARE * gear.top_speed if cycle >= _CYCLES else 0.0)
        vehicle.grid.apply(vehicle.evolve(_CYCLE_NS, *gear.targets(command)))
        vehicle.commit()
        sunk = gear.too_deep()
        if sunk:
            raise VehicleError(f'{vehicle.name}: {sunk}; the vehicle weighs {vehicle.body.mass:.4g} kg')
