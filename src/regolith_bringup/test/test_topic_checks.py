# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the keys of scenarios that name topics or participants."""

from __future__ import annotations

import pytest

from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.topic_checks import topics_of_model
from regolith_files.problems import InputError, Problem


def refused(*settings: str) -> Problem:
    with pytest.raises(InputError) as caught:
        load_scenario('two_rovers', settings)
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize(
    ('model', 'topics'),
    [
        ('viper', ('cmd_vel', 'ackermann_cmd')),
        ('rassor', ('cmd_vel', 'ackermann_cmd', 'joint_command')),
        ('hmmwv', ('cmd_vel', 'ackermann_cmd', 'driver_inputs')),
        ('m113', ('cmd_vel', 'driver_inputs')),
    ],
)
def test_command_topics_are_those_of_the_running_gear(model: str, topics: tuple[str, ...]) -> None:
    assert topics_of_model(model) == topics


@pytest.mark.parametrize('topic', ['driver_inputs', 'joint_command'])
@pytest.mark.parametrize('kind', ['', ', type: regolith_msgs/msg/DriverInputs'])
def test_barrier_on_a_topic_that_the_vehicle_does_not_take_is_refused(topic: str, kind: str) -> None:
    found = refused(f'world.input_barrier={{topic: /amber/{topic}{kind}}}')
    assert (found.key, found.value) == ('world.input_barrier.topic', f"'/amber/{topic}'")
    assert found.problem == 'vehicle amber does not subscribe to it'
    listed = '/amber/cmd_vel, /amber/ackermann_cmd, /basalt/cmd_vel, /basalt/ackermann_cmd'
    assert found.allowed.partition(' (')[0] == listed


def test_barrier_without_a_type_lists_the_topics_of_all_vehicles() -> None:
    found = refused('world.input_barrier={topic: /stack/done}')
    assert found.problem == 'no vehicle subscribes to it, and type is missing'
    assert '/amber/cmd_vel' in found.allowed and '/basalt/cmd_vel' in found.allowed
    assert 'driver_inputs' not in found.allowed
    given = load_scenario('two_rovers', ['world.input_barrier={topic: /stack/done, type: std_msgs/msg/String}'])
    assert given.scenario.world.input_barrier is not None


@pytest.mark.parametrize(
    ('model', 'topic', 'kind'),
    [
        ('hmmwv', 'driver_inputs', 'regolith_msgs/msg/DriverInputs'),
        ('rassor', 'joint_command', 'sensor_msgs/msg/JointState'),
    ],
)
def test_barrier_has_the_type_of_the_command_topic(model: str, topic: str, kind: str) -> None:
    settings = [
        f'vehicles={{amber: {{model: {model}, position: [0, 0]}}}}',
        f'world.input_barrier={{topic: /amber/{topic}}}',
    ]
    barrier = load_scenario('two_rovers', settings).scenario.world.input_barrier
    assert barrier is not None and barrier.type == kind


NAV = 'vehicles.amber.sensors={nav: {model: navcam}}'


def test_hint_to_recording_sensors_only_where_a_sensor_publishes_the_topic() -> None:
    line = 'recording.topics=["/amber/nav/image_raw"]'
    bare = refused(line)
    assert bare.problem == 'is not published by a sensor, and lacks its type' and 'sensors' not in bare.allowed
    sensed = refused(line, NAV)
    assert 'recording.sensors: [/amber/nav/image_raw]' in sensed.allowed
    assert sensed.key == bare.key == 'recording.topics.0' and sensed.value == "'/amber/nav/image_raw'"


@pytest.mark.parametrize(
    ('line', 'problem'),
    [
        ('/amber/odom', 'is always recorded'),
        ('/amber/odom|std_msgs/msg/String', 'is always recorded, with another type'),
        ('odom', 'is not a topic to record'),
    ],
)
def test_recorded_topics_are_held_against_those_of_every_run(line: str, problem: str) -> None:
    assert refused(f'recording.topics=["{line}"]').problem == problem
    load_scenario('two_rovers', ['recording.topics=["/amber/odom|nav_msgs/msg/Odometry"]'])


@pytest.mark.parametrize('key', ['drop_result_at', 'max_delay_s'])
def test_faults_of_an_unknown_participant_are_refused(key: str) -> None:
    found = refused(f'world.fault_injection={{{key}: {{ambre: 1}}}}')
    assert found.key == f'world.fault_injection.{key}.ambre' and float(found.value) == 1.0
    assert 'did you mean amber?' in found.allowed
    load_scenario('two_rovers', [f'world.fault_injection={{{key}: {{terrain: 1}}}}'])


CABLE = 'objects={cable: {type: cable, between: [amber, ghost], ends: [[0, 0, 0], [0, 0, 0]]}}'
CROSSED = 'terrain.regions=[{soil: lunar_nominal, polygon: [[1, 0], [2, 1], [2, 0], [1, 1]]}]'


@pytest.mark.parametrize(
    ('setting', 'key', 'value'),
    [
        (CABLE, 'objects.cable.between.1', "'ghost'"),
        (CROSSED, 'terrain.regions.0.polygon', '[[1, 0], [2, 1], [2, 0], [1, 1]]'),
        ('world={max_step_s: 1e-5}', 'world.max_step_s', '1e-05'),
        ('terrain.profiles={line: {start: [1, 2], end: [1, 2]}}', 'terrain.profiles.line.end', '[1.0, 2.0]'),
        ('terrain={scm_mode: reference, slip_sinkage: {enabled: true}}', 'terrain.slip_sinkage.enabled', 'true'),
        ('obstacles={a: {type: mesh, position: [3, 3], size: [1, 1, 1]}}', 'obstacles.a.path', ''),
    ],
)
def test_checks_of_scenarios_name_the_key_at_fault(setting: str, key: str, value: str) -> None:
    found = refused(setting)
    assert (found.key, found.value) == (key, value), str(found)
