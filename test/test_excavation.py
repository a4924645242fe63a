# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Diggers in scenarios: soil is cut, carried, thrown and heaped up, and none of it is ever lost or had twice."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError
from regolith_terrain.updates.merge import SoilDelta, SoilUpdate
from regolith_vehicles.description.model_files import load_vehicle_model

DOWN = {'arm_front': -0.85, 'arm_rear': -0.85, 'drum_front': 2.0, 'drum_rear': 2.0}
TASKS = [
    {'type': 'dig', 'target_fill': 0.3, 'joints': DOWN},
    {
        'type': 'dump',
        'target_fill': 0.2,
        'initial_wait_s': 1.0,
        'joints': {'drum_front': -3.0, 'drum_rear': -3.0, **{arm: 0.3 for arm in ('arm_front', 'arm_rear')}},
    },
]


def write(folder: Path, **changes: Any) -> Path:
    """Return the path of a scenario in which a digger fills its drums by a third and pours a part of that."""
    driver = changes.pop('driver', {'type': 'tasks', 'tasks': changes.pop('tasks', TASKS)})
    vehicle = {'model': changes.pop('model', 'rassor'), 'position': [0.0, 0.0], 'driver': driver}
    data = {
        'name': 'digging',
        'duration_s': 8.0,
        'terrain': {'source': 'flat', 'spacing_m': 0.02, 'soil': 'lunar_nominal'},
        'vehicles': {'digger': vehicle},
        **changes,
    }
    path = folder / 'digging.yaml'
    path.write_text(yaml.safe_dump(data))
    return path


def books(simulation: Simulation) -> dict[str, float]:
    """Return all entries of the mass balance [kg]."""
    total = {'ground_kg': simulation.terrain.summary()['mass_balance']['ground_kg']}  # type: ignore[index,call-overload]
    for agent in simulation.agents.values():
        for key, value in agent.vehicle.tools.mass_balance().items():
            total[key] = total.get(key, 0.0) + value
    return total


def error_of(total: dict[str, float]) -> float:
    """Return the sum of all soil that was moved, by where it is, over what was dug."""
    there = math.fsum(total[key] for key in ('ground_kg', 'carried_kg', 'in_flight_kg', 'in_transit_kg'))
    return abs(there) / max(total['excavated_kg'], 1e-9)


@pytest.mark.seconds
def test_soil_is_never_lost_and_comes_on_board_one_cycle_later(tmp_path: Path) -> None:
    """In every cycle the mass balance is closed to 1e-9 of what was moved; a payload grows by what the update before
    granted."""
    simulation = Simulation(load_scenario(write(tmp_path)).scenario)
    digger, granted, requested = simulation.agents['digger'], [0.0], [0.0]
    area = simulation.scenario.terrain.spacing_m**2

    def hear(update: SoilUpdate) -> None:
        granted.append(sum(grant.granted for grant in update.grants) * area)

    def ask(deltas: list[SoilDelta]) -> None:
        requested.extend(sum(part.requested.sum() for part in delta.work.requests) * area for delta in deltas)

    simulation.on_update, simulation.on_deltas = hear, ask
    own, in_air, mass = digger.vehicle.body.mass, 0.0, 0.0
    for n in range(350):
        simulation.run(0.02 * (n + 1))
        total = books(simulation)
        assert error_of(total) <= 1e-9
        assert total['in_transit_kg'] == pytest.approx(granted[-1], rel=1e-12)
        assert granted[-1] <= requested[-1] * (1.0 + 1e-12)
        # What was granted a cycle ago is on board now, less what was poured since.
        assert digger.vehicle.body.mass - own == pytest.approx(total['carried_kg'], rel=1e-9, abs=1e-9)
        assert total['carried_kg'] <= mass + granted[-2] + 1e-9
        mass, in_air = total['carried_kg'], max(in_air, total['in_flight_kg'])
    assert total['excavated_kg'] > 20.0 and total['dumped_kg'] > 2.0 and in_air > 1.0
    assert digger.driver.done >= 1 and simulation.terrain.loose.mass.sum() > 0.0  # type: ignore[attr-defined]
    assert digger.summary()['events'] == [], 'drums that dig are no hull that is stuck'


