# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of ``check`` for vehicles, terrain and requested types, before a run starts."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError, Problem
from regolith_terrain.config import load_soil
from regolith_vehicles.description.model_files import load_vehicle_model


def refused(*settings: str, scenario: str = 'two_rovers') -> Problem:
    """Return the only error of a shipped scenario after a change."""
    with pytest.raises(InputError) as caught:
        load_scenario(scenario, settings)
    (problem,) = caught.value.problems
    assert problem.allowed
    return problem


def own(folder: Path, old: str, new: str, of: str = 'xml', model: str = 'viper') -> str:
    """Write a vehicle, VIPER by default, with one change, and return the setting that makes it amber's model."""
    _, mjcf = load_vehicle_model(model)
    for path in (mjcf, mjcf.with_suffix('.yaml'), *mjcf.parent.glob('*.obj')):
        text = path.read_text()
        assert old in text or not path.name.endswith(of)
        (folder / path.name).write_text(text.replace(old, new, 1) if path.name.endswith(of) else text)
    return f'vehicles.amber.model={folder}/{model}.yaml'


_SPIN = 'spin_front_left: {actuator: drive_front_left'


@pytest.mark.parametrize(
    ('file', 'old', 'new', 'key', 'said'),
    [
        ('yaml', 'joint: spin_front_left', 'joint: spin_fl', 'wheels.front_left.joint', 'spin_front_left'),
        ('yaml', 'radius_m: 0.215, ', '', 'wheels.0.radius_m', 'a value'),
        ('yaml', 'radius_m: 0.215', 'radius_m: 50.0', 'wheels.0.radius_m', 'less than or equal to 5'),
        (
            'yaml',
            'grousers: {count: 20, height_m: 0.015, thickness_m: 0.006}',
            'mesh: no.obj',
            'wheels.front_left',
            'an OBJ, STL or MSH file',
        ),
        (
            'yaml',
            'grousers: {count: 20, height_m: 0.015, thickness_m: 0.006}',
            'tire: gum',
            'wheels.front_left.tire',
            'hmmwv_tmeasy',
        ),
        ('yaml', '  arm_front:', '  arm_ahead:', 'joints.arm_ahead', 'arm_front'),
        ('yaml', '{actuator: arm_front', '{actuator: arm_rear', 'joints.arm_front.actuator', 'on joint arm_front'),
        ('yaml', 'arm_front: {actuator: arm_front', _SPIN, 'joints.spin_front_left.actuator', 'not of a wheel'),
        ('yaml', '[-1.05, 0.79]', '[0.1, 0.79]', 'joints.arm_front', 'at most 0'),
        ('yaml', 'body: drum_front, cap', 'body: drum, cap', 'payloads.drum_front.body', 'drum_front'),
        ('yaml', 'capacity_kg: 40.0', 'capacity_kg: 40.0, mass_kg: 41.0', 'payloads.drum_front', 'up to capacity_kg'),
        ('xml', 'file="drum.obj"', 'file="no.obj"', '', 'an OBJ, STL or MSH file'),
        ('xml', 'mass="30"', 'mass="0"', 'base_link', 'above zero'),
        ('xml', 'mass="3.5"', 'mass="0"', 'wheel_front_left', 'above zero'),
        ('xml', 'diaginertia="0.73 1.0 1.53"', 'diaginertia="0.1 0.1 1.53"', 'base_link', 'sum of the other two'),
    ],
)
def test_bad_rover_is_reported_by_file_key_and_allowed_values(
    file: str, old: str, new: str, key: str, said: str, tmp_path: Path
) -> None:
    problem = refused(own(tmp_path, old, new, file, 'rassor'))
    assert key in problem.key and said in problem.allowed and f'rassor.{file}' in problem.where


