# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS topics of a thermal camera."""

from __future__ import annotations

import numpy as np
from sensor_msgs.msg import CameraInfo
from std_msgs.msg import Header

from regolith_sensors.config.sensor_types import OPTICAL
from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.heat.thermal_camera import Pose, ThermalCamera, ThermalScene
from regolith_sensors.numerics.lens import camera_matrix
from regolith_sensors.rays.backend import RayBackend
from regolith_sensors.ros.camera_topics import image_message
from regolith_sensors.ros.sensor_topics import SensorContext, SensorTopics
from regolith_sensors.scene.world_view import WorldView
from regolith_world.numerics import rotation
from regolith_world.ros import stamp


class ThermalCameraTopics(SensorTopics):
    """Publisher of ``image_raw``, ``radiance/image_raw`` and ``camera_info``."""

    def __init__(self, sensor: ResolvedSensor, context: SensorContext) -> None:
        """Create the camera and its publishers."""
        super().__init__(sensor, context)
        config = sensor.config
        self._camera = ThermalCamera(config, context.seed, sensor.full_name)
        self._lags_ns = [round(1e9 * lag) for lag in self._camera.lags().tolist()]
        self.span_ns = (max(self._lags_ns), 0)
        k = camera_matrix(config.width, config.height, config.focal_length_px)
        self._info = CameraInfo(width=config.width, height=config.height, distortion_model='plumb_bob')
        self._info.d, self._info.k, self._info.r = [0.0] * 5, k.ravel(), np.eye(3).ravel()
        self._info.p = np.column_stack((k, np.zeros(3))).ravel()

    def publish(self, n: int, t_ns: int, view: WorldView) -> None:
        """Render frame n and publish its topics."""
        header = Header(stamp=stamp(t_ns), frame_id=self.frame_id)
        if self.listened('image_raw') or self.listened('radiance/image_raw'):
            mean = self._camera.lagged(self._scene(max(t_ns - lag, 0), view) for lag in self._lags_ns)
            if self.listened('image_raw'):
                image = image_message(self._camera.measured(mean, n), 'mono16', header)
                self.publishers['image_raw'].publish(image)
            if self.listened('radiance/image_raw'):
                image = image_message(mean.astype(np.float32), '32FC1', header)
                self.publishers['radiance/image_raw'].publish(image)
        if self.listened('camera_info'):
            self._info.header = header
            self.publishers['camera_info'].publish(self._info)

    def _scene(self, t_ns: int, view: WorldView) -> tuple[ThermalScene, Pose]:
        """Return surroundings and pose of the camera at a time [ns]; valid until the next call."""
        config, parts = self.sensor.config, self.context.part_emissivity
        assert self.context.ground is not None

        def rays(vehicles: bool) -> RayBackend:
            return view.prepare(t_ns, vehicles=vehicles)

        rays(True)  # tiles and instances of this time
        known_k, emissivity = view.part_values(t_ns, parts, config.vehicle_k, config.vehicle_emissivity)
        scene = ThermalScene(
            rays, view.scene.origin, self.context.sun_at(t_ns), self.context.ground(), t_ns * 1e-9, known_k, emissivity
        )
        return scene, self._pose(t_ns, view)

    def _pose(self, t_ns: int, view: WorldView) -> Pose:
        """Return position and orientation of the optical frame at a time [ns]."""
        mount = self.sensor.mount
        place, turn = view.base_pose(self.sensor.vehicle, t_ns)
        base = rotation.matrix(turn[0])
        optical = rotation.matrix(mount.orientation) @ rotation.matrix(np.array(OPTICAL.orientation))
        return place[0] + base @ mount.position, base @ optical
