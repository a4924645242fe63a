# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A rover driven from outside, as an autonomy stack does, and a node that starts late."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import LiveRun, Observer, run_scenario, vehicle, write_scenario

pytestmark = pytest.mark.ros

SPEED_MPS = 0.3
DRIVE_S = 4.0
TIMEOUT_S = 0.5


@pytest.fixture(scope='module')
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveRun]:
    """A rover that waits for commands, in real time, on flat ground; the run ends when the tests are done."""
    folder = tmp_path_factory.mktemp('autonomy')
    vehicles = {'amber': vehicle(1.0, 2.0, 90.0, type='external', timeout_s=TIMEOUT_S)}
    scenario = write_scenario(folder, vehicles, duration_s=300.0)
    with LiveRun(folder, scenario, '--rtf', 1.0, '--no-record') as live:
        yield live


def _seconds(message: Any) -> float:
    return float(message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec)


def _place(message: Any) -> np.ndarray:
    p = message.pose.pose.position
    return np.array([p.x, p.y])


def _pace(run: LiveRun, speed: float) -> None:
    """Set the world's speed."""
    from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
    from rcl_interfaces.srv import SetParameters

    value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=speed)
    (result,) = run.call(
        SetParameters, '/regolith/world/set_parameters', parameters=[Parameter(name='real_time_factor', value=value)]
    ).results
    assert result.successful, result.reason


def test_an_outside_program_drives_a_rover(run: LiveRun) -> None:
    """Commands at 10 Hz: 0.3 m/s for 4 s; then none, and it stops once the last one is 0.5 s old.

    A machine that is busy with other work delays the commands. Then the rover rightly stops between them, and it is
    driven once more, with the world at half the speed.
    """
    from geometry_msgs.msg import Twist
    from nav_msgs.msg import Odometry

    odom = run.subscribe(Odometry, '/amber/odom')
    truth = run.subscribe(Odometry, '/amber/ground_truth/odom')
    publisher = run.node.create_publisher(Twist, '/amber/cmd_vel', 1)
    run.wait_for(lambda: odom and truth and publisher.get_subscription_count() == 1, 40.0, 'odometry')
    command = Twist()
    command.linear.x = SPEED_MPS
    for speed in (1.0, 0.5, 0.25, 0.125):
        _pace(run, speed)
        start, sent = len(odom), []
        began = _seconds(odom[-1])
        while _seconds(odom[-1]) < began + DRIVE_S:
            publisher.publish(command)
            sent.append(_seconds(odom[-1]))
            run.spin(0.1 / speed)
        last = sent[-1]
        run.wait_for(lambda since=last: _seconds(odom[-1]) > since + 3.0, 30.0 / speed, 'the rover to stop')
        if max(np.diff(sent)) < 0.5 * TIMEOUT_S:
            break
    else:
        pytest.fail(f'commands came {max(np.diff(sent)):.2f} s apart at a speed of {speed}')
    _pace(run, 1.0)
    ended = _seconds(odom[-1])

    reckoned = float(np.linalg.norm(_place(odom[-1]) - _place(odom[start - 1])))
    driven = [m for m in truth if began <= _seconds(m) <= ended]
    real = float(np.linalg.norm(_place(driven[-1]) - _place(driven[0])))
    # It continues for the timeout after the last command, less what it takes to speed up and slow down at 0.5 m/s^2.
    asked = SPEED_MPS * (last - began + TIMEOUT_S)
    assert reckoned == pytest.approx(asked, rel=0.15)
    # Wheels slip by a few per cent on soil, which wheel odometry cannot see.
    assert real == pytest.approx(asked, rel=0.15)
    assert real < reckoned
    under_way = [m.twist.twist.linear.x for m in odom if began + 1.5 < _seconds(m) < last]
    assert np.mean(under_way) == pytest.approx(SPEED_MPS, rel=0.05)
    assert abs(odom[-1].twist.twist.linear.x) < 0.01
    # North, as it stands; odometry itself starts at zero.
    east, north = _place(driven[-1]) - _place(driven[0])
    assert north > 0.9 * real and abs(east) < 0.1 * real
    assert math.dist(_place(odom[0]), (0.0, 0.0)) < 0.05


