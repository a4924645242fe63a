# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS topics of a camera: image, CameraInfo, and ground truth from the same rays."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from regolith_msgs import msg as m
from regolith_msgs.msg import WheelStates
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import Header
from vision_msgs.msg import Detection2D, Detection2DArray, ObjectHypothesisWithPose

from regolith_sensors.camera.display import display_image
from regolith_sensors.camera.pipeline import Camera, CameraImage, CameraPose
from regolith_sensors.config.sensor_types import WHEELS
from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.in_process.camera_pose import camera_pose
from regolith_sensors.labels.ground_truth import Box2D, boxes
from regolith_sensors.light import Sun
from regolith_sensors.rays.image import RenderedImage
from regolith_sensors.ros.sensor_topics import SensorContext, SensorTopics, vehicle_lamps
from regolith_sensors.scene.scene import Semantic
from regolith_sensors.scene.world_view import WorldView
from regolith_world.ros import clock_offset, qos, root_namespace, stamp, typed_array

_KEPT_STATES = 400
_CHEAP = ('camera_info', 'image_metadata', 'preview')
"""Topics whose subscribers alone do not cause an image to be rendered."""
_PICTURES = ('image_raw', 'image_8bit', 'image_raw/compressed')
PREVIEWS, PREVIEW_WIDTH = 4, 480
"""Number of preview images of a camera in a run, and their maximum width [px]."""


_FEWER = 4
"""Step of the pixels that are searched for sunlight."""
_LEAST_SURFACE, _MOST_SUNLIT = 0.05, 1e-3
"""Smallest share of surfaces in an image without sunlight, and largest sunlit share of them."""


