# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Drawing of images, and of point clouds at their frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import cv2
import numpy as np
import rerun as rr
from numpy.typing import NDArray

from regolith_bringup.view.clouds import columns_of
from regolith_bringup.view.frames import FixedFrames
from regolith_bringup.view.message import ViewMessage
from regolith_bringup.view.rerun_canvas import Canvas, path_of, placed
from regolith_sensors.report import display_pixels, image_pixels

STATIC = '/tf_static'
IMAGE, PACKED, CLOUD = 'sensor_msgs/msg/Image', 'sensor_msgs/msg/CompressedImage', 'sensor_msgs/msg/PointCloud2'
LARGE = (IMAGE, CLOUD)
"""Message types that are expensive to send. Some are published only if there are subscribers."""
_LIGHT_NS, _TRUTH_NS, _CLOUD_NS = 100_000_000, 500_000_000, 200_000_000
_DEPTH_PER_M = 200.0
"""Counts per m of 16-bit depth images, which reach 327 m."""
_CLASSES = ('8UC1', '16UC1', 'mono8', 'mono16')
"""Encodings of images with class or instance numbers."""
_GRAY = (150, 143, 136)


class DrawnSensors:
    """Drawer of all images and point clouds.

    Args:
        canvas: Canvas to draw on.
        place_of: Function that returns the entity path of a frame, or None for unknown frames.
    """

    def __init__(self, canvas: Canvas, place_of: Callable[[str], str | None]) -> None:
        self._canvas, self._place_of = canvas, place_of
        self._frames = FixedFrames()
        self._kinds: dict[str, str] = {}
        self._placed: set[str] = set()

    def meet(self, types: Mapping[str, str]) -> Mapping[str, int]:
        """Return the topics of images and point clouds. A preview is left out if the image itself is published."""
        found = {STATIC: 0} if STATIC in types else {}
        for topic, kind in types.items():
            if kind == PACKED and f'{topic.rpartition("/")[0]}/image_raw' in types:
                continue
            if kind in (IMAGE, PACKED):
                found[topic] = _LIGHT_NS if _shows_light(topic) else _TRUTH_NS
            elif kind == CLOUD:
                found[topic] = _CLOUD_NS
        self._kinds |= {topic: types[topic] for topic in found}
        return found

    def take(self, message: ViewMessage) -> None:
        """Draw an image or a point cloud."""
        if message.topic == STATIC:
            self._frames.take(message.content)
        elif self._kinds[message.topic] == CLOUD:
            self._cloud(message)
        else:
            image = picture(message.topic, message.content)
            if image is not None:
                self._canvas.put(message.stamp_ns, path_of('images', message.topic), image)

    def tick(self, t_ns: int) -> None:
        """Do nothing, because all messages are drawn immediately."""

    def _cloud(self, message: ViewMessage) -> None:
        frame, columns = message.content.header.frame_id, columns_of(message.content)
        points = np.stack([columns[axis] for axis in 'xyz'], axis=1)
        if frame == 'world':
            # Soil in motion: discs with a size.
            radii = columns.get('radius', np.full(len(points), 0.01))
            self._canvas.put(
                message.stamp_ns,
                path_of('world/particles', message.topic),
                rr.Points3D(points, radii=radii, colors=[_GRAY]),
            )
            return
        found = self._frames.place(frame, self._place_of)
        if found is None:
            return
        parent, position, turn = found
        path = f'{parent}/{path_of(*message.topic.split("/")[2:])}'
        if path not in self._placed:
            self._placed.add(path)
            self._canvas.fix(path, placed(position, turn))
        cloud = rr.Points3D(points, colors=_by_distance(points), radii=rr.Radius.ui_points(1.6))
        self._canvas.put(message.stamp_ns, path, cloud)


def _shows_light(topic: str) -> bool:
    """Return whether a topic is an image, not an annotation of one."""
    return topic.count('/') < 4 or topic.split('/')[3] in ('image_raw', 'image_8bit', 'preview')


def picture(topic: str, message: Any) -> Any:
    """Return an image in the form used by Rerun, or None for an unsupported encoding."""
    if hasattr(message, 'format'):
        return _packed(message)
    if message.encoding == '32FC1':
        depth = image_pixels(message)
        near = np.isfinite(depth) & (depth * _DEPTH_PER_M < 65535.0)
        counts = np.where(near, np.where(near, depth, 0.0) * _DEPTH_PER_M, 0.0).astype(np.uint16)
        return rr.EncodedDepthImage(blob=cv2.imencode('.png', counts)[1].tobytes(), meter=_DEPTH_PER_M)
    if not _shows_light(topic):
        return rr.SegmentationImage(image_pixels(message)) if message.encoding in _CLASSES else None
    try:
        bits = display_pixels(message)
    except ValueError:
        return None
    return rr.EncodedImage(contents=_jpeg(bits), media_type='image/jpeg')


def _packed(message: Any) -> Any:
    data = bytes(message.data)
    if 'jpeg' in message.format:
        return rr.EncodedImage(contents=data, media_type='image/jpeg')
    numbers = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if numbers is None:
        return None
    if numbers.dtype != np.uint8:
        numbers = (numbers >> 8).astype(np.uint8)
    bits = numbers[..., ::-1] if numbers.ndim == 3 else numbers
    return rr.EncodedImage(contents=_jpeg(bits), media_type='image/jpeg')


def _jpeg(bits: NDArray[np.uint8]) -> bytes:
    """Return a JPEG image, with red as the first channel of a color image."""
    ordered = np.ascontiguousarray(bits[..., ::-1]) if bits.ndim == 3 else bits
    return bytes(cv2.imencode('.jpg', ordered, [cv2.IMWRITE_JPEG_QUALITY, 88])[1].tobytes())


def _by_distance(points: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return a color for each point, from near to far."""
    distance = np.linalg.norm(points, axis=1)
    share = np.clip(np.log(np.maximum(distance, 1.0)) / np.log(60.0), 0.0, 1.0)
    if not len(share):
        return np.zeros((0, 3), np.uint8)
    shades = cv2.applyColorMap((255.0 * (1.0 - share)).astype(np.uint8)[:, None], cv2.COLORMAP_TURBO)
    return np.asarray(shades[:, 0, ::-1])