@pytest.mark.seconds
def test_a_checkpoint_with_soil_in_drums_and_in_the_air_leads_to_the_same_hash(tmp_path: Path) -> None:
    """Saved while soil is in the drums, in the air, in transit and sliding; resumed in a new world, and after going
    on."""
    scenario = load_scenario(write(tmp_path)).scenario
    simulation = Simulation(scenario)
    simulation.run(2.4)
    early = simulation.checkpoint()
    assert books(simulation)['in_transit_kg'] > 0.0
    while books(simulation)['in_flight_kg'] <= 1.0:
        simulation.run(simulation.world.t_ns * 1e-9 + 0.1)
    late, at = simulation.checkpoint(), simulation.world.t_ns * 1e-9
    end = simulation.run(at + 0.5)
    for saved in (early, late):
        again = Simulation(scenario)
        again.go_to(saved)
        assert again.run(at + 0.5) == end
        assert books(again) == books(simulation)
    simulation.go_to(late)
    assert simulation.run(at + 0.5) == end


@pytest.mark.seconds
@pytest.mark.slow
def test_two_diggers_on_one_pile_never_take_a_gram_twice(tmp_path: Path) -> None:
    """Face to face, their front drums in one trench: the mass balance stays closed, and each gets less than alone."""
    driver = {'type': 'tasks', 'tasks': [{'type': 'dig', 'target_fill': 1.0, 'speed_mps': 0.0, 'joints': DOWN}]}
    diggers = {
        name: {'model': 'rassor', 'position': [x, 0.0], 'heading_deg': heading, 'driver': driver}
        for name, x, heading in (('amber', -0.8, 0.0), ('beryl', 0.8, 180.0))
    }
    dug = []
    for vehicles in (diggers, {'amber': diggers['amber']}):
        path = write(tmp_path, vehicles=copy.deepcopy(vehicles), world={'contact': 'none'})
        simulation = Simulation(load_scenario(path).scenario)
        for n in range(1, 6):
            simulation.run(0.6 * n)
            assert error_of(books(simulation)) <= 1e-9
        dug.append(simulation.agents['amber'].vehicle.tools.mass_balance()['excavated_kg'])
        levels = simulation.terrain.grid.window(-100, 100, -40, 40).level
        assert levels.min() > -0.15
        if len(vehicles) == 2:
            both = books(simulation)['excavated_kg']
    assert both < 1.9 * dug[1]
    # Amber comes first by its name, so hardly loses; what beryl's front drum finds is what amber's has left.
    assert dug[0] > 0.5 * both


def test_an_attempt_that_is_discarded_leaves_drums_and_air_as_they_were(tmp_path: Path) -> None:
    """A bit-identical state, grants in transit included."""
    simulation = Simulation(load_scenario(write(tmp_path)).scenario)
    simulation.run(2.4)
    vehicle = simulation.agents['digger'].vehicle
    before = vehicle.state()
    assert vehicle.tools.mass_balance()['in_transit_kg'] > 0.0
    targets = vehicle.gear.targets(simulation.agents['digger']._command)
    vehicle.evolve(20_000_000, *targets)
    assert vehicle.state() != before and vehicle.tools.mass_balance()['in_transit_kg'] == 0.0
    vehicle.discard()
    assert vehicle.state() == before


