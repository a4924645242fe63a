# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the soil surfel topic: point cloud fields and subscribers."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import PointCloud2

from regolith_terrain.contact.surfel_messages import SURFEL_FIELDS, surfels_record
from regolith_terrain.contact.surfels import Surfels
from regolith_vehicles.ros.surfel_topic import SurfelTopic, surfels_message
from regolith_world.ros import qos

pytestmark = pytest.mark.ros


@pytest.fixture
def context() -> Iterator[Context]:
    made = Context()
    rclpy.init(context=made, domain_id=87)
    yield made
    made.try_shutdown()


def agent(discs: Surfels | None) -> Any:
    return SimpleNamespace(vehicle=SimpleNamespace(contact=SimpleNamespace(surfels=lambda: discs)))


def some(count: int) -> Surfels:
    """Return surfels with values that are exact in single precision."""
    numbers = np.arange(13.0 * count).reshape(count, 13) / 8.0
    return Surfels(numbers[:, :3], numbers[:, 3:6], numbers[:, 6], numbers[:, 7:])


@pytest.mark.parametrize('count', [0, 3])
def test_point_cloud_contains_the_surfels(count: int) -> None:
    """World frame, field names of RViz for positions and normals; the round trip is bit-identical."""
    message = surfels_message(2_500_000_000, some(count))
    assert (message.header.frame_id, message.width, message.height) == ('world', count, 1)
    assert [field.name for field in message.fields][:6] == ['x', 'y', 'z', 'normal_x', 'normal_y', 'normal_z']
    assert [field.offset for field in message.fields] == [4 * k for k in range(len(SURFEL_FIELDS))]
    assert len(message.data) == message.row_step == 52 * count
    t_ns, discs = surfels_record(message)
    assert t_ns == 2_500_000_000
    assert all(np.array_equal(a, b) and a.shape == b.shape for a, b in zip(discs, some(count), strict=True))


def test_other_point_cloud_is_refused() -> None:
    with pytest.raises(
        ValueError, match='point_step = 12: does not match the fields of surfels; allowed: 52, x, y, z, normal_x'
    ):
        surfels_record(PointCloud2(point_step=12))


def test_surfels_are_published_to_subscribers_only(context: Context) -> None:
    node = Node('agent', namespace='amber', context=context)
    hard = SurfelTopic(node, agent(None))
    assert hard.publisher is None and not hard.wanted
    topic = SurfelTopic(node, agent(Surfels.none()))
    assert not topic.wanted
    heard: list[Any] = []
    node.create_subscription(PointCloud2, 'soil_surfels', heard.append, qos.STATE)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    for _ in range(200):
        if topic.wanted:
            break
        executor.spin_once(timeout_sec=0.02)
    topic.publish(SimpleNamespace(t_ns=0, discs=None))  # type: ignore[arg-type]  no subscriber in that cycle
    topic.publish(SimpleNamespace(t_ns=20_000_000, discs=some(2)))  # type: ignore[arg-type]
    for _ in range(200):
        if heard:
            break
        executor.spin_once(timeout_sec=0.02)
    (message,) = heard
    assert surfels_record(message)[0] == 20_000_000
