# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of a camera's topics, which are rendered for subscribers only."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')

from rclpy.node import Node  # noqa: E402
from regolith_msgs.msg import ImageMetadata  # noqa: E402
from sensor_msgs.msg import CameraInfo, CompressedImage, Image  # noqa: E402
from std_msgs.msg import Header  # noqa: E402

from regolith_sensors.camera.pipeline import Camera, CameraImage  # noqa: E402
from regolith_sensors.config.camera import CameraConfig  # noqa: E402
from regolith_sensors.config.lighting import LightConfig  # noqa: E402
from regolith_sensors.config.sensors import sensors_of  # noqa: E402
from regolith_sensors.labels.dataset import LabeledBox  # noqa: E402
from regolith_sensors.labels.dataset_export import labeled_boxes  # noqa: E402
from regolith_sensors.labels.ground_truth import Box2D  # noqa: E402
from regolith_sensors.light import Sun  # noqa: E402
from regolith_sensors.rays.image import empty_frame  # noqa: E402
from regolith_sensors.ros import camera_topics  # noqa: E402
from regolith_sensors.ros.camera_topics import preview_frames, preview_message  # noqa: E402
from regolith_sensors.ros.sensor_topics import SensorContext  # noqa: E402
from regolith_sensors.scene.scene import Semantic  # noqa: E402
from regolith_sensors.scene.sensor_scene import SensorScene  # noqa: E402
from regolith_sensors.scene.world_view import WorldView  # noqa: E402
from regolith_terrain.config import TerrainConfig  # noqa: E402
from regolith_vehicles.description.model_files import load_vehicle_model  # noqa: E402
from regolith_vehicles.running_gear_registry import load_visuals  # noqa: E402
from regolith_world.ros.inbox import Inbox  # noqa: E402

pytestmark = pytest.mark.ros
DOMAIN = 1 + os.getpid() % 19
EYE = {
    'type': 'camera',
    'width': 32,
    'height': 24,
    'pixel_size_m': 1e-5,
    'focal_length_m': 3e-4,
    'f_number': 4.0,
    'exposure_s': 1e-3,
    'color': 'rgb',
}
ENTRY = {
    'model': EYE,
    'mount': {'xyz': [0.6, 0.0, 1.0], 'rpy_deg': [0.0, 30.0, 0.0]},
    'outputs': ['image', 'compressed', 'depth'],
}


class Counted:
    """View that counts its calls of ``prepare``."""

    def __init__(self, view: WorldView) -> None:
        self._view = view
        self.prepared = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)

    def prepare(self, t_ns: int) -> Any:
        self.prepared += 1
        return self._view.prepare(t_ns)


@pytest.fixture
def context() -> Iterator[Any]:
    made = rclpy.Context()
    rclpy.init(context=made, domain_id=DOMAIN)
    yield made
    made.try_shutdown()


def wait(condition: Callable[[], Any], executor: Any) -> None:
    until = time.monotonic() + 10.0
    while not condition():
        assert time.monotonic() < until
        executor.spin_once(timeout_sec=0.02)


LIGHT = LightConfig.model_validate({'view_range_m': 50.0})


@pytest.fixture(scope='module')
def flat_view() -> WorldView:
    """Return the view of a rover on flat ground."""
    terrain = TerrainConfig.model_validate({'source': 'flat', 'spacing_m': 0.1})
    world = SensorScene(terrain, LIGHT, 1, {'amber': load_visuals(*load_vehicle_model('viper'))})
    pose = np.tile([0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 1.0], (9, 1))
    world.states.tracks['amber'].add(0, pose)
    return world.view('amber')


