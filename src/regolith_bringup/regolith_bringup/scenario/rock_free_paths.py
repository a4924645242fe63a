# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rock-free terrain along the vehicle paths of a scenario."""

from __future__ import annotations

from regolith_bringup.scenario.schema import Scenario
from regolith_terrain import RockFreeConfig, TerrainConfig
from regolith_vehicles import load_vehicle_model


def with_rock_free_paths(scenario: Scenario) -> TerrainConfig:
    """Return the terrain with the paths of all vehicles as rock-free areas, as wide as their wheels or tracks.

    Paths that a resolved scenario already lists are not repeated.

    Args:
        scenario: Scenario whose vehicle models are names or absolute paths.

    Raises:
        InputError: If a vehicle file is not valid.
    """
    # Imported here because loading MuJoCo takes longer than checking a scenario, and few scenarios have rocks.
    from regolith_vehicles import make_running_gear
    from regolith_vehicles.agent import planned_base_path, running_gear_radius
    from regolith_vehicles.dynamics import compile_vehicle

    paths = dict.fromkeys(scenario.terrain.rock_free_zones)
    for _, entry in sorted(scenario.vehicles.items()):
        config, mjcf = load_vehicle_model(entry.model)
        gear = make_running_gear(config, compile_vehicle(config, mjcf, (0.0, 0.0, 0.0)), mjcf)
        points = tuple(planned_base_path(entry, scenario.duration_s))
        paths.setdefault(RockFreeConfig(points=points, half_width_m=round(running_gear_radius(gear), 3)))
    return scenario.terrain.model_copy(update={'rock_free_zones': tuple(paths)})
