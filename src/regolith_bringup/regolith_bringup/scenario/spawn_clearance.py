# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Clearance of bodies that participants spawn at vehicles: they must not begin inside the vehicle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.scenario.participant_sections import participant_context, sections
from regolith_bringup.scenario.schema import Scenario
from regolith_files import YamlSource
from regolith_world.cycle import Shape, SpawnPlace

_STEP_M, _FARTHEST_M = 0.05, 20.0


def check_spawn_clearance(scenario: Scenario, models: dict[str, str], source: YamlSource) -> None:
    """Refuse places at which a participant would spawn a body inside the base of a vehicle.

    Args:
        scenario: Checked scenario.
        models: Vehicle models by vehicle.
        source: Scenario file, for messages.

    Raises:
        InputError: With the smallest allowed distance from the origin of the vehicle.
    """
    site = participant_context(scenario)
    for kind, section in sections(scenario).values():
        for place in kind.spawn_places(section, site):
            _check(place, models[place.vehicle], source)


def _check(place: SpawnPlace, model: str, source: YamlSource) -> None:
    from regolith_vehicles import load_vehicle_model
    from regolith_vehicles.contact import collision_shapes

    config, _ = load_vehicle_model(model)
    bodies = collision_shapes.shape_bodies(config)
    base = [shape for shape, body in zip(collision_shapes.collision_shapes(config), bodies, strict=True) if body == 0]
    if not base or not _inside(place.position, place.shape, base):
        return
    distance = float(np.linalg.norm(place.position))
    way = place.position / distance if distance > 0.0 else np.array([-1.0, 0.0, 0.0])
    farther = np.arange(_STEP_M * np.ceil(distance / _STEP_M), _FARTHEST_M, _STEP_M)
    least = next((float(away) for away in farther if not _inside(away * way, place.shape, base)), _FARTHEST_M)
    problem = f'spawns bodies inside {place.vehicle!r}, {distance:.2f} m from its origin'
    raise source.error(place.key, problem, f'{least:.2f} m or more from its origin', place.value)


def _inside(position: NDArray[np.float64], shape: Shape, base: list[Shape]) -> bool:
    from regolith_world.contacts import first_overlap
    from regolith_world.objects import StaticBody

    vehicle = StaticBody('vehicle', np.zeros(3), base)
    return first_overlap([vehicle, StaticBody('body', position, [shape])]) is not None