@pytest.mark.parametrize(
    ('file', 'old', 'new', 'key', 'said'),
    [
        ('yaml', 'actuator: drive_front_left', 'actuator: nosuch', 'wheels.front_left.actuator', 'drive_front_left'),
        ('yaml', 'actuator: drive_front_left', 'actuator: drive_rear_left', 'wheels.front_left.actuator', 'on joint'),
        ('yaml', 'body: wheel_front_left', 'body: wheel_fl', 'wheels.front_left.body', 'wheel_front_left'),
        ('yaml', 'substep_s: 1.0e-3', 'substep_s: 0.02', 'substep_s', 'half the stability limit'),
        ('xml', '<freejoint name="root"/>', '', 'chassis', 'a body with <freejoint/>'),
        ('xml', 'name="base_link"', 'name="hull"', 'chassis', 'hull'),
        ('xml', 'damping="', 'damping="nan" margin="', 'dof_damping', 'finite'),
    ],
)
def test_a_vehicle_of_ones_own_is_built_once(
    file: str, old: str, new: str, key: str, said: str, tmp_path: Path
) -> None:
    problem = refused(own(tmp_path, old, new, file))
    assert key in problem.key and said in problem.allowed
    # The key stands in the file with a line, whichever of the two brought the trouble; NaN stands in the model.
    expected = 'viper.xml' if key == 'dof_damping' else 'viper.yaml:'
    assert expected in problem.where


@pytest.mark.parametrize(
    ('of', 'old', 'new', 'said'),
    [
        ('xml', 'pos="0.6418 0.6098 0"', 'pos="1e6 0.6098 0"', 'body strut_front_left = .*bodies within 100 m'),
        ('xml', 'kv="500"', 'kv="-500"', r'wheels\.front_left\.actuator = .*has no gain.*kv > 0'),
        ('xml', 'axis="0 1 0"', 'axis="0 -1 0"', r'wheels\.front_left\.joint = .*has axis 0 -1 0.*drives forward'),
        ('yaml', 'body: wheel_front_right', 'body: wheel_front_left', 'wheels: use the same body'),
    ],
)
def test_a_vehicle_of_ones_own_can_drive(of: str, old: str, new: str, said: str, tmp_path: Path) -> None:
    assert re.search(said, str(refused(own(tmp_path, old, new, of))))


def test_numbers_are_written_alike_in_all_files(tmp_path: Path) -> None:
    """``1e-3`` is text in YAML 1.1, and a number in other formats."""
    load_scenario('two_rovers', [own(tmp_path, 'substep_s: 1.0e-3', 'substep_s: 1e-3', 'yaml')])


@pytest.mark.parametrize(
    ('old', 'new', 'said'),
    [
        ('mass="348.18"', 'mass="1e30"', 'unstable'),
        ('mass="348.18"', 'mass="1e7"', 'sinks in'),
        ('stiffness="15000"', 'stiffness="1e12"', 'became unstable'),
        ('<inertial mass="348.18"', '<inertia mass="348.18"', 'xml:59: inertia: XML Error'),
    ],
)
def test_a_vehicle_of_ones_own_stands_and_rolls(old: str, new: str, said: str, tmp_path: Path) -> None:
    """What MuJoCo takes may still sink in for good, or blow up as soon as it moves."""
    problem = refused(own(tmp_path, old, new))
    assert problem.where.startswith(str(tmp_path)) and said in f'{problem.where}: {problem.key}: {problem.problem}'


def test_a_shipped_vehicle_on_soil_it_is_too_coarse_for() -> None:
    problem = refused('terrain.soil.elastic_stiffness=1e10')
    assert problem.key == 'substep_s' and 'E = 1e+10' in problem.allowed


def test_vehicles_inside_each_other() -> None:
    problem = refused('vehicles.basalt.position=[0.3, 0.0]')
    assert problem.key == 'vehicles.basalt.position' and 'would penetrate' in problem.problem
    load_scenario('two_rovers', ['vehicles.basalt.position=[0.3, 0.0]', 'world.contact=none'])


