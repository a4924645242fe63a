# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Startup check: a short simulation of standing and driving that detects unusable vehicle models.

A model that compiles may still diverge or sink in without limit.
"""

from __future__ import annotations

from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.dynamics.errors import VehicleError
from regolith_vehicles.visuals.visual_description import visuals_of
from regolith_world.numerics import portable_math

_CYCLE_NS = 50_000_000
_CYCLES = 10
"""Minimum number of cycles of standing, and number of cycles of driving."""
_LONGEST = 100
"""Maximum number of cycles of standing."""
AT_REST_MPS = 5e-3
"""Speed below which a vehicle is at rest [m/s]; in 2 s it would sink in by another 1 cm."""
_SHARE = 0.2
"""Fraction of the top speed at which the vehicle drives [-]."""


DEEP_M = 0.2
"""Accepted initial penetration into obstacles [m]; contact forces remove less than this without a jump."""


def placement_conflict(vehicle: Vehicle, x: float, y: float, heading: float) -> str:
    """Return the conflict of a vehicle's placement with obstacles as text; '' if there is none.

    The vehicle is placed as if the ground were level.

    Args:
        vehicle: Vehicle to place; its pose changes.
        x: Position of the base along x [m].
        y: Position of the base along y [m].
        heading: Heading [rad].
    """
    vehicle.place_on_ground(x, y, heading)
    deep = vehicle.depth_in_solids()
    return f'penetrates an obstacle by {deep:.2g} m' if deep > DEEP_M else ''


class SinksInError(VehicleError):
    """Error of a vehicle that the soil does not support."""


STATIC_DEPTH = 0.5
"""Sinkage at rest divided by the height of wheels or tracks from which the soil does not support the vehicle [-].

The axles are then at the ground, and the hull carries load.
"""


SOFT_DEPTH = 0.25
"""Sinkage at rest divided by that height from which the soil barely supports the vehicle [-]."""


def test_drive(vehicle: Vehicle, x: float, y: float) -> str:
    """Place a vehicle on its ground, wait until it is at rest, and drive for half a second.

    It stands for half a second or, on soil in which it continues to sink, up to 5 s. The soil keeps the ruts.

    Args:
        vehicle: Vehicle on soil that is level at the position.
        x: Position of the base along x [m].
        y: Position of the base along y [m].

    Returns:
        Text on the deepest part at rest if its sinkage is above SOFT_DEPTH of its height; else ''.

    Raises:
        SinksInError: If the vehicle sinks in too deep.
        VehicleModelError: If a solar panel is inside the vehicle or far beyond it.
        VehicleError: If the simulation fails; describes the failure.
    """
    vehicle.place(x, y, 0.0)
    _check_panels(vehicle)
    for cycle in range(_LONGEST):
        _go(vehicle, DriveCommand(), STATIC_DEPTH)
        if cycle + 1 >= _CYCLES and portable_math.norm(vehicle.body_state().linear_velocity) < AT_REST_MPS:
            break
    soft = vehicle.gear.penetration_error(SOFT_DEPTH)
    for _ in range(_CYCLES):
        _go(vehicle, DriveCommand(_SHARE * vehicle.gear.top_speed), 1.0)
    return soft


def _check_panels(vehicle: Vehicle) -> None:
    if vehicle.energy is not None and vehicle.energy.panels:
        looks = visuals_of(vehicle.config, vehicle.body, vehicle.gear)
        vehicle.energy.show(looks)
        vehicle.energy.refuse_useless_panels(vehicle.data, vehicle.drawn_poses(looks.bodies))


def _go(vehicle: Vehicle, command: DriveCommand, deepest: float) -> None:
    """Evolve by one cycle; refuse a vehicle whose sinkage exceeds a fraction of a part's height."""
    vehicle.grid.apply(vehicle.evolve(_CYCLE_NS, *vehicle.gear.targets(command)))
    vehicle.commit()
    sunk = vehicle.gear.penetration_error(deepest)
    if sunk:
        raise SinksInError(f'{vehicle.name}: {sunk}; the vehicle weighs {vehicle.body.mass:.4g} kg')
