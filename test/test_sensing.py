# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Cameras in whole runs: the same frames in every run, from a checkpoint on, at any speed; and no trace in the state."""

from __future__ import annotations

import hashlib
import math
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from harness import LiveRun, RunResult, command, library_run, run_scenario, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag
from regolith_bringup.report.page import write_report
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError
from regolith_sensors.labels.dataset_export import labeled_boxes
from regolith_sensors.report.image_reader import image_pixels, stamp_ns
from regolith_world.numerics.rotation import matrix

RATE_HZ, DURATION_S, CHECKPOINT_S = 12.0, 1.2, 0.6
EYE: dict[str, Any] = {
    'type': 'camera',
    'width': 64,
    'height': 48,
    'pixel_size_m': 5e-6,
    'focal_length_m': 3e-4,
    'f_number': 4.0,
    'exposure_s': 2e-3,
    'auto_exposure': {},
    'rate_hz': RATE_HZ,
    'distortion': {'coefficients': [-0.1, 0.02, 0.001, -0.002, 0.0]},
    'noise': {'dark_current': [10.0, 10.0, 10.0], 'read': [5.0, 5.0, 5.0], 'prnu': 0.01},
}
OUTPUTS = ['image', 'compressed', 'depth', 'semantic', 'instance', 'normals', 'boxes', 'wheel_labels']
MOUNT = {'xyz': [0.6, 0.1, 1.5], 'rpy_deg': [2.0, 30.0, -5.0]}


def sensors() -> dict[str, Any]:
    right = {'xyz': [0.6, -0.1, 1.5], 'rpy_deg': [0.0, 30.0, 0.0]}
    return {
        'tilted': {'model': EYE, 'mount': MOUNT, 'outputs': OUTPUTS},
        'left': {'model': EYE, 'mount': {**right, 'xyz': [0.6, 0.1, 1.5]}},
        'right': {'model': EYE, 'mount': right, 'stereo_with': 'left'},
    }


OBJECTS: dict[str, Any] = {
    'crate': {
        'type': 'static_body',
        'position': [4.0, -1.1, 0.4],
        'shapes': [{'kind': 'box', 'size_m': [0.15, 0.15, 0.4]}],
        'material': 'wood',
    },
    'globe': {
        'type': 'rigid_body',
        'position': [3.9, 1.25, 0.9],
        'mass_kg': 1.0,
        'shape': {'kind': 'sphere', 'size_m': [0.25]},
        'velocity_mps': [0.2, 0.1, 0.0],
        'weightless': True,
    },
}


def scenario(folder: Path, seeing: bool = True, **sections: Any) -> Path:
    amber = vehicle(0.0, 0.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.2)
    if seeing:
        amber = {**amber, 'sensors': sensors(), 'spotlights': {'lamp': {'mount': {'xyz': [0.6, 0.0, 1.2]}}}}
    basalt = vehicle(2.6, 0.2, type='constant', speed_mps=0.3)
    light = {'sun': {'azimuth_deg': 60.0, 'elevation_deg': 15.0}, 'view_range_m': 200.0}
    return write_scenario(
        folder,
        {'amber': amber, 'basalt': basalt},
        duration_s=DURATION_S,
        light=light,
        objects=OBJECTS,
        recording={'sensors': seeing},
        world={'checkpoint_period_s': CHECKPOINT_S},
        **sections,
    )


def frames(run: RunResult) -> dict[tuple[str, int], str]:
    """Return a digest of every message of every camera, by topic and stamp."""
    bag = Bag(run.run_dir)
    # Previews are of a few frames only.
    eyes = ('/amber/tilted/', '/amber/left/', '/amber/right/')
    names = [name for name in bag.topics if name.startswith(eyes) and not name.endswith('/preview')]
    found: dict[tuple[str, int], str] = {}
    for message in bag.messages(*names):
        content = message.content
        told = content.data.tobytes() if hasattr(content, 'data') else repr(content).encode()
        key = (message.topic, stamp_ns(content))
        assert key not in found
        found[key] = hashlib.sha256(told).hexdigest()
    return found


