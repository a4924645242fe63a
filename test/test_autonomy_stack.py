# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The example of an autonomy stack drives a rover over cratered ground and back, by public topics alone."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import BUSY, ROOT, LiveRun, Observer, environment, free_domain, new_domain

from regolith_bringup.scenario.loading import load_scenario
from regolith_sensors.report.image_reader import stamp_ns

pytestmark = pytest.mark.ros

PACKAGE = ROOT / 'examples' / 'autonomy_stack'
GOAL_M = 36.0
ALLOWED = {'/tf_static', '/rover/odom', '/rover/imu/data_raw', '/rover/lidar/points'}
"""What a rover knows: nothing of these is true but by measurement."""
WAIT_S = 120.0
"""Limit for what takes a second on a quiet machine [wall s]."""
DRIVEN = (
    '--set',
    'vehicles.rover.driver={type: external, timeout_s: 1.0}',
    # The world waits for a command for each odom: how busy the machine is changes nothing but the time it takes. It waits for
    # less than the limits below, because a message that is lost costs as much.
    '--set',
    'world.input_barrier={topic: /rover/cmd_vel, timeout_s: 60.0}',
    '--set',
    f'world.participant_timeout_s={BUSY * WAIT_S}',
    '--set',
    f'world.unresponsive_s={BUSY * WAIT_S}',
)


class Stack:
    """The stack's node in a process of its own."""

    def __init__(self, domain: int, folder: Path, *goals: float) -> None:
        command = [sys.executable, '-m', 'autonomy_stack.stack_node', '--ros-args', '-r', '__ns:=/rover']
        command += ['--params-file', str(PACKAGE / 'config' / 'stack.yaml'), '-p', f'goals:={list(goals)}']
        own = environment(domain)
        own['PYTHONPATH'] = os.pathsep.join([str(PACKAGE), own.get('PYTHONPATH', '')])
        self.printed = folder / 'stack.txt'
        with self.printed.open('w') as stream:
            self.process = subprocess.Popen(command, env=own, stdout=stream, stderr=subprocess.STDOUT)

    def __enter__(self) -> Stack:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(BUSY * WAIT_S)
        if error[0] is not None:
            print(f'--- the stack printed:\n{self.printed.read_text()[-4000:]}')


def subscriptions(live: LiveRun) -> set[str]:
    """Return the topics that the stack's node listens to, by the graph."""
    node = ('autonomy_stack', '/rover')

    def found() -> set[str]:
        return {name for name, _ in live.node.get_subscriber_names_and_types_by_node(*node)}

    live.wait_for(lambda: node in live.node.get_node_names_and_namespaces(), WAIT_S, 'the stack')
    live.wait_for(lambda: found() >= ALLOWED, WAIT_S, 'its subscriptions')
    live.spin(1.0)
    return found()


def offset(first: Any, place: Any, heading_deg: float) -> tuple[float, float]:
    """Return a true place in the frame of the start [m]."""
    dx, dy = place.x - first.x, place.y - first.y
    c, s = math.cos(math.radians(heading_deg)), math.sin(math.radians(heading_deg))
    return c * dx + s * dy, c * dy - s * dx


def test_it_commands_zero_until_it_has_received_all_sensors(tmp_path: Path) -> None:
    """Not before all are connected. A world that waits for commands continues if the first messages of a sensor are lost."""
    from geometry_msgs.msg import TransformStamped, Twist
    from nav_msgs.msg import Odometry
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from sensor_msgs.msg import Imu, PointCloud2
    from tf2_msgs.msg import TFMessage

    domain = new_domain()
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    try:
        with Observer(domain) as observer, Stack(domain, tmp_path, GOAL_M, 0.0):
            commands = observer.subscribe(Twist, '/rover/cmd_vel')
            node, frame = observer.node, TransformStamped(child_frame_id='rover/imu')
            frames = node.create_publisher(TFMessage, '/tf_static', latched)
            frames.publish(TFMessage(transforms=[frame]))
            samples = node.create_publisher(Imu, '/rover/imu/data_raw', 10)
            observer.wait_for(samples.get_subscription_count, WAIT_S, 'the stack')
            observer.spin(2.0)
            assert not commands
            others = [node.create_publisher(Odometry, '/rover/odom', 10)]
            others.append(node.create_publisher(PointCloud2, '/rover/lidar/points', 10))
            for _ in range(2):
                more = len(commands) + 1
                observer.wait_for(lambda more=more: len(commands) >= more, WAIT_S, 'a command')
                samples.publish(Imu())
    finally:
        free_domain(domain)
    assert all(command == Twist() for command in commands)