def test_digging_forces_hold_the_machine_back(tmp_path: Path) -> None:
    """Soil acts on drums that dig: some newtons on each, opposed to each other, and a torque that brakes the
    turning."""
    simulation = Simulation(load_scenario(write(tmp_path)).scenario)
    simulation.run(2.4)
    vehicle = simulation.agents['digger'].vehicle
    force, torque = vehicle.tools._force, vehicle.tools._torque
    assert (np.linalg.norm(force, axis=1) > 1.0).all() and force[0, 0] * force[1, 0] < 0.0
    assert torque[0, 1] < 0.0 < torque[1, 1]


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('kind', 'down', 'poured_at'),
    [
        pytest.param('blade', -0.6, 0.1, marks=pytest.mark.slow),
        pytest.param('bucket', -0.62, -0.9, marks=pytest.mark.slow),
    ],
)
def test_a_blade_loses_its_pile_when_lifted_and_a_bucket_when_tipped(
    tmp_path: Path, kind: str, down: float, poured_at: float
) -> None:
    """An edge of 0.6 m on an arm, some centimeters deep, fills up as it goes ahead, against a force; lifted, the blade's
    pile drops where it was, while the bucket keeps its load till it tips beyond 5 degrees."""
    path = digger_with(tmp_path, {})
    data = yaml.safe_load(path.read_text())
    data['payloads'] = {'load': {'body': 'arm_front', 'capacity_kg': 15.0}}
    tool = {'kind': kind, 'body': 'arm_front', 'payload': 'load', 'position': [0.55, 0.0, -0.29], 'width_m': 0.6}
    data['tools'] = {'edge': {**tool, 'dump_angle_deg': 5.0}}
    data['ground_shapes'] = data['ground_shapes'][:1]
    path.write_text(yaml.safe_dump(data))
    tasks = [
        {'type': 'dig', 'target_fill': 0.5, 'speed_mps': 0.15, 'joints': {'arm_front': down}},
        {'type': 'haul', 'goal': [0.8, 0.0], 'initial_wait_s': 3.0, 'joints': {'arm_front': -0.3}},
        {'type': 'dump', 'joints': {'arm_front': poured_at}},
    ]
    simulation = Simulation(load_scenario(write(tmp_path, model=str(path), tasks=tasks)).scenario)
    agent: Any = simulation.agents['digger']
    tools, at = agent.vehicle.tools, 0.0
    kept = {0: 0.0, 1: 0.0}
    while agent.driver.done < 3:
        at += 0.2
        assert at < 25.0
        simulation.run(at)
        total = books(simulation)
        assert error_of(total) <= 1e-9
        if tools.told[0, 1] > 0.01 and agent.driver.done == 0 and total['carried_kg'] > 1.0:
            assert tools._force[0, 0] < -1.0 and tools.told[0, 2] == pytest.approx(-tools._force[0, 0], rel=1e-3)
        if agent.driver.done in kept:
            kept[agent.driver.done] = total['carried_kg']
    simulation.run(at + 1.0)
    total = books(simulation)
    assert kept[0] > 6.5 and total['dumped_kg'] == total['excavated_kg'] and total['carried_kg'] == 0.0
    assert kept[1] > 6.5 if kind == 'bucket' else kept[1] == 0.0


@pytest.mark.parametrize(
    ('change', 'key', 'words'),
    [
        (
            {'payload': 'hopper'},
            'tools.drum_front.payload',
            r"'hopper': cannot be filled; allowed: a payload empty at the start",
        ),
        ({'body': 'drum_rear'}, 'tools.drum_front.payload', 'a payload on drum_rear'),
        ({'radius_m': -0.2}, 'radius_m', 'greater than 0'),
        ({'radius_m': None}, 'tools.drum_front.radius_m', 'is missing for a drum; allowed: width_m and radius_m'),
        ({'kind': 'blade'}, 'tools', 'allowed: a joint only for a drum'),
        ({'joint': 'arm_front'}, r'tools.drum_front.joint', 'a hinge of drum_front'),
        ({'joint': 'drum'}, r'tools.drum_front.joint', 'joint'),
        ({'fill_curve': [[0.0, 1.0], [0.5, 0.5]]}, 'fill_curve', 'from 0 to 1'),
        ({'fill_curve': [[0.0, 1.0], [1.0, -0.5]]}, 'fill_curve', 'greater than or equal to 0'),
        ({'rake_angle_deg': 1.0}, 'rake_angle_deg', 'greater than or equal to 5'),
        ({'soil_tool_friction_deg': -10.0}, 'soil_tool_friction_deg', 'greater than or equal to 0'),
        ({'radius_m': None, 'width_m': None, 'mesh': 'open.obj'}, 'tools.drum_front.mesh', 'is open: 3 edges'),
        ({'radius_m': None, 'width_m': None, 'mesh': 'inside_out.obj'}, 'tools.drum_front.mesh', 'is inside out'),
        (
            {'radius_m': None, 'width_m': None, 'mesh': 'none.obj'},
            "tools.drum_front.mesh = 'none.obj': no such mesh file",
            'allowed: an OBJ',
        ),
    ],
)
def test_a_tool_that_cannot_be_is_refused_at_check(
    tmp_path: Path, change: dict[str, Any], key: str, words: str
) -> None:
    """The error names the vehicle's file, the key and what is allowed, before anything starts."""
    with pytest.raises(InputError, match=f'(?s){key}.*({words})'):
        load_scenario(write(tmp_path, model=str(digger_with(tmp_path, change))))