@pytest.fixture(scope='module')
def seen(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    """A run with cameras, as fast as it goes, each node in a process of its own."""
    folder = tmp_path_factory.mktemp('seen')
    return run_scenario(folder, scenario(folder))


@pytest.mark.ros
@pytest.mark.slow
def test_no_frame_is_skipped_at_full_speed(seen: RunResult) -> None:
    """Frames n = 0 ... ceil(T f) - 1 at round(n 1e9 / f) ns, of every topic."""
    stamps = [round(n * 1e9 / RATE_HZ) for n in range(math.ceil(DURATION_S * RATE_HZ))]
    by_topic: dict[str, list[int]] = {}
    for topic, t_ns in frames(seen):
        by_topic.setdefault(topic, []).append(t_ns)
    # In addition to the outputs: camera_info and image_metadata of every camera.
    assert len(by_topic) == len(OUTPUTS) + 2 + 2 * 3
    assert all(sorted(found) == stamps for found in by_topic.values())
    counts = {topic: v['messages'] for topic, v in seen.summary['sensors'].items() if not topic.endswith('/preview')}
    assert counts == dict.fromkeys(by_topic, len(stamps))
    assert seen.summary['bag']['lost'] == 0


@pytest.mark.ros
@pytest.mark.slow
def test_the_same_frames_in_one_process_and_from_a_checkpoint_on(tmp_path: Path, seen: RunResult) -> None:
    file = scenario(tmp_path)
    first = frames(seen)
    other = run_scenario(tmp_path, file, processes='one', name='one')
    assert frames(other) == first
    assert other.summary['state_hash'] == seen.summary['state_hash']
    saved = other.run_dir / 'checkpoints' / f't{CHECKPOINT_S:010.3f}'
    rest = run_scenario(tmp_path, file, '--checkpoint', saved, processes='one', name='rest')
    later = {key: value for key, value in first.items() if key[1] >= round(CHECKPOINT_S * 1e9)}
    assert len(later) > 40 and frames(rest) == later


@pytest.mark.ros
def test_cameras_leave_no_trace_in_the_state(tmp_path: Path, seen: RunResult) -> None:
    assert library_run(scenario(tmp_path, seeing=False)).world.state_hash == seen.summary['state_hash']


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.parametrize('clock', ['continues', 'returns'])
def test_a_rewind_shows_the_same_again(tmp_path: Path, clock: str) -> None:
    """Within one run: back to a checkpoint, ruts and all; the frames that follow are those of the first time.

    By default stamps continue to rise with ``/clock``, by an offset that each cycle states; else they go back with the world.
    """
    from regolith_msgs.msg import Cycle
    from regolith_msgs.srv import SaveCheckpoint
    from sensor_msgs.msg import Image

    keeps = clock == 'continues'
    arguments = (
        '--duration',
        30,
        '--rtf',
        1.0,
        '--no-record',
        '--set',
        'world.checkpoint_period_s=100.0',
        '--set',
        f'world.monotonic_clock={str(keeps).lower()}',
    )
    with LiveRun(tmp_path, scenario(tmp_path), *arguments, processes='one') as live:
        cycles = live.subscribe(Cycle, '/regolith/cycle')
        images = live.subscribe(Image, '/amber/tilted/depth/image_raw')
        live.wait_for(lambda: len(images) > 6, 60.0, 'images')
        saved = live.call(SaveCheckpoint, '/regolith/world/save_checkpoint', path='saved')
        live.wait_for(lambda: stamp_ns(images[-1]) > saved.t_ns + 10**9, 60.0, 'later images')
        assert live.call(SaveCheckpoint, '/regolith/world/restore_checkpoint', path=saved.path).success
        first = live.wait_for(lambda: next((c for c in cycles if c.key.epoch > 0), None), 60.0, 'the rewind')
        offset_ns = first.clock_offset_ns

        def fresh() -> list[int]:
            """Return which images are of the time after the rewind."""
            if keeps:  # later than all that was shown before
                return [k for k, image in enumerate(images) if stamp_ns(image) >= first.t_ns + offset_ns]
            falls = [k for k in range(1, len(images)) if stamp_ns(images[k]) < stamp_ns(images[k - 1])]
            return list(range(falls[0], len(images))) if falls else []

        live.wait_for(lambda: len(fresh()) > 8, 60.0, 'images after it')
    back = fresh()[0]
    before = {stamp_ns(m): bytes(m.data) for m in images[:back]}
    after = {stamp_ns(m) - offset_ns: bytes(m.data) for m in images[back : back + 8]}
    assert (offset_ns > 10**9) is keeps and len(after) == 8
    stamps = [stamp_ns(m) for m in images]
    assert (stamps == sorted(stamps)) is keeps
    assert min(after) >= saved.t_ns > min(before)
    assert after == {t: before[t] for t in after}


@pytest.mark.ros
def test_camera_info_mount_and_pose_put_the_ground_where_the_depth_image_has_it(seen: RunResult) -> None:
    """Flat ground: what CameraInfo, /tf_static and the true pose make of a pixel and its depth lies at height 0.

    The soil there must be untouched, as it is between the tracks. A point of the ground is put back into
    the image and must come within 0.05 px of its pixel (row 5 of the issue).
    """
    import cv2

    bag = Bag(seen.run_dir)
    info = next(bag.messages('/amber/tilted/camera_info')).content
    transforms = [t for m in bag.messages('/tf_static') for t in m.content.transforms]
    base_from_optical = _chain(transforms, 'amber/base_link', ['amber/tilted_link', 'amber/tilted_optical_frame'])
    poses = {stamp_ns(m.content): m.content.chassis for m in bag.messages('/amber/wheeled_state')}
    k, d = np.array(info.k).reshape(3, 3), np.array(info.d)
    checked = 0
    classes = {stamp_ns(m.content): m.content for m in bag.messages('/amber/tilted/semantic/image_raw')}
    for message in bag.messages('/amber/tilted/depth/image_raw'):
        t_ns = stamp_ns(message.content)
        if t_ns not in poses:  # frames between two cycles are interpolated; those at a cycle's end need not be
            continue
        world_from_optical = _transform(poses[t_ns].position, poses[t_ns].orientation) @ base_from_optical
        depth = image_pixels(message.content).astype(np.float64)
        v, u = np.nonzero((image_pixels(classes[t_ns]) == 1) & (depth < 6.0))
        pixel = np.stack([u, v], axis=1).astype(np.float64)
        rays = cv2.undistortPoints(pixel[:, None], k, d)[:, 0]
        seen_at = np.concatenate([rays, np.ones((len(rays), 1))], axis=1) * depth[v, u, None]
        place = seen_at @ world_from_optical[:3, :3].T + world_from_optical[:3, 3]
        virgin = (place[:, 1] > -0.1) & (place[:, 1] < 0.3) & (place[:, 0] > 1.0)  # between basalt's wheels
        ground = place[virgin] * (1.0, 1.0, 0.0)
        back = (ground - world_from_optical[:3, 3]) @ world_from_optical[:3, :3]
        again = cv2.projectPoints(back, np.zeros(3), np.zeros(3), k, d)[0][:, 0]
        assert np.abs(again - pixel[virgin]).max() < 0.05
        checked += int(virgin.sum())
    assert checked > 300


@pytest.mark.ros
def test_objects_are_seen_where_the_world_has_them(seen: RunResult) -> None:
    """Depth within 0.1 mm of the shapes; boxes within a pixel of the corners, with lens distortion."""
    import cv2

    bag = Bag(seen.run_dir)
    info = next(bag.messages('/amber/tilted/camera_info')).content
    k, d = np.array(info.k).reshape(3, 3), np.array(info.d)
    transforms = [t for m in bag.messages('/tf_static') for t in m.content.transforms]
    base_from_optical = _chain(transforms, 'amber/base_link', ['amber/tilted_link', 'amber/tilted_optical_frame'])
    poses = {stamp_ns(m.content): m.content.chassis for m in bag.messages('/amber/wheeled_state')}
    images = {
        name: {stamp_ns(m.content): image_pixels(m.content) for m in bag.messages(f'/amber/tilted/{name}/image_raw')}
        for name in ('depth', 'instance', 'semantic')
    }
    checked = dict.fromkeys(OBJECTS, 0)
    for message in bag.messages('/amber/tilted/boxes'):
        t_ns = stamp_ns(message.content)
        if t_ns not in poses:
            continue
        camera = _transform(poses[t_ns].position, poses[t_ns].orientation) @ base_from_optical
        depth, instance = images['depth'][t_ns].astype(np.float64), images['instance'][t_ns]
        for box in labeled_boxes(message.content.detections, instance):
            if box.name not in OBJECTS:
                continue
            v, u = np.nonzero(instance == box.instance)
            assert (images['semantic'][t_ns][v, u] == 5).all()
            rays = cv2.undistortPoints(np.stack([u, v], axis=1).astype(np.float64)[:, None], k, d)[:, 0]
            place = np.concatenate([rays, np.ones((len(rays), 1))], axis=1) * depth[v, u, None]
            place = place @ camera[:3, :3].T + camera[:3, 3]
            if box.name == 'globe':
                center = np.array([3.9, 1.25, 0.9]) + np.array([0.2, 0.1, 0.0]) * t_ns * 1e-9
                off = np.abs(np.linalg.norm(place - center, axis=1) - 0.25)
                reach = [center + 0.25 * np.array(e) for e in _directions()]
            else:
                beyond = np.abs(place - (4.0, -1.1, 0.4)) - (0.15, 0.15, 0.4)
                off = np.abs(beyond.max(axis=1))
                reach = [np.array((4.0, -1.1, 0.4)) + s * np.array((0.15, 0.15, 0.4)) for s in _corners()]
            # Towards the edge of a ball a ray meets it at a small angle, which magnifies the error of the pixel.
            assert np.median(off) < 1e-4 and off.max() < 2e-3, (box.name, off.max())
            seen_from = (np.array(reach) - camera[:3, 3]) @ camera[:3, :3]
            at = cv2.projectPoints(seen_from, np.zeros(3), np.zeros(3), k, d)[0][:, 0]
            whole = np.array([at[:, 0].min(), at[:, 1].min(), at[:, 0].max(), at[:, 1].max()])
            found = np.array([u.min() - 0.5, v.min() - 0.5, u.max() + 0.5, v.max() + 0.5])
            inside = (whole[0] > 0) & (whole[1] > 0) & (whole[2] < info.width - 1) & (whole[3] < info.height - 1)
            if inside:
                # A corner of a box may be narrower than a pixel, and then lies between two pixel centers.
                assert np.abs(found - whole).max() < (1.0 if box.name == 'globe' else 1.5), (box.name, found, whole)
                checked[box.name] += 1
    assert min(checked.values()) >= 1 and sum(checked.values()) >= 4


def _corners() -> list[np.ndarray]:
    return [np.array((x, y, z)) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]


def _directions() -> np.ndarray:
    some = np.random.default_rng(1).normal(size=(20000, 3))
    return some / np.linalg.norm(some, axis=1, keepdims=True)


def _transform(position: Any, turn: Any) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3] = matrix(np.array([turn.x, turn.y, turn.z, turn.w]))
    out[:3, 3] = position.x, position.y, position.z
    return out


