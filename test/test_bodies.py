# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of scenarios with rigid bodies on the ground: rest, sleep, equal hashes, and what is refused."""

from __future__ import annotations

import copy
import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from harness import WORLD, LiveRun, run_scenario, vehicle

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_files import InputError
from regolith_terrain import Stamp, stamp_edit
from regolith_terrain.grid import NodeRecords
from regolith_terrain.scenario_bodies import BodiesParticipant
from regolith_world.checkpoint.world_edits import SetStateEdit, SpawnEdit
from regolith_world.cycle import SpawnedObject
from regolith_world.objects import make_objects
from regolith_world.timeline import Timeline

SOIL = {
    'name': 'slippery',
    'k_phi': 0.82e6,
    'k_c': 0.0,
    'exponent': 1.0,
    'cohesion_pa': 0.0,
    'friction_angle_deg': 3.0,
    'janosi_shear_m': 0.002,
    'elastic_stiffness': 2e8,
    'damping': 1e3,
}
PAD = {'model': 'rigid', 'soil': {'friction': 0.6}, 'polygon': [[2, -1], [4, -1], [4, 1], [2, 1]]}
BODIES: dict[str, Any] = {
    'description': 'A ball falls on soil, a box on a rigid pad, a breadcrumb on soil.',
    'duration_s': 8.0,
    'terrain': {'source': 'flat', 'spacing_m': 0.02, 'map_size_m': 20.0, 'soil': SOIL, 'regions': [PAD]},
    'objects': {
        'ball': {
            'type': 'rigid_body',
            'shape': {'kind': 'sphere', 'size_m': [0.15]},
            'mass_kg': 41.0,
            'position': [0.0, 0.0, 1.15],
        },
        'box': {
            'type': 'rigid_body',
            'shape': {'kind': 'box', 'size_m': [0.15, 0.1, 0.08]},
            'mass_kg': 20.0,
            'position': [3.0, 0.0, 0.4],
            'rpy_deg': [20.0, 10.0, 30.0],
        },
        'crumb': {
            'type': 'rigid_body',
            'shape': {'kind': 'cylinder', 'size_m': [0.03, 0.02]},
            'mass_kg': 0.1,
            'position': [0.0, 3.0, 0.3],
        },
    },
    'bodies': {},
}
"""Scenario of the tests."""


def written(folder: Path, **changes: Any) -> Path:
    """Write the scenario with changed sections and return the file."""
    file = folder / 'bodies.yaml'
    file.write_text(yaml.safe_dump({**copy.deepcopy(BODIES), **changes}))
    return file


def simulation(folder: Path, **changes: Any) -> tuple[Simulation, BodiesParticipant]:
    """Return the simulation and its participant of bodies."""
    made = Simulation(load_scenario(written(folder, **changes)).scenario)
    participant = made.others['bodies']
    assert isinstance(participant, BodiesParticipant)
    return made, participant


def z(made: Simulation, name: str) -> float:
    return float(made.world.objects[name].body.position[2])


@pytest.mark.seconds
def test_ball_released_at_one_meter_rests_at_the_depth_of_the_formula_and_all_sleep(tmp_path: Path) -> None:
    """m g (D + z) = 2 pi k z^3 / 6 (R - z / 4): 86.9 mm; damping and friction take up to 5 %."""
    made, participant = simulation(tmp_path)
    seconds = 0.0
    while participant.bodies.awake.any():
        seconds += 1.0
        made.run(seconds)
        assert seconds < 25.0
    assert 0.15 - z(made, 'ball') == pytest.approx(0.0869, rel=0.05)
    assert z(made, 'box') == pytest.approx(0.08, abs=1e-3)  # on its widest side
    # m g D = A k z^2 / 2: 6.5 mm
    assert 0.0 < 0.02 - z(made, 'crumb') < 6.5e-3
    assert not participant.bodies.awake.any()
    # What sleeps costs no soil: no node changes, and the hash of the bodies stays.
    before = participant.save()
    made.run(seconds + 0.5)
    assert participant.save() == before
    assert participant.summary() == {'count': 3, 'asleep': 3}


