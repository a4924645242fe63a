# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of messages from and to YAML, as ``./regolith topic pub`` and its like take them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

pytest.importorskip('rclpy', reason='ROS 2 is not in this environment')

from regolith_bringup.run.ros_values import LONGEST, as_yaml, filled, interface
from regolith_files.problems import InputError


def made(kind: str, text: str) -> Any:
    return filled(interface(kind, 'msg', 'topic pub')(), text, 'topic pub')


@pytest.mark.parametrize(
    ('kind', 'values'),
    [
        ('geometry_msgs/msg/Twist', {'linear': {'x': 1, 'y': 0.25}, 'angular': {'z': -0.5}}),
        ('sensor_msgs/JointState', {'name': ['a', 'b'], 'position': [1, 2.5], 'header': {'frame_id': 'x'}}),
        ('nav_msgs/msg/Odometry', {'pose': {'covariance': [0.5] * 36}, 'child_frame_id': 'base'}),
        ('tf2_msgs/msg/TFMessage', {'transforms': [{'child_frame_id': 'a', 'transform': {'translation': {'x': 2}}}]}),
        ('std_msgs/msg/UInt8MultiArray', {'data': [0, 255]}),
        ('std_msgs/msg/Byte', {'data': 7}),
        ('std_msgs/msg/String', {'data': '12'}),
        ('std_msgs/msg/Bool', {'data': True}),
    ],
)
def test_values_come_out_as_they_went_in(kind: str, values: dict[str, Any]) -> None:
    def within(part: Any, whole: Any) -> bool:
        if isinstance(part, dict):
            return all(within(value, whole[key]) for key, value in part.items())
        if isinstance(part, list):
            return len(part) == len(whole) and all(map(within, part, whole))
        return bool(part == whole)

    assert within(values, yaml.safe_load(as_yaml(made(kind, yaml.safe_dump(values)))))


@pytest.mark.parametrize(
    ('kind', 'text', 'said'),
    [
        ('geometry_msgs/msg/Twist', '{liner: {x: 1}}', 'topic pub: liner = .*: is not a field; allowed: .*linear'),
        (
            'geometry_msgs/msg/Twist',
            '{linear: {x: fast}}',
            "linear.x = 'fast': does not fit; allowed: a value of type double",
        ),
        ('geometry_msgs/msg/Twist', '{linear: 3}', 'linear = 3: does not fit'),
        (
            'geometry_msgs/msg/Twist',
            '{linear: {x: true}}',
            'linear.x = true: does not fit; allowed: a value of type double',
        ),
        ('std_msgs/msg/UInt8', '{data: true}', 'data = true: does not fit; allowed: a value of type uint8'),
        ('geometry_msgs/msg/Twist', '[1, 2]', 'is not a mapping'),
        ('geometry_msgs/msg/Twist', '{linear: {', 'is not YAML'),
        ('Twist', '{}', 'is not installed; allowed: geometry_msgs/msg/Twist'),
        ('sensor_msgs/msg/Twist', '{}', 'is not installed; allowed: geometry_msgs/msg/Twist'),
        ('std_msgs/msg/UInt8', '{data: 256}', 'data = 256: does not fit; allowed: a value of type uint8'),
        ('std_msgs/msg/UInt8', '{data: 1.5}', 'data = 1.5: does not fit'),
        ('std_msgs/msg/Bool', '{data: 1}', 'data = 1'),
        ('nav_msgs/msg/Odometry', '{pose: {covariance: [1, 2]}}', r'pose.covariance = \[1, 2\]: does not fit'),
        ('nosuch_msgs/msg/X', '', 'type = .nosuch_msgs/msg/X.: is not installed'),
        ('std_msgs/srv/X', '', 'is not installed'),
        ('os/system', '', 'is not installed'),
        ('std_msgs/msg/__doc__', '', 'is not installed'),
    ],
)
def test_wrong_value_is_named(kind: str, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        made(kind, text)


def test_long_lists_are_cut() -> None:
    shown = yaml.safe_load(as_yaml(made('std_msgs/msg/UInt8MultiArray', f'{{data: {[1] * 500}}}')))
    assert shown['data'] == [1] * LONGEST + ['...']
    whole = yaml.safe_load(as_yaml(made('std_msgs/msg/UInt8MultiArray', f'{{data: {[1] * LONGEST}}}')))
    assert whole['data'] == [1] * LONGEST