def _chain(transforms: list[Any], start: str, frames_: list[str]) -> np.ndarray:
    out = np.eye(4)
    for child in frames_:
        step = next(t for t in transforms if t.child_frame_id == child and t.header.frame_id == start)
        out, start = out @ _transform(step.transform.translation, step.transform.rotation), child
    return out


@pytest.mark.ros
def test_stereo_infos_and_labels(seen: RunResult) -> None:
    bag = Bag(seen.run_dir)
    left, right = (next(bag.messages(f'/amber/{eye}/camera_info')).content for eye in ('left', 'right'))
    assert left.p[3] == 0.0 and right.p[3] == pytest.approx(-60.0 * 0.2)
    assert right.header.frame_id == 'amber/right_optical_frame'
    instance = [m.content for m in bag.messages('/amber/tilted/instance/image_raw')][-1]
    found = [m.content for m in bag.messages('/amber/tilted/boxes')][-1]
    wheels = [m.content for m in bag.messages('/amber/tilted/wheel_labels')][-1]
    names = [detection.id for detection in found.detections]
    assert 'basalt' in names and set(wheels.names) <= set(names) and len(wheels.names) >= 1
    for box in labeled_boxes(found.detections, image_pixels(instance)):
        assert box.pixels == int(np.sum(image_pixels(instance) == box.instance)) > 0
        kind = 'other' if box.name in OBJECTS else 'wheel' if '/' in box.name else 'vehicle'
        assert box.class_name == kind
    # The labels are the sinkages that wheel_states publishes at the first cycle's end from the image's stamp on.
    states = [m.content for m in bag.messages('/basalt/wheel_states')]
    state = next(s for s in states if stamp_ns(s) >= stamp_ns(wheels))
    told = {f'basalt/{w.name}': w.sinkage_total for w in state.wheels}
    assert {name: told[name] for name in wheels.names} == dict(zip(wheels.names, wheels.sinkage_total))


