# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of movable rocks: beds, holes, selection, equal hashes, what is refused, and what sensors see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import run_scenario, vehicle, write_scenario

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_files import InputError
from regolith_terrain.bodies import BodyDescription, BodyGround, RigidBodies, shapes
from regolith_terrain.config import load_soil
from regolith_terrain.grid import SoilGrid, SoilMap
from regolith_terrain.height_field import FlatField
from regolith_terrain.scenario_bodies import BodiesParticipant
from regolith_terrain.solids import rock_shapes
from regolith_vehicles.contact.static_obstacles import build_solids

DENSITY = 2900.0


def bedded(tilt_deg: float, scale: float = 1.0) -> tuple[RigidBodies, np.ndarray]:
    """Return an awake rock that lies in the soil with 30 % of its height, and its position, on a tilted plane."""
    shape = shapes.hull(rock_shapes.scaled_rock(3)[0] * np.array([0.12, 0.10, 0.09]) * scale)
    angle = np.radians(tilt_deg)
    gravity = 1.62 * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    soils = SoilMap(load_soil('lunar_nominal').parameters())
    ground = BodyGround(SoilGrid(FlatField(), 0.02), soils, gravity)
    bodies = RigidBodies([BodyDescription('rock', shape, DENSITY * shape.properties.volume)], ground)
    low, high = shape.points.place[:, 2].min(), shape.points.place[:, 2].max()
    bodies.place(0, np.array([0.003, 0.004, -low - 0.3 * (high - low)]))
    bodies.in_bed[0] = True
    return bodies, bodies.position[0].copy()


def advance(bodies: RigidBodies, seconds: float) -> None:
    for _ in range(round(seconds / 0.02)):
        bodies.ground.grid.apply(bodies.advance(0.02, [0]))


@pytest.mark.parametrize('scale', [1.0, 0.35])
def test_rock_in_its_bed_stays_at_rest(scale: float) -> None:
    """It wakes and moves by less than 0.2 mm; the soil carries its weight within 1 %. The small one uses its points."""
    bodies, start = bedded(0.0, scale)
    assert bool(bodies.contact.small[0]) == (scale < 1.0)
    advance(bodies, 2.0)
    assert np.abs(bodies.position[0] - start).max() < 2e-4
    assert bodies.contact_force[0, 2] == pytest.approx(bodies.mass[0] * 1.62, rel=0.01)


def test_rock_holds_on_a_slope_and_is_torn_out_of_a_steeper_one() -> None:
    """Its bed holds it beyond the friction angle of 37 deg; no soil holds a rock that stands out by 70 % at 65 deg."""
    bodies, start = bedded(40.0)
    advance(bodies, 2.0)
    assert np.abs(bodies.position[0] - start).max() < 2e-3
    bodies, start = bedded(65.0)
    advance(bodies, 2.0)
    assert bodies.position[0, 0] - start[0] > 0.1


def test_rock_leaves_its_hole_and_no_mass_moves() -> None:
    """The hole has the volume of the part of the rock below the surface within 5 %, the resolution of the grid."""
    bodies, start = bedded(0.0)
    advance(bodies, 0.02)
    grid, shape = bodies.ground.grid, bodies.bodies[0].shape
    axis = 0.02 * np.arange(-12, 13)
    x, y = np.meshgrid(axis, axis, indexing='ij')
    depth = -grid.levels(x, y)
    corners = shape.points.place + start
    points = np.random.default_rng(1).uniform([-0.2, -0.2, -0.1], [0.2, 0.2, 0.0], (200_000, 3))
    planes = shape.solid.normals
    away = np.sum(planes * corners[shape.solid.triangles[:, 0]], axis=1)
    inside = (points @ planes.T <= away).all(axis=1)
    assert depth.sum() * 0.02**2 == pytest.approx(inside.mean() * 0.4 * 0.4 * 0.1, rel=0.05)
    assert float(np.abs(grid.window(-12, 13, -12, 13).mass_kgpm2).max()) == 0.0


