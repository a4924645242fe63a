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
from harness import ROOT, LiveRun, environment

from regolith_bringup.scenario.loading import load_scenario

pytestmark = pytest.mark.ros

PACKAGE = ROOT / 'examples' / 'autonomy_stack'
GOAL_M = 36.0
ALLOWED = {'/tf_static', '/rover/odom', '/rover/imu/data_raw', '/rover/lidar/points'}
"""What a rover knows: nothing of these is true but by measurement."""
DRIVEN = (
    '--set',
    'vehicles.rover.driver={type: external, timeout_s: 1.0}',
    # The world waits for a command in every cycle: how busy the machine is changes nothing but the time it takes.
    '--set',
    'world.input_barrier={topic: /rover/cmd_vel, timeout_s: 60.0}',
    '--set',
    'world.participant_timeout_s=60.0',
)


class Stack:
    """The stack's node in a process of its own."""

    def __init__(self, live: LiveRun, folder: Path, *goals: float) -> None:
        command = [sys.executable, '-m', 'autonomy_stack.stack_node', '--ros-args', '-r', '__ns:=/rover']
        command += ['--params-file', str(PACKAGE / 'config' / 'stack.yaml'), '-p', f'goals:={list(goals)}']
        own = environment(live.domain)
        own['PYTHONPATH'] = os.pathsep.join([str(PACKAGE), own.get('PYTHONPATH', '')])
        self.printed = folder / 'stack.txt'
        with self.printed.open('w') as stream:
            self.process = subprocess.Popen(command, env=own, stdout=stream, stderr=subprocess.STDOUT)

    def __enter__(self) -> Stack:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20.0)
        if error[0] is not None:
            print(f'--- the stack printed:\n{self.printed.read_text()[-4000:]}')


def subscriptions(live: LiveRun) -> set[str]:
    """Return the topics that the stack's node listens to, by the graph."""
    node = ('autonomy_stack', '/rover')
    live.wait_for(lambda: node in live.node.get_node_names_and_namespaces(), 60.0, 'the stack')
    live.wait_for(lambda: live.node.get_subscriber_names_and_types_by_node(*node), 20.0, 'its subscriptions')
    live.spin(1.0)
    return {name for name, _ in live.node.get_subscriber_names_and_types_by_node(*node)}


def offset(first: Any, place: Any, heading_deg: float) -> tuple[float, float]:
    """Return a true place in the frame of the start [m]."""
    dx, dy = place.x - first.x, place.y - first.y
    c, s = math.cos(math.radians(heading_deg)), math.sin(math.radians(heading_deg))
    return c * dx + s * dy, c * dy - s * dx


@pytest.mark.slow
def test_it_listens_to_what_a_rover_knows_and_sets_off(tmp_path: Path) -> None:
    """Its subscriptions, by the graph; after 8 s it is on its way, and has said what it saw."""
    from nav_msgs.msg import OccupancyGrid, Odometry
    from tf2_msgs.msg import TFMessage

    with LiveRun(tmp_path, 'traverse_polar', *DRIVEN, '--duration', 8, '--no-record', processes='one') as live:
        truth = live.subscribe(Odometry, '/rover/ground_truth/odom')
        grids = live.subscribe(OccupancyGrid, '/rover/stack/hazards', latched=True)
        frames = live.subscribe(TFMessage, '/tf')
        with Stack(live, tmp_path, GOAL_M, 0.0):
            assert subscriptions(live) == ALLOWED
            live.finish(200.0)
    first, last = truth[0].pose.pose.position, truth[-1].pose.pose.position
    ahead, _ = offset(first, last, load_scenario('traverse_polar').scenario.vehicles['rover'].heading_deg)
    # It stands for two seconds, and drives 0.4 m/s less slip then.
    assert 1.2 < ahead < 2.6
    cells = np.array(grids[-1].data)
    assert (cells >= 0).sum() * grids[-1].info.resolution ** 2 > 60.0, 'square meters that it has looked at'
    assert any(t.header.frame_id == 'map' and t.child_frame_id == 'rover/odom' for m in frames for t in m.transforms)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize('seed', [1, 3])
def test_it_drives_across_craters_to_a_goal_and_back(tmp_path: Path, seed: int) -> None:
    """Goal 36 m away: there to 1.5 m of ground truth (4 % of the way), home to 1.5 m; the wheels slip by more than 3 %.

    The scenario is of seed 1; it was not written for 3. Half a meter of the tolerance is what the stack calls arrived, the
    rest is drift: of the heading, for which nothing but gyroscopes is there, and of slip that clouds do not show.
    """
    from geometry_msgs.msg import PoseStamped
    from nav_msgs.msg import Odometry

    scenario = load_scenario('traverse_polar').scenario
    assert scenario.terrain.model == 'scm' and scenario.terrain.digs_in
    heading = scenario.vehicles['rover'].heading_deg
    settings = (*DRIVEN, '--duration', 600, '--seed', seed, '--no-record')
    with LiveRun(tmp_path, 'traverse_polar', *settings, processes='one') as live:
        truth = live.subscribe(Odometry, '/rover/ground_truth/odom')
        arrivals = live.subscribe(PoseStamped, '/rover/stack/reached')
        with Stack(live, tmp_path, GOAL_M, 0.0, 0.0, 0.0) as stack:
            assert subscriptions(live) == ALLOWED
            live.wait_for(lambda: len(arrivals) == 2 or stack.process.poll() is not None, 3000.0, 'it to come home')
            assert len(arrivals) == 2
            live.interrupt()
            summary = live.finish(60.0, code=None).summary
    places = {m.header.stamp.sec * 10**9 + m.header.stamp.nanosec: m.pose.pose.position for m in truth}
    first = truth[0].pose.pose.position
    for arrival, goal in zip(arrivals, ((GOAL_M, 0.0), (0.0, 0.0))):
        there = offset(first, places[arrival.header.stamp.sec * 10**9 + arrival.header.stamp.nanosec], heading)
        assert math.dist(there, goal) < 1.5, (there, goal)
    rover = summary['vehicles']['rover']
    assert rover['distance_m'] > 2.0 * GOAL_M
    assert rover['mean_slip'] > 0.03
    assert summary['events'] == [], 'never stuck, never over'
