# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""No wheel of a shipped scenario stands in a rock: rocks are kept off the paths that a scenario gives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import yaml

from regolith_bringup.scenario.library import find_scenarios
from regolith_bringup.scenario.loading import load_scenario, write_resolved
from regolith_bringup.scenario.participant_sections import sections
from regolith_bringup.scenario.rock_free_paths import with_rock_free_paths
from regolith_bringup.scenario.schema import Scenario
from regolith_terrain.bodies.config import BodiesConfig
from regolith_terrain.bodies.shapes import hull
from regolith_terrain.config import TerrainConfig
from regolith_terrain.height_field_builder import build_height_field, build_rocks
from regolith_terrain.scenario_bodies import rock_bodies
from regolith_terrain.terrain_participant import handshake_parameters
from regolith_vehicles.agent.planned_path import planned_base_path, running_gear_radius
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.drivers.builtin import make_driver
from regolith_vehicles.dynamics.kinematics import WheelLayout
from regolith_vehicles.dynamics.multibody import Multibody, compile_vehicle
from regolith_vehicles.running_gear_registry import make_running_gear
from regolith_world.cycle.records import BodyState

STEP_S = 0.1
FAR_M = 10.0
"""Beyond the reach of any wheel and the radius of any rock together."""


def driven(entry: VehicleEntry, duration_s: float) -> np.ndarray:
    """Return x, y and heading of the base as its driver would have it on ground without slip, shape (n, 3)."""
    driver = make_driver(entry.driver)
    (x, y), heading = entry.position, math.radians(entry.heading_deg)
    poses = []
    for n in range(round(duration_s / STEP_S)):
        poses.append((x, y, heading))
        turn = np.array([0.0, 0.0, math.sin(0.5 * heading), math.cos(0.5 * heading)])
        base = BodyState('', np.array([x, y, 0.0]), turn, np.zeros(3), np.zeros(3))
        speed, rate = driver.command(round(n * STEP_S * 1e9), base)
        heading += rate * STEP_S
        x, y = x + speed * STEP_S * math.cos(heading), y + speed * STEP_S * math.sin(heading)
    return np.array(poses)


def deepest(poses: np.ndarray, body: Multibody, rocks: Any) -> float:
    """Return by how much the ground under a wheel, straight or steered, overlaps a rock [m]; negative: a gap."""
    layout: WheelLayout = body.layout
    most = -math.inf
    # Those further away than any wheel reaches are met by none.
    near = np.abs(rocks.x - 0.5 * (poses[:, 0].min() + poses[:, 0].max())) < 0.5 * np.ptp(poses[:, 0]) + FAR_M
    near &= np.abs(rocks.y - 0.5 * (poses[:, 1].min() + poses[:, 1].max())) < 0.5 * np.ptp(poses[:, 1]) + FAR_M
    rock_x, rock_y, radius = rocks.x[near], rocks.y[near], 0.5 * rocks.diameter[near]
    for wheel in range(len(layout.x)):
        cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
        x = poses[:, 0] + cos * layout.x[wheel] - sin * layout.y[wheel]
        y = poses[:, 1] + sin * layout.x[wheel] + cos * layout.y[wheel]
        away = np.hypot(x[:, None] - rock_x, y[:, None] - rock_y) - radius
        most = max(most, math.hypot(body.radius[wheel], body.half_width[wheel]) - float(away.min(initial=FAR_M)))
    return most


def rocky(scenario: Scenario) -> Any:
    rocks = build_rocks(scenario.terrain, scenario.seed)
    return None if rocks is None else rocks.rocks_in(-60.0, 60.0, -60.0, 60.0, 0.05)


@pytest.mark.slow
def test_no_wheel_of_a_shipped_scenario_meets_a_rock() -> None:
    met = 0
    for name in sorted(find_scenarios()):
        if not find_scenarios()[name].is_relative_to(find_scenarios()['two_rovers'].parent):
            continue
        scenario = load_scenario(name, ['terrain.clear_paths_of_rocks=true']).scenario
        # What the key's other value makes of it.
        paths_left = scenario.model_copy(
            update={'terrain': scenario.terrain.model_copy(update={'rock_free_zones': ()})}
        )
        kept, all_of_them = rocky(scenario), rocky(paths_left)
        if kept is None:
            continue
        for entry in scenario.vehicles.values():
            body = compile_vehicle(*load_vehicle_model(entry.model), (0.0, 0.0, 0.0))
            poses = driven(entry, scenario.duration_s)
            overlap = deepest(poses, body, kept)
            assert overlap < 0.0, (name, overlap)
            met += deepest(poses, body, all_of_them) > 0.0
    # Without the key there are such wheels: the check can fail.
    assert met > 0