def test_a_late_joiner_gets_descriptions_status_and_ground(run: LiveRun) -> None:
    """A node started in mid-run receives what was published before, and can follow the terrain from its state at that time."""
    from regolith_msgs.msg import TerrainCommitted, WheeledVehicleDescription, WorldStatus
    from regolith_msgs.srv import GetTerrainState

    from regolith_terrain.config import TerrainConfig
    from regolith_terrain.grid.soil_grid import SoilGrid
    from regolith_terrain.height_field_builder import build_height_field
    from regolith_terrain.updates.committed_soil import nodes_of

    with Observer(run.domain) as late:
        descriptions = late.subscribe(WheeledVehicleDescription, '/amber/wheeled_description', latched=True)
        status = late.subscribe(WorldStatus, '/regolith/status', latched=True)
        commits = late.subscribe(TerrainCommitted, '/regolith/terrain/committed')
        late.wait_for(lambda: descriptions and status and status[-1].t_ns and len(commits) > 5, 60.0, 'what is latched')
        assert descriptions[0].name == 'amber'
        assert len(descriptions[0].wheel_names) == descriptions[0].num_wheels == 4
        assert '<mujoco' in descriptions[0].model_file
        assert status[-1].state in (WorldStatus.PLAYING, WorldStatus.PAUSED)

        snapshot = late.call(GetTerrainState, '/regolith/terrain/get_state')
        assert len(snapshot.nodes.x) > 100
        by_number = late.wait_for(
            lambda: {c.soil_seq: c for c in commits} if commits[-1].soil_seq > snapshot.soil_seq + 10 else None,
            20.0,
            'later changes',
        )
        assert by_number[snapshot.soil_seq].soil_hash == snapshot.soil_hash
    # The ground rebuilt from the snapshot alone has that hash, and keeps up with terrain by the changes that follow.
    config = TerrainConfig.model_validate({'source': 'flat', 'spacing_m': snapshot.spacing, 'soil': 'lunar_nominal'})
    grid = SoilGrid(build_height_field(config, 1), snapshot.spacing)
    grid.apply(nodes_of(snapshot.nodes))
    assert grid.soil_hash() == snapshot.soil_hash
    for number in range(snapshot.soil_seq + 1, max(by_number) + 1):
        grid.apply(nodes_of(by_number[number].nodes))
        assert grid.soil_hash() == by_number[number].soil_hash


@pytest.mark.slow
def test_the_world_waits_for_the_stack_where_the_scenario_says_so(tmp_path):
    """One cycle per command: a stack that thinks slowly in wall time still drives every simulated 20 ms.

    The state at 0 s is published before the first cycle, which therefore publishes none: the second does not wait.
    """
    from geometry_msgs.msg import Twist
    from regolith_msgs.msg import Cycle

    barrier = {'input_barrier': {'topic': '/amber/cmd_vel', 'timeout_s': 30.0}}
    driver = {'type': 'external', 'timeout_s': 1.0}
    file = write_scenario(tmp_path, {'amber': vehicle(0.0, 0.0, **driver)}, duration_s=60.0, world=barrier)
    with LiveRun(tmp_path, file, '--no-record', processes='one') as live:
        cycles = live.subscribe(Cycle, '/regolith/cycle')
        stack = live.node.create_publisher(Twist, '/amber/cmd_vel', 1)
        live.wait_for(lambda: stack.get_subscription_count() >= 2, 60.0, 'world and agent to listen')
        live.spin(1.0)

        def started() -> set[int]:
            # A cycle whose response takes long is repeated, so messages do not count, numbers do.
            return {c.key.cycle for c in cycles if c.command == Cycle.COMMAND_EVOLVE}

        assert not started(), 'it started without a command'
        command = Twist()
        command.linear.x = 0.3
        for sent in range(1, 11):
            stack.publish(command)
            live.wait_for(lambda n=sent: len(started()) > n, 20.0, 'a cycle')
            live.spin(0.05)
            assert len(started()) == sent + 1


