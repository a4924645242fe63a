# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact sheets from a run's bag: images, depth and classes of cameras, and point clouds of lidars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import cv2
import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from regolith_files import BagReader, Run
from regolith_sensors.camera.display import display_image
from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.report.image_reader import image_pixels

COLUMNS, LEAST_COLUMNS = 4, 3
"""Largest number of images of a row, and the number for whose width rows of fewer images are made."""
WIDTH_IN = 12.0
"""Width of a sheet [inch]."""
DARK = '#16181b'
_TITLE_IN = 0.36
_CLASSES = ('sky', 'ground', 'rock', 'vehicle', 'wheel', 'other')
CLASS_COLORS = ListedColormap([DARK, '#b9b4aa', '#d55e00', '#0072b2', '#56b4e9', '#cc79a7'])
"""Colors of the classes, by the numbers of semantic images."""
_DEPTH_COLORS = colormaps['viridis_r'].with_extremes(bad=DARK)
_ROWS = ('image_raw', 'depth/image_raw', 'semantic/image_raw')
_FARTHEST_M = 30.0
_WITHIN = 95.0
"""Part of the points of a cloud that its sheet shows [%]."""


def sensor_sheets(bag: BagReader, sensors: Iterable[ResolvedSensor]) -> dict[str, Figure]:
    """Return matplotlib plots of the sensors in a bag, by ``/VEHICLE/SENSOR``.

    Types of sensors with a :attr:`regolith_sensors.config.sensor_types.SensorType.sheet` have their own plot. Images
    and clouds of all other topics are shown, also those of a user's nodes.

    Args:
        bag: Recording.
        sensors: Sensors of the scenario.
    """
    sheets: dict[str, Figure] = {}
    own = {f'/{sensor.full_name}': sensor for sensor in sensors if sensor.kind.sheet}
    for name, sensor in own.items():
        module, _, function = sensor.kind.sheet.partition(':')
        if (figure := getattr(import_module(module), function)(bag, sensor)) is not None:
            sheets[name] = figure
    cameras: dict[str, list[str]] = {}
    previews: list[str] = []
    for name, topic in bag.topics.items():
        if not topic.messages:
            continue
        camera, row = _row_of(name)
        if topic.type_name == 'sensor_msgs/msg/Image' and row in _ROWS and camera not in own:
            cameras.setdefault(camera, []).append(row)
        if topic.type_name == 'sensor_msgs/msg/CompressedImage' and row == 'preview':
            previews.append(camera)
        if topic.type_name == 'sensor_msgs/msg/PointCloud2' and name.endswith('/points'):
            sheets[name if camera in sheets else camera] = _cloud_sheet(bag, name)
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


def unrecorded_topics(run: Run, sensors: Iterable[ResolvedSensor]) -> list[str]:
    """Return the sensors' image and point cloud topics that are missing in the bag, in name order.

    Args:
        run: Recorded run.
        sensors: Sensors of the scenario.
    """
    held = {name for name, topic in run.recorded.items() if topic.messages}
    return sorted(name for s in sensors for name, output in s.topics if output.large and name not in held)


def even_numbers(count: int, most: int = COLUMNS) -> list[int]:
    """Return up to a number of message numbers, evenly distributed from the first to the last of a topic."""
    return sorted({round(k * (count - 1) / max(most - 1, 1)) for k in range(most)})


def stamp_text(message: Any) -> str:
    """Return the time of a message with a header."""
    stamp = message.header.stamp
    return f'{stamp.sec + 1e-9 * stamp.nanosec:.2f} s'


def image_grid(titles: Sequence[str], rows: int, aspect: float, below: str = '') -> tuple[Figure, NDArray[Any]]:
    """Return a plot for rows of images, and its axes without frames, shape (rows, columns).

    Args:
        titles: Titles of the columns.
        rows: Number of rows.
        aspect: Height of an image divided by its width.
        below: Text below the images.
    """
    columns = max(len(titles), LEAST_COLUMNS)
    height = rows * (WIDTH_IN / columns * aspect + 0.05) + _TITLE_IN
    figure = Figure(figsize=(WIDTH_IN, height + (_TITLE_IN if below else 0.0)))
    figure.set_layout_engine('constrained', w_pad=0.03, h_pad=0.03, wspace=0.0, hspace=0.0)
    axes = figure.subplots(rows, columns, squeeze=False)
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, title in zip(axes[0], titles):
        axis.set_title(title, fontsize=9, loc='left')
    if below:
        figure.supxlabel(below, fontsize=9)
    return figure, axes


