# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The plan, and the launch files that start it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regolith_bringup.bag.topics import RecordedTopic, recorded_topics
from regolith_bringup.run.node_plan import NodeSpec, node_specs, parse_remote_nodes
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError

LAUNCH = Path(__file__).resolve().parents[1] / 'launch'


def the_plan(processes: str = 'many', *overrides: str) -> list[NodeSpec]:
    scenario = load_scenario('two_rovers', overrides).scenario
    return node_specs(scenario, '/runs/1/scenario.yaml', '/runs/1', processes)  # type: ignore[arg-type]


def test_many_processes() -> None:
    specs = the_plan()
    assert [(s.package, s.executable, s.namespace, s.name) for s in specs] == [
        ('regolith_bringup', 'recorder_node', 'regolith', 'recorder'),
        ('regolith_world', 'world_node', 'regolith', 'world'),
        ('regolith_terrain', 'terrain_node', 'regolith', 'terrain'),
        ('regolith_vehicles', 'vehicle_node', 'amber', 'agent'),
        ('regolith_vehicles', 'vehicle_node', 'basalt', 'agent'),
    ]
    assert len({s.label for s in specs}) == len(specs)
    assert specs[3].parameters['vehicles'] == ['amber']
    assert all(s.parameters['use_sim_time'] is False for s in specs)


def test_one_process_keeps_the_recorder_apart() -> None:
    assert [s.executable for s in the_plan('one')] == ['recorder_node', 'single_process_node']
    assert [s.executable for s in the_plan('one', 'recording.enabled=false')] == ['single_process_node']


def test_a_failed_participant_is_started_again_only_where_it_may_rejoin() -> None:
    assert not any(s.respawn for s in the_plan())
    again = the_plan('many', 'world.on_failure=wait')
    assert [s.label for s in again if s.respawn] == [
        'regolith/recorder',
        'regolith/terrain',
        'amber/agent',
        'basalt/agent',
    ]
    scenario = load_scenario('convoy', ['world.on_failure=wait']).scenario
    shared = node_specs(scenario, '/runs/1/scenario.yaml', '/runs/1', 2)
    assert [s.label for s in shared if not s.respawn] == ['regolith/world']
    assert [s.executable for s in shared if s.respawn].count('vehicle_node') == 2


def test_remote_nodes_are_not_started_locally() -> None:
    scenario = load_scenario('two_rovers').scenario
    specs = node_specs(scenario, '/runs/1/scenario.yaml', '/runs/1', remote_nodes=('basalt', 'terrain'))
    assert [s.public_name for s in specs] == ['recorder', 'world', 'amber']
    assert specs[1].parameters['remote_nodes'] == ['basalt', 'terrain']
    assert the_plan()[1].parameters['remote_nodes'] == ['']


@pytest.mark.parametrize('name', ['world', 'recorder', 'sensors', 'nobody', "' -- \n\t'", 'fleet_0'])
def test_only_awaited_participants_can_be_remote(name: str) -> None:
    scenario = load_scenario('two_rovers').scenario
    with pytest.raises(InputError) as caught:
        parse_remote_nodes(f'basalt,{name}', scenario, 'many')
    said = str(caught.value)
    assert '\n' not in said and said.startswith('--remote: ') and 'allowed: terrain, amber, basalt' in said
    with pytest.raises(InputError, match='allowed: '):
        parse_remote_nodes('basalt', scenario, 'one')
    assert parse_remote_nodes(' basalt, terrain,,basalt', scenario, 2) == ('basalt', 'terrain')


def test_with_vehicles_elsewhere_auto_is_never_one_process() -> None:
    scenario = load_scenario('two_rovers').scenario
    assert parse_remote_nodes('basalt', scenario, 'auto') == ('basalt',)
    specs = node_specs(scenario, '/runs/1/scenario.yaml', '/runs/1', 'auto', remote_nodes=('basalt',))
    assert [s.public_name for s in specs] == ['recorder', 'world', 'terrain', 'amber']


def test_vehicles_elsewhere_share_no_process_with_those_here() -> None:
    vehicles = [f'vehicles.v{k}={{model: viper, position: [{4 * k}, 9]}}' for k in range(4)]
    scenario = load_scenario('two_rovers', vehicles).scenario
    specs = node_specs(scenario, '/runs/1/scenario.yaml', '/runs/1', 2, remote_nodes=('v0', 'v3'))
    assert {s.label: s.parameters['vehicles'] for s in specs if 'vehicles' in s.parameters} == {
        'regolith/fleet_0': ['amber', 'v1'],
        'regolith/fleet_1': ['basalt', 'v2'],
    }