def test_vehicles_inside_an_object() -> None:
    rock = 'objects.rock={{type: static_body, position: [{}, 0.0, 0.5], shapes: [{{kind: sphere, size_m: [0.5]}}]}}'
    problem = refused(rock.format(0.0))
    assert problem.key == 'vehicles.amber.position' and "would penetrate 'rock'" in problem.problem
    load_scenario('two_rovers', [rock.format(3.0)])


@pytest.mark.parametrize(
    ('setting', 'problem', 'allowed'),
    [
        ('vehicles.basalt.frame_prefix=amber/', 'is already the prefix of amber', 'a prefix for each vehicle'),
        ('vehicles.amber=3', 'has the wrong type', 'a mapping with keys of model, position, '),
        ('vehicles=3', 'has the wrong type', 'a mapping (vehicles: '),
        ('vehicles.amber.position=3', 'has the wrong type', 'a list (position: '),
        ('vehicles.amber.position=[1, 2, 3]', 'has 3 values', 'a list of 2 values'),
        ('vehicles.amber.driver={type: path, speed_mps: 1, waypoints: [[0, 0]]}', 'is too short', 'at least 2 of them'),
        ('vehicles.amber.publish_world_to_odom=1', 'has the wrong type', 'true or false'),
        ('recording.enabled=maybe', 'has the wrong type', 'true or false'),
        ('vehicles.amber.model=""', 'is too short', 'a length of at least 1'),
        ('light.sun={azimuth_deg: 1, elevation_deg: 500}', 'is out of range', 'less than or equal to 90 '),
        (
            'light.sun={azimuth_deg: 1, elevation_deg: 5, utc: "2026-11-22"}',
            'cannot be combined with the keys beside it',
            'this key or the others, not both',
        ),
        ('world.contact=softly', 'is unknown', "'impulse' or 'none'"),
        ('terrain.roughness={inner_scale_m: 50.0}', 'inner_scale_m exceeds outer_scale_m', 'up to outer_scale_m, 24.0'),
    ],
)
def test_schema_errors_use_terms_of_yaml(setting: str, problem: str, allowed: str) -> None:
    """Messages use terms of YAML, not those of the validation library, such as tuple, dictionary or instance."""
    with pytest.raises(InputError) as caught:
        load_scenario('two_rovers', [setting])
    found = caught.value.problems[0]
    assert problem in found.problem and found.allowed.startswith(allowed)


@pytest.mark.parametrize(
    ('setting', 'key'),
    [
        ('vehicles={}', 'vehicles'),
        ('recording.topics=["/x|nosuch_msgs/msg/Foo"]', 'recording.topics.0'),
        ('recording.topics=["/x|std_msgs/msg/Foo"]', 'recording.topics.0'),
        (f'recording.topics=["/{"x" * 300}|std_msgs/msg/String"]', 'recording.topics.0'),
        ('world.input_barrier={topic: /amber/cmd_vel, type: nosuch_msgs/msg/Foo}', 'world.input_barrier.type'),
        ('world.input_barrier={topic: amber/cmd_vel}', 'world.input_barrier.topic'),
        ('world.input_barrier={topic: /amber/nosuch}', 'world.input_barrier.topic'),
        ('world.input_barrier={topic: /other/cmd_vel}', 'world.input_barrier.topic'),
        (
            'world.input_barrier={topic: /amber/cmd_vel, type: regolith_msgs/msg/DriverInputs}',
            'world.input_barrier.type',
        ),
        (f'vehicles={{{"a" * 300}: {{position: [0, 0]}}}}', f'vehicles.{"a" * 79}…'),
        (f'name={"a" * 300}', 'name'),
        ('name=../../else', 'name'),
        ('vehicles.amber.driver={type: path, speed_mps: 1, waypoints: [[0, 0], [1e308, 0]]}', 'waypoints.1.0'),
    ],
)
def test_check_finds_errors_that_a_node_would_find(setting: str, key: str) -> None:
    problem = refused(setting)
    assert problem.key.endswith(key) and len(problem.value) <= 80


