# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Lidar, IMU, GNSS and encoders of a whole run: what they publish, when, and that a repetition is bit-identical."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import RunResult, command, environment, finished, library_run, run_scenario, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag
from regolith_sensors.labels.dataset_export import labeled_boxes
from regolith_sensors.lidar.point_cloud import POINT
from regolith_sensors.report.image_reader import frames, image_pixels, stamp_ns
from regolith_terrain import MOON_RADIUS_M
from regolith_world.numerics.rotation import from_rotation_vector, matrix, product

DURATION_S = 2.0
GRAVITY = 1.62
ARM = np.array([0.9, -0.4, 1.3])
EYE = {
    'type': 'camera',
    'width': 160,
    'height': 120,
    'pixel_size_m': 1e-5,
    'focal_length_m': 1.6e-3,
    'f_number': 8.0,
    'exposure_s': 4e-3,
    'color': 'mono',
    'rate_hz': 3.0,
}
LIDAR = {
    'type': 'lidar',
    'columns': 120,
    'rings': 12,
    'elevation_deg': [-60.0, 5.0],
    'range_m': [0.3, 20.0],
    'rate_hz': 5.0,
    'organized': True,
}
SENSORS: dict[str, Any] = {
    'inner': {'model': {'type': 'imu', 'rate_hz': 200.0}},
    'arm': {'model': {'type': 'imu', 'rate_hz': 200.0}, 'mount': {'xyz': ARM.tolist()}},
    'noisy': {'model': 'imu_mems', 'rate_hz': 120.0, 'mount': {'rpy_deg': [10.0, 20.0, 30.0]}},
    'gnss': {'model': 'gnss_lunanet', 'rate_hz': 4.0, 'mount': {'xyz': [0.0, 0.0, 1.0]}},
    'lidar': {'model': LIDAR, 'mount': {'xyz': [0.0, 0.0, 1.8]}},
    'left': {
        'model': EYE,
        'mount': {'xyz': [0.7, 0.2, 1.4], 'rpy_deg': [0.0, 20.0, 0.0]},
        'outputs': ['image', 'depth', 'instance', 'boxes'],
    },
    'right': {'model': EYE, 'mount': {'xyz': [0.7, -0.2, 1.4], 'rpy_deg': [0.0, 20.0, 0.0]}, 'stereo_with': 'left'},
}
RATES = {
    'inner/data_raw': 200.0,
    'arm/data_raw': 200.0,
    'noisy/data_raw': 120.0,
    'gnss/fix': 4.0,
    'lidar/points': 5.0,
    'left/boxes': 3.0,
}


def scenario(folder: Path, sensing: bool) -> Path:
    amber = vehicle(0.0, 0.0, 20.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.3)
    basalt = vehicle(3.6, 1.3, 100.0)
    if sensing:
        amber |= {'sensors': SENSORS, 'encoders': {'ticks_per_revolution': 512, 'jitter_rad': 0.001}}
        basalt['sensors'] = {'imu': {'model': {'type': 'imu'}}}
    sections: dict[str, Any] = {'recording': {'sensors': True}} if sensing else {}
    sections['terrain'] = {'site': {'latitude_deg': 0.0, 'longitude_deg': 0.0, 'altitude_m': 0.0}}
    return write_scenario(folder, {'amber': amber, 'basalt': basalt}, duration_s=DURATION_S, **sections)