def test_a_stack_with_one_command_for_each_state_never_stops_the_run(tmp_path: Path) -> None:
    """Pauses and checkpoints publish states early, so two commands may arrive before one wait of the world.

    The barrier's timeout exceeds the limit of the test: a single message too few would end it.
    """
    from geometry_msgs.msg import Twist
    from nav_msgs.msg import Odometry

    world = {'input_barrier': {'topic': '/amber/cmd_vel', 'timeout_s': 3000.0}, 'checkpoint_period_s': 0.1}
    scenario = write_scenario(tmp_path, {'amber': vehicle(0.0, 0.0, type='external')}, duration_s=60.0, world=world)
    with LiveRun(tmp_path, scenario, '--no-record', processes='one') as live:
        stack = live.node.create_publisher(Twist, '/amber/cmd_vel', 1)
        states: list[Odometry] = []

        def command_rover(message: Odometry) -> None:
            states.append(message)
            stack.publish(Twist())

        live.node.create_subscription(Odometry, '/amber/odom', command_rover, 100)
        live.wait_for(lambda: stack.get_subscription_count() == 2, 60.0, 'world and agent to listen')
        live.wait_for(lambda: live.node.count_publishers('/amber/odom'), 60.0, 'odometry')
        live.spin(0.5)
        stack.publish(Twist())
        for pause in range(5):
            come = len(states) + 25
            live.wait_for(lambda come=come: len(states) > come, 30.0, f'25 states after pause {pause}')
            live.pause()
            live.spin(0.3)
            live.pause(False)
        live.interrupt()
        live.finish()


@pytest.mark.alone
def test_strict_real_time_says_how_punctual_it_was(tmp_path):
    import json

    world = {'real_time': 'strict', 'deadline_tolerance_s': 0.005}
    file = write_scenario(tmp_path, {'amber': vehicle(0.0, 0.0)}, duration_s=1.0, world=world)
    result = run_scenario(tmp_path, file, '--rtf', 1.0, '--no-record', processes='one')
    told = json.loads((result.run_dir / 'world_summary.json').read_text())['real_time']
    # One second of pacing; the clock of the run starts a moment before that of the pace. On a busy machine it is slower,
    # and then has missed deadlines.
    assert result.summary['real_time_factor'] <= 1.05
    assert result.summary['real_time_factor'] > 0.8 or told['deadline_misses'] > 0
    assert 0 <= told['deadline_misses'] <= 50
    assert 0.0 <= told['jitter_p99_s'] <= told['jitter_max_s']


def test_maps_show_the_ruts(run: LiveRun) -> None:
    """What RViz would show: the ruts as points, and an elevation image with its place in the world."""
    from nav_msgs.msg import MapMetaData
    from sensor_msgs.msg import Image, PointCloud2

    with Observer(run.domain) as viewer:
        clouds = viewer.subscribe(PointCloud2, '/regolith/terrain/rut_points', latched=True)
        images = viewer.subscribe(Image, '/regolith/terrain/elevation', latched=True)
        infos = viewer.subscribe(MapMetaData, '/regolith/terrain/elevation_info', latched=True)
        viewer.wait_for(lambda: clouds and images and infos, 30.0, 'the maps')
        cloud, image, info = clouds[-1], images[-1], infos[-1]
    points = np.frombuffer(bytes(cloud.data), '<f4').reshape(cloud.width, 4)
    assert [field.name for field in cloud.fields] == ['x', 'y', 'z', 'sinkage']
    assert cloud.width > 100 and points[:, 3].max() > 0.005
    heights = np.frombuffer(bytes(image.data), '<f4').reshape(image.height, image.width)
    assert (image.width, image.height) == (info.width, info.height) and image.encoding == '32FC1'
    # The deepest point of the cloud lies in a low pixel: the ground was flat. North is up.
    x, y, z, _ = points[np.argmin(points[:, 2])]
    column = int((x - info.origin.position.x) / info.resolution)
    row = info.height - 1 - int((y - info.origin.position.y) / info.resolution)
    assert heights[row, column] < 0.3 * z < 0.0
    # Wheels that slip heap up what their grousers of 12 mm carried; averaged over a pixel it is less.
    assert 0.0 < np.nanmax(heights) < 0.012
