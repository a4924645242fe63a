# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Energy of a vehicle in a cycle, and its surroundings from the scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from regolith_terrain.solids import Solids
from regolith_vehicles.agent.events import GROUND_TRUTH, LOADS_SHED, Event
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand, PedalCommand
from regolith_vehicles.contact.collision_shapes import collision_shapes, shape_bodies
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.energy.environment import scenario_environment
from regolith_vehicles.energy.vehicle_energy import Surroundings
from regolith_vehicles.visuals.visual_description import BodyVisuals
from regolith_world.cycle import Cycle, Shape


def use_energy(vehicle: Vehicle, looks: BodyVisuals, command: DriveCommand, cycle: Cycle) -> tuple[Event, ...]:
    """Advance the energy of a vehicle by a cycle that it has finished, and return the events that began.

    Args:
        vehicle: The vehicle.
        looks: Its visual description.
        command: Its command in the cycle.
        cycle: The cycle.
    """
    if vehicle.energy is None:
        return ()
    t_ns = cycle.t_ns + cycle.dt_ns
    poses = vehicle.drawn_poses(looks.bodies)
    pressed = isinstance(command.by, PedalCommand) and command.by.throttle > 0.0
    driving = pressed or command.speed != 0.0 or command.angular != 0.0
    shed = vehicle.energy.advance(t_ns, cycle.dt_ns, vehicle, poses, driving, cycle.bodies)
    if not shed:
        return ()
    return (Event(t_ns, LOADS_SHED, GROUND_TRUTH, f'the charge is low, and these loads are off: {", ".join(shed)}'),)


def surroundings_of(scenario: Callable[[], Mapping[str, Any]], solids: Solids | None) -> Surroundings:
    """Return the surroundings of the vehicles of a scenario that have panels, loads or thermal nodes.

    Args:
        scenario: Function that returns the root keys of the resolved scenario.
        solids: Rocks and static obstacles.

    Raises:
        ValueError: If no installed package provides a radiative environment.
    """
    root = scenario()
    shapes: dict[str, list[Shape]] = {}
    for other, entry in root['vehicles'].items():
        model, _ = load_vehicle_model(entry['model'])
        bodies = (other, *(f'{other}/{part}' for part in model.parts))
        for shape, body in zip(collision_shapes(model), shape_bodies(model), strict=True):
            shapes.setdefault(bodies[body], []).append(shape)
    return Surroundings(scenario_environment(scenario), shapes, solids)