@pytest.mark.ros
def test_the_report_shows_what_they_saw(seen: RunResult, small_plots: None) -> None:
    text = write_report(seen.run_dir).read_text(encoding='utf-8')
    assert 'What the sensors saw' in text and 'alt="Data of /amber/tilted over the run"' in text


def with_model(tmp_path: Path, **changes: Any) -> Path:
    file = scenario(tmp_path)
    (tmp_path / 'eye.yaml').write_text(yaml.safe_dump({**EYE, **changes}), encoding='utf-8')
    content = yaml.safe_load(file.read_text(encoding='utf-8'))
    content['vehicles']['amber']['sensors'] = {'left': {'model': 'eye.yaml'}}
    file.write_text(yaml.safe_dump(content), encoding='utf-8')
    return file


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({'focus_distance_m': 2e-4}, ('focus_distance_m', '0.0002', 'is inside the focal length', 'more than')),
        ({'width': 0}, ('width', '0', 'greater than or equal to 1')),
        ({'distortion': {'model': 'spherical'}}, ('distortion.model', 'spherical', 'plumb_bob', 'equidistant')),
        ({'rate': 3.0}, ('rate', 'unknown key', 'rate_hz')),
    ],
    ids=['focus', 'pixels', 'distortion', 'key'],
)
def test_impossible_cameras_are_refused_before_anything_starts(
    tmp_path: Path, changes: dict[str, Any], words: tuple[str, ...]
) -> None:
    with pytest.raises(InputError) as caught:
        load_scenario(with_model(tmp_path, **changes))
    text = str(caught.value)
    assert all(word in text for word in (*words, 'eye.yaml:', 'allowed:')), text


