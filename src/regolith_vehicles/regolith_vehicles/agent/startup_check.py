# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A trial of whether a vehicle stands and rolls: a model that compiles may still blow up, or sink in for good."""

from __future__ import annotations

from regolith_vehicles.agent.errors import VehicleError
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.dynamics.vehicle import Vehicle
from regolith_world.numerics.portable_math import norm

_CYCLE_NS = 50_000_000
_CYCLES = 10
"""Least number of cycles of standing, and that of driving."""
_LONGEST = 100
"""Largest number of cycles of standing."""
AT_REST_MPS = 5e-3
"""Speed below which a vehicle stands: it would sink in by another cm in 2 s [m/s]."""
_SHARE = 0.2
"""Share of the top speed at which it drives [-]."""


DEEP_M = 0.2
"""How deep a vehicle may be in obstacles where it is put [m]: it is pushed out of less without being thrown."""


def placement_conflict(vehicle: Vehicle, x: float, y: float, heading: float) -> str:
    """Return what keeps a vehicle from standing at a place among solids, in words; '' if nothing does.

    It is put there as if the ground were level.

    Args:
        x: Of the place [m]; so is y.
        heading: [rad].
    """
    vehicle.place_on_ground(x, y, heading)
    deep = vehicle.depth_in_solids()
    return f'stands {deep:.2g} m deep in an obstacle' if deep > DEEP_M else ''


class SinksInError(VehicleError):
    """The soil does not carry a vehicle."""


STATIC_DEPTH = 0.5
"""Sinkage of a vehicle at rest, over the height of its wheels or tracks, from which its soil does not carry it: axles
are at the ground then, and the hull carries."""


def test_drive(vehicle: Vehicle, x: float, y: float) -> None:
    """Place a vehicle on its ground, let it stand until it is at rest and drive for half a second.

    It stands for half a second or, on soil in which it keeps sinking, up to 5 s. The soil keeps the marks.

    Args:
        vehicle: Whose soil is level at the place.
        x: Of the place [m]; so is y.

    Raises:
        SinksInError: If it sinks in too deep.
        VehicleError: Naming what else fails.
    """
    vehicle.place(x, y, 0.0)
    for cycle in range(_LONGEST):
        _go(vehicle, DriveCommand(), STATIC_DEPTH)
        if cycle + 1 >= _CYCLES and norm(vehicle.body_state().linear_velocity) < AT_REST_MPS:
            break
    for _ in range(_CYCLES):
        _go(vehicle, DriveCommand(_SHARE * vehicle.gear.top_speed), 1.0)


def _go(vehicle: Vehicle, command: DriveCommand, deepest: float) -> None:
    """Evolve by a cycle; refuse a vehicle that is deeper in the ground than a part of its gear's height."""
    vehicle.grid.apply(vehicle.evolve(_CYCLE_NS, *vehicle.gear.targets(command)))
    vehicle.commit()
    sunk = vehicle.gear.penetration_error(deepest)
    if sunk:
        raise SinksInError(f'{vehicle.name}: {sunk}; the vehicle weighs {vehicle.body.mass:.4g} kg')
