# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fields of many messages as arrays are what each message has, whatever lies before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

from regolith_bringup.bag.columns import columns, joined, tables

STORE = get_typestore(Stores.ROS2_JAZZY)
KINDS = STORE.types
X, STAMP = 'transforms.transform.translation.x', 'transforms.header.stamp.sec'
RNG = np.random.default_rng(5)


def header(frame: str) -> Any:
    time = KINDS['builtin_interfaces/msg/Time'](int(RNG.integers(1000)), int(RNG.integers(10**9)))
    return KINDS['std_msgs/msg/Header'](time, frame)


def vector(kind: str = 'Vector3') -> Any:
    return KINDS[f'geometry_msgs/msg/{kind}'](*RNG.normal(size=4 if kind == 'Quaternion' else 3))


def odometry(number: int) -> Any:
    pose = KINDS['geometry_msgs/msg/Pose'](vector('Point'), vector('Quaternion'))
    twist = KINDS['geometry_msgs/msg/Twist'](vector(), vector())
    covariance = RNG.normal(size=36)
    return KINDS['nav_msgs/msg/Odometry'](
        header('o' * (number % 3)),
        'base_link',
        KINDS['geometry_msgs/msg/PoseWithCovariance'](pose, covariance),
        KINDS['geometry_msgs/msg/TwistWithCovariance'](twist, covariance),
    )


def joints(number: int) -> Any:
    names = [f'wheel_{k}' * (1 + number % 2) for k in range(4)]
    return KINDS['sensor_msgs/msg/JointState'](
        header('base'), names, RNG.normal(size=4), RNG.normal(size=4), np.zeros(0)
    )


def transforms(number: int) -> Any:
    each = [
        KINDS['geometry_msgs/msg/TransformStamped'](
            header('map'), 'x' * k, KINDS['geometry_msgs/msg/Transform'](vector(), vector('Quaternion'))
        )
        for k in range(1, 4)
    ]
    return KINDS['tf2_msgs/msg/TFMessage'](each)


def field_of(message: Any, path: str) -> list[float]:
    """Return the numbers of a path, the slow way."""
    parts = [message]
    for name in path.split('.'):
        parts = [getattr(part, name) for part in parts]
        parts = [one for part in parts for one in (part if isinstance(part, (list, np.ndarray)) else [part])]
    return parts


@pytest.mark.parametrize(
    ('make', 'type_name', 'paths'),
    [
        (
            odometry,
            'nav_msgs/msg/Odometry',
            ('header.stamp.nanosec', 'pose.pose.orientation.w', 'twist.twist.linear.x', 'twist.covariance'),
        ),
        (joints, 'sensor_msgs/msg/JointState', ('header.stamp.sec', 'position', 'velocity')),
        (transforms, 'tf2_msgs/msg/TFMessage', ('transforms.header.stamp.sec', 'transforms.transform.translation.z')),
    ],
)
def test_columns_are_the_fields(make: Callable[[int], Any], type_name: str, paths: tuple[str, ...]) -> None:
    messages = [make(number) for number in range(7)]
    data = [bytes(STORE.serialize_cdr(message, type_name)) for message in messages]
    found = tables(columns(data, type_name, STORE.fielddefs, paths))
    for path in paths:
        np.testing.assert_array_equal(found[path].reshape(7, -1), [field_of(m, path) for m in messages])
        assert found[path].ndim == (1 if len(field_of(messages[0], path)) == 1 else 2)


def test_sequences_that_hold_nothing_have_no_columns() -> None:
    nothing = {
        'sensor_msgs/msg/JointState': (joints(0), 'effort'),
        'tf2_msgs/msg/TFMessage': (KINDS['tf2_msgs/msg/TFMessage']([]), 'transforms.transform.rotation.w'),
    }
    for name, (message, path) in nothing.items():
        data = [bytes(STORE.serialize_cdr(message, name))] * 2
        assert tables(columns(data, name, STORE.fielddefs, (path,)))[path].shape == (2, 0)


def test_messages_may_have_unequal_numbers() -> None:
    name = 'tf2_msgs/msg/TFMessage'
    messages = [KINDS[name](transforms(0).transforms[:count]) for count in (2, 0, 3, 1)]
    found = columns([bytes(STORE.serialize_cdr(m, name)) for m in messages], name, STORE.fielddefs, (X, STAMP))
    for path in (X, STAMP):
        column = found[path]
        assert column.counts.tolist() == [2, 0, 3, 1]
        for message, first, count in zip(messages, column.first, column.counts, strict=True):
            assert column.stored[first : first + count].tolist() == field_of(message, path)


def test_what_is_not_there_is_refused() -> None:
    name = 'sensor_msgs/msg/JointState'
    data = [bytes(STORE.serialize_cdr(joints(0), name))]
    with pytest.raises(ValueError, match=r"no numbers in 'speed'; allowed: effort, header\.stamp\.nanosec"):
        columns(data, name, STORE.fielddefs, ('speed',))
    for length in range(4, len(data[0]) - 4):  # the last is the length of a sequence without numbers
        with pytest.raises(ValueError, match='a message ends before'):
            columns([*data, data[0][:length]], name, STORE.fielddefs, ('effort',))


def test_tables_need_as_many_numbers_of_each_message() -> None:
    name = 'sensor_msgs/msg/JointState'
    fewer = joints(0)
    fewer.position = np.zeros(2)
    data = [bytes(STORE.serialize_cdr(message, name)) for message in (joints(0), fewer)]
    with pytest.raises(ValueError, match='position: one message has 4 values, another 2'):
        tables(columns(data, name, STORE.fielddefs, ('position',)))
    parts = [tables(columns([each], name, STORE.fielddefs, ('position',))) for each in data]
    with pytest.raises(ValueError, match='position: one message has 4 values, another 2'):
        joined(parts)
    assert joined([parts[0], parts[0]])['position'].shape == (2, 4)
    assert joined([]) == {}
