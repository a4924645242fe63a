# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensor simulation: ray-traced cameras and lidars, lunar photometry, IMU, GNSS.

The names below are the public interface. They are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_sensors import warm_up as warm_up
    from regolith_sensors.brdf import HapkeParameters as HapkeParameters
    from regolith_sensors.brdf import hapke_reflectance as hapke_reflectance
    from regolith_sensors.camera.pipeline import Camera as Camera
    from regolith_sensors.config.camera import CameraConfig as CameraConfig
    from regolith_sensors.config.gnss import GnssConfig as GnssConfig
    from regolith_sensors.config.imu import ImuConfig as ImuConfig
    from regolith_sensors.config.lidar import LidarConfig as LidarConfig
    from regolith_sensors.config.lighting import LightConfig as LightConfig
    from regolith_sensors.config.sensor_types import Output as Output
    from regolith_sensors.config.sensor_types import SensorEntry as SensorEntry
    from regolith_sensors.config.sensor_types import SensorFrame as SensorFrame
    from regolith_sensors.config.sensor_types import SensorType as SensorType
    from regolith_sensors.config.sensors import ResolvedSensor as ResolvedSensor
    from regolith_sensors.config.sensors import scenario_sensors as scenario_sensors
    from regolith_sensors.ephemeris import utc_time as utc_time
    from regolith_sensors.inertial.imu import Imu as Imu
    from regolith_sensors.light import LAMP_HOUSING_M as LAMP_HOUSING_M
    from regolith_sensors.rays.backend import RayBackend as RayBackend
    from regolith_sensors.render_cost import describe_sensor_costs as describe_sensor_costs
    from regolith_sensors.render_cost import sensor_costs as sensor_costs
    from regolith_sensors.ros.sensor_topics import SensorTopics as SensorTopics
    from regolith_sensors.scene.world_view import WorldView as WorldView

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'brdf': (
            'HapkeParameters',
            'hapke_reflectance',
        ),
        'camera.pipeline': ('Camera',),
        'config.camera': ('CameraConfig',),
        'config.gnss': ('GnssConfig',),
        'config.imu': ('ImuConfig',),
        'config.lidar': ('LidarConfig',),
        'config.lighting': ('LightConfig',),
        'config.sensor_types': (
            'Output',
            'SensorEntry',
            'SensorFrame',
            'SensorType',
        ),
        'config.sensors': (
            'ResolvedSensor',
            'scenario_sensors',
        ),
        'ephemeris': ('utc_time',),
        'inertial.imu': ('Imu',),
        'light': ('LAMP_HOUSING_M',),
        'rays.backend': ('RayBackend',),
        'render_cost': (
            'describe_sensor_costs',
            'sensor_costs',
        ),
        'ros.sensor_topics': ('SensorTopics',),
        'scene.world_view': ('WorldView',),
    },
    modules=('warm_up',),
)
