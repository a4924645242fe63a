# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS topic of a lidar."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import Header

from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.lidar.point_cloud import sensor_cloud
from regolith_sensors.lidar.sweep import Lidar
from regolith_sensors.ros.sensor_topics import SensorContext, SensorTopics, frame_poses
from regolith_sensors.scene.world_view import WorldView
from regolith_world.ros import stamp, typed_array

_KINDS = {
    '<f4': PointField.FLOAT32,
    '<u4': PointField.UINT32,
    '<u2': PointField.UINT16,
    '|u1': PointField.UINT8,
}


class LidarTopics(SensorTopics):
    """Publisher of ``points``: a sweep from its stamp on, each point in the sensor frame at the time of its beam.

    The sensor moves during the sweep. Everything else has its pose at the middle of the sweep.
    """

    def __init__(self, sensor: ResolvedSensor, context: SensorContext) -> None:
        """Create the lidar and its publisher."""
        super().__init__(sensor, context)
        self._lidar = Lidar(sensor.config, context.seed, sensor.full_name)
        period_ns = 0 if sensor.config.flash else round(1e9 / sensor.config.rate_hz)
        self.span_ns = (0, period_ns)

    def publish(self, n: int, t_ns: int, view: WorldView) -> None:
        """Simulate sweep n and publish it."""
        period_ns = self.span_ns[1]
        middle_ns = t_ns + period_ns // 2
        scene, poses = view.prepare(middle_ns), frame_poses(self.sensor, view, t_ns, period_ns)
        through = view.lens_transmission(self.sensor.full_name)
        scan = self._lidar.scan(scene, view.scene.origin, poses, n, view.dust(middle_ns), through)
        if not np.isfinite(scan.range).any():
            self.warn_of_blank(t_ns, 'the cloud has no points; fix: check mount and range_m')
        header = Header(stamp=stamp(t_ns), frame_id=self.frame_id)
        config = self.sensor.config
        self.publishers['points'].publish(cloud_message(sensor_cloud(scan, config, config.range_falloff), header))


def cloud_message(points: NDArray[np.void], header: Header) -> PointCloud2:
    """Return points of shape (height, width) as a message; clouds with more than one row can contain misses."""
    height, width = points.shape
    message = PointCloud2(header=header, height=height, width=width, is_bigendian=False)
    kinds, kind = points.dtype.fields, points.dtype
    assert kinds is not None
    message.fields = [
        PointField(name=name, offset=kinds[name][1], datatype=_KINDS[kinds[name][0].str], count=1)
        for name in kind.names or ()
    ]
    message.point_step, message.row_step = kind.itemsize, kind.itemsize * width
    message.data = typed_array('B', points.view(np.uint8))
    message.is_dense = bool(np.isfinite(points['x']).all())
    return message