@pytest.mark.parametrize(
    'setting',
    [
        'vehicles.amber.position=[450, 0]',
        'vehicles.amber.driver.waypoints=[[0, 0], [0, 450]]',
        'comms.stations.lander=[450, 0]',
    ],
)
def test_places_off_the_elevation_model(setting: str) -> None:
    """Beyond its edge the last heights continue. A run there would be on terrain without data."""
    problem = refused(setting, scenario='comms_ridge')
    assert 'outside the elevation model' in problem.problem and 'x from -110 to 110 m' in problem.allowed


def test_elevation_models_that_are_no_ground(tmp_path: Path) -> None:
    heights = np.zeros((50, 50))
    np.save(tmp_path / 'tiny.npy', heights[:2, :2])
    heights[3, 4] = 1e30
    np.save(tmp_path / 'spike.npy', heights)
    for name, said in (('tiny', 'at least 3 x 3'), ('spike', 'within 1e+07 m of zero')):
        problem = refused(f'terrain.source={tmp_path}/{name}.npy', 'terrain.post_spacing_m=5')
        assert problem.key == 'terrain.source' and said in problem.allowed


def test_a_copy_of_a_shipped_vehicle_is_good(tmp_path: Path) -> None:
    _, mjcf = load_vehicle_model('viper')
    for path in mjcf.parent.iterdir():
        shutil.copy(path, tmp_path)
    load_scenario('two_rovers', [f'vehicles.amber.model={tmp_path}/viper.yaml'])


def test_dig_task_that_waits_for_a_drum_at_rest_is_refused(tmp_path: Path) -> None:
    """Tools empty means both drums, and one has no target; a drum that dug before may be full, so it is no problem."""
    lines = [
        'terrain: {source: flat}',
        'vehicles:',
        '  digger:',
        '    model: rassor',
        '    position: [0, 0]',
        '    driver:',
        '      type: tasks',
        '      tasks:',
    ]
    both = '        - {type: dig, joints: {arm_front: -0.85, drum_front: 2.0, drum_rear: 2.0}}'
    one = '        - {type: dig, joints: {arm_front: -0.85, drum_front: 2.0}}'
    file = tmp_path / 'dig.yaml'
    file.write_text('\n'.join([*lines, one]))
    problem = refused(scenario=str(file))
    assert problem.key == 'vehicles.digger.driver.tasks.0.joints'
    assert 'drum_rear (target of joint drum_rear: 0)' in problem.problem and 'drum_front' in problem.allowed
    file.write_text('\n'.join([*lines, both, one]))
    load_scenario(str(file))


@pytest.mark.parametrize(
    ('model', 'spacing', 'limit'),
    [
        ('viper', 0.25, '0.25'),
        ('rassor', 0.2, '0.15'),
        ('hmmwv', 0.4, '0.318'),
        ('m113', 0.15, '0.11'),
    ],
)
def test_soil_grid_coarser_than_a_contact_is_refused(tmp_path: Path, model: str, spacing: float, limit: str) -> None:
    """Wheels and shoes of every gear, also where nothing else is unusual; between half a contact and one it warns."""
    file = tmp_path / 'coarse.yaml'
    text = 'terrain: {{source: flat, spacing_m: {}}}\nvehicles: {{one: {{model: {}, position: [0, 0]}}}}\n'
    file.write_text(text.format(spacing, model))
    problem = refused(scenario=str(file))
    assert problem.key == 'terrain.spacing_m' and f'less than {limit} m' in problem.allowed
    for share, warned in ((0.8, 1), (0.4, 0)):
        file.write_text(text.format(share * float(limit), model))
        notices = load_scenario(str(file)).notices
        assert len([line for line in notices if 'warning: terrain.spacing_m' in line]) == warned
    # Ground that does not yield has no such nodes.
    file.write_text(text.format(f'{spacing}, model: rigid', model))
    load_scenario(str(file))


