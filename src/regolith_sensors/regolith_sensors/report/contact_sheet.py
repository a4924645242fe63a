# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact sheets from a run's bag: images, depth and classes of cameras, and point clouds of lidars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import cv2
import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from regolith_files import BagReader, Run
from regolith_sensors.camera.display import srgb
from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.report.image_reader import image_pixels

COLUMNS = 4
_CLASSES = ('sky', 'ground', 'rock', 'vehicle', 'wheel', 'other')
CLASS_COLORS = ListedColormap(['#16181b', '#b9b4aa', '#d55e00', '#0072b2', '#56b4e9', '#cc79a7'])
"""Colors of the classes, by the numbers of semantic images."""
_DEPTH_COLORS = colormaps['viridis_r'].with_extremes(bad='#16181b')
_ROWS = ('image_raw', 'depth/image_raw', 'semantic/image_raw')
_FARTHEST_M = 30.0


def sensor_sheets(bag: BagReader) -> dict[str, Figure]:
    """Return a matplotlib plot for each camera and lidar in a bag, by ``/VEHICLE/SENSOR``."""
    cameras: dict[str, list[str]] = {}
    previews: list[str] = []
    sheets: dict[str, Figure] = {}
    for name, topic in bag.topics.items():
        if not topic.messages:
            continue
        camera, row = _row_of(name)
        if topic.type_name == 'sensor_msgs/msg/Image' and row in _ROWS:
            cameras.setdefault(camera, []).append(row)
        if topic.type_name == 'sensor_msgs/msg/CompressedImage' and row == 'preview':
            previews.append(camera)
        if topic.type_name == 'sensor_msgs/msg/PointCloud2' and name.endswith('/points'):
            sheets[name.removesuffix('/points')] = _lidar_sheet(bag, name, topic.messages)
    for camera, rows in cameras.items():
        sheets[camera] = _camera_sheet(bag, camera, [row for row in _ROWS if row in rows])
    for camera in previews:
        if 'image_raw' not in cameras.get(camera, ()):
            sheets[camera] = _preview_sheet(bag, camera)
    return dict(sorted(sheets.items()))


def _row_of(topic: str) -> tuple[str, str]:
    """Return the camera of an image topic, /VEHICLE/SENSOR, and the rest of the topic name."""
    parts = topic.split('/')
    return '/'.join(parts[:3]), '/'.join(parts[3:])


