# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS topics of an event camera."""

from __future__ import annotations

import math

import numpy as np
from regolith_msgs.msg import CameraEvents
from std_msgs.msg import Header

from regolith_sensors.arrays import Floats
from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.event_camera.event_camera import EventCamera
from regolith_sensors.event_camera.event_pixels import Events
from regolith_sensors.in_process.camera_pose import camera_pose
from regolith_sensors.ros.camera_topics import info_message
from regolith_sensors.ros.sensor_topics import SensorContext, SensorTopics, vehicle_lamps
from regolith_sensors.scene.world_view import WorldView
from regolith_world.ros import stamp, typed_array


class EventCameraTopics(SensorTopics):
    """Publisher of ``events`` and ``camera_info``; the stamp is the start of the period of a message."""

    def __init__(self, sensor: ResolvedSensor, context: SensorContext) -> None:
        """Create the camera and its publishers."""
        super().__init__(sensor, context)
        self._camera = EventCamera(sensor.config, context.seed, sensor.full_name)
        self.span_ns = (0, math.ceil(1e9 / sensor.config.rate_hz))
        self._info = info_message(self._camera.camera, 0.0)

    def publish(self, n: int, t_ns: int, view: WorldView) -> None:
        """Publish the events of period n."""
        header = Header(stamp=stamp(t_ns), frame_id=self.frame_id)
        self._info.header = header
        self.publishers['camera_info'].publish(self._info)
        if not self.listened('events'):
            return

        def look(at_ns: int) -> Floats:
            scene = view.prepare(at_ns)
            pose = camera_pose(self.sensor, view, at_ns)
            lamps = tuple(vehicle_lamps(self.context, view, at_ns))
            sun, dust = self.context.sun_at(at_ns), view.dust(at_ns)
            return self._camera.brightness(scene, view.scene.origin, pose, sun, lamps, dust)

        events = self._camera.events(n, t_ns, self.sensor.frame_ns(n + 1), look)
        config = self.sensor.config
        self.publishers['events'].publish(events_message(events, t_ns, config.width, config.height, header))


def events_message(events: Events, start_ns: int, width: int, height: int, header: Header) -> CameraEvents:
    """Return events as a message.

    Args:
        events: Events of one period.
        start_ns: Start of the period [ns].
        width: Width of the image [px].
        height: Height of the image [px].
        header: Header with the start of the period.
    """
    row, column = np.divmod(events.pixel, width)
    return CameraEvents(
        header=header,
        width=width,
        height=height,
        t_us=typed_array('I', ((events.t_ns - start_ns) // 1000).astype(np.uint32)),
        x=typed_array('H', column.astype(np.uint16)),
        y=typed_array('H', row.astype(np.uint16)),
        polarity=typed_array('B', (events.polarity > 0).astype(np.uint8)),
    )