def test_camera_without_subscriber_does_not_render(context: Any, flat_view: WorldView) -> None:
    """Without subscribers no frame is wanted; CameraInfo needs no rays; a subscriber gets pixels, stamp and frame."""
    view, light = Counted(flat_view), LIGHT
    node = Node('left', namespace='amber', context=context, enable_rosout=False)
    link = Node('link', context=context, enable_rosout=False)
    listener = Node('listener', context=context, enable_rosout=False)
    executor = rclpy.executors.SingleThreadedExecutor(context=context)
    executor.add_node(listener)
    (sensor,) = sensors_of({'amber': {'left': ENTRY}})
    topics = sensor.make_topics(SensorContext(node, Inbox(link), 1, 1.62, light, {}))
    assert not topics.wanted and topics.span_ns == (0, 0)

    infos: list[CameraInfo] = []
    listener.create_subscription(CameraInfo, '/amber/left/camera_info', infos.append, 5)
    wait(lambda: topics.wanted, executor)
    topics.publish(3, 750_000_000, view)
    wait(lambda: infos, executor)
    assert view.prepared == 0
    assert infos[0].header.stamp.nanosec == 750_000_000 and infos[0].header.frame_id == 'amber/left_optical_frame'

    images: list[Image] = []
    packed: list[CompressedImage] = []
    listener.create_subscription(Image, '/amber/left/image_raw', images.append, 5)
    listener.create_subscription(CompressedImage, '/amber/left/image_raw/compressed', packed.append, 5)
    wait(lambda: all(topics.listened(t) for t in ('image_raw', 'image_raw/compressed')), executor)
    topics.publish(4, 1_000_000_000, view)
    wait(lambda: images and packed, executor)
    assert view.prepared == 1
    assert (images[0].height, images[0].width, images[0].encoding, images[0].step) == (24, 32, 'rgb16', 192)

    # The compressed image is lossless, with channels in OpenCV's order, as its format says.
    unpacked = cv2.imdecode(np.frombuffer(packed[0].data, np.uint8), cv2.IMREAD_UNCHANGED)
    raw = np.frombuffer(images[0].data, '<u2').reshape(24, 32, 3)
    np.testing.assert_array_equal(unpacked[:, :, ::-1], raw)
    assert packed[0].format == 'rgb16; png compressed bgr16' and raw.max() > 0


@pytest.mark.parametrize('automatic', [True, False])
def test_image_metadata_has_exposure_gain_and_frame(context: Any, flat_view: WorldView, automatic: bool) -> None:
    """A camera set to the published exposure and gain makes a bit-identical image.

    A subscriber of the metadata alone does not make a camera render.
    """
    meter: Any = {'meter': 'ground', 'percentile': 90.0, 'target_level': 0.3} if automatic else None
    model = {**EYE, 'exposure_s': 2e-4, 'auto_exposure': meter, 'iso': 160.0}
    right = {
        **ENTRY,
        'model': model,
        'outputs': ['image'],
        'mount': {'xyz': [0.6, -0.2, 1.0], 'rpy_deg': [0.0, 30.0, 0.0]},
    }
    left = {**right, 'mount': {**right['mount'], 'xyz': [0.6, 0.2, 1.0]}}
    # Unique names, because subscriptions of other tests may still be known to the domain.
    eyes = [f'{side}_{"metered" if automatic else "fixed"}' for side in ('left', 'right')]
    pair = sensors_of({'amber': {eyes[0]: left, eyes[1]: {**right, 'stereo_with': eyes[0]}}})
    link = Node('link', context=context, enable_rosout=False)
    listener = Node('listener', context=context, enable_rosout=False)
    executor = rclpy.executors.SingleThreadedExecutor(context=context)
    executor.add_node(listener)
    view = Counted(flat_view)
    for sensor in pair:
        node = Node(sensor.name, namespace='amber', context=context, enable_rosout=False)
        topics = sensor.make_topics(SensorContext(node, Inbox(link), 1, 1.62, LIGHT, {}))
        told: list[ImageMetadata] = []
        images: list[Image] = []
        listener.create_subscription(ImageMetadata, f'/amber/{sensor.name}/image_metadata', told.append, 5)
        wait(lambda topics=topics: topics.listened('image_metadata'), executor)
        before = view.prepared
        topics.publish(6, 600_000_000, view)
        assert view.prepared == before
        listener.create_subscription(Image, f'/amber/{sensor.name}/image_raw', images.append, 5)
        wait(lambda topics=topics: topics.listened('image_raw'), executor)
        topics.publish(7, 700_000_000, view)
        wait(lambda told=told, images=images: told and images, executor)
        (metadata,) = told
        assert metadata.frame == 7 and metadata.header == images[0].header
        assert metadata.header.frame_id == f'amber/{sensor.name}_optical_frame'
        assert metadata.gain == pytest.approx(1.6)
        assert (metadata.exposure_time == model['exposure_s']) is not automatic
        fixed = {**model, 'auto_exposure': None, 'exposure_s': metadata.exposure_time, 'iso': 100.0 * metadata.gain}
        camera = Camera(CameraConfig.model_validate(fixed), 1, sensor.full_name)
        again = camera.process(topics._look(7, 700_000_000, view), 7).image
        assert again.tobytes() == bytes(images[0].data) and 0 < np.median(again) < 65535