class CameraTopics(SensorTopics):
    """Publisher of a camera's topics.

    The topics are ``image_raw``, ``camera_info``, ``image_metadata``, ``image_raw/compressed``, ``image_8bit``,
    ``depth/``, ``semantic/``, ``instance/`` and ``normals/image_raw``, ``boxes`` and ``wheel_labels``. All messages of
    a frame have the same stamp, the middle of the exposure. A few frames of a run are also published as small,
    compressed ``preview`` images if the topic has a subscriber (the recorder).
    """

    def __init__(self, sensor: ResolvedSensor, context: SensorContext) -> None:
        """Create the camera and its publishers."""
        super().__init__(sensor, context)
        self.camera = Camera(sensor.config, context.seed, sensor.full_name)
        config = self.camera.config
        if config.samples_per_pixel > 1 and config.stages.motion_blur:
            half = round(0.5e9 * self._nominal_exposure)
            self.span_ns = (half, half)
        exposure = config.auto_exposure
        self._lag = 0 if exposure is None else exposure.lag_frames
        if self._lag:
            self.span_ns = (max(self.span_ns[0], round(self._lag * 1e9 / config.rate_hz) + 1), self.span_ns[1])
        self._info = info_message(self.camera, sensor.baseline_m)
        self._previews = preview_frames(context.duration_s, config.rate_hz)
        self._states: dict[str, deque[tuple[int, Any]]] = {}
        if WHEELS in sensor.needs:
            for vehicle in sorted(context.wheeled):
                self._follow_wheels(vehicle)

    @property
    def _nominal_exposure(self) -> float:
        """Return the configured exposure time [s]; the result of automatic exposure is unknown in advance."""
        return float(self.camera.config.exposure_s)

    # -- frames -------------------------------------------------------------------------------------------------

    def publish(self, n: int, t_ns: int, view: WorldView) -> None:
        """Render frame n, then publish all topics with subscribers together."""
        header = Header(stamp=stamp(t_ns), frame_id=self.frame_id)
        self._info.header = header
        made = {'camera_info': self._info, **self._messages(n, t_ns, view, header)}
        for topic, message in made.items():
            self.publishers[topic].publish(message)

    def _messages(self, n: int, t_ns: int, view: WorldView, header: Header) -> dict[str, Any]:
        """Return the messages of frame n for the topics with subscribers, without ``camera_info``."""
        preview = n in self._previews and self.listened('preview')
        if not (preview or any(self.listened(topic) for topic in self.publishers if topic not in _CHEAP)):
            return {}
        exposure_s = self._metered_before(n, view) if self._lag else None
        frame = self._look(n, t_ns, view)
        made = {}
        if preview or any(self.listened(topic) for topic in _PICTURES):
            through = view.lens_transmission(self.sensor.full_name)
            picture = self.camera.process(frame, n, exposure_s, through)
            made['image_metadata'] = metadata_message(picture, n, header)
            made |= self._images(picture, header, preview)
        return made | self._truth(frame, header) | self._labels(frame, header, t_ns, view)

    def _metered_before(self, n: int, view: WorldView) -> float:
        """Return the exposure time of frame n from the light of an earlier one, of the first frame at the earliest [s].

        The ground is that of frame n.
        """
        n = max(0, n - self._lag)
        t_ns = self.sensor.frame_ns(n)
        scene = view.prepare(t_ns)
        lamps = vehicle_lamps(self.context, view, t_ns)
        pose = camera_pose(self.sensor, view, t_ns)
        return self.camera.meter(scene, view.scene.origin, pose, self.context.sun_at(t_ns), lamps, n)

    def _look(self, n: int, t_ns: int, view: WorldView) -> RenderedImage:
        scene = view.prepare(t_ns)
        exposure_ns = 1e9 * self._nominal_exposure

        def pose(part: float) -> CameraPose:
            at_ns = t_ns + round((part - 0.5) * exposure_ns) if self.span_ns[1] else t_ns
            return camera_pose(self.sensor, view, at_ns)

        lamps = vehicle_lamps(self.context, view, t_ns)
        sun = self.context.sun_at(t_ns)
        frame = self.camera.expose(scene, view.scene.origin, pose, sun, lamps, n, view.dust(t_ns))
        if warning := darkness(frame, sun, bool(lamps), pose(0.5).position):
            self.warn_of_blank(t_ns, warning)
        return frame

    def _images(self, picture: CameraImage, header: Header, preview: bool = False) -> dict[str, Any]:
        made: dict[str, Any] = {}
        if self.listened('image_raw'):
            made['image_raw'] = image_message(picture.image, picture.encoding, header)
        if preview or self.listened('image_8bit'):
            shown, encoding = display_image(picture.image, picture.encoding)
            if self.listened('image_8bit'):
                made['image_8bit'] = image_message(shown, encoding, header)
            if preview:
                made['preview'] = preview_message(shown, encoding, header)
        if self.listened('image_raw/compressed'):
            ordered = picture.image[:, :, ::-1] if picture.image.ndim == 3 else picture.image
            _, packed = cv2.imencode('.png', np.ascontiguousarray(ordered), [cv2.IMWRITE_PNG_COMPRESSION, 3])
            # The format of image_transport's compressed plugin; only color images have a channel order.
            order = 'bgr16' if picture.image.ndim == 3 else ''
            message = CompressedImage(header=header, format=f'{picture.encoding}; png compressed {order}')
            message.data = typed_array('B', packed)
            made['image_raw/compressed'] = message
        return made

    def _truth(self, frame: RenderedImage, header: Header) -> dict[str, Any]:
        layers = (
            ('depth/image_raw', '32FC1', frame.depth),
            ('semantic/image_raw', '8UC1', frame.semantic),
            ('instance/image_raw', '16UC1', frame.object_id),
            ('normals/image_raw', '32FC3', frame.normal),
        )
        return {
            topic: image_message(pixels, encoding, header) for topic, encoding, pixels in layers if self.listened(topic)
        }

    def _labels(self, frame: RenderedImage, header: Header, t_ns: int, view: WorldView) -> dict[str, Any]:
        made: dict[str, Any] = {}
        if not (self.listened('boxes') or self.listened('wheel_labels')):
            return made
        found = boxes(frame.object_id, frame.semantic)
        names = {thing.number: thing.name for thing in view.scene.objects}
        if self.listened('boxes'):
            made['boxes'] = detections_message(found, names, header)
        if self.listened('wheel_labels'):
            wheels = [box for box in found if box.semantic == Semantic.WHEEL]
            made['wheel_labels'] = self._wheel_labels(wheels, names, header, t_ns)
        return made

    # -- wheels -------------------------------------------------------------------------------------------------

    def _follow_wheels(self, vehicle: str) -> None:
        kept = self._states[vehicle] = deque(maxlen=_KEPT_STATES)

        def take(message: Any) -> None:
            t_ns = clock_offset.simulated_ns(message.header.stamp.sec * 10**9 + message.header.stamp.nanosec)
            while kept and kept[-1][0] >= t_ns:  # a rewind
                kept.pop()
            kept.append((t_ns, message))

        root = root_namespace(self.context.node)
        self.context.inbox.subscribe(WheelStates, f'{root}/{vehicle}/wheel_states', take, qos.HISTORY)

    def discard_after(self, t_ns: int) -> None:
        """Discard the states of wheels after a time [ns]."""
        for kept in self._states.values():
            while kept and kept[-1][0] > t_ns:
                kept.pop()

    def ready(self, t_ns: int) -> bool:
        """Return whether the states of all wheels at this time [ns] have arrived."""
        return all(kept and kept[-1][0] >= t_ns for kept in self._states.values())

    def _wheel_labels(self, found: list[Box2D], names: dict[int, str], header: Header, t_ns: int) -> m.WheelLabels:
        labels = m.WheelLabels(header=header)
        for name, box in sorted((names[box.object_id], box) for box in found):
            vehicle, _, wheel = name.partition('/')
            # The state at the first committed time that is not before the frame's.
            state = next((s for t, s in self._states.get(vehicle, ()) if t >= t_ns), None)
            of_wheel = next((w for w in state.wheels if w.name == wheel), None) if state is not None else None
            if of_wheel is None:
                continue
            labels.names.append(name)
            labels.sinkage_total.append(of_wheel.sinkage_total)
            labels.sinkage_incremental.append(of_wheel.sinkage_incremental)
            labels.slip_ratio.append(of_wheel.slip_ratio)
            labels.pixels.append(box.pixels)
            labels.left.append(box.left)
            labels.top.append(box.top)
            labels.right.append(box.right)
            labels.bottom.append(box.bottom)
        return labels