@pytest.mark.slow
def test_it_listens_to_what_a_rover_knows_and_sets_off(tmp_path: Path) -> None:
    """Its subscriptions, by the graph; once it is on its way, it has rested for two seconds, and has said what it saw."""
    from nav_msgs.msg import OccupancyGrid, Odometry
    from tf2_msgs.msg import TFMessage

    heading = load_scenario('traverse_polar').scenario.vehicles['rover'].heading_deg
    with LiveRun(tmp_path, 'traverse_polar', *DRIVEN, '--duration', 300, '--no-record', processes='one') as live:
        truth = live.subscribe(Odometry, '/rover/ground_truth/odom')
        grids = live.subscribe(OccupancyGrid, '/rover/stack/hazards', latched=True)
        frames = live.subscribe(TFMessage, '/tf')

        def ahead(message: Any) -> float:
            return offset(truth[0].pose.pose.position, message.pose.pose.position, heading)[0]

        def mapped() -> bool:
            return any(
                t.header.frame_id == 'map' and t.child_frame_id == 'rover/odom' for m in frames for t in m.transforms
            )

        with Stack(live.domain, tmp_path, GOAL_M, 0.0):
            assert subscriptions(live) == ALLOWED
            live.wait_for(lambda: truth and ahead(truth[-1]) > 1.2, WAIT_S, 'it to set off')
            live.wait_for(lambda: grids and mapped(), WAIT_S, 'what it saw')
            live.interrupt()
            live.finish(WAIT_S, code=None)
    sets_off = next(message for message in truth if ahead(message) > 0.05)
    arrives = next(message for message in truth if ahead(message) > 1.2)
    assert stamp_ns(sets_off) > 2e9
    # 0.4 m/s less slip, and the acceleration before.
    assert 0.2 < 1.15e9 / (stamp_ns(arrives) - stamp_ns(sets_off)) < 0.42
    cells = np.array(grids[-1].data)
    assert (cells >= 0).sum() * grids[-1].info.resolution ** 2 > 60.0, 'square meters that it has looked at'


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize('seed', [1, 3])
def test_it_drives_across_craters_to_a_goal_and_back(tmp_path: Path, seed: int) -> None:
    """Goal 36 m away: there to 1 m of ground truth (3 % of the way), home to 1 m; the wheels lose more than that by slip.

    The scenario is of seed 1; it was not written for 3. Half a meter of the tolerance is what the stack calls arrived, the
    rest is drift: 0.1 m is measured.
    """
    from geometry_msgs.msg import PoseStamped
    from nav_msgs.msg import Odometry

    scenario = load_scenario('traverse_polar').scenario
    assert scenario.terrain.model == 'scm' and scenario.terrain.digs_in
    heading = scenario.vehicles['rover'].heading_deg
    # It is home after 200 s, and the test ends the run then.
    settings = (*DRIVEN, '--duration', 1800, '--seed', seed, '--no-record')
    with LiveRun(tmp_path, 'traverse_polar', *settings, processes='one') as live:
        truth = live.subscribe(Odometry, '/rover/ground_truth/odom')
        arrivals = live.subscribe(PoseStamped, '/rover/stack/reached')
        with Stack(live.domain, tmp_path, GOAL_M, 0.0, 0.0, 0.0) as stack:
            assert subscriptions(live) == ALLOWED
            live.wait_for(lambda: len(arrivals) == 2 or stack.process.poll() is not None, 700.0, 'it to come home')
            assert len(arrivals) == 2
            live.interrupt()
            summary = live.finish(WAIT_S, code=None).summary
    first = truth[0].pose.pose.position
    for arrival, goal in zip(arrivals, ((GOAL_M, 0.0), (0.0, 0.0))):
        # A test that gets no processor time may miss messages. In 0.1 s the rover moves by 4 cm at most.
        nearest = min(truth, key=lambda message: abs(stamp_ns(message) - stamp_ns(arrival)))
        assert abs(stamp_ns(nearest) - stamp_ns(arrival)) < 1e8
        there = offset(first, nearest.pose.pose.position, heading)
        print(f'goal {goal}: at {there}')
        assert math.dist(there, goal) < 1.0, (there, goal)
    rover = summary['vehicles']['rover']
    assert rover['distance_m'] > 2.0 * GOAL_M
    assert rover['mean_slip'] * rover['distance_m'] > 1.5
    assert summary['events'] == [], 'never stuck, never over'
