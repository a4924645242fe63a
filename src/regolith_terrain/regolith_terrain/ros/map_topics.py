# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Terrain topics for RViz, Foxglove and mapping: points, elevation image and grid map.

Topics without subscribers are not computed. None of them affects the simulation, so their rate may depend on wall time.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from nav_msgs.msg import MapMetaData
from numpy.typing import NDArray
from rclpy.node import Node
from sensor_msgs.msg import Image, PointCloud2, PointField
from std_msgs.msg import Float32MultiArray, MultiArrayDimension

from regolith_terrain.elevation_map import ElevationMap, MapWindow, positions
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_world.cycle import BodyState
from regolith_world.ros import clock_offset, qos, typed_array

# Optional package: not part of a minimal installation.
GridMap: Any = import_module('grid_map_msgs.msg').GridMap if find_spec('grid_map_msgs') else None

PERIOD_S = 1.0
"""Interval between checks for subscribers [wall s]."""
_POINT = np.dtype([(name, '<f4') for name in ('x', 'y', 'z', 'sinkage')])


class MapTopics:
    """Publisher of terrain topics.

    ``terrain/changed_points`` (PointCloud2): changes since the last message. ``terrain/rut_points`` (PointCloud2,
    latched): all changes. ``terrain/elevation`` (Image 32FC1, north up, latched) with ``terrain/elevation_info``
    (MapMetaData: resolution, size and south-western corner in ``world``). ``terrain/grid_map``, if grid_map_msgs is
    installed.

    Args:
        node: Node in the world's namespace.
        grid: Committed soil, read only.
    """

    def __init__(self, node: Node, grid: SoilGrid) -> None:
        self._view = MapWindow(grid)
        self._spacing = grid.spacing

        def publisher(message_type: Any, topic: str, profile: Any) -> Any:
            return node.create_publisher(message_type, topic, profile, qos_overriding_options=qos.OVERRIDABLE)

        self._changed = publisher(PointCloud2, 'terrain/changed_points', qos.STATE)
        self._ruts = publisher(PointCloud2, 'terrain/rut_points', qos.LATCHED)
        self._image = publisher(Image, 'terrain/elevation', qos.LATCHED)
        self._info = publisher(MapMetaData, 'terrain/elevation_info', qos.LATCHED)
        self._grid_map = publisher(GridMap, 'terrain/grid_map', qos.LATCHED) if GridMap is not None else None
        self._next = 0.0

    def publish(self, t_ns: int, bodies: Iterable[BodyState]) -> None:
        """Publish the topics with subscribers, at most once per second of wall time.

        Args:
            t_ns: Committed simulated time [ns].
            bodies: Bodies around which the map is extended.
        """
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PERIOD_S
        stamp = clock_offset.stamp(t_ns)
        if self._changed.get_subscription_count():
            news = self._view.changes()
            if len(news):
                self._changed.publish(cloud_message(news, self._spacing, stamp))
        if self._ruts.get_subscription_count():
            self._ruts.publish(cloud_message(self._view.grid.all_records(), self._spacing, stamp))
        wanted = [p for p in (self._image, self._info, self._grid_map) if p is not None and p.get_subscription_count()]
        for body in bodies if wanted else ():
            self._view.extend(float(body.position[0]), float(body.position[1]))
        shown = self._view.elevation() if wanted else None
        if shown is not None:
            self._image.publish(image_message(shown, stamp))
            self._info.publish(info_message(shown, stamp))
            if self._grid_map is not None:
                self._grid_map.publish(grid_map_message(shown, stamp))


def cloud_message(records: NodeRecords, spacing: float, stamp: Time) -> PointCloud2:
    """Return nodes as points x, y, z [m] and their sinkage [m], single precision, in ``world``."""
    points = np.zeros(len(records), dtype=_POINT)
    points['x'], points['y'] = positions(records, spacing)
    points['z'] = records.level
    points['sinkage'] = records.level_initial - records.level
    message = PointCloud2(height=1, width=len(points), point_step=_POINT.itemsize, is_dense=True)
    message.header.stamp, message.header.frame_id = stamp, 'world'
    message.row_step = _POINT.itemsize * len(points)
    message.fields = [
        PointField(name=name, offset=4 * k, datatype=PointField.FLOAT32, count=1)
        for k, name in enumerate(_POINT.names or ())
    ]
    message.data = typed_array('B', np.frombuffer(points.tobytes(), np.uint8))
    return message


def image_message(shown: ElevationMap, stamp: Time) -> Image:
    """Return heights [m] as an image, first row in the north; NaN in unvisited areas."""
    pixels: NDArray[np.float32] = np.ascontiguousarray(shown.heights.T[::-1], dtype='<f4')
    message = Image(height=pixels.shape[0], width=pixels.shape[1], encoding='32FC1', step=4 * pixels.shape[1])
    message.header.stamp, message.header.frame_id = stamp, 'world'
    message.data = typed_array('B', np.frombuffer(pixels.tobytes(), np.uint8))
    return message


def info_message(shown: ElevationMap, stamp: Time) -> MapMetaData:
    """Return the position of the image: its south-western corner and pixel size [m]."""
    width, height = shown.heights.shape
    message = MapMetaData(map_load_time=stamp, resolution=float(shown.cell_m), width=width, height=height)
    message.origin.position.x, message.origin.position.y = float(shown.west), float(shown.south)
    message.origin.orientation.w = 1.0
    return message


def grid_map_message(shown: ElevationMap, stamp: Time) -> Any:
    """Return layers ``elevation`` and ``sinkage`` as grid_map_msgs/GridMap: index 0 at the largest x and y."""
    message = GridMap(layers=['elevation', 'sinkage'], basic_layers=['elevation'])
    message.header.stamp, message.header.frame_id = stamp, 'world'
    nx, ny = shown.heights.shape
    message.info.resolution = float(shown.cell_m)
    message.info.length_x, message.info.length_y = nx * shown.cell_m, ny * shown.cell_m
    message.info.pose.position.x = shown.west + 0.5 * nx * shown.cell_m
    message.info.pose.position.y = shown.south + 0.5 * ny * shown.cell_m
    message.info.pose.orientation.w = 1.0
    for layer in (shown.heights, shown.sinkage):
        data = Float32MultiArray()
        # Column-major, as in Eigen and the converters of grid_map.
        data.layout.dim = [
            MultiArrayDimension(label='column_index', size=ny, stride=nx * ny),
            MultiArrayDimension(label='row_index', size=nx, stride=nx),
        ]
        data.data = typed_array('f', layer[::-1, ::-1].T.astype(np.float32).ravel())
        message.data.append(data)
    return message
