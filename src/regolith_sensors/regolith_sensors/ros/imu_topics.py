# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS topic of an inertial measurement unit (REP 145)."""

from __future__ import annotations

import numpy as np
from regolith_msgs.msg import MotionSamples as MotionMessage
from sensor_msgs.msg import Imu as ImuMessage

from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.inertial.imu import Imu
from regolith_sensors.inertial.motion_track import MotionTrack
from regolith_sensors.ros.sensor_topics import SensorContext, SensorTopics
from regolith_sensors.scene.world_view import WorldView
from regolith_vehicles.dynamics import MotionSamples
from regolith_world.ros import MessageTemplate, qos, simulated_ns, xyz_fields


class ImuTopics(SensorTopics):
    """Publisher of ``data_raw``: mean specific force and angular velocity over the last period, sensor frame.

    At rest the specific force is gravity upward, 1.62 m/s^2 on the Moon. There is no orientation, as the topic name
    implies (REP 145); its covariance begins with -1.
    """

    sees = False

    def __init__(self, sensor: ResolvedSensor, context: SensorContext) -> None:
        """Create the IMU, its publisher, and its subscription to the motion of its vehicle."""
        super().__init__(sensor, context)
        self._imu = Imu(sensor.config, context.seed, sensor.full_name)
        period_ns = round(self._imu.period * 1e9)
        self.span_ns = (period_ns, 0)
        self._track = MotionTrack(4_000_000_000 + 2 * period_ns)
        self._gravity = np.array([0.0, 0.0, -context.gravity_mps2])
        message = ImuMessage()
        message.header.frame_id = self.frame_id
        message.orientation_covariance[0] = -1.0
        force, rate = self._imu.variances()
        message.linear_acceleration_covariance[::4] = force
        message.angular_velocity_covariance[::4] = rate
        numbers = [*xyz_fields(message.angular_velocity), *xyz_fields(message.linear_acceleration)]
        self._template = MessageTemplate(message, numbers, [message.header.stamp])
        context.inbox.subscribe(MotionMessage, 'motion_samples', self._take, qos.HISTORY, node=context.node)

    def _take(self, message: MotionMessage) -> None:
        self.context.in_epoch(message.epoch, lambda: self._track.add(samples_record(message)))

    def discard_after(self, t_ns: int) -> None:
        """Discard the motion after a time [ns]."""
        self._track.discard_after(t_ns)

    def ready(self, t_ns: int) -> bool:
        """Return whether the motion up to a time [ns] has arrived."""
        return self._track.last_ns >= t_ns

    def publish(self, n: int, t_ns: int, view: WorldView) -> None:
        """Publish sample n."""
        mount = self.sensor.mount
        force, rate = self._track.ideal_readings(
            t_ns - self.span_ns[0], t_ns, self._gravity, mount.position, mount.orientation
        )
        force, rate = self._imu.sample(n, force, rate)
        self.publishers['data_raw'].publish(self._template.fill(t_ns, np.concatenate((rate, force))))


def samples_record(message: MotionMessage) -> MotionSamples:
    """Return the samples of a message."""
    arrays = (
        np.array(values, dtype=np.float64)
        for values in (message.position, message.orientation, message.linear_velocity, message.angular_velocity)
    )
    position, orientation, velocity, rate = arrays
    return MotionSamples(
        simulated_ns(np.array(message.t_ns, dtype=np.int64)),
        position.reshape(-1, 3),
        orientation.reshape(-1, 4),
        velocity.reshape(-1, 3),
        rate.reshape(-1, 3),
    )