def digger_with(folder: Path, change: dict[str, Any]) -> Path:
    """Return the path of a digger whose front drum's tool differs; a value of None takes a key away."""
    config, mjcf = load_vehicle_model('rassor')
    data = yaml.safe_load(Path(config.file).read_text())
    tool = data['tools']['drum_front']
    for key, value in change.items():
        tool[key] = value
        if value is None:
            del tool[key]
    for file in mjcf.parent.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    faces = ((1, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4))
    corners = ((-0.2, -0.3, -0.2), (0.2, -0.3, -0.2), (0.0, 0.3, -0.2), (0.0, 0.0, 0.2))
    points = ''.join(f'v {x} {y} {z}\n' for x, y, z in corners)
    for name, some in (('open', faces[:3]), ('inside_out', [(a, c, b) for a, b, c in faces]), ('solid', faces)):
        (folder / f'{name}.obj').write_text(points + ''.join(f'f {a} {b} {c}\n' for a, b, c in some))
    path = folder / 'digger.yaml'
    path.write_text(yaml.safe_dump(data))
    return path


@pytest.mark.parametrize(
    ('task', 'words'),
    [
        ({'type': 'dig', 'tools': ['shovel']}, r'tasks.*shovel.*drum_front, drum_rear'),
        ({'type': 'dump', 'joints': {'lid': 1.0}}, r'lid.*arm_front, arm_rear, drum_front, drum_rear'),
        ({'type': 'dig', 'joints': {'arm_front': -2.0}}, r'outside its limits'),
        ({'type': 'haul'}, r'goal'),
        ({'type': 'sing'}, r'dig.*haul.*dump'),
    ],
)
def test_a_task_that_cannot_be_done_is_refused_at_check(tmp_path: Path, task: dict[str, Any], words: str) -> None:
    """Tools and joints the vehicle has not, and kinds of work that no driver knows."""
    with pytest.raises(InputError, match=f'(?s){words}'):
        load_scenario(write(tmp_path, tasks=[task]))
    if task.get('tools'):
        with pytest.raises(InputError, match='no tools'):
            load_scenario(write(tmp_path, tasks=[{'type': 'dig'}], model='viper'))


def whole(name: str) -> Simulation:
    """Return a shipped scenario after its duration, its mass balance checked every ten seconds."""
    simulation = Simulation(load_scenario(name).scenario)
    end = simulation.scenario.duration_s
    assert end is not None
    for n in range(1, math.ceil(end / 10.0) + 1):
        simulation.run(min(end, 10.0 * n))
        assert error_of(books(simulation)) <= 1e-9
    return simulation


def steepest(simulation: Simulation, x: tuple[float, float]) -> float:
    """Return the steepest slope between neighbors near y = 0, along and across [deg]."""
    spacing = simulation.terrain.grid.spacing
    first, last = (round(v / spacing) for v in x)
    level = simulation.terrain.grid.window(first, last, -40, 40).level
    return math.degrees(math.atan(max(np.abs(np.diff(level, axis=a)).max() for a in (0, 1)) / spacing))


@pytest.mark.slow
def test_rassor_fills_its_drums_hauls_and_pours_a_berm() -> None:
    """Ten tasks within their times: drums to 95 %, all of it poured; the berm's slopes are those of loose soil."""
    simulation = whole('rassor_dig')
    total = books(simulation)
    assert simulation.agents['digger'].driver.done == 10  # type: ignore[attr-defined]
    assert total['excavated_kg'] >= 2 * 0.95 * 40.0 and total['dumped_kg'] == total['excavated_kg']
    assert total['ground_kg'] == pytest.approx(0.0, abs=1e-9 * total['excavated_kg'])
    levels = simulation.terrain.grid.levels(np.linspace(3.4, 4.4, 51), np.zeros(51))
    assert 0.15 < levels.max() < 0.3
    # Wheels press a steeper step than repose into its toe at most on this side of it.
    assert steepest(simulation, (3.85, 4.6)) <= 35.1


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_three_trips_build_a_berm_whose_profile_is_measured() -> None:
    """Three times two full drums, in a cross-section of what was poured over its length of a meter or so."""
    simulation = whole('berm')
    total = books(simulation)
    assert total['excavated_kg'] >= 3 * 2 * 0.95 * 40.0 and total['dumped_kg'] == total['excavated_kg']
    measured = simulation.terrain.summary()['profiles']
    assert list(measured) == ['along', 'crest']
    volume = total['dumped_kg'] / 1500.0
    for line in measured.values():
        assert 0.25 < line['highest_m'] < 0.4 and line['lowest_m'] > -0.02
        assert 0.5 < volume / line['above_m2'] < 1.2
