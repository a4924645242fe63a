# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of Nav2's parameters: topics and frames exist in a run of ``traverse_polar`` with the stack's node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from regolith_bringup import load_scenario, recorded_topics
from regolith_sensors import scenario_sensors
from regolith_vehicles import load_vehicle_model

PACKAGE = Path(__file__).resolve().parents[1]
STACK = {
    '/rover/stack/hazards': 'nav_msgs/msg/OccupancyGrid',
    '/rover/stack/path': 'nav_msgs/msg/Path',
    '/rover/stack/reached': 'geometry_msgs/msg/PoseStamped',
}
"""Topics of the stack's node except commands and a transform (``test_autonomy_stack.py`` checks a running node)."""
KINDS = {
    'odom_topic': 'nav_msgs/msg/Odometry',
    'map_topic': 'nav_msgs/msg/OccupancyGrid',
    'pointcloud': 'sensor_msgs/msg/PointCloud2',
}
OWN = {'local_costmap/costmap_raw', 'global_costmap/costmap_raw', 'cmd_vel_smoothed', 'collision_monitor_state'}
"""Topics between Nav2's own nodes, and topics of each costmap server."""


def parameters() -> dict[str, Any]:
    """Return Nav2's parameters by node."""
    return yaml.safe_load((PACKAGE / 'config' / 'nav2.yaml').read_text(encoding='utf-8'))


def leaves(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield all values with the keys that lead to them."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, (*path, key))
    else:
        yield path, tree


@pytest.fixture(scope='module')
def scenario() -> Any:
    return load_scenario('traverse_polar', ['vehicles.rover.driver={type: external}']).scenario


@pytest.fixture(scope='module')
def topics(scenario: Any) -> dict[str, str]:
    """Return the types of the topics of the run and of the stack's node."""
    sensors = {name: output.message for sensor in scenario_sensors(scenario) for name, output in sensor.topics}
    return {t.name: t.type_name for t in recorded_topics(scenario.vehicles)} | sensors | STACK


@pytest.fixture(scope='module')
def frames(scenario: Any) -> set[str]:
    """Return all frames of the rover, and the stack's map."""
    config, _ = load_vehicle_model(scenario.vehicles['rover'].model)
    sensed = {sensor.frame(frame.suffix) for sensor in scenario_sensors(scenario) for frame in sensor.frames}
    return {'map', f'rover/{config.frames.base}', f'rover/{config.frames.odom}', *sensed}


def test_topics_are_published_and_of_the_type_that_nav2_expects(topics: dict[str, str]) -> None:
    looked_at = 0
    for path, value in leaves(parameters()):
        if path[-1].endswith('topic') and value not in OWN and not path[-1].startswith('cmd_vel'):
            kind = KINDS.get(path[-1])
            if path[-1] == 'topic':
                source = parameters()
                for key in path[:-1]:
                    source = source[key]
                kind = KINDS[source['type']]
            assert topics.get(value) == kind, path
            looked_at += 1
    assert looked_at >= 6


def test_frames_exist(frames: set[str]) -> None:
    named = [(path, value) for path, value in leaves(parameters()) if path[-1].endswith(('_frame', '_frame_id'))]
    assert len(named) >= 9
    assert [(path, value) for path, value in named if value not in frames] == []


def test_commands_end_at_the_rover(topics: dict[str, str]) -> None:
    """The last of the chain publishes cmd_vel in the rover's namespace, without a stamp, as Nav2 does on Jazzy."""
    monitor = parameters()['/rover/collision_monitor']['ros__parameters']
    assert topics[f'/rover/{monitor["cmd_vel_out_topic"]}'] == 'geometry_msgs/msg/Twist'
    assert monitor['cmd_vel_in_topic'] == 'cmd_vel_smoothed', 'what the smoother publishes'
    assert not any('stamped' in path[-1] and value for path, value in leaves(parameters()))


def test_all_layers_and_plugins_have_sections() -> None:
    """Every name in a list of plugins or sources has a section, and every section of a costmap is in the list."""
    for node, content in parameters().items():
        values = content['ros__parameters']
        for key, names in values.items():
            if key.endswith('plugins') or key in ('observation_sources', 'polygons'):
                assert [name for name in names if name not in values] == [], (node, key)
        if 'costmap' in node:
            layers = {key for key, value in values.items() if isinstance(value, dict) and 'plugin' in value}
            assert layers == set(values['plugins'])


def test_nav2_limits_are_within_rover_limits(scenario: Any) -> None:
    """Turning radius and speeds are within those of the model."""
    from regolith_vehicles import compile_vehicle

    config, mjcf = load_vehicle_model(scenario.vehicles['rover'].model)
    layout = compile_vehicle(config, mjcf, (0.0, 0.0, 0.0)).layout
    p = {name: content['ros__parameters'] for name, content in parameters().items()}
    tightest = 1.0 / layout.max_curvature()
    assert p['/rover/planner_server']['GridBased']['minimum_turning_radius'] >= tightest
    assert p['/rover/velocity_smoother']['max_velocity'][0] <= layout.top_speed
    assert p['/rover/controller_server']['FollowPath']['regulated_linear_scaling_min_radius'] >= tightest


def test_parameter_file_is_valid_for_ros() -> None:
    """The parser of parameter files supports no anchors, and only lists of one type."""
    text = (PACKAGE / 'config' / 'nav2.yaml').read_text(encoding='utf-8')
    assert '&' not in text and ': *' not in text
    for path, value in leaves(parameters()):
        assert not isinstance(value, list) or len({type(v) for v in value}) == 1, path
