# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Measured render time of the cameras and lidars of a scenario on this machine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regolith_files import rounded_text
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.event_camera import EventCameraConfig
from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.config.spad import SpadConfig
from regolith_sensors.config.thermal_camera import ThermalCameraConfig

if TYPE_CHECKING:
    from regolith_sensors.lidar.beams import Poses

_PIXELS = 160 * 120
"""Maximum number of pixels of a trial frame."""
_TRIALS = 3
SLOW = 10.0
"""Wall time per simulated time above which the line about costs is a warning [-]."""
_SLOW_S = 3.0
"""Wall time of a call after which it is not repeated [s]."""
_HALF, _ROCKS = 6.4, 150
"""Half side of the trial scene [m] and its number of rocks."""


class SensorCost(NamedTuple):
    """Compute time of one sensor."""

    name: str
    """Full name, VEHICLE/SENSOR."""
    frame_s: float
    """Wall time of a frame with all render threads [s]."""
    rate_hz: float

    @property
    def share(self) -> float:
        """Wall time per simulated time [-]."""
        return self.frame_s * self.rate_hz


def sensor_costs(sensors: Iterable[ResolvedSensor]) -> list[SensorCost]:
    """Return the costs of all sensors that render, measured in a small scene on procedural terrain at low sun.

    A camera frame is rendered with fewer pixels and scaled by their number. Publishing, recording and the terrain tiles
    that a moving vehicle needs take additional time. A scene with large parts of sky takes less. An event camera is
    expected to render images at its largest rate, as it does while it moves.
    """
    frames: dict[Any, Any] = {
        CameraConfig: _camera_frame,
        EventCameraConfig: _event_camera_frame,
        LidarConfig: _lidar_frame,
        SpadConfig: _spad_frame,
        ThermalCameraConfig: _thermal_frame,
    }
    seeing = [s for s in sensors if type(s.config) in frames]
    if not seeing:
        return []
    from regolith_sensors.bench import BenchScene

    scene = BenchScene(_HALF, _ROCKS)
    times: dict[str, float] = {}
    costs = []
    for sensor in seeing:
        key = repr(sensor.config)
        if key not in times:
            times[key] = frames[type(sensor.config)](scene, sensor.config)
        costs.append(SensorCost(sensor.full_name, times[key], sensor.config.rate_hz))
    return costs


def describe_sensor_costs(costs: list[SensorCost]) -> str:
    """Return one line with the render time of all frames and the resulting limit of the real-time factor.

    All sensors of a run share a process, so their times add up.
    """
    total = sum(cost.share for cost in costs)
    most = max(costs, key=lambda cost: cost.share)
    frame = f'{rounded_text(1e3 * most.frame_s)} ms' if most.frame_s < 1.0 else f'{rounded_text(most.frame_s)} s'
    return (
        f'{"warning: " if total > SLOW else ""}sensors: frames take about {rounded_text(total)} s of wall time per '
        f'simulated second on this machine (most of it {most.name}: {frame} at {most.rate_hz:g} Hz), so the real-time '
        f'factor is at most {rounded_text(1.0 / total)}'
    )


def _least(work: Callable[[int], Any]) -> float:
    """Return the minimum wall time of several calls [s]; the first, which fills caches, counts only if it is slow."""
    times: list[float] = []
    for n in range(_TRIALS + 1):
        begin = time.perf_counter()
        work(n)
        times.append(time.perf_counter() - begin)
        if times[-1] > _SLOW_S:
            return min(times)
    return min(times[1:])


def _camera_frame(bench: Any, config: CameraConfig) -> float:
    from regolith_sensors.bench import SUN
    from regolith_sensors.camera.pipeline import Camera, CameraPose

    scale = min(1.0, math.sqrt(_PIXELS / (config.width * config.height)))
    width, height = max(16, round(config.width * scale)), max(16, round(config.height * scale))
    small = config.model_copy(
        update={'width': width, 'height': height, 'pixel_size_m': config.pixel_size_m * config.width / width}
    )
    camera = Camera(small, 1, 'cost')
    tilt = math.radians(6.0)
    pose = CameraPose(bench.eye, np.array([0.0, math.sin(tilt), 0.0, math.cos(tilt)]))

    def frame(n: int) -> None:
        camera.process(camera.expose(bench.rays, bench.scene.origin, lambda _: pose, SUN, frame=n), n)

    return _least(frame) * (config.width * config.height) / (width * height)


def _event_camera_frame(bench: Any, config: EventCameraConfig) -> float:
    return _camera_frame(bench, config.optics) * config.max_image_rate_hz / config.rate_hz


def _still(bench: Any) -> Poses:
    """Return the poses of a sensor at rest."""
    return lambda fractions: (np.tile(bench.eye, (len(fractions), 1)), np.tile(np.eye(3), (len(fractions), 1, 1)))


def _lidar_frame(bench: Any, config: LidarConfig) -> float:
    from regolith_sensors.lidar.sweep import Lidar

    device = Lidar(config, 1, 'cost')

    return _least(lambda n: device.scan(bench.rays, bench.scene.origin, _still(bench), n))


def _spad_frame(bench: Any, config: SpadConfig) -> float:
    from regolith_sensors.bench import SUN
    from regolith_sensors.rays.camera_rays import lights
    from regolith_sensors.spad.spad import Spad

    device, light = Spad(config, 1, 'cost'), lights(bench.scene.origin, SUN)

    return _least(lambda n: device.frame(bench.rays, bench.scene.origin, _still(bench), light, n))


def _thermal_frame(bench: Any, config: ThermalCameraConfig) -> float:
    from regolith_sensors.bench import SUN
    from regolith_sensors.heat.ground import GroundTemperatures
    from regolith_sensors.heat.sun_path import daily_circle
    from regolith_sensors.heat.thermal_camera import ThermalCamera, ThermalScene

    device = ThermalCamera(config, 1, 'cost')
    ground = GroundTemperatures(daily_circle(0.0, SUN.azimuth, SUN.elevation))
    nothing = np.full(len(bench.scene.tiles.tiles) + bench.scene.instance_count + 1, np.nan)
    scene = ThermalScene(lambda _: bench.rays, bench.scene.origin, SUN, ground, 0.0, nothing, nothing)
    ahead = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    scenes = [(scene, (bench.eye, ahead))] * len(device.lags())
    return _least(lambda n: device.measured(device.lagged(scenes), n))