def _preview_sheet(bag: BagReader, camera: str) -> Figure:
    topic = f'{camera}/preview'
    found = [m.content for m in bag.some(topic, range(bag.topics[topic].messages))[:COLUMNS]]
    images = [np.asarray(cv2.imdecode(np.frombuffer(m.data, np.uint8), cv2.IMREAD_UNCHANGED)) for m in found]
    height, width = images[0].shape[:2]
    figure, axes = image_grid([stamp_text(m) for m in found], 1, height / width)
    for axis, image in zip(axes[0], images):
        axis.imshow(image[:, :, ::-1] if image.ndim == 3 else image, cmap='gray', vmin=0, vmax=255)
    return figure


def _camera_sheet(bag: BagReader, camera: str, rows: list[str]) -> Figure:
    chosen = even_numbers(min(bag.topics[f'{camera}/{row}'].messages for row in rows))
    found = {row: [m.content for m in bag.some(f'{camera}/{row}', chosen)] for row in rows}
    first = found[rows[0]]
    figure, axes = image_grid([stamp_text(m) for m in first], len(rows), first[0].height / first[0].width)
    for n, row in enumerate(rows):
        for k, message in enumerate(found[row]):
            _draw(axes[n, k], row, message)
    return figure


def _draw(axis: Axes, row: str, message: Any) -> None:
    if row == 'image_raw':
        shown = display_pixels(message)
        axis.imshow(shown, cmap='gray', vmin=0, vmax=255, interpolation='antialiased')
    elif row.startswith('depth'):
        depth = np.where(np.isfinite(image_pixels(message)), image_pixels(message), np.nan)
        axis.imshow(depth, cmap=_DEPTH_COLORS, norm='log', vmin=1.0, vmax=_FARTHEST_M, interpolation='nearest')
    else:
        last = len(_CLASSES) - 0.5
        axis.imshow(image_pixels(message), cmap=CLASS_COLORS, vmin=-0.5, vmax=last, interpolation='nearest')


def display_pixels(message: Any) -> NDArray[np.uint8]:
    """Return an image message as a display shows it, in 8 bits: mosaics in color, 16 bits in the sRGB curve.

    The colors are those of the message.

    Raises:
        ValueError: If it is no image of light, or has another encoding than simulated cameras.
    """
    pixels = image_pixels(message)
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype.kind != 'u':
        raise ValueError(f'image of encoding {message.encoding!r}; allowed: 8 or 16 bits')
    return display_image(pixels.astype(np.uint16), message.encoding)[0]


def _cloud_sheet(bag: BagReader, topic: str) -> Figure:
    count = bag.topics[topic].messages
    found = [m.content for m in bag.some(topic, sorted({0, count // 2, count - 1}))]
    clouds = []
    for message in found:
        columns = cloud(message)
        points = np.stack([columns[name] for name in 'xyz'], axis=1).astype(np.float64)
        clouds.append(points[np.isfinite(points).all(axis=1)])
    everything = np.concatenate(clouds)
    distance = np.hypot(everything[:, 0], everything[:, 1])
    reach = max(1.0, float(np.percentile(distance, _WITHIN))) if len(distance) else 1.0
    # The sensor, in the origin, is shown too.
    shown = np.concatenate([np.zeros((1, 3)), everything[distance <= reach]])
    middle = 0.5 * (shown.min(axis=0) + shown.max(axis=0))
    half = 0.55 * max(1.0, float(np.ptp(shown[:, :2], axis=0).max()))
    low, high = np.percentile(shown[1:, 2], (1.0, 99.0)) if len(shown) > 1 else (0.0, 1.0)
    figure = Figure(figsize=(WIDTH_IN, 4.3), layout='constrained')
    axes = figure.subplots(1, 3, squeeze=False)[0]
    for axis in axes:
        axis.set_axis_off()
    for axis, message, points in zip(axes, found, clouds):
        axis.set_axis_on()
        x, y, z = points.T
        drawn = axis.scatter(x, y, c=z, s=1.6, cmap='plasma', vmin=low, vmax=high, linewidths=0.0)
        axis.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half))
        axis.set(aspect='equal', xlabel='x, ahead [m]', facecolor=DARK)
        axis.tick_params(labelsize=8)
        axis.set_title(stamp_text(message), fontsize=9, loc='left')
    axes[0].set_ylabel('y, left [m]')
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