def test_check_says_so_and_exits_with_2(tmp_path: Path) -> None:
    done = subprocess.run(
        command('check', with_model(tmp_path, focus_distance_m=2e-4)), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2 and done.stdout == ''
    assert re.search(
        r'eye\.yaml:\d+: focus_distance_m = 0\.0002: is inside the focal length; allowed: more than', done.stderr
    )


@pytest.mark.parametrize(
    ('path', 'value', 'words'),
    [
        (('sensors', 'left', 'outputs'), ['image', 'dept'], ('sensors.left.outputs', "'dept'", 'depth')),
        (('sensors', 'left', 'model'), 'navcan', ('sensors.left.model', 'navcam')),
        (('sensors', 'right', 'stereo_with'), 'lefd', ('right.stereo_with', "'lefd'", 'did you mean left')),
        (('sensors', 'right', 'mount'), {'xyz': [0.6, 0.3, 1.5], 'rpy_deg': [0, 30, 0]}, ('right.mount.xyz', '0.3')),
        (('sensors', 'right', 'mount'), {'xyz': [0.6, -0.1, 1.5]}, ('right.mount.rpy_deg', 'parallel')),
        (('sensors', 'agent'), {'model': 'navcam'}, ('sensors.agent', 'is taken')),
        (('spotlights', 'lamp', 'inner_angle_deg'), 30.0, ('spotlights.lamp', 'outer_angle_deg')),
    ],
    ids=['output', 'model', 'pair', 'left_of_left', 'not_parallel', 'name', 'lamp'],
)
def test_impossible_entries_are_refused(
    tmp_path: Path, path: tuple[str, ...], value: Any, words: tuple[str, ...]
) -> None:
    file = scenario(tmp_path)
    content = yaml.safe_load(file.read_text(encoding='utf-8'))
    inner = content['vehicles']['amber']
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    file.write_text(yaml.safe_dump(content), encoding='utf-8')
    with pytest.raises(InputError) as caught:
        load_scenario(file)
    assert all(word in str(caught.value) for word in (*words, 'scenario.yaml:', 'allowed:')), str(caught.value)
