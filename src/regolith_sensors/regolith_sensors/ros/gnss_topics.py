# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS topic of a GNSS receiver."""

from __future__ import annotations

from sensor_msgs.msg import NavSatFix, NavSatStatus

from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.inertial.gnss import Gnss
from regolith_sensors.ros.sensor_topics import SensorContext, SensorTopics
from regolith_sensors.scene.world_view import WorldView
from regolith_world.numerics import rotation
from regolith_world.ros import stamp


class GnssTopics(SensorTopics):
    """Publisher of ``fix``: latitude and longitude [deg] and altitude [m] of the antenna, with error variances.

    On the Moon they refer to a sphere of 1737.4 km instead of NavSatFix's WGS 84, and the service is none of the listed
    ones.
    """

    sees = False

    def __init__(self, sensor: ResolvedSensor, context: SensorContext) -> None:
        """Create the receiver and its publisher."""
        super().__init__(sensor, context)
        self._gnss = Gnss(sensor.config, context.seed, sensor.full_name)
        on_earth = sensor.config.body == 'earth'
        message = NavSatFix(position_covariance_type=NavSatFix.COVARIANCE_TYPE_DIAGONAL_KNOWN)
        message.header.frame_id = self.frame_id
        message.status.status = NavSatStatus.STATUS_FIX
        message.status.service = NavSatStatus.SERVICE_GPS if on_earth else 0
        message.position_covariance = self._gnss.covariance().ravel()
        self._message = message

    def publish(self, n: int, t_ns: int, view: WorldView) -> None:
        """Publish fix n."""
        place, turn = view.base_pose(self.sensor.vehicle, t_ns)
        antenna = place[0] + rotation.matrix(turn[0]) @ self.sensor.mount.position
        self._message.header.stamp = stamp(t_ns)
        self._message.latitude, self._message.longitude, self._message.altitude = self._gnss.fix(n, antenna)
        self.publishers['fix'].publish(self._message)