def test_paths_are_in_the_hash_and_resolve_once(tmp_path: Any) -> None:
    plain = {'source': 'procedural', 'preset': 'mare'}
    vehicles = {
        'amber': {
            'position': [1.0, 2.0],
            'driver': {'type': 'path', 'speed_mps': 0.3, 'waypoints': [[1.0, 2.0], [9.0, 2.0]]},
        }
    }
    file = tmp_path / 'mine.yaml'
    file.write_text(yaml.safe_dump({'terrain': plain, 'vehicles': vehicles}))
    scenario = load_scenario(file).scenario
    (free,) = scenario.terrain.rock_free_zones
    assert free.points == ((1.0, 2.0), (1.0, 2.0), (9.0, 2.0)) and free.half_width_m == pytest.approx(1.18, abs=0.01)
    write_resolved(scenario, tmp_path / 'resolved.yaml')
    assert load_scenario(tmp_path / 'resolved.yaml').scenario.terrain == scenario.terrain
    # Agents and terrain must agree on where rocks are.
    field = build_height_field(scenario.terrain, 0)
    bare = scenario.terrain.model_copy(update={'rock_free_zones': ()})
    differ = handshake_parameters(scenario.terrain, field).items() ^ handshake_parameters(bare, field).items()
    assert {key for key, _ in differ} == {'terrain.rocks'}
    # Ground without rocks needs no paths.
    assert load_scenario(file, ['terrain.rocks=false']).scenario.terrain.rock_free_zones == ()


def test_rocks_leave_the_way_only() -> None:
    """Those wider than 5 cm, as far as they would touch it; all others stay as they were."""
    free = {'points': [[0.0, 0.0], [20.0, 10.0]], 'half_width_m': 1.5}
    config = {'source': 'procedural', 'preset': 'highland'}
    with_way, without = (
        build_rocks(TerrainConfig.model_validate({**config, **more}), 3) for more in ({'rock_free_zones': [free]}, {})
    )
    assert with_way is not None and without is not None
    kept, all_of_them = with_way.rocks_in(-5.0, 25.0, -5.0, 15.0), without.rocks_in(-5.0, 25.0, -5.0, 15.0)
    along = np.clip((20.0 * all_of_them.x + 10.0 * all_of_them.y) / 500.0, 0.0, 1.0)
    away = np.hypot(all_of_them.x - 20.0 * along, all_of_them.y - 10.0 * along)
    stay = (all_of_them.diameter <= 0.05) | (away >= 1.5 + 0.5 * all_of_them.diameter)
    assert 0 < np.count_nonzero(~stay) < len(stay)
    np.testing.assert_array_equal(kept.x, all_of_them.x[stay])


def test_given_paths_of_drivers() -> None:
    def path(duration_s: float = 10.0, **driver: Any) -> np.ndarray:
        return np.array(
            planned_base_path(
                VehicleEntry.model_validate({'position': [2.0, 1.0], 'heading_deg': 90.0, 'driver': driver}), duration_s
            )
        )

    np.testing.assert_allclose(path(type='external'), [[2.0, 1.0]])
    np.testing.assert_allclose(path(type='constant', speed_mps=0.5), [[2.0, 1.0], [2.0, 6.0]], atol=1e-12)
    np.testing.assert_allclose(
        path(type='path', speed_mps=1.0, loop=True, waypoints=[[0.0, 0.0], [1.0, 0.0]]),
        [[2.0, 1.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0]],
    )


@pytest.mark.parametrize(
    ('model', 'reach'),
    [
        ('hmmwv', math.hypot(1.689 + 1.59 * 0.0254, 35.815 * 0.0254) + math.hypot(0.4699, 0.15875)),
        # The idler's center, slid back by less than 0.1 m, its radius, the thickness and the width of a shoe.
        ('m113', math.hypot(4.25, 1.08) + 0.2),
    ],
)
def test_rocks_are_kept_off_vehicles_whose_gear_is_not_wheels_of_their_own(model: str, reach: float) -> None:
    """They would end the run before it starts: half of the widest cross-section, to a decimeter."""
    config, mjcf = load_vehicle_model(model)
    gear = make_running_gear(config, compile_vehicle(config, mjcf, (0.0, 0.0, 0.0)), mjcf)
    assert running_gear_radius(gear) == pytest.approx(reach, abs=0.1)
    scenario = Scenario.model_validate(
        {
            'name': 'one',
            'terrain': {'source': 'procedural', 'preset': 'mare'},
            'vehicles': {'basalt': {'model': model, 'position': [0.0, 0.0]}},
        }
    )
    assert with_rock_free_paths(scenario).rock_free_zones[0].half_width_m == pytest.approx(
        running_gear_radius(gear), abs=1e-3
    )


def test_shapes_of_movable_rocks_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def counted(points: Any) -> Any:
        made.append(points)
        return hull(points)

    rock_bodies._rock_shape.cache_clear()
    monkeypatch.setattr('regolith_terrain.bodies.shapes.hull', counted)
    section = sections(load_scenario('boulder_field').scenario)['bodies'][1]
    assert isinstance(section, BodiesConfig)
    scenario = load_scenario('boulder_field').scenario
    assert 0 < len(made) <= len(rock_bodies.movable_rocks(scenario.terrain, scenario.seed, section.movable_rocks))