@pytest.mark.seconds
def test_state_hash_is_equal_after_a_rewind(tmp_path: Path) -> None:
    made, _ = simulation(tmp_path)
    made.run(1.2)
    saved, end = made.checkpoint(), made.run(2.0)
    made.go_to(saved)
    assert made.run(2.0) == end
    again, _ = simulation(tmp_path)
    again.go_to(saved)
    assert again.run(2.0) == end


@pytest.mark.ros
@pytest.mark.parametrize('processes', ['many', pytest.param('one', marks=pytest.mark.slow)])
def test_state_hash_is_equal_in_any_number_of_processes(tmp_path: Path, processes: str) -> None:
    made, _ = simulation(tmp_path)
    done = run_scenario(tmp_path, written(tmp_path), '--duration', '1.6', processes=processes)
    assert done.summary['state_hash'] == made.run(1.6)


@pytest.mark.seconds
def test_body_that_a_user_moves_wakes_and_falls(tmp_path: Path) -> None:
    made, participant = simulation(tmp_path)
    made.run(3.0)
    n = participant.bodies.names.index('box')
    assert not participant.bodies.awake[n]
    body = copy.deepcopy(made.world.objects['box'].body)
    body.position += (0.0, 0.3, 0.5)
    made.world.place('box', body)
    made.run(3.2)
    assert participant.bodies.awake[n]
    assert z(made, 'box') < 0.58
    made.run(6.0)
    assert z(made, 'box') == pytest.approx(0.08, abs=1e-3)
    assert not participant.bodies.awake[n]


@pytest.mark.seconds
def test_body_that_is_removed_leaves_the_others(tmp_path: Path) -> None:
    made, participant = simulation(tmp_path)
    made.run(0.2)
    made.world.remove('crumb')
    made.run(0.4)
    assert participant.present.tolist() == [True, True, False]
    assert 'crumb' not in made.world.objects


@pytest.mark.seconds
def test_thrown_ball_rests_on_the_ground_and_is_restored_after_a_rewind(tmp_path: Path) -> None:
    """The world throws it; from the next cycle on the participant of bodies computes it, also after a rewind."""
    robot = {'type': 'throwing_robot', 'position': [0.0, 0.0, 0.35], 'speed_mps': 1.0, 'throw_at_m': 3.0}
    wall = {'type': 'static_body', 'position': [5.5, 0.0, 1.0], 'shapes': [{'kind': 'box', 'size_m': [0.5, 2.0, 1.0]}]}
    objects = {'robot': {**robot, 'throw_mps': [1.0, 0.5, 1.0]}, 'wall': wall}
    made, participant = simulation(tmp_path, objects=objects)
    made.run(1.0)
    before = made.checkpoint()
    while not participant.spawned:
        made.world.step()
        assert made.world.t_ns < 6_000_000_000
    (name,) = participant.spawned
    made.run(made.world.t_ns * 1e-9 + 0.2)
    in_flight, t_s = made.checkpoint(), made.world.t_ns * 1e-9
    end = made.run(t_s + 6.0)
    ball = made.world.objects[name]
    radius = float(ball.shapes[0].size[0])
    assert ball.moved_by == 'bodies'
    assert 0.0 < radius - ball.body.position[2] < 0.5 * radius  # it has sunk in and lies there
    assert np.linalg.norm(ball.body.linear_velocity) < 0.05
    for saved in (in_flight, before):  # with and without the ball
        made.go_to(saved)
        assert made.run(t_s + 6.0) == end
    again, _ = simulation(tmp_path, objects=objects)
    again.go_to(in_flight)
    assert again.run(t_s + 6.0) == end