def field(folder: Path, **sections: Any) -> Path:
    """Write a scenario in which a rover drives through movable rocks."""
    terrain = {
        'source': 'procedural',
        'preset': 'crater_rim',
        'spacing_m': 0.02,
        'map_size_m': 16.0,
        'clear_paths_of_rocks': False,
        'rock_free_zones': [{'points': [[-3.0, 0.0]], 'half_width_m': 1.4}],
    }
    rover = {'rover': vehicle(-3.0, 0.0, type='constant', speed_mps=0.3)}
    bodies = {'movable_rocks': {'least_m': 0.1, 'most_m': 0.8, 'half_side_m': 4.0}}
    content = {'seed': 4, 'terrain': terrain, 'bodies': bodies, **sections}
    return write_scenario(folder, rover, **content)


@pytest.mark.seconds
def test_movable_rocks_are_bodies_and_not_static_solids(tmp_path: Path) -> None:
    scenario = load_scenario(field(tmp_path)).scenario
    made = Simulation(scenario)
    participant = made.others['bodies']
    assert isinstance(participant, BodiesParticipant)
    rocks = [name for name in made.world.objects if name.startswith('rock_')]
    assert len(rocks) > 20
    assert not participant.bodies.awake.any()
    ground = made.vehicles.field
    fixed = build_solids(scenario.terrain, scenario.seed, ground)
    rest = build_solids(scenario.terrain, scenario.seed, ground, (scenario.model_extra or {})['bodies'])
    assert fixed is not None
    assert len(fixed) - (0 if rest is None else len(rest)) == len(rocks)
    # No rock moves before the rover touches one.
    before = {name: made.world.objects[name].body.position.copy() for name in rocks}
    made.run(0.2)
    assert all((made.world.objects[name].body.position == place).all() for name, place in before.items())


@pytest.mark.seconds
def test_rover_pushes_rocks_and_the_state_hash_is_equal_after_a_rewind(tmp_path: Path) -> None:
    file = field(tmp_path)
    made = Simulation(load_scenario(file).scenario)
    start = {name: item.body.position.copy() for name, item in made.world.objects.items()}
    made.run(6.0)
    saved, end = made.checkpoint(), made.run(9.0)
    moved = [n for n, at in start.items() if np.linalg.norm(made.world.objects[n].body.position - at) > 0.01]
    assert {name for name in moved if name.startswith('rock_')}
    made.go_to(saved)
    assert made.run(9.0) == end
    again = Simulation(load_scenario(file).scenario)
    again.go_to(saved)
    assert again.run(9.0) == end


@pytest.mark.ros
@pytest.mark.parametrize('processes', ['many', pytest.param('one', marks=pytest.mark.slow)])
def test_state_hash_is_equal_in_any_number_of_processes(tmp_path: Path, processes: str) -> None:
    file = field(tmp_path)
    done = run_scenario(tmp_path, file, '--duration', '2.0', processes=processes)
    assert done.summary['state_hash'] == Simulation(load_scenario(file).scenario).run(2.0)


@pytest.mark.parametrize(
    ('sections', 'message'),
    [
        ({'bodies': {'movable_rocks': {'least_m': 5.0, 'most_m': 6.0}}}, r'finds no rock from 5 to 6 m within 50 m'),
        ({'bodies': {'movable_rocks': {'least_m': 0.5, 'most_m': 0.2}}}, r'most_m = 0.2: is below least_m'),
        ({'bodies': {'movable_rocks': {'least_m': 0.1, 'density_kgpm3': -1}}}, r'density_kgpm3'),
        ({'terrain': {'source': 'flat'}}, r'finds no rock'),
    ],
)
def test_movable_rocks_that_cannot_be_made_are_refused(tmp_path: Path, sections: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_scenario(field(tmp_path, **sections))