@pytest.fixture(scope='module')
def run(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    folder = tmp_path_factory.mktemp('instruments')
    return run_scenario(folder, scenario(folder, True), processes='one')


def content(run: RunResult, topic: str) -> list[Any]:
    return [message.content for message in Bag(run.run_dir).messages(topic)]


def plain(value: Any) -> Any:
    """Return a message as nested tuples and bytes; what the serializer leaves between fields does not count."""
    if dataclasses.is_dataclass(value):
        return tuple(plain(getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return tuple(map(plain, value)) if isinstance(value, list) else value


def everything(run: RunResult) -> dict[str, list[Any]]:
    """Return all messages of amber's sensors, and of its joints."""
    bag = Bag(run.run_dir)
    topics = [t for t in bag.topics if t.startswith(tuple(f'/amber/{name}' for name in (*SENSORS, 'joint_states')))]
    return {topic: [plain(message.content) for message in bag.messages(topic)] for topic in topics}


def truth(run: RunResult, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return times [ns], positions and quaternions of a vehicle at every commit."""
    states = content(run, f'/{name}/wheeled_state')
    poses = [s.chassis for s in states]
    places = np.array([(p.position.x, p.position.y, p.position.z) for p in poses])
    turns = np.array([(p.orientation.x, p.orientation.y, p.orientation.z, p.orientation.w) for p in poses])
    return np.array([stamp_ns(s) for s in states]), places, turns


def inertial(run: RunResult, topic: str) -> tuple[np.ndarray, np.ndarray]:
    samples = content(run, topic)
    force = np.array([(s.linear_acceleration.x, s.linear_acceleration.y, s.linear_acceleration.z) for s in samples])
    rate = np.array([(s.angular_velocity.x, s.angular_velocity.y, s.angular_velocity.z) for s in samples])
    return force, rate


@pytest.mark.ros
def test_every_sample_has_its_time(run: RunResult) -> None:
    """n = 0 ... ceil(T f) - 1 at round(n 1e9 / f) ns, whatever the speed of the run."""
    for topic, rate in RATES.items():
        stamps = [stamp_ns(message) for message in content(run, f'/amber/{topic}')]
        assert stamps == [round(n * 1e9 / rate) for n in range(math.ceil(DURATION_S * rate))], topic


@pytest.mark.ros
@pytest.mark.slow
def test_the_same_in_one_process_and_without_sensors(run: RunResult, tmp_path: Path) -> None:
    again = run_scenario(tmp_path, scenario(tmp_path, True), processes='many')
    assert again.summary['state_hash'] == run.summary['state_hash']
    here, there = everything(run), everything(again)
    assert set(here) == set(there) and len(here) >= 9
    for topic in here:
        assert here[topic] == there[topic], topic
    assert library_run(scenario(tmp_path, False)).world.state_hash == run.summary['state_hash']


@pytest.mark.ros
def test_imu_at_rest_reads_gravity(run: RunResult) -> None:
    force, rate = inertial(run, '/basalt/imu/data_raw')
    up = np.median([matrix(q)[2] for q in truth(run, 'basalt')[2][-20:]], axis=0)
    # It settles into the soil during the first second.
    np.testing.assert_allclose(force[-50:].mean(axis=0), GRAVITY * up, atol=5e-3)
    assert np.abs(rate[-50:]).max() < 5e-3
    message = content(run, '/basalt/imu/data_raw')[0]
    assert message.orientation_covariance[0] == -1.0 and message.header.frame_id == 'basalt/imu_link'


@pytest.mark.ros
def test_dead_reckoning_by_the_imu_follows_the_rover(run: RunResult) -> None:
    """An ideal unit says everything about the motion: integrated twice, it ends where the rover does."""
    force, rate = inertial(run, '/amber/inner/data_raw')
    times, places, turns = truth(run, 'amber')
    place, turn, velocity, dt = places[0], turns[0], np.zeros(3), 1.0 / 200.0
    # Sample n is the mean over the period before n / f.
    for f, w in zip(force[1:], rate[1:]):
        half = from_rotation_vector(0.5 * dt * w)
        middle = matrix(product(turn, half))
        change = dt * (middle @ f - [0.0, 0.0, GRAVITY])
        place, velocity = place + dt * (velocity + 0.5 * change), velocity + change
        turn = product(product(turn, half), half)
    end_ns = round((len(force) - 1) * dt * 1e9)
    at = int(np.searchsorted(times, end_ns))
    share = (end_ns - times[at - 1]) / (times[at] - times[at - 1])
    expected = places[at - 1] + share * (places[at] - places[at - 1])
    assert np.linalg.norm(places[-1] - places[0]) > 0.3, 'the rover hardly moved; the comparison means little'
    # Places are taken on the chord of a cycle, windows are 5 ms long: a tenth of a millimeter each way.
    np.testing.assert_allclose(place, expected, atol=5e-4)
    assert abs(abs(float(turn @ turns[at])) - 1.0) < 1e-5


@pytest.mark.ros
def test_an_arm_adds_what_turning_does_to_it(run: RunResult) -> None:
    base, rate = inertial(run, '/amber/inner/data_raw')
    arm, same = inertial(run, '/amber/arm/data_raw')
    np.testing.assert_allclose(rate, same, atol=1e-12)
    # The change of rate from window to window, halved over two: alpha in the middle of each.
    alpha = np.gradient(rate, 1.0 / 200.0, axis=0)
    expected = np.cross(alpha, ARM) + np.cross(rate, np.cross(rate, ARM))
    late = slice(200, -1)
    # Jitter of wheels on soil is faster than the windows: means over a second agree.
    np.testing.assert_allclose((arm - base)[late].mean(axis=0), expected[late].mean(axis=0), atol=0.01)
    assert np.abs(expected[late].mean(axis=0)).max() > 0.02


@pytest.mark.ros
def test_fixes_have_their_covariance(run: RunResult) -> None:
    fixes = content(run, '/amber/gnss/fix')
    times, places, turns = truth(run, 'amber')
    at = np.searchsorted(times, [stamp_ns(fix) for fix in fixes])
    antenna = np.array([places[k] + matrix(turns[k]) @ [0.0, 0.0, 1.0] for k in at])
    degree = math.radians(1.0) * MOON_RADIUS_M
    found = np.array([(f.longitude * degree, f.latitude * degree, f.altitude) for f in fixes])
    variance = fixes[0].position_covariance[::4]
    assert fixes[0].position_covariance_type == 2 and variance.tolist() == [10.0, 10.0, 40.0]
    errors = (found - antenna) / np.sqrt(variance)
    # One draw of the slow error, eight of the white one: not beyond four deviations, and not none.
    assert np.abs(errors).max() < 4.0 and np.abs(errors).max() > 0.1
    # The white part alone differs from fix to fix: variances of 1, 1 and 4 m^2, and 8 fixes.
    spread = (found - antenna).std(axis=0)
    assert (spread > 0.2).all() and (spread < [2.5, 2.5, 5.0]).all()


@pytest.mark.ros
def test_clouds_lie_on_the_ground(run: RunResult) -> None:
    clouds = content(run, '/amber/lidar/points')
    times, places, turns = truth(run, 'amber')
    cloud = clouds[-1]
    points = np.frombuffer(cloud.data.tobytes(), POINT).reshape(cloud.height, cloud.width)
    assert (cloud.height, cloud.width) == (12, 120) and not cloud.is_dense
    assert [f.name for f in cloud.fields][:7] == ['x', 'y', 'z', 'intensity', 'ring', 'return_type', 'time']
    there = np.isfinite(points['range'])
    # The highest ring looks over the horizon: +inf, no place (REP 117).
    assert (points['range'][~there] == np.inf).all() and np.isnan(points['x'][~there]).all() and not there[11].all()
    begin = stamp_ns(cloud)
    world = np.full((*points.shape, 3), np.nan)
    for column in range(cloud.width):
        # Each column from where the sensor was at its moment.
        t = begin + 1e9 * float(points['time'][0, column])
        k = int(np.clip(np.searchsorted(times, t), 1, len(times) - 1))
        share = (t - times[k - 1]) / (times[k] - times[k - 1])
        turn = matrix(turns[k - 1] + share * (turns[k] - turns[k - 1]))
        place = places[k - 1] + share * (places[k] - places[k - 1]) + turn @ [0.0, 0.0, 1.8]
        local = np.stack([points[axis][:, column] for axis in 'xyz'], axis=-1)
        world[:, column] = place + local @ turn.T
    # Flat ground, ruts of a few centimeters, the standing rover, the own deck.
    low = world[there & (np.hypot(points['x'], points['y']) > 1.5)]
    on_ground = np.abs(low[:, 2]) < 0.02
    assert on_ground.mean() > 0.8 and low[:, 2].min() > -0.1
    # Regolith on level ground: neither tilt nor motion may show in the heights.
    assert abs(float(np.median(low[on_ground, 2]))) < 3e-3
    tall = low[low[:, 2] > 0.3]
    basalt = truth(run, 'basalt')[1][-1]
    assert len(tall) > 5 and (np.hypot(*(tall[:, :2] - basalt[:2]).T) < 1.5).all()


@pytest.mark.ros
def test_encoders_count_ticks(run: RunResult) -> None:
    joints = content(run, '/amber/joint_states')
    step = 2.0 * math.pi / 512
    angles = np.array([j.position for j in joints])
    whole = np.abs(angles / step - np.round(angles / step)) < 1e-9
    wheels = whole.all(axis=0) & (np.ptp(angles, axis=0) > 0.5)
    assert wheels.sum() == 4, 'the four wheels turn by whole ticks, struts and steering do not'
    speeds = np.array([j.velocity for j in joints])[:, wheels]
    np.testing.assert_allclose(speeds / (50.0 * step), np.round(speeds / (50.0 * step)), atol=1e-6)


@pytest.mark.ros
def test_a_dataset_of_the_run(run: RunResult, tmp_path: Path) -> None:
    out = tmp_path / 'data'
    done = finished(command('dataset', run.run_dir, '--out', out, '--json'), environment(0))
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    # Six frames, of which a fifth, rounded up, is for validation.
    assert (figures['train']['images'], figures['val']['images']) == (5, 1)
    assert figures['train']['boxes']['vehicle'] == 5
    coco = json.loads((out / 'annotations' / 'instances_train.json').read_text())
    annotation = next(a for a in coco['annotations'] if a['name'].startswith('basalt'))
    image = next(i for i in coco['images'] if i['id'] == annotation['image_id'])
    t_ns = int(Path(image['file_name']).stem.rsplit('_', 1)[1])
    topics = ['/amber/left/instance/image_raw', '/amber/left/boxes']
    numbers, boxes = next(parts for t, parts in frames(Bag(run.run_dir), topics) if t == t_ns)
    number = next(
        b.instance for b in labeled_boxes(boxes.detections, image_pixels(numbers)) if b.name == annotation['name']
    )
    rows, columns = np.nonzero(image_pixels(numbers) == number)
    x, y, width, height = annotation['bbox']
    assert (x, y) == (columns.min(), rows.min()) and (width, height) == (np.ptp(columns) + 1, np.ptp(rows) + 1)
    # It is there now: a second export refuses to touch it, and an error names what a run without images lacks.
    again = finished(command('dataset', run.run_dir, '--out', out), environment(0))
    assert again.returncode == 2 and 'not empty; allowed: a new or an empty folder' in again.stderr
    odd = finished(command('dataset', run.run_dir, '--class', 'rok'), environment(0))
    assert odd.returncode == 2 and 'did you mean rock?' in odd.stderr


@pytest.mark.ros
def test_depth_from_the_pair(run: RunResult) -> None:
    done = finished(command('stereo', run.run_dir, '--json'), environment(0))
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)[0]
    assert row['left'] == '/amber/left' and row['frames'] == 6
    assert row['baseline_m'] == pytest.approx(0.4) and row['focal_length_px'] == pytest.approx(160.0)
    # A tiny camera: 8 to 32 px of disparity, found to a few tenths.
    assert row['matched'] > 0.3 and row['median'] < 0.05