@pytest.mark.seconds
def test_impact_wakes_a_sleeping_body_and_conserves_momentum(tmp_path: Path) -> None:
    """A weightless ball meets a box at rest: only the impulse between them acts before friction."""
    ball = {**BODIES['objects']['ball'], 'position': [3.0, -3.0, 0.2], 'weightless': True, 'velocity_mps': [0, 1, 0]}
    made, participant = simulation(tmp_path, objects={'ball': ball, 'box': BODIES['objects']['box']})
    made.run(2.3)
    assert participant.bodies.awake.tolist() == [True, False]
    momentum = 0.0
    while not participant.bodies.awake[1]:
        made.world.step()
        momentum = sum(float(o.body.mass * o.body.linear_velocity[1]) for o in made.world.objects.values())
        assert made.world.t_ns < 4_000_000_000
    # The box is on the ground, whose friction has acted for one cycle.
    assert momentum == pytest.approx(41.0, abs=2 * 0.6 * 20.0 * 1.62 * 0.02 + 0.5)
    assert made.world.objects['box'].body.linear_velocity[1] > 0.2


@pytest.mark.seconds
def test_crate_in_a_force_field_slides_out_and_the_state_hash_is_equal_after_a_rewind(tmp_path: Path) -> None:
    crate = {**BODIES['objects']['box'], 'position': [3.0, 0.0, 0.08], 'rpy_deg': [0, 0, 0]}
    region = [{'kind': 'box', 'size_m': [0.5, 2.0, 1.0]}]
    wind = {'type': 'force_field', 'position': [3.0, 0.0, 0.0], 'shapes': region, 'acceleration_mps2': [1.5, 0.0, 0.0]}
    made, _ = simulation(tmp_path, objects={'box': crate, 'wind': wind})
    made.run(0.4)
    saved, end = made.checkpoint(), made.run(3.0)
    x, speed = (float(getattr(made.world.objects['box'].body, name)[0]) for name in ('position', 'linear_velocity'))
    # 1.5 - 0.6 g over half a meter, then it slides by (1.5 - 0.6 g) / (0.6 g) times as far and stops.
    assert speed == pytest.approx(0.0, abs=0.01)
    assert x - 3.0 == pytest.approx(0.5 * 1.5 / (0.6 * 1.62), rel=0.03)
    made.go_to(saved)
    assert made.run(3.0) == end


@pytest.mark.seconds
@pytest.mark.slow
def test_rover_pushes_a_sleeping_crate_over_soil(tmp_path: Path) -> None:
    """The crate wakes at the contact, moves with the rover at 0.2 m/s, and no step is forced."""
    crate = {**BODIES['objects']['box'], 'shape': {'kind': 'box', 'size_m': [0.3, 0.3, 0.3]}, 'mass_kg': 10.0}
    crate |= {'position': [1.8, 0.0, 0.31], 'rpy_deg': [0, 0, 0]}
    rover = vehicle(0.0, 0.0, type='constant', speed_mps=0.2)
    terrain = {'source': 'flat', 'spacing_m': 0.04, 'map_size_m': 40.0, 'soil': 'lunar_nominal'}
    made, participant = simulation(tmp_path, terrain=terrain, objects={'box': crate}, vehicles={'amber': rover})
    made.run(3.0)
    assert participant.bodies.awake.tolist() == [False]
    start = float(made.world.objects['box'].body.position[0])
    made.run(6.0)
    between = float(made.world.objects['box'].body.position[0])
    made.run(8.0)
    end = float(made.world.objects['box'].body.position[0])
    assert between - start > 0.1
    assert end - between == pytest.approx(0.4, abs=0.02)
    assert made.world.forced_cycles == 0


@pytest.mark.seconds
def test_row_13_soil_dug_away_below_a_sleeping_box_wakes_it(tmp_path: Path) -> None:
    box = {**BODIES['objects']['box'], 'position': [0.0, 0.0, 0.09], 'rpy_deg': [0, 0, 0]}
    terrain = {**BODIES['terrain'], 'soil': 'lunar_nominal'}
    made, participant = simulation(tmp_path, terrain=terrain, objects={'box': box})
    made.run(3.0)
    assert not participant.bodies.awake[0]
    grid = made.terrain.grid
    i, j = (each.astype(np.int32) for each in np.mgrid[-40:41, -40:41].reshape(2, -1))
    table = np.zeros((len(grid.law.names), len(i)))
    table[:2] = -0.2
    grid.apply(NodeRecords.from_values(i, j, table, grid.law.names))
    made.world.soil_hash = grid.soil_hash()
    made.run(5.0)
    assert z(made, 'box') < -0.1