@pytest.mark.parametrize(
    ('color', 'encoding', 'form'),
    [('mono', 'mono16', 'mono16; png compressed '), ('bayer_rggb', 'bayer_rggb16', 'bayer_rggb16; png compressed ')],
)
def test_compressed_format_of_one_channel_has_no_color_order(
    context: Any, color: str, encoding: str, form: str
) -> None:
    """image_transport's own compressed plugin gives an order for color images only."""
    (sensor,) = sensors_of({'amber': {'eye': {**ENTRY, 'model': {**EYE, 'color': color}}}})
    node = Node('eye', namespace='amber', context=context, enable_rosout=False)
    link = Node('link', context=context, enable_rosout=False)
    listener = Node('listener', context=context, enable_rosout=False)
    executor = rclpy.executors.SingleThreadedExecutor(context=context)
    executor.add_node(listener)
    topics = sensor.make_topics(SensorContext(node, Inbox(link), 1, 1.62, LightConfig(), {}))
    images: list[Image] = []
    packed: list[CompressedImage] = []
    listener.create_subscription(Image, '/amber/eye/image_raw', images.append, 5)
    listener.create_subscription(CompressedImage, '/amber/eye/image_raw/compressed', packed.append, 5)
    wait(lambda: all(topics.listened(t) for t in ('image_raw', 'image_raw/compressed')), executor)
    numbers = np.arange(24 * 32, dtype=np.uint16).reshape(24, 32) * 80
    made = topics._images(CameraImage(numbers, encoding, 1e-3, 1.0, empty_frame(24, 32)), Header())
    for topic, message in made.items():
        topics.publishers[topic].publish(message)
    wait(lambda: images and packed, executor)
    assert (images[0].encoding, images[0].is_bigendian, images[0].step) == (encoding, 0, 64)
    assert packed[0].format == form
    unpacked = cv2.imdecode(np.frombuffer(packed[0].data, np.uint8), cv2.IMREAD_UNCHANGED)
    np.testing.assert_array_equal(unpacked, numbers)
    np.testing.assert_array_equal(np.frombuffer(images[0].data, '<u2').reshape(24, 32), numbers)


def test_image_and_camera_info_are_published_together(context: Any, flat_view: WorldView) -> None:
    """All messages of a frame follow its rendering, which takes simulated time of other nodes."""
    (sensor,) = sensors_of({'amber': {'right': ENTRY}})
    node = Node('right', namespace='amber', context=context, enable_rosout=False)
    link = Node('link', context=context, enable_rosout=False)
    topics = sensor.make_topics(SensorContext(node, Inbox(link), 1, 1.62, LIGHT, {}))
    order: list[str] = []

    def noted(name: str) -> Any:
        return SimpleNamespace(publish=lambda message: order.append(name), get_subscription_count=lambda: 1)

    class Noted(Counted):
        def prepare(self, t_ns: int) -> Any:
            order.append('render')
            return super().prepare(t_ns)

    topics.publishers = {name: noted(name) for name in topics.publishers}
    topics.publish(1, 0, Noted(flat_view))
    assert order[:4] == ['render', 'camera_info', 'image_metadata', 'image_raw']
    assert order.count('camera_info') == 1 and {'image_raw/compressed', 'depth/image_raw'} <= set(order)


