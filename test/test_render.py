# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A bag is enough to draw a run's vehicles again: the images are those its camera took, arms raised and all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import LiveRun, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag
from regolith_bringup.report.summary import FinishedRun
from regolith_bringup.scenario.loading import load_scenario
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.sensors import scenario_sensors
from regolith_sensors.in_process.side_view import extent
from regolith_sensors.report.image_reader import image_pixels, stamp_ns
from regolith_sensors.report.render_from_bag import BagRenderer, replay_terrain
from regolith_sensors.scene.sensor_scene import SensorScene
from regolith_vehicles.visuals.visual_messages import poses_from_message, visuals_from_message
from regolith_world.numerics.rotation import matrix, product

pytestmark = [pytest.mark.ros, pytest.mark.seconds]

DURATION_S = 1.2
OFF = dict.fromkeys(('motion_blur', 'defocus', 'vignetting', 'fixed_pattern'), False)
EYE: dict[str, Any] = {
    'type': 'camera',
    'width': 160,
    'height': 120,
    'pixel_size_m': 5e-6,
    'focal_length_m': 9e-4,
    'f_number': 4.0,
    'exposure_s': 1e-3,
    'rate_hz': 5.0,
    'stages': OFF,
}
MOUNT = {'xyz': [0.7, 0.0, 1.4], 'rpy_deg': [0.0, 25.0, 0.0]}


@pytest.fixture(scope='module')
def bag(tmp_path_factory: pytest.TempPathFactory) -> Bag:
    """A digger raises an arm while a rover drives towards it and takes images."""
    from sensor_msgs.msg import JointState

    folder = tmp_path_factory.mktemp('redraw')
    watcher = vehicle(-3.0, 0.2, type='constant', speed_mps=0.3)
    watcher['sensors'] = {'eye': {'model': EYE, 'mount': MOUNT, 'outputs': ['image', 'semantic', 'boxes']}}
    digger = {**vehicle(0.0, 0.0, 60.0, type='external', timeout_s=5.0), 'model': 'rassor'}
    scenario = write_scenario(
        folder,
        {'watcher': watcher, 'digger': digger},
        duration_s=DURATION_S,
        recording={'sensors': True},
        light={'sun': {'azimuth_deg': 200.0, 'elevation_deg': 25.0}, 'view_range_m': 50.0},
    )
    with LiveRun(folder, scenario, '--rtf', 1.0, processes='one') as live:
        publisher = live.node.create_publisher(JointState, '/digger/joint_command', 1)
        live.wait_for(lambda: publisher.get_subscription_count() >= 2, 60.0, 'recorder and digger to listen')
        while live.running:
            publisher.publish(JointState(name=['arm_front', 'arm_rear'], position=[0.7, -0.7]))
            live.spin(0.02)
        return Bag(live.finish().run_dir)


def seen(bag: Bag, at_rest: bool = False) -> dict[int, np.ndarray]:
    """Return the images of the rover's camera by their times, drawn from the bag.

    Args:
        at_rest: whether only bases move
    """
    scenario = load_scenario(bag.path.parent.parent / 'scenario.yaml').scenario
    (sensor,) = scenario_sensors(scenario)
    looks = {
        m.content.name: visuals_from_message(m.content)
        for m in bag.messages('/digger/visual_description', '/watcher/visual_description')
    }
    world = SensorScene(scenario.terrain, scenario.light, scenario.seed, looks)
    for name, track in world.states.tracks.items():
        states = [(stamp_ns(m.content), poses_from_message(m.content)) for m in bag.messages(f'/{name}/part_poses')]
        for t_ns, poses in states:
            track.add(t_ns, states[0][1] if at_rest and name == 'digger' else poses)
    ground = world.states.ground
    replay_terrain(bag, ground)
    view, camera = world.view('watcher'), Camera(sensor.config, scenario.seed, sensor.full_name)
    drawn = {}
    for n, t_ns in enumerate(sorted(stamp_ns(m.content) for m in bag.messages('/watcher/eye/image_raw'))):
        ground.advance(t_ns)
        changed, ground.changed = ground.changed, []
        view.update_terrain(changed)
        rays = view.prepare(t_ns)

        def pose(part: float, t_ns: int = t_ns) -> CameraPose:
            place, turn = view.base_pose('watcher', t_ns)
            mount = sensor.mount
            return CameraPose(place[0] + matrix(turn[0]) @ mount.position, product(turn[0], mount.orientation))

        frame = camera.expose(rays, view.scene.origin, pose, scenario.light.sun_at(t_ns), [], n)
        drawn[t_ns] = camera.process(frame, n).image
    return drawn


@pytest.mark.slow
def test_images_drawn_from_a_bag_are_those_the_camera_took(bag: Bag) -> None:
    taken = {stamp_ns(m.content): image_pixels(m.content) for m in bag.messages('/watcher/eye/image_raw')}
    drawn = seen(bag)
    assert len(taken) >= 5 and drawn.keys() == taken.keys()
    for t_ns, picture in taken.items():
        assert np.array_equal(drawn[t_ns], picture), f'{(drawn[t_ns] != picture).sum()} values differ at {t_ns} ns'
    # With the arms as they were at the start the last image would be another one.
    last = max(taken)
    assert (seen(bag, at_rest=True)[last] != taken[last]).mean() > 0.002


def test_boxes_hold_arms_with_the_body_and_wheels_by_themselves(bag: Bag) -> None:
    boxes = [m.content for m in bag.messages('/watcher/eye/boxes')][-1]
    names = {d.name if hasattr(d, 'name') else d.id for d in boxes.detections}
    assert {'digger', 'digger/front_left', 'digger/rear_right'} <= names and not any('arm' in name for name in names)


def test_a_snapshot_shows_a_vehicle_as_a_camera_beside_it_would(bag: Bag) -> None:
    """From the recording alone, at a time, whole and in the middle; a time before anything was recorded is refused."""
    run_dir = bag.path.parent.parent
    drawn = BagRenderer(FinishedRun(run_dir), 0.6)
    assert drawn.t_ns == 600_000_000 and sorted(drawn.looks) == ['digger', 'watcher']
    low, high = extent(drawn.looks['digger'], drawn.poses['digger'])
    # A digger of 1.9 m with drums 0.4 m wide, its arms a little raised.
    assert 1.5 < np.linalg.norm(high[:2] - low[:2]) < 3.0 and 0.3 < high[2] - low[2] < 1.2
    empty = BagRenderer(FinishedRun(run_dir), 0.6)
    empty._world.states.tracks['digger'].add(empty.t_ns, drawn.poses['digger'] + [0.0, 0.0, -50.0, 0.0, 0.0, 0.0, 0.0])
    size = (120, 80)
    shown, bare = (each.picture('digger', 42.0, size).astype(int) for each in (drawn, empty))
    # Exposure follows what is seen, so all of the ground differs a little.
    differ = (np.abs(shown - bare) > 40).any(axis=2)
    rows, columns = np.nonzero(differ)
    assert 0.05 < differ.mean() < 0.7 and rows.min() > 0
    assert abs(np.median(columns) - 60) < 25 and abs(np.median(rows) - 40) < 20
    # Any direction: yaw and azimuth may add up to more than a turn.
    assert drawn.picture('digger', 330.0, (12, 8)).shape == (8, 12, 3)
    with pytest.raises(ValueError, match='allowed: '):
        BagRenderer(FinishedRun(run_dir), -1.0)