def test_command_line_keeps_types() -> None:
    spec = NodeSpec('p', 'e_node', 'n', 'ns', {'a': 1.0, 'b': True, 'c': 'yes', 'd': ['x|y']})
    assert spec.arguments() == [
        '--ros-args',
        '-r',
        '__node:=n',
        '-r',
        '__ns:=/ns',
        '-p',
        'a:=1.0',
        '-p',
        'b:=true',
        '-p',
        'c:="yes"',
        '-p',
        'd:=["x|y"]',
    ]


def test_everything_of_the_contract_is_recorded() -> None:
    topics = {t.name: t for t in recorded_topics(['amber'], ['/extra|std_msgs/msg/String|sensor'])}
    for name in (
        '/clock',
        '/regolith/cycle',
        '/regolith/cycle_result',
        '/regolith/terrain/delta',
        '/regolith/terrain/committed',
        '/regolith/status',
        '/diagnostics',
        '/tf',
        '/tf_static',
        '/amber/wheeled_description',
        '/amber/wheeled_state',
        '/amber/wheel_states',
        '/amber/odom',
        '/amber/ground_truth/odom',
        '/amber/joint_states',
        '/amber/cmd_vel',
    ):
        assert name in topics
    assert topics['/extra'].qos == 'sensor'
    assert topics['/amber/wheeled_description'].qos == 'latched'
    assert all(RecordedTopic.parse(t.line()) == t for t in topics.values())


def test_topics_that_a_vehicle_does_not_publish_are_not_recorded() -> None:
    """The recorder would wait for the wheels of a lander. The sensors would wait for them too."""
    sensors = {'eye': {'model': 'navcam', 'outputs': ['image', 'wheel_labels']}}
    settings = [f'vehicles.rover.sensors={json.dumps(sensors)}', 'comms=null']
    specs = node_specs(load_scenario('lander_site', settings).scenario, '/runs/1/scenario.yaml', '/runs/1', 'many')
    lines = next(spec.parameters['topics'] for spec in specs if spec.name == 'recorder')
    assert isinstance(lines, list)
    names = {RecordedTopic.parse(line).name for line in lines}
    topics = ('odom', 'wheel_states', 'wheeled_state', 'wheeled_description')
    assert names >= {f'/rover/{topic}' for topic in topics} | {'/lander/ground_truth/odom'}
    assert not names & {f'/lander/{topic}' for topic in topics}
    streams = [spec.parameters['lossless_streams'] for spec in specs if 'lossless_streams' in spec.parameters]
    assert streams == [['lander/state'], ['rover/state', 'rover/wheels']]


def test_launch_files_start_the_plan(tmp_path: Path) -> None:
    pytest.importorskip('launch.actions', reason='ROS 2 from pip has no launch package')
    launch = pytest.importorskip('launch')
    pytest.importorskip('launch_ros', reason='ROS 2 from pip has no launch_ros package')
    from launch.launch_description_sources import get_launch_description_from_python_launch_file
    from launch_ros.actions import Node

    description = get_launch_description_from_python_launch_file(str(LAUNCH / 'two_rovers.launch.py'))
    context = launch.LaunchContext()
    context.launch_configurations['out'] = str(tmp_path / 'run')
    started = []
    for entity in description.entities:
        started += [action for action in entity.visit(context) or [] if isinstance(action, Node)]
    scenario = load_scenario('two_rovers').scenario
    specs = node_specs(scenario, tmp_path / 'run' / 'scenario.yaml', tmp_path / 'run')
    assert len(started) == len(specs)
    for action, spec in zip(started, specs, strict=True):
        action._perform_substitutions(context)
        assert (action.node_package, action.node_executable) == (spec.package, spec.executable)
        assert action.node_name.strip('/') == f'{spec.namespace}/{spec.name}'


def test_launch_arguments_give_the_same_plan_as_the_command_line(tmp_path: Path) -> None:
    from regolith_bringup.run.launch_adapter import prepared

    out = tmp_path / 'run'
    run = prepared({'scenario': 'two_rovers', 'out': str(out), 'duration': '4', 'set': 'terrain.soil=chrono_lunar'})
    scenario = load_scenario('two_rovers', ['terrain.soil=chrono_lunar'], duration_s=4.0).scenario
    number = run.specs[0].parameters['run_id']
    assert number
    assert run.specs == node_specs(scenario, out / 'scenario.yaml', out, run=int(number))  # type: ignore[arg-type]
    assert load_scenario(out / 'scenario.yaml').scenario == scenario
    assert json.dumps([s.arguments() for s in run.specs])
