# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects that a vehicle releases at the end of a cycle."""

from __future__ import annotations

from collections.abc import Sequence

from regolith_vehicles.agent.events import GROUND_TRUTH, Event
from regolith_vehicles.agent.input_latch import InputLatch
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_world.cycle import Cycle, SpawnedObject

RELEASE_REFUSED = 'release_refused'
"""Kind of the event that an ordered release did not happen."""


def order_release(vehicle: Vehicle, inputs: InputLatch, dispenser: str) -> tuple[str, str]:
    """Store the order to release an object as a live input of the next cycle.

    Args:
        vehicle: The vehicle.
        inputs: Live inputs of the vehicle.
        dispenser: Name of the dispenser.

    Returns:
        Name that the object gets, and the problem with the order; one of them is ''.
    """
    dispensers = vehicle.dispensers
    if dispenser not in dispensers.names:
        return '', f'no dispenser {dispenser!r}; allowed: {", ".join(dispensers.names) or "there is none"}'
    follower = dispensers.next_object(dispenser, inputs.pending_releases(dispenser))
    if not follower:
        return '', f'dispenser {dispenser!r} is empty'
    inputs.add_release(dispenser)
    return f'{vehicle.name}/{follower}', ''


def release_objects(
    vehicle: Vehicle, dispensers: Sequence[str], cycle: Cycle
) -> tuple[tuple[SpawnedObject, ...], tuple[Event, ...]]:
    """Release one object from each of these dispensers, in order, at the end of a cycle.

    Args:
        vehicle: The vehicle at the end of the cycle.
        dispensers: Names of the dispensers; one name may occur several times.
        cycle: The cycle; objects that it refuses stay in their dispensers.

    Returns:
        The released objects, and an event for each order that is not performed.
    """
    spawned, refused = [], []
    for name in dispensers:
        problem, follower = '', ''
        if name not in vehicle.dispensers.names:
            problem = f'no dispenser {name!r}; allowed: {", ".join(vehicle.dispensers.names) or "there is none"}'
        elif not (follower := vehicle.dispensers.next_object(name)):
            problem = f'dispenser {name!r} is empty'
        elif f'{vehicle.name}/{follower}' in cycle.refused:
            problem = f'{vehicle.name}/{follower} stays in dispenser {name!r}: another object is at its place'
        if problem:
            refused.append(Event(cycle.t_ns + cycle.dt_ns, RELEASE_REFUSED, GROUND_TRUTH, problem))
        else:
            spawned.append(vehicle.release(name))
    return tuple(spawned), tuple(refused)
