# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the visual topics of tracked vehicles: all message families and SynChrono's tracked pair."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from regolith_msgs import msg as m

from regolith_terrain.config import TerrainConfig
from regolith_vehicles.agent.vehicle_group import VehicleGroup
from regolith_vehicles.agent.vehicle_state import CycleMotion
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.description.model_config import VisualsConfig
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.ros.vehicle_topics import VehicleTopics
from regolith_vehicles.ros.visual_topics import VisualTopics
from regolith_vehicles.running_gear_registry import topics_without_values, unpublished_topics
from regolith_vehicles.visuals.visual_description import DrawnPart, MovingPart, PartRole, Visual, VisualDescription
from regolith_world.config import WorldConfig
from regolith_world.cycle.participant_group import ParticipantGroup
from regolith_world.ros import Inbox, qos

pytestmark = pytest.mark.ros

BOX = (Visual('box', (0.1, 0.1, 0.1), name='box'),)


@pytest.fixture
def context() -> Iterator[Context]:
    made = Context()
    rclpy.init(context=made, domain_id=87)
    yield made
    made.try_shutdown()


def tank(shoes: int = 5) -> Any:
    """Return a stand-in agent of a hull with two sprockets, two idlers, four road wheels and shoes."""
    parts = [MovingPart('hull', '', PartRole.BODY, BOX, 'base_link')]
    for role, count in ((PartRole.SPROCKET, 2), (PartRole.IDLER, 2), (PartRole.ROAD_WHEEL, 4)):
        parts += [MovingPart(f'{role.name.lower()}_{k}', 'hull', role, BOX) for k in range(count)]
    drawn = [DrawnPart(f'shoe_{k}', PartRole.TRACK_SHOE, BOX) for k in range(shoes)]
    looks = VisualDescription(tuple(parts + [MovingPart(d.name, '', d.role, d.visuals) for d in drawn]))
    visuals = VisualsConfig.model_validate({'chassis_vis_file': 'hull.obj', 'left_idler_vis_file': 'idler.obj'})
    vehicle = SimpleNamespace(gear=SimpleNamespace(rollers=()), body_state=lambda: SimpleNamespace(mass=11_000.0))
    return SimpleNamespace(
        name='tank',
        looks=looks,
        vehicle=vehicle,
        shapes=(),
        model=SimpleNamespace(visuals=visuals, thermal=None),
        mjcf_path=Path(__file__),
    )


def test_tracked_vehicle_is_published_part_by_part(context: Context) -> None:
    agent = tank()
    node = Node('agent', namespace='tank', context=context)
    topics = VisualTopics(node, agent, 'tank/base_link')
    heard: dict[str, list[Any]] = {}
    for name, kind, profile in (
        ('visual_description', m.VisualDescription, qos.LATCHED),
        ('tracked_description', m.TrackedVehicleDescription, qos.LATCHED),
        ('part_poses', m.PartPoses, qos.STATE),
        ('tracked_state', m.TrackedVehicleState, qos.STATE),
    ):
        node.create_subscription(kind, name, heard.setdefault(name, []).append, profile)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    poses = np.arange(14 * 7, dtype=float).reshape(14, 7)

    def spin(done: Any) -> None:
        for _ in range(200):
            if done():
                return
            executor.spin_once(timeout_sec=0.02)
        raise TimeoutError(str({name: len(got) for name, got in heard.items()}))

    spin(
        lambda: (
            heard['visual_description']
            and heard['tracked_description']
            and all(topic.wanted for topic, _ in topics._states)
        )
    )
    topics.publish(SimpleNamespace(t_ns=1_500_000_000, poses=poses, energy=None), 2)  # type: ignore[arg-type]
    topics.publish(SimpleNamespace(t_ns=0, poses=None), 2)  # type: ignore[arg-type]  no subscriber in that cycle
    spin(lambda: all(heard.values()))
    told = heard['tracked_description'][0]
    counts = told.num_track_shoes, told.num_sprockets, told.num_idlers, told.num_road_wheels
    looks = heard['visual_description'][0]
    assert (looks.header.frame_id, looks.name, looks.family, looks.mass) == (
        'tank/base_link',
        'tank',
        'tracked',
        11_000.0,
    )
    assert counts == (5, 2, 2, 4) and told.left_idler_vis_file == 'idler.obj' and told.mass == 11_000.0
    state = heard['tracked_state'][0]
    found = [state.chassis, *state.sprockets, *state.idlers, *state.road_wheels, *state.track_shoes]
    assert [p.position.x for p in found] == poses[:, 0].tolist() and state.header.frame_id == 'world'
    assert [p.orientation.w for p in heard['part_poses'][0].poses] == poses[:, 6].tolist()
    assert heard['part_poses'][0].header.stamp.nanosec == 500_000_000 and heard['part_poses'][0].epoch == 2
    assert [part.name for part in heard['visual_description'][0].parts if part.role == m.VisualPart.TRACK_SHOE] == [
        f'shoe_{k}' for k in range(5)
    ]


@pytest.mark.parametrize(
    ('name', 'absent'),
    [
        ('viper', set()),
        ('hmmwv', set()),
        ('m113', {'wheel_states', 'wheeled_description', 'wheeled_state'}),
        ('lander', {'odom', 'wheel_states', 'wheeled_description', 'wheeled_state'}),
    ],
)
def test_topics_without_values_are_not_made(context: Context, name: str, absent: set[str]) -> None:
    """States of wheels without wheels, and odometry without wheels or tracks."""
    ground = TerrainConfig.model_validate({'source': 'flat', 'model': 'rigid', 'spacing_m': 0.1})
    group = VehicleGroup(ParticipantGroup(), ground, WorldConfig(), 1, send_deltas=lambda deltas: None)
    agent = group.add('it', VehicleEntry.model_validate({'model': name, 'position': (0.0, 0.0)}))
    node = Node('agent', namespace='it', context=context)
    topics = VehicleTopics(node, agent, 1, Inbox(Node('inbox', context=context)), Node('link', context=context))
    made = {publisher.topic.removeprefix('/it/') for publisher in node.publishers}
    of_wheels = {'odom', 'wheel_states', 'wheeled_description', 'wheeled_state'}
    assert of_wheels - made == absent == topics_without_values(agent.vehicle.gear)
    assert unpublished_topics(*load_vehicle_model(name)) == absent
    assert (topics.followed(['wheels']) == [None]) is ('wheel_states' in absent)
    motion = CycleMotion(20_000_000, np.zeros((20, 13)), np.zeros(agent.vehicle.body.model.nu))
    topics.publish(agent.vehicle_state(20_000_000, motion))