@pytest.mark.seconds
@pytest.mark.slow
@pytest.mark.parametrize('model', ['rigid', 'scm'])
def test_row_9_heap_of_ten_bodies_loses_energy_and_ends(tmp_path: Path, model: str) -> None:
    """Kinetic and potential energy decrease, except for what springs of contacts and soil give back within an impact.

    Such a spring stores up to 1.1 % of the fall for some milliseconds, measured with cycles of 1 ms. The sum does not
    contain it.
    """
    random = np.random.default_rng(1)
    sizes = {'sphere': [0.1], 'box': [0.1, 0.08, 0.06], 'capsule': [0.06, 0.08], 'cylinder': [0.08, 0.06]}
    objects = {
        f'b{k}': {
            'type': 'rigid_body',
            'shape': {'kind': kind, 'size_m': sizes[kind]},
            'mass_kg': 5.0,
            'position': [*random.uniform(-0.12, 0.12, 2).tolist(), 0.3 + 0.28 * k],
            'rpy_deg': random.uniform(-180.0, 180.0, 3).tolist(),
        }
        for k, kind in enumerate([*sizes, *sizes, 'sphere', 'box'])
    }
    terrain = {'source': 'flat', 'spacing_m': 0.02, 'map_size_m': 20.0, 'model': model}
    made, participant = simulation(tmp_path, terrain=terrain, objects=objects)
    bodies = participant.bodies
    start = lowest = sum(bodies.energy(n) for n in range(10))
    for k in range(1, 101):
        made.run(0.04 * k)
        now = sum(bodies.energy(n) for n in range(10))
        assert now <= lowest + 1.5e-2 * start
        lowest = min(lowest, now)
    assert lowest < 0.15 * start
    assert made.world.forced_cycles == 0


