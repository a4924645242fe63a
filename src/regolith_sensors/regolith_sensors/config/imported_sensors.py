# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Models of sensors that a robot's URDF or SDF file describes for Gazebo."""

from __future__ import annotations

import math
from typing import Any

from regolith_vehicles.robot_import import Element

_PIXEL_M = 5e-6
"""Pixel pitch of imported cameras [m]; with the field of view it sets the focal length."""
_KINDS = {
    'camera': 'camera',
    'depth': 'camera',
    'depth_camera': 'camera',
    'rgbd_camera': 'camera',
    'ray': 'lidar',
    'gpu_ray': 'lidar',
    'lidar': 'lidar',
    'gpu_lidar': 'lidar',
    'imu': 'imu',
    'gps': 'gnss',
    'navsat': 'gnss',
}
"""Kind of sensor by its type in SDF."""


def imported_sensor(sensor: Element) -> dict[str, Any] | str | None:
    """Return the model of a sensor without its noise: content or name of a sensor file; None for other types.

    A camera keeps image size, field of view and rate. A lidar keeps beams, angles, range and rate. An IMU keeps its
    rate.

    Args:
        sensor: Element ``sensor`` of SDF.

    Raises:
        InputError: If a value is not a number, or out of range; names file and line.
    """
    kind = _KINDS.get(sensor.attributes.get('type', ''))
    if kind is None:
        return None
    rate = sensor.content('update_rate', 10.0)
    if not 0.001 <= rate <= 1000.0:
        raise sensor.error('update_rate', 'is out of range', '0.001 to 1000 [Hz]', rate)
    if kind == 'camera':
        return _camera(sensor.first('camera') or sensor, rate)
    if kind == 'lidar':
        return _lidar(sensor.first('ray') or sensor.first('lidar') or sensor, rate)
    return {'type': 'imu', 'rate_hz': rate} if kind == 'imu' else 'gnss_lunanet'


def _camera(camera: Element, rate: float) -> dict[str, Any]:
    image = camera.first('image') or camera
    width, fov = image.content('width', 640.0), camera.content('horizontal_fov', math.radians(60.0))
    if not 0.0 < fov < math.radians(175.0):
        raise camera.error('horizontal_fov', 'is out of range', 'above 0 and below 3.05 rad', fov)
    return {
        'type': 'camera',
        'width': int(width),
        'height': int(image.content('height', 480.0)),
        'pixel_size_m': _PIXEL_M,
        'focal_length_m': 0.5 * width * _PIXEL_M / math.tan(0.5 * fov),
        'f_number': 8.0,
        'exposure_s': min(2e-3, 0.5 / rate),
        'auto_exposure': {'max_exposure_s': min(0.1, 0.9 / rate)},
        'rate_hz': rate,
    }


def _lidar(ray: Element, rate: float) -> dict[str, Any]:
    scan, reach = ray.first('scan') or ray, ray.first('range')
    counts, angles = {}, {}
    for plane, (samples, low, high) in {'horizontal': (640.0, -math.pi, math.pi), 'vertical': (1.0, 0.0, 0.0)}.items():
        inner = scan.first(plane)
        bounds = (low, high)
        if inner is not None:
            samples = inner.content('samples', samples)
            bounds = (inner.content('min_angle', low), inner.content('max_angle', high))
        counts[plane] = int(samples)
        angles[plane] = [max(-180.0, min(180.0, math.degrees(bound))) for bound in bounds]
    return {
        'type': 'lidar',
        'columns': counts['horizontal'],
        'azimuth_deg': angles['horizontal'],
        'rings': counts['vertical'],
        'elevation_deg': angles['vertical'],
        'rate_hz': rate,
        'range_m': [0.1, 100.0] if reach is None else [reach.content('min', 0.1), reach.content('max', 100.0)],
    }
