# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS topics of a SPAD sensor."""

from __future__ import annotations

from regolith_msgs.msg import PhotonHistogram
from std_msgs.msg import Header

from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.config.spad import SpadConfig
from regolith_sensors.lidar.point_cloud import sensor_cloud
from regolith_sensors.rays.camera_rays import lights
from regolith_sensors.ros.lidar_topics import cloud_message
from regolith_sensors.ros.sensor_topics import SensorContext, SensorTopics, frame_poses, vehicle_lamps
from regolith_sensors.scene.world_view import WorldView
from regolith_sensors.spad.photon_counts import Counts
from regolith_sensors.spad.spad import Spad
from regolith_world.ros import stamp, typed_array


class SpadTopics(SensorTopics):
    """Publisher of ``histogram`` and ``points``; both belong to the same photons.

    A scanning sensor moves during the frame. Everything else has its pose at the middle of the frame.
    """

    def __init__(self, sensor: ResolvedSensor, context: SensorContext) -> None:
        """Create the sensor and its publishers."""
        super().__init__(sensor, context)
        self._spad = Spad(sensor.config, context.seed, sensor.full_name)
        self._spad.warm_up()
        self.span_ns = (0, 0 if sensor.config.flash else round(1e9 / sensor.config.rate_hz))

    def publish(self, n: int, t_ns: int, view: WorldView) -> None:
        """Simulate frame n and publish its topics."""
        period_ns = self.span_ns[1]
        middle_ns = t_ns + period_ns // 2
        scene, poses = view.prepare(middle_ns), frame_poses(self.sensor, view, t_ns, period_ns)
        light = lights(view.scene.origin, self.context.sun_at(middle_ns), vehicle_lamps(self.context, view, middle_ns))
        dust, through = view.dust(middle_ns), view.lens_transmission(self.sensor.full_name)
        frame = self._spad.frame(scene, view.scene.origin, poses, light, n, dust, through)
        if (full := frame.saturated_share) > 0.5:
            what = f'{100.0 * full:.0f} % of the pixels count nearly every pulse, so ranges are too short'
            self.warn_of_blank(
                t_ns, f'{what}; fix: less laser.pulse_energy_j, or less sunlight by laser.filter_width_nm'
            )
        header = Header(stamp=stamp(t_ns), frame_id=self.frame_id)
        if self.listened('histogram'):
            self.publishers['histogram'].publish(histogram_message(frame.counts, self.sensor.config, header))
        if self.listened('points'):
            self.publishers['points'].publish(cloud_message(sensor_cloud(frame.scan, self.sensor.config), header))


def histogram_message(counts: Counts, config: SpadConfig, header: Header) -> PhotonHistogram:
    """Return counts of shape (columns, rings, bins) as a message."""
    columns, rings, bins = counts.shape
    return PhotonHistogram(
        header=header,
        columns=columns,
        rings=rings,
        bins=bins,
        start_s=config.start_s,
        bin_s=config.bin_s,
        pulses=config.pulses,
        azimuth=config.azimuths.tolist(),
        elevation=config.elevations.tolist(),
        counts=typed_array('H', counts),
    )
