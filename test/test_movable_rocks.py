# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of movable rocks: selection, rest until a touch, equal hashes, what is refused, and what sensors see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from harness import run_scenario, vehicle, write_scenario

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_files import InputError
from regolith_terrain.scenario_bodies import BodiesParticipant
from regolith_vehicles.contact.static_obstacles import build_solids
from regolith_world.objects import RigidBody


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
def test_rock_near_which_a_rover_passes_gets_its_bed_and_keeps_its_pose_bit_for_bit(tmp_path: Path) -> None:
    """A bed changes the soil below a sleeping rock, which does not wake it."""
    made = Simulation(load_scenario(field(tmp_path)).scenario)
    start = {name: item.body for name, item in made.world.objects.items() if name.startswith('rock_')}
    bedded, touched = set(), set()
    while made.world.t_ns < 6_000_000_000:
        made.world.step()
        bodies = made.agents['rover'].vehicle.assigned.bodies
        for name, n in ({} if bodies is None else bodies.index).items():
            bedded |= set() if bodies.in_bed[n] else {name}
            touched |= {name} if bodies.awake[n] else set()
    assert bedded - touched
    for name in bedded - touched:
        now = made.world.objects[name].body
        assert (now.position == start[name].position).all()
        assert (now.orientation == start[name].orientation).all()


@pytest.mark.seconds
def test_bodies_at_rest_are_left_out_of_cycles_without_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = field(tmp_path)
    made = Simulation(load_scenario(file).scenario)
    end = made.run(6.0)
    rocks = [item for name, item in made.world.objects.items() if name.startswith('rock_')]
    asleep = [item for item in rocks if item.at_rest]
    assert len(asleep) > 0.8 * len(rocks) and any(item.time_ns < 1_000_000_000 for item in asleep)
    states = made.world.state(made.world.t_ns)
    assert all(states[item.name] is item.body for item in asleep)
    monkeypatch.setattr(RigidBody, 'settle', lambda self: None)
    again = Simulation(load_scenario(file).scenario)
    assert again.run(6.0) == end
    assert not any(item.at_rest for item in again.world.objects.values())


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
        ({'terrain': {'source': 'flat'}}, r'finds no rock, since the terrain has none'),
        (
            {'terrain': {'source': 'procedural', 'preset': 'crater_rim', 'rock_collision': False}},
            r'terrain\.rock_collision = false: rocks have no collision shape, .*allowed: true, or no bodies',
        ),
    ],
)
def test_movable_rocks_that_cannot_be_made_are_refused(tmp_path: Path, sections: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_scenario(field(tmp_path, **sections))


@pytest.mark.seconds
def test_body_that_begins_in_a_movable_rock_is_refused(tmp_path: Path) -> None:
    made = Simulation(load_scenario(field(tmp_path)).scenario)
    place = next(item.body.position for name, item in made.world.objects.items() if name.startswith('rock_'))
    crate = {'type': 'rigid_body', 'mass_kg': 40.0, 'shape': {'kind': 'box', 'size_m': [0.15, 0.15, 0.15]}}
    crate['position'] = (place + np.array([0.0, 0.0, 0.05])).tolist()
    with pytest.raises(InputError, match=r'objects\.crate\.position.* inside a rock or obstacle'):
        load_scenario(field(tmp_path, objects={'crate': crate}))


@pytest.mark.seconds
@pytest.mark.parametrize('at', ['rock', 'beside'])
def test_vehicle_that_begins_in_a_movable_rock_is_refused_with_name_and_depth(tmp_path: Path, at: str) -> None:
    made = Simulation(load_scenario(field(tmp_path)).scenario)
    rocks = [item.body for name, item in made.world.objects.items() if name.startswith('rock_')]
    x, y = max(rocks, key=lambda body: body.mass).position[:2].tolist()
    content = yaml.safe_load(field(tmp_path).read_text())
    content['vehicles']['rover']['position'] = [x, y]
    if at == 'beside':
        content['terrain']['rock_free_zones'] = [{'points': [[x, y]], 'half_width_m': 2.0}]
    (tmp_path / 'inside.yaml').write_text(yaml.safe_dump(content))
    if at == 'beside':
        load_scenario(tmp_path / 'inside.yaml')
        return
    with pytest.raises(InputError, match=r"vehicles\.rover\.position.*'rock_\d+' .* by 0\.\d+ m; allowed"):
        load_scenario(tmp_path / 'inside.yaml')


@pytest.mark.seconds
def test_vehicle_with_a_wheel_in_a_body_is_refused_with_name_and_depth(tmp_path: Path) -> None:
    """The hull is above the crate, so only the contact of the wheels finds it. 1 mm of clearance is enough."""
    wheel = Simulation(load_scenario(write_scenario(tmp_path, {'rover': vehicle(0.0, 0.0)})).scenario)
    agent = wheel.agents['rover'].vehicle
    places, _ = agent.gear.part_poses(agent.data)
    x, y = places[0, :2].tolist()
    for gap, refused in ((-0.03, True), (0.25, False)):
        crate = {'type': 'rigid_body', 'mass_kg': 5.0, 'shape': {'kind': 'box', 'size_m': [0.05, 0.05, 0.05]}}
        crate['position'] = [x + 0.26 + gap, y, 0.05]
        file = write_scenario(tmp_path, {'rover': vehicle(0.0, 0.0)}, objects={'crate': crate}, bodies={})
        if not refused:
            load_scenario(file)
            continue
        with pytest.raises(InputError, match=r"vehicles\.rover\.position.* 0\.\d+ m inside 'crate'"):
            load_scenario(file)
