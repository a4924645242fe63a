# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of message templates: bytes written in place equal those of the message when read."""

from __future__ import annotations

import struct

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs a ROS 2 environment')

from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from regolith_world.ros.cdr import Writer
from regolith_world.ros.message_template import MessageTemplate, pose_fields, xyz_fields


def test_filled_bytes_equal_the_serialized_message():
    message = Odometry(child_frame_id='amber/base_link')
    message.header.frame_id = 'odom'
    template = MessageTemplate(
        message, [*pose_fields(message.pose.pose), *xyz_fields(message.twist.twist.linear)], [message.header.stamp]
    )
    values = np.linspace(-1.0, 2.0, 10)
    expected = Odometry(child_frame_id='amber/base_link')
    expected.header.frame_id = 'odom'
    expected.header.stamp.sec, expected.header.stamp.nanosec = 12, 340_000_000
    p, q, v = expected.pose.pose.position, expected.pose.pose.orientation, expected.twist.twist.linear
    p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z = values.tolist()
    filled = template.fill(12_340_000_000, values)
    # Not byte by byte, because padding between a string and the next number is undefined.
    assert deserialize_message(filled, Odometry) == expected
    assert len(filled) == len(serialize_message(expected))


def test_arrays_of_numbers_are_fields_too():
    message = JointState(name=['a', 'bcd'], position=[0.0, 0.0], velocity=[0.0, 0.0], effort=[0.0, 0.0])
    numbers = [(message, name) for name in ('position', 'velocity', 'effort')]
    template = MessageTemplate(message, numbers, [message.header.stamp])
    back = deserialize_message(template.fill(5, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), JointState)
    assert list(back.effort) == [5.0, 6.0]
    assert list(back.position) == [1.0, 2.0] and list(back.velocity) == [3.0, 4.0]
    assert back.name == ['a', 'bcd'] and back.header.stamp.nanosec == 5


def test_a_message_without_numbers_has_its_stamp():
    """A vehicle without joints has joint states, too."""
    message = JointState()
    numbers = [(message, name) for name in ('position', 'velocity', 'effort')]
    filled = MessageTemplate(message, numbers, [message.header.stamp]).fill(7_000_000_005, [])
    back = deserialize_message(filled, JointState)
    assert (back.header.stamp.sec, back.header.stamp.nanosec, len(back.position)) == (7, 5, 0)


@pytest.mark.parametrize('length', range(1, 9))
def test_bytes_end_with_the_message(length: int) -> None:
    """rclpy adds up to eight bytes behind a message with an empty array; strict readers of bags refuse them."""
    message = JointState(name=['y' * length], position=[0.0])
    filled = MessageTemplate(message, [(message, 'position')], [message.header.stamp]).fill(5, [2.0])
    exact = Writer()
    exact.pack(struct.Struct('<iI'), 4, 0, 5)
    exact.text('')
    exact.texts(message.name)
    for values in ([2.0], [], []):
        exact.numbers(np.array(values), np.dtype('<f8'))
    assert len(filled) == len(exact.data)
    assert deserialize_message(filled, JointState).position.tolist() == [2.0]


def test_field_outside_the_message_is_an_error():
    class Aside:
        x = 1.0

    with pytest.raises(ValueError, match='cannot be identified'):
        MessageTemplate(JointState(), [(Aside(), 'x')])