@pytest.mark.seconds
@pytest.mark.parametrize(
    'model', ['viper', *(pytest.param(name, marks=pytest.mark.slow) for name in ('hmmwv', 'm113'))]
)
def test_soil_with_moduli_in_kn_is_refused_with_a_word_on_units(tmp_path: Path, model: str) -> None:
    """Lunar soil typed in kN and kPa: wheels, cars and tracks sink in beyond their axles at rest."""
    soil = load_soil('lunar_nominal')
    wrong = {
        **soil.model_dump(),
        'k_phi': 1e-3 * soil.k_phi,
        'k_c': 1e-3 * soil.k_c,
        'cohesion_pa': 1e-3 * soil.cohesion_pa,
    }
    file = tmp_path / 'kilo.yaml'
    file.write_text(
        f'terrain: {{source: flat, spacing_m: 0.05, soil: {json.dumps(wrong)}}}\n'
        f'vehicles: {{one: {{model: {model}, position: [0, 0]}}}}\n'
    )
    problem = refused(scenario=str(file))
    assert (
        problem.key == 'terrain.soil' and 'sinks in by' in problem.problem and 'kN or kPa times 1000' in problem.allowed
    )


@pytest.mark.seconds
def test_soft_soil_of_a_region_is_named_and_soil_that_hardly_supports_a_vehicle_gives_a_warning(tmp_path: Path) -> None:
    soil = load_soil('lunar_nominal').model_dump() | {'name': 'kilo', 'k_phi': 820.0, 'k_c': 1.4, 'cohesion_pa': 0.17}
    regions = [
        {'rectangle': {'low': [20.0, 20.0], 'high': [30.0, 30.0]}, 'soil': 'jsc1a'},
        {'rectangle': {'low': [-10.0, -10.0], 'high': [10.0, 10.0]}, 'soil': soil},
    ]
    file = tmp_path / 'kilo.yaml'
    terrain: dict[str, Any] = {'source': 'flat', 'spacing_m': 0.05, 'regions': regions}
    rover = {'model': 'viper', 'position': [1.0, 2.0]}
    file.write_text(json.dumps({'terrain': terrain, 'vehicles': {'one': rover}}))
    problem = refused(scenario=str(file))
    assert problem.key == 'terrain.regions.1.soil' and 'kilo' in str(problem.value)
    # Between the two, wheels sink in by more than a quarter of their height.
    regions[1]['soil'] = soil | {'k_phi': 6000.0, 'exponent': 1.0}
    file.write_text(json.dumps({'terrain': terrain, 'vehicles': {'one': rover}}))
    notes = [str(each) for each in load_scenario(file).notices]
    assert any('hardly supports one at rest: wheel' in each and 'kN or kPa' in each for each in notes), notes
    file.write_text(json.dumps({'terrain': {**terrain, 'regions': []}, 'vehicles': {'one': rover}}))
    assert not any('hardly' in str(each) for each in load_scenario(file).notices)


@pytest.mark.parametrize(
    ('barrier', 'type_name'),
    [
        ('{topic: /amber/cmd_vel}', 'geometry_msgs/msg/Twist'),
        ('{topic: /amber/cmd_vel, type: geometry_msgs/msg/TwistStamped}', 'geometry_msgs/msg/TwistStamped'),
        ('{topic: /stack/done, type: std_msgs/msg/String}', 'std_msgs/msg/String'),
    ],
)
def test_barrier_has_the_type_of_the_vehicles_topic(barrier: str, type_name: str) -> None:
    found = load_scenario('two_rovers', [f'world.input_barrier={barrier}']).scenario.world.input_barrier
    assert found is not None and found.type == type_name


IMU = '{model: {type: imu, rate_hz: 100.0}}'