def info_message(camera: Camera, baseline_m: float) -> CameraInfo:
    """Return the CameraInfo of a camera, without its header."""
    info = camera.info(baseline_m)
    message = CameraInfo(width=info.width, height=info.height, distortion_model=info.distortion_model)
    message.d = [float(v) for v in info.d]
    message.k, message.r, message.p = info.k.ravel(), info.r.ravel(), info.p.ravel()
    return message


def metadata_message(picture: CameraImage, n: int, header: Header) -> m.ImageMetadata:
    """Return the message with exposure time and gain of image number ``n``."""
    return m.ImageMetadata(header=header, frame=n, exposure_time=picture.exposure_s, gain=picture.gain)


def preview_frames(duration_s: float, rate_hz: float) -> frozenset[int]:
    """Return the numbers of the frames with previews, evenly distributed over a run."""
    last = max(math.ceil(duration_s * rate_hz - 1e-9) - 1, 0)
    return frozenset(round(k * last / (PREVIEWS - 1)) for k in range(PREVIEWS))


def darkness(frame: RenderedImage, sun: Sun | None, lamps: bool, place: NDArray[np.float64]) -> str:
    """Return the reason why an image is black or has no sunlight although there is light; '' otherwise, and at night.

    Args:
        frame: The image.
        sun: The sun; None: there is none.
        lamps: Whether lamps are on.
        place: Position of the camera in the world [m].
    """
    day = sun is not None and sun.elevation > 0.0
    if sun is not None and day and not lamps and (hidden := _hidden_sun(frame, sun, place)):
        high = f'{math.degrees(sun.elevation):.1f}'
        return f'the image has no sunlight, as {hidden} the sun, {high} degrees high; fix: a lamp, or another place'
    if (day or lamps) and not frame.radiance.any():
        return 'the image is black, as no light reaches the camera; fix: check mount and light'
    return ''


def _hidden_sun(frame: RenderedImage, sun: Sun, place: NDArray[np.float64]) -> str:
    """Return what hides the sun from all that a camera sees; '' if it lights any surface, or there are only few."""
    if sun.far is not None and sun.far.at(place) <= 0.0:
        return 'terrain beyond light.view_range_m hides'
    few = frame.instance[::_FEWER, ::_FEWER]
    surface = few[few >= 0]
    seen = len(surface) > _LEAST_SURFACE * few.size
    return 'terrain, rocks or vehicles hide' if seen and np.mean(surface & 1) < _MOST_SUNLIT else ''


def preview_message(shown: NDArray[np.uint8], encoding: str, header: Header) -> CompressedImage:
    """Return a preview image as JPEG.

    Args:
        shown: Image from :func:`regolith_sensors.camera.display.display_image`.
        encoding: Encoding of the original image.
        header: Header of the frame.
    """
    height, width = shown.shape[:2]
    if width > PREVIEW_WIDTH:
        size = (PREVIEW_WIDTH, max(round(height * PREVIEW_WIDTH / width), 1))
        shown = np.asarray(cv2.resize(shown, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    ordered = shown[:, :, ::-1] if shown.ndim == 3 else shown
    _, packed = cv2.imencode('.jpg', np.ascontiguousarray(ordered), [cv2.IMWRITE_JPEG_QUALITY, 85])
    order = 'bgr8' if shown.ndim == 3 else ''
    message = CompressedImage(header=header, format=f'{encoding}; jpeg compressed {order}')
    message.data = typed_array('B', packed)
    return message


def image_message(pixels: NDArray[Any], encoding: str, header: Header) -> Image:
    """Return an image of shape (height, width[, channels]) as a message."""
    data = np.ascontiguousarray(pixels)
    height, width = data.shape[:2]
    message = Image(header=header, height=height, width=width, encoding=encoding, step=data.nbytes // height)
    message.is_bigendian = 0
    message.data = typed_array('B', data.view(np.uint8).reshape(-1))
    return message


def detections_message(found: list[Box2D], names: dict[int, str], header: Header) -> Detection2DArray:
    """Return the bounding boxes of the objects in an image, in order of their instance numbers."""
    message = Detection2DArray(header=header)
    for box in found:
        detection = Detection2D(header=header, id=names[box.object_id])
        detection.bbox.center.position.x = 0.5 * (box.left + box.right)
        detection.bbox.center.position.y = 0.5 * (box.top + box.bottom)
        detection.bbox.size_x = float(box.right - box.left + 1)
        detection.bbox.size_y = float(box.bottom - box.top + 1)
        result = ObjectHypothesisWithPose()
        result.hypothesis.class_id, result.hypothesis.score = Semantic(box.semantic).name.lower(), 1.0
        detection.results.append(result)
        message.detections.append(detection)
    return message


__all__ = [
    'CameraTopics',
    'detections_message',
    'image_message',
    'info_message',
    'metadata_message',
]