def test_previews_are_four_frames_over_the_run() -> None:
    """Four frames of a run, including the first and the last; all frames of a run of two."""
    assert sorted(preview_frames(12.0, 4.0)) == [0, 16, 31, 47]
    assert sorted(preview_frames(0.4, 4.0)) == [0, 1] and sorted(preview_frames(0.0, 4.0)) == [0]
    shown = np.zeros((600, 1200, 3), np.uint8)
    shown[:, :, 0] = 200
    message = preview_message(shown, 'rgb8', Header())
    image = cv2.imdecode(np.frombuffer(message.data, np.uint8), cv2.IMREAD_UNCHANGED)
    assert message.format == 'rgb8; jpeg compressed bgr8' and image.shape == (240, 480, 3)
    # Red, in OpenCV's order.
    assert image[..., 2].mean() > 190 and image[..., 0].mean() < 10 and len(message.data) < 20_000


def test_boxes_round_trip_through_vision_messages() -> None:
    """Pixels count from 0, both ends included: for columns 3 to 8 the center is 5.5 and the width 6."""
    made = [Box2D(7, int(Semantic.ROCK), 3, 10, 8, 20, 41), Box2D(9, int(Semantic.WHEEL), 3, 10, 8, 20, 5)]
    found = camera_topics.detections_message(made, {7: 'rock_7', 9: 'amber/left'}, Header()).detections
    first = found[0]
    assert (first.bbox.center.position.x, first.bbox.center.position.y) == (5.5, 15.0)
    assert (first.bbox.size_x, first.bbox.size_y, first.id) == (6.0, 11.0, 'rock_7')
    assert (first.results[0].hypothesis.class_id, first.results[0].hypothesis.score) == ('rock', 1.0)
    assert labeled_boxes(found, None) == [
        LabeledBox('rock', 3, 10, 8, 20, 0, None, 'rock_7'),
        LabeledBox('wheel', 3, 10, 8, 20, 0, None, 'amber/left'),
    ]
    # Two objects in one box: the order of their numbers identifies them.
    instances = np.ones((30, 30), np.uint16)
    instances[10:21, 3:9] = 7
    instances[10:21:10, 3:9:5] = 9
    instances[25, 25] = 11
    assert labeled_boxes(found, instances) == [
        LabeledBox('rock', 3, 10, 8, 20, 62, 7, 'rock_7'),
        LabeledBox('wheel', 3, 10, 8, 20, 4, 9, 'amber/left'),
    ]


@pytest.mark.parametrize('lag', [0, 1, 2])
def test_exposure_lags_by_whole_frames(context: Any, flat_view: WorldView, lag: int) -> None:
    """The sun rises from frame to frame; a frame is exposed for the sun of an earlier one."""
    light = SimpleNamespace(sun_at=lambda t_ns: Sun(1.0, 0.2 + 2.0 * t_ns * 1e-9))
    node = Node('eye', namespace='amber', context=context, enable_rosout=False)
    link = Node('link', context=context, enable_rosout=False)
    exposure = {'lag_frames': lag, 'min_exposure_s': 1e-6, 'max_exposure_s': 10.0}
    model = {**EYE, 'rate_hz': 10.0, 'width': 80, 'height': 60, 'auto_exposure': exposure}
    (sensor,) = sensors_of({'amber': {'eye': {**ENTRY, 'model': model}}})
    topics = sensor.make_topics(SensorContext(node, Inbox(link), 1, 1.62, light, {}))  # type: ignore[arg-type]
    assert topics.span_ns[0] >= lag * 100_000_000
    seen: list[float] = []
    topics.listened = lambda topic: topic == 'image_raw'
    process = topics.camera.process
    topics.camera.process = lambda *args: (made := process(*args), seen.append(made.exposure_s))[0]
    pose = flat_view.base_pose('amber', 0)
    view = SimpleNamespace(prepare=lambda t: flat_view.prepare(0), base_pose=lambda *_: pose, scene=flat_view.scene)
    view.dust, view.lens_transmission = flat_view.dust, flat_view.lens_transmission
    for n in range(5):
        topics.publish(n, sensor.frame_ns(n), view)
    assert seen[:1] == seen[: lag + 1][:1] and len(seen) == 5
    sines = [np.sin(0.2 + 0.2 * max(0, n - lag)) for n in range(5)]
    order = sorted(range(5), key=lambda n: -sines[n])
    assert [seen[n] for n in order] == sorted(seen), 'brighter ground has a shorter exposure'
    assert all(seen[n] == seen[0] for n in range(lag)) and len({*seen}) == 5 - lag