@pytest.mark.parametrize(
    ('settings', 'key', 'said'),
    [
        (
            ['vehicles.amber.sensors={front_left: {model: navcam}}'],
            'vehicles.amber.sensors.front_left',
            "has the frame 'amber/front_left_link', which is already the frame of the link front_left_link of amber",
        ),
        (
            [f'vehicles.amber.sensors={{base: {IMU}}}'],
            'vehicles.amber.sensors.base',
            "has the frame 'amber/base_link', which is already the frame of the base of amber",
        ),
        # An empty prefix beside another vehicle's: a sensor of the one may be called as a wheel of the other.
        (
            [
                "vehicles.amber.frame_prefix=''",
                'vehicles.basalt.frame_prefix=eye_',
                f'vehicles.amber.sensors={{eye_front_left: {IMU}}}',
            ],
            'vehicles.amber.sensors.eye_front_left',
            "has the frame 'eye_front_left_link', which is already the frame of the link front_left_link of basalt",
        ),
        (
            [
                "vehicles.amber.frame_prefix=''",
                "vehicles.basalt.frame_prefix='a_'",
                f'vehicles.amber.sensors={{a_eye: {IMU}}}',
                f'vehicles.basalt.sensors={{eye: {IMU}}}',
            ],
            'vehicles.basalt.sensors.eye',
            "has the frame 'a_eye_link', which is already the frame of sensor amber/a_eye",
        ),
    ],
)
def test_two_frames_with_one_id_are_refused(settings: list[str], key: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        load_scenario('two_rovers', settings)
    (problem,) = caught.value.problems
    assert (problem.key, problem.problem) == (key, said)


def test_frames_of_a_usual_scenario_differ() -> None:
    """A camera beside the wheels, an IMU on each of two rovers."""
    load_scenario(
        'two_rovers',
        [f'vehicles.{name}.sensors={{imu: {IMU}, mast: {{model: navcam}}}}' for name in ('amber', 'basalt')],
    )


@pytest.mark.parametrize('line', ['/rover/left/image_raw|sensor_msgs/msg/Image', '/rover/left/image_raw'])
def test_recorded_topic_of_a_sensor_is_pointed_to_recording_sensors(line: str) -> None:
    with pytest.raises(InputError, match=r'recording\.topics\.0 = .*recording\.sensors'):
        load_scenario('traverse_polar', [f'recording.topics=["{line}"]'])
    load_scenario('traverse_polar', ['recording.sensors=["/rover/left/image_raw"]'])


@pytest.mark.parametrize(
    'driver',
    [{'type': 'constant', 'speed_mps': 0.3}, {'type': 'path', 'speed_mps': 0.3, 'waypoints': [[0, 0], [1, 0]]}],
)
def test_driver_of_a_vehicle_without_a_drive_is_refused(tmp_path: Path, driver: dict[str, Any]) -> None:
    file = tmp_path / 'site.yaml'
    file.write_text(
        yaml.safe_dump({'vehicles': {'base': {'model': 'lander', 'position': [0.0, 0.0], 'driver': driver}}})
    )
    with pytest.raises(
        InputError, match=rf'vehicles\.base\.driver\.type = .*{driver["type"]}.*: is for vehicles with a drive'
    ):
        load_scenario(file)


@pytest.mark.parametrize(
    ('setting', 'key', 'said'),
    [
        (
            'vehicles.amber.faults=[{of: wheel/front, kind: free, time_s: 1.0}]',
            'vehicles.amber.faults.0.of',
            'wheel/front_left',
        ),
        (
            'vehicles.amber={model: hmmwv, position: [9.0, 9.0], faults: [{of: wheel/front_left, kind: free, time_s: 1.0}]}',
            'vehicles.amber.faults.0.of',
            '(nothing)',
        ),
        ('vehicles.amber={model: hmmwv, position: [9.0, 9.0], traction: {}}', 'vehicles.amber.traction', 'absent'),
    ],
)
def test_faults_and_traction_of_devices_that_do_not_exist_are_refused(setting: str, key: str, said: str) -> None:
    problem = refused(setting)
    assert problem.key == key and said in problem.allowed
