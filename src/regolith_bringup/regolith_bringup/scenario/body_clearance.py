# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Clearance of vehicles from rigid bodies on the ground: no part of a vehicle begins inside one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from regolith_bringup.scenario.participant_sections import sections, without_participants
from regolith_bringup.scenario.schema import Scenario
from regolith_bringup.scenario.vehicle_section import shape_reach
from regolith_files import YamlSource
from regolith_terrain.bodies import BodiesConfig

if TYPE_CHECKING:
    from regolith_terrain.bodies import RigidBodies
    from regolith_vehicles.agent import Vehicle

ALLOWED = 'a position where it touches none; terrain.rock_free_zones removes rocks'
_UNEVEN_M = 0.1
"""Margin for the tilt of a vehicle [m]."""


def check_body_clearance(scenario: Scenario, source: YamlSource) -> None:
    """Refuse vehicles that start inside a rigid body on the ground or a movable rock, which would throw both.

    Fixed rocks and obstacles are below a vehicle: it is placed on them.

    Args:
        scenario: Scenario with the final terrain and the models of the vehicles.
        source: Scenario file, for messages.

    Raises:
        InputError: With the vehicle, the body and the depth.
    """
    found = [name for name, (_, section) in sections(scenario).items() if isinstance(section, BodiesConfig)]
    near = _near_bodies(scenario, found[0]) if found and scenario.world.contact != 'none' else []
    if not near:
        return
    from regolith_bringup.scenario.in_process_simulation import InProcessSimulation
    from regolith_terrain.scenario_bodies import DEEPEST_M, BodiesParticipant
    from regolith_world import AdmissionError

    vehicles = {name: scenario.vehicles[name].model_copy(update={'sensors': {}}) for name in near}
    objects = {name: entry for name, entry in scenario.objects.items() if entry.get('type') == 'rigid_body'}
    world = scenario.world.model_copy(update={'determinism': None})
    changed = {'vehicles': vehicles, 'objects': objects, 'world': world, found[0]: sections(scenario)[found[0]][1]}
    try:
        made = InProcessSimulation(without_participants(scenario).model_copy(update=changed))
    except AdmissionError as refused:
        problem = str(refused).partition(';')[0]
        name = next((name for name in near if problem.startswith(f'{name!r} at')), near[0])
        raise source.error(('vehicles', name, 'position'), problem, ALLOWED, scenario.vehicles[name].position) from None
    participant = made.others[found[0]]
    assert isinstance(participant, BodiesParticipant)
    for name, agent in made.agents.items():
        depth, body = _deepest(agent.vehicle, participant.bodies)
        if depth > DEEPEST_M:
            problem = f'a wheel or hull part starts {depth:.3g} m inside {body!r}, which would throw it away'
            raise source.error(('vehicles', name, 'position'), problem, ALLOWED, scenario.vehicles[name].position)


def _near_bodies(scenario: Scenario, section: str) -> list[str]:
    """Return the vehicles within whose reach a body or movable rock starts, in name order."""
    if not scenario.vehicles:
        return []
    from regolith_terrain.scenario_bodies import body_configs, body_shape, movable_rocks

    rocks = movable_rocks(scenario.terrain, scenario.seed, sections(scenario)[section][1].movable_rocks)
    bodies = [(config.position, body_shape(config).reach) for config in body_configs(scenario.objects).values()]
    bodies += [(tuple(rock.position.tolist()), rock.description.shape.reach) for rock in rocks]
    if not bodies:
        return []
    return [
        name
        for name, entry in sorted(scenario.vehicles.items())
        for reach in [_vehicle_reach(entry.model)]
        if any(math.dist(entry.position[:2], place[:2]) < reach + size for place, size in bodies)
    ]


def _vehicle_reach(model: str) -> float:
    """Return an upper bound of the distance of wheels and hull from the vehicle's position on uneven ground [m]."""
    from regolith_vehicles import load_vehicle_model, make_running_gear
    from regolith_vehicles.agent import running_gear_radius
    from regolith_vehicles.dynamics import compile_vehicle

    config, mjcf = load_vehicle_model(model)
    gear = make_running_gear(config, compile_vehicle(config, mjcf, (0.0, 0.0, 0.0)), mjcf)
    return max([running_gear_radius(gear), *map(shape_reach, config.collision.shapes)]) + _UNEVEN_M


def _deepest(vehicle: Vehicle, bodies: RigidBodies) -> tuple[float, str]:
    """Return the largest depth of a part of a vehicle in a body [m], and the name of that body; 0 and none if free."""
    from regolith_terrain.solids import Solid, Solids
    from regolith_world.numerics import rotation

    found = [(0.0, '')]
    for n, body in enumerate(bodies.bodies):
        axes = rotation.matrix(bodies.orientation[n])
        alone = Solids([body.shape.solid], [Solid(0, bodies.position[n], axes, body.friction)])
        found.append((vehicle.depth_in_solids(alone), body.name))
    return max(found)
