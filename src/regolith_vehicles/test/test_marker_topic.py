# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the marker topic of running gear parts."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from visualization_msgs.msg import Marker, MarkerArray

from regolith_vehicles.ros.marker_topic import MarkerTopic
from regolith_vehicles.visuals.visual_description import (
    BodyVisuals,
    MovingPart,
    PartRole,
    TriangleMesh,
    Visual,
    VisualMaterial,
)
from regolith_world.numerics.rotation import from_rotation_vector, matrix, product, products
from regolith_world.ros import qos

pytestmark = pytest.mark.ros

UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
TIN = VisualMaterial('tin', (0.0, 0.25, 1.0))
PLATE = Visual(
    'box', (0.1, 0.2, 0.3), None, TIN, np.array([0.0, 0.5, 0.0]), from_rotation_vector(np.array([0.3, 0.0, 0.0]))
)
PIN = Visual('cylinder', (0.02, 0.4))
HORN = Visual(mesh=TriangleMesh('horn', np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], dtype=np.uint32)))


@pytest.fixture
def node() -> Iterator[Node]:
    context = Context()
    rclpy.init(context=context, domain_id=88)
    yield Node('agent', namespace='tank', context=context)
    context.try_shutdown()


def looks(*drawn: tuple[Visual, ...]) -> BodyVisuals:
    """Return the visuals of a hull and a wheel (bodies) and of shoes."""
    parts = [MovingPart('hull', '', PartRole.BODY, (PLATE,)), MovingPart('wheel', 'hull', PartRole.ROAD_WHEEL, (PIN,))]
    parts += [MovingPart(f'shoe_{k}', '', PartRole.TRACK_SHOE, visuals) for k, visuals in enumerate(drawn)]
    return BodyVisuals(tuple(parts), np.array([1, 2]))


def test_markers_have_world_poses_and_rate(node: Node) -> None:
    topic = MarkerTopic(node, 'tank', looks((PLATE, PIN), (HORN,)), 'tank/base_link')
    heard: list[MarkerArray] = []
    poses = np.zeros((4, 7))
    poses[:, :3] = np.arange(12.0).reshape(4, 3)
    poses[:, 3:] = [from_rotation_vector(np.array([0.2 * k, 0.7, -0.3])) for k in range(4)]
    assert not topic.wanted
    topic.publish(SimpleNamespace(t_ns=0, poses=poses))  # type: ignore[arg-type]  no subscriber
    node.create_subscription(MarkerArray, 'markers', heard.append, qos.STATE)
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    for _ in range(200):
        executor.spin_once(timeout_sec=0.02)
        if topic.wanted:
            break
    for cycle in range(11):
        topic.publish(SimpleNamespace(t_ns=2_000_000_000 + cycle * 20_000_000, poses=poses))  # type: ignore[arg-type]
    for _ in range(200):
        executor.spin_once(timeout_sec=0.02)
        if len(heard) == 3:
            break
    assert [(a.markers[0].header.stamp.sec, a.markers[0].header.stamp.nanosec) for a in heard] == [
        (2, 0),
        (2, 100_000_000),
        (2, 200_000_000),
    ]
    plate, pin, horn = heard[0].markers
    assert {marker.header.frame_id for marker in heard[0].markers} == {'tank/base_link'}
    assert [marker.id for marker in heard[0].markers] == [0, 1, 2] and all(m.frame_locked for m in heard[0].markers)
    assert [plate.type, pin.type, horn.type] == [Marker.CUBE, Marker.CYLINDER, Marker.TRIANGLE_LIST]
    assert (plate.scale.x, plate.scale.y, plate.scale.z) == (0.2, 0.4, 0.6) and (pin.scale.x, pin.scale.z) == (
        0.04,
        0.8,
    )
    assert [(p.x, p.y, p.z) for p in horn.points] == [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    assert (plate.color.r, plate.color.b, plate.color.a) == (0.0, 1.0, 1.0) and 0.5 < plate.color.g < 0.6
    # The base pose and then the marker pose: position of the part and of the shape in it.
    home, turned = poses[0, :3], poses[0, 3:]
    for marker, row, visual in ((plate, 2, PLATE), (pin, 2, PIN), (horn, 3, HORN)):
        p, q = marker.pose.position, marker.pose.orientation
        place = home + matrix(turned) @ np.array([p.x, p.y, p.z])
        np.testing.assert_allclose(place, poses[row, :3] + matrix(poses[row, 3:]) @ visual.position, atol=1e-12)
        expected = matrix(poses[row, 3:]) @ matrix(visual.orientation)
        np.testing.assert_allclose(matrix(turned) @ matrix(np.array([q.x, q.y, q.z, q.w])), expected, atol=1e-12)


def test_vehicle_with_frames_for_all_parts_has_no_marker_topic(node: Node) -> None:
    topic = MarkerTopic(node, 'rover', looks(), 'base_link')
    assert topic.publisher is None and not topic.wanted and not node.has_parameter('marker_rate_hz')
    topic.publish(SimpleNamespace(t_ns=0, poses=np.zeros((2, 7))))  # type: ignore[arg-type]


def test_quaternion_products_of_arrays_equal_single_products() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((2, 5, 4))
    np.testing.assert_allclose(products(a, b), [product(x, y) for x, y in zip(a, b, strict=True)])