def display_image(message: Any) -> NDArray[np.float64]:
    """Return an image for display, 0 to 1, encoded as sRGB.

    Mosaics have half their resolution. Colors are balanced for a scene that is gray on average, as the Moon is.
    """
    counts = image_pixels(message)
    values = counts.astype(np.float64) / np.iinfo(counts.dtype).max
    if message.encoding.startswith('bayer'):
        letters = message.encoding.removeprefix('bayer_')[:4]
        quarter = [values[n // 2 :: 2, n % 2 :: 2] for n in range(4)]
        values = np.stack([np.mean([q for q, c in zip(quarter, letters) if c == k], axis=0) for k in 'rgb'], axis=2)
    if values.ndim == 3:
        means = values.mean(axis=(0, 1))
        values = np.minimum(values * (means.mean() / np.maximum(means, 1e-9)), 1.0)
    return srgb(values)


def unrecorded_topics(run: Run, sensors: Iterable[ResolvedSensor]) -> list[str]:
    """Return the sensors' image and point cloud topics that are missing in the bag, in name order.

    Args:
        run: Recorded run.
        sensors: Sensors of the scenario.
    """
    held = {name for name, topic in run.recorded.items() if topic.messages}
    return sorted(name for s in sensors for name, output in s.topics if output.large and name not in held)


def _preview_sheet(bag: BagReader, camera: str) -> Figure:
    topic = f'{camera}/preview'
    found = bag.some(topic, range(bag.topics[topic].messages))[:COLUMNS]
    packed = [np.frombuffer(m.content.data, np.uint8) for m in found]
    images = [np.asarray(cv2.imdecode(data, cv2.IMREAD_UNCHANGED)) for data in packed]
    height, width = images[0].shape[:2]
    figure = Figure(figsize=(12.0, 12.0 / COLUMNS * height / width + 0.22))
    figure.set_layout_engine('constrained', w_pad=0.02, h_pad=0.02, wspace=0.0, hspace=0.0)
    axes = figure.subplots(1, COLUMNS, squeeze=False)[0]
    for axis in axes:
        axis.set_axis_off()
    for axis, image, message in zip(axes, images, found):
        axis.imshow(image[:, :, ::-1] if image.ndim == 3 else image, cmap='gray', vmin=0, vmax=255)
        stamp = message.content.header.stamp
        axis.set_title(f'{stamp.sec + 1e-9 * stamp.nanosec:.2f} s', fontsize=9, loc='left')
    return figure


def _camera_sheet(bag: BagReader, camera: str, rows: list[str]) -> Figure:
    count = min(bag.topics[f'{camera}/{row}'].messages for row in rows)
    chosen = sorted({round(k * (count - 1) / max(COLUMNS - 1, 1)) for k in range(COLUMNS)})
    found = {row: bag.some(f'{camera}/{row}', chosen) for row in rows}
    first = found[rows[0]][0].content
    width = 12.0 / COLUMNS
    height = width * first.height / first.width
    figure = Figure(figsize=(12.0, len(rows) * (height + 0.05) + 0.3))
    figure.set_layout_engine('constrained', w_pad=0.02, h_pad=0.02, wspace=0.0, hspace=0.0)
    axes = figure.subplots(len(rows), COLUMNS, squeeze=False)
    for axis in axes.flat:
        axis.set_axis_off()
    for n, row in enumerate(rows):
        for k, message in enumerate(found[row]):
            _draw(axes[n, k], row, message.content)
            if n == 0:
                stamp = message.content.header.stamp
                axes[n, k].set_title(f'{stamp.sec + 1e-9 * stamp.nanosec:.2f} s', fontsize=9, loc='left')
    return figure


def _draw(axis: Axes, row: str, message: Any) -> None:
    if row == 'image_raw':
        axis.imshow(display_image(message), cmap='gray', vmin=0.0, vmax=1.0, interpolation='antialiased')
    elif row.startswith('depth'):
        depth = np.where(np.isfinite(image_pixels(message)), image_pixels(message), np.nan)
        axis.imshow(depth, cmap=_DEPTH_COLORS, norm='log', vmin=1.0, vmax=_FARTHEST_M, interpolation='nearest')
    else:
        last = len(_CLASSES) - 0.5
        axis.imshow(image_pixels(message), cmap=CLASS_COLORS, vmin=-0.5, vmax=last, interpolation='nearest')


def _lidar_sheet(bag: BagReader, topic: str, count: int) -> Figure:
    chosen = sorted({0, count // 2, count - 1})
    figure = Figure(figsize=(12.0, 4.3), layout='constrained')
    axes = figure.subplots(1, 3, squeeze=False)[0]
    for axis in axes:
        axis.set_axis_off()
    drawn, sweeps = None, []
    for message in bag.some(topic, chosen):
        points = cloud(message.content)
        near = np.isfinite(points['x']) & (np.hypot(points['x'], points['y']) < _FARTHEST_M)
        sweeps.append((message, *(points[name][near] for name in 'xyz')))
    heights = np.concatenate([np.zeros(1), *(sweep[3] for sweep in sweeps)])
    low, high = np.percentile(heights, (1.0, 99.0))
    for axis, (message, x, y, z) in zip(axes, sweeps):
        axis.set_axis_on()
        drawn = axis.scatter(x, y, c=z, s=1.6, cmap='plasma', vmin=low, vmax=high, linewidths=0.0)
        axis.set(aspect='equal', xlim=(-_FARTHEST_M, _FARTHEST_M), ylim=(-_FARTHEST_M, _FARTHEST_M))
        axis.set_facecolor('#16181b')
        axis.tick_params(labelsize=8)
        stamp = message.content.header.stamp
        axis.set_title(f'{stamp.sec + 1e-9 * stamp.nanosec:.2f} s', fontsize=9, loc='left')
    if drawn is not None:
        figure.colorbar(drawn, ax=list(axes), shrink=0.8, label='height in the sensor frame [m]')
    return figure


def cloud(message: Any) -> Mapping[str, NDArray[Any]]:
    """Return the x, y and z columns of a point cloud message, each flat."""
    offsets = {field.name: int(field.offset) for field in message.fields}
    order = '>' if message.is_bigendian else '<'
    kind = np.dtype(
        {
            'names': list('xyz'),
            'formats': [order + 'f4'] * 3,
            'offsets': [offsets[n] for n in 'xyz'],
            'itemsize': int(message.point_step),
        }
    )
    points = np.frombuffer(bytes(message.data), dtype=kind)
    return {name: points[name] for name in 'xyz'}