@pytest.mark.parametrize(
    ('change', 'said'),
    [
        ({'mass_kg': 0.0}, r'objects\.box\.mass_kg = 0.*allowed: .*0.001'),
        (
            {'shape': {'kind': 'box', 'size_m': [0.5, 0.5, 0.001]}, 'mass_kg': 0.05, 'position': [0, 0, 0.5]},
            r'objects\.box\.mass_kg = 0\.05: is too light for its area of 1 m\^2.*up to a substep of .* s',
        ),
        (
            {'position': [0.0, 0.0, -0.01]},
            r'deepest point is 0\.1.* m inside the ground at the start; allowed: up to 0\.01 m',
        ),
        ({'position': [0.0, 0.0, 1.2]}, 'ball'),
        (
            {'position': [6.0, 0.0, 0.3]},
            r'objects\.box\.position.*: is 0\.\d+ m inside a rock or obstacle at the start',
        ),
        ({'shape': {'kind': 'sphere', 'size_m': [0.0]}}, r'size_m'),
    ],
)
def test_impossible_bodies_are_refused_with_numbers(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    soft = {**BODIES['objects']['box'], **change}
    objects = {'box': soft, **({'ball': BODIES['objects']['ball']} if said == 'ball' else {})}
    pillar = {'type': 'box', 'position': [6.0, 0.0], 'size': [1.0, 1.0, 1.0]}
    terrain = {**BODIES['terrain'], 'obstacles': {'pillar': pillar}}
    with pytest.raises(InputError, match=said):
        load_scenario(written(tmp_path, objects=objects, terrain=terrain))


@pytest.mark.parametrize(
    ('position', 'most'),
    [([0.0, 0.0, 0.08], 0.01), ([3.0, 0.0, 0.08], 0.002), ([5.35, 0.0, 0.5], 0.002)],
    ids=['soil', 'rigid', 'obstacle'],
)
@pytest.mark.parametrize('way', ['start', 'set_entity_state', 'spawn_entity'])
def test_body_is_refused_where_it_would_be_thrown(tmp_path: Path, position: list[float], most: float, way: str) -> None:
    """At the limit it is accepted, and thrown up by less than 3 cm. A box of 0.3 x 0.2 x 0.16 m lies at each place."""
    pillar = {'type': 'box', 'position': [6.0, 0.0], 'size': [1.0, 1.0, 1.0]}
    terrain = {**BODIES['terrain'], 'obstacles': {'pillar': pillar}}
    box = {**BODIES['objects']['box'], 'rpy_deg': [0.0, 0.0, 0.0]}
    sign = np.array([1.0, 0.0, 0.0] if position[0] > 5.0 else [0.0, 0.0, -1.0])
    for depth in (0.9 * most, 1.2 * most):
        place = np.array(position) + depth * sign
        first = place if way == 'start' else np.array([0.0, 0.0, 3.0])
        file = written(tmp_path, objects={'box': {**box, 'position': first.tolist()}}, terrain=terrain)
        allowed = pytest.raises((InputError, ValueError), match=rf'is 0\.\d+ m inside .*allowed: up to {most} m')
        with allowed if depth > most else nullcontext():
            made = Simulation(load_scenario(file).scenario)
            if way != 'start':
                timeline, item = Timeline(made.world, made), made.world.objects['box']
                state = replace(item.body, position=place)
                (other,) = make_objects({'other': {**box, 'position': place.tolist()}}, 1.62)
                spawned = SpawnEdit('other', other.save())
                timeline.apply_edit(SetStateEdit('box', state) if way == 'set_entity_state' else spawned)
            top = place[2]
            for k in range(1, 11):
                made.run(0.1 * k)
                item = made.world.objects['other' if way == 'spawn_entity' else 'box']
                top = max(top, float(item.body.position[2]))
            assert top < place[2] + depth + 0.03


def test_body_that_stays_at_its_pose_can_get_a_velocity(tmp_path: Path) -> None:
    """A movable rock has 30 % of its height in the ground."""
    made, participant = simulation(tmp_path)
    participant.bodies.position[0, 2] = 0.05
    participant.bodies.changed([0])
    deep = participant.bodies.body_state(0)
    thing = made.world.objects[deep.name]
    participant.check_place(SpawnedObject(deep.name, thing.shapes, deep, 0.2, 0.5))
    with pytest.raises(ValueError, match='inside the ground'):
        lower = replace(deep, position=deep.position - (0.0, 0.0, 1e-6))
        participant.check_place(SpawnedObject(deep.name, thing.shapes, lower, 0.2, 0.5))


@pytest.mark.seconds
def test_mound_below_bodies_and_a_vehicle_lifts_them_with_equal_hashes(tmp_path: Path) -> None:
    """On soil and rigid terrain, asleep or rolling, alone or near a vehicle; also from a checkpoint at the edit."""
    terrain = {**BODIES['terrain'], 'soil': 'lunar_nominal'}
    objects = {
        **BODIES['objects'],
        'near': {**BODIES['objects']['box'], 'position': [-5.3, 1.2, 0.1], 'rpy_deg': [0, 0, 0]},
    }
    made, participant = simulation(tmp_path, terrain=terrain, objects=objects, vehicles={'rover': vehicle(-6.0, 0.0)})
    made.run(4.0)
    assert not participant.bodies.awake[participant.bodies.index['crumb']]
    start = {name: float(item.body.position[2]) for name, item in made.world.objects.items()}
    for x, y, length in ((0.0, 0.0, 2.0), (3.0, 0.0, 2.0), (0.0, 3.0, 2.0), (-6.0, 0.0, 8.0)):
        made.terrain.edit(stamp_edit(Stamp('mound', x=x, y=y, length=length, depth=0.3), made.terrain.grid.spacing))
    made.world.step()  # the edit takes effect at its end
    made.world.hold()
    saved, top = made.checkpoint(), dict(start)
    for k in range(1, 51):
        end = made.run(4.02 + 0.02 * k)
        for name, item in made.world.objects.items():
            top[name] = max(top[name], float(item.body.position[2]))
    for name, height in top.items():
        assert start[name] + 0.2 < height < start[name] + 0.33, name
    made.go_to(saved)
    assert made.run(5.02) == end


@pytest.mark.ros
@pytest.mark.parametrize('processes', ['many', pytest.param('one', marks=pytest.mark.slow)])
def test_services_refuse_a_body_in_the_ground_with_depth_and_allowed(tmp_path: Path, processes: str) -> None:
    from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
    from simulation_interfaces.msg import EntityState
    from simulation_interfaces.srv import GetEntityState, SetEntityState, SpawnEntity

    resource = (
        '{type: rigid_body, mass_kg: 5.0, shape: {kind: box, size_m: [0.1, 0.1, 0.1]}, position: [0.0, 0.0, 0.0]}'
    )
    file = written(tmp_path, duration_s=600.0)
    with LiveRun(tmp_path, file, processes=processes) as live:
        live.come_to(0.1)
        for z, refused in ((-0.4, True), (2.0, False)):
            pose = Pose(position=Point(x=1.0, y=2.0, z=z), orientation=Quaternion(w=1.0))
            state = EntityState(pose=pose)
            made = live.call(SetEntityState, f'{WORLD}/set_entity_state', entity='ball', state=state)
            born = live.call(
                SpawnEntity,
                f'{WORLD}/spawn_entity',
                name='crate',
                resource_string=resource,
                initial_pose=PoseStamped(pose=Pose(position=Point(x=-1.0, y=2.0, z=z), orientation=pose.orientation)),
            )
            for response in (made, born):
                assert (response.result.result == 1) is not refused, response.result.error_message
                said = re.search(
                    r'is 0\.\d+ m inside the ground; allowed: up to 0\.01 m', response.result.error_message
                )
                assert bool(said) is refused
        assert live.call(GetEntityState, f'{WORLD}/get_entity_state', entity='crate').result.result == 1


def test_too_many_bodies_are_refused(tmp_path: Path) -> None:
    ball = BODIES['objects']['ball']
    many = {f'b{k}': {**ball, 'position': [k % 100, k // 100, 1.0]} for k in range(1001)}
    with pytest.raises(InputError, match='has 1001 objects of type rigid_body and movable rocks; allowed: up to 1000'):
        load_scenario(written(tmp_path, objects=many))


STACK = {
    name: {
        'type': 'rigid_body',
        'shape': {'kind': 'box', 'size_m': [0.2, 0.2, 0.1]},
        'mass_kg': 20.0,
        'position': [x, 0.0, z],
    }
    for name, x, z in (('lowest', 0.0, 0.101), ('middle', 0.05, 0.303), ('upper', 0.0, 0.506))
}
"""Three boxes on each other, the middle one aside by an eighth of its length."""


@pytest.mark.seconds
def test_stacked_boxes_stay_where_they_are_and_sleep_until_one_is_taken_away(tmp_path: Path) -> None:
    """They settle by less than 2 mm; a box without support wakes and falls."""
    made, bodies = simulation(tmp_path, objects=STACK, terrain={**BODIES['terrain'], 'soil': 'lunar_nominal'})
    made.run(0.4)
    start = {name: made.world.objects[name].body.position.copy() for name in STACK}
    made.run(4.0)
    assert not bodies.bodies.awake.any()
    for name, place in start.items():
        assert np.abs(made.world.objects[name].body.position - place).max() < 2e-3
    # Nothing else happens to bodies that sleep, and no contact of theirs is an impulse.
    assert made.world.intersection_pairs == () and made.world.discarded_cycles == 0
    saved = made.checkpoint()
    made.world.remove('lowest')
    end = made.run(5.0)
    for name in ('middle', 'upper'):
        assert made.world.objects[name].body.position[2] == pytest.approx(start[name][2] - 0.2, abs=0.01)
    made.go_to(saved)
    made.world.remove('lowest')
    assert made.run(5.0) == end


@pytest.mark.seconds
def test_two_bodies_in_free_fall_collide_with_opposite_forces(tmp_path: Path) -> None:
    """One hits the other off its center. Momentum changes by the weight only, and angular momentum about the common
    center of mass is constant, in each cycle to 1e-11 of some 10 N s: rounding of 20 substeps."""
    objects = {
        'a': {**STACK['upper'], 'position': [0.0, 0.0, 6.0], 'velocity_mps': [0.6, 0.0, 0.0], 'rpy_deg': [10, 20, 30]},
        'b': {**STACK['upper'], 'position': [0.6, 0.12, 6.05], 'mass_kg': 12.0, 'rpy_deg': [5, 0, 60]},
    }
    made, _ = simulation(tmp_path, objects=objects)

    def momenta() -> np.ndarray:
        states = [made.world.objects[name].body for name in objects]
        mass = sum(s.mass for s in states)
        linear = sum(s.mass * s.linear_velocity for s in states)
        center = sum(s.mass * s.position for s in states) / mass
        angular = sum(
            s.mass * np.cross(s.position - center, s.linear_velocity - linear / mass) + s.inertia @ s.angular_velocity
            for s in states
        )
        return np.array([*linear, *angular])

    weight = np.array([0.0, 0.0, -32.0 * made.world.config.gravity_mps2 * 0.02, 0.0, 0.0, 0.0])
    before = momenta()
    for cycle in range(80):
        made.run(0.02 * (cycle + 1))
        after = momenta()
        assert np.abs(after - before - weight).max() < 1e-11
        before = after
    struck = made.world.objects['b'].body
    assert struck.linear_velocity[0] > 0.05 and np.abs(struck.angular_velocity).max() > 0.1


@pytest.mark.ros
def test_examples_of_the_page_read_poses_from_python_and_from_a_bag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parent.parent / 'docs' / 'concepts' / 'bodies.md').read_text(encoding='utf-8')
    blocks = re.findall(r'^```(\w+)\n(.*?)^```', page, re.M | re.S)
    scenario = next(text for kind, text in blocks if kind == 'yaml')
    (tmp_path / 'balls.yaml').write_text(scenario, encoding='utf-8')
    (tmp_path / 'runs').mkdir()
    run_scenario(tmp_path, tmp_path / 'balls.yaml', '--duration', '2.0', processes='one', name='runs/balls')
    monkeypatch.chdir(tmp_path)
    read: dict[str, Any] = {}
    for text in (text for kind, text in blocks if kind == 'python'):
        exec(compile(text, 'bodies.md', 'exec'), read)
    # Both are of the same run, which is computed in one process and without ROS.
    again = Simulation.load('balls.yaml')
    again.run(1.0)
    there = again.world.state(1_000_000_000)
    assert read['heights'][1_000_000_000] == {name: there[name].position[2] for name in ('ball', 'crate')}
    assert read['states']['ball'].position[2] < 1.0


@pytest.mark.seconds
@pytest.mark.parametrize('model', ['scm', 'rigid'])
def test_equal_boxes_stand_exactly_on_each_other_at_any_place(tmp_path: Path, model: str) -> None:
    """Where x and y are 4 to 8 m, rounding puts all edges of one box beside those of the other one."""
    objects = {
        f'{name}{k}': {**STACK['upper'], 'position': [x, y, z]}
        for k, (x, y) in enumerate([(-6.0, -6.0), (6.0, 6.0), (4.0, -6.0), (6.3, -6.3), (-6.0, 4.0), (0.3, 7.1)])
        for name, z in (('lower', 0.101), ('upper', 0.3015))
    }
    made, bodies = simulation(tmp_path, objects=objects, terrain={'source': 'flat', 'spacing_m': 0.02, 'model': model})
    for _ in range(20):
        made.run(made.world.t_ns * 1e-9 + 0.1)
        heights = {name: float(made.world.objects[name].body.position[2]) for name in objects}
        for k in range(6):
            assert 0.195 < heights[f'upper{k}'] - heights[f'lower{k}'] < 0.202
    assert not bodies.bodies.awake.any()
