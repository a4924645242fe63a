# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the estimated frame cost: by number of rays and by rate."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from regolith_sensors import render_cost
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.render_cost import SLOW, SensorCost, describe_sensor_costs, sensor_costs
from regolith_sensors.sensor_models import load_sensor


def sensor(name: str, config: Any) -> SimpleNamespace:
    return SimpleNamespace(full_name=name, config=config)


@pytest.fixture
def rays(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Replace frame times by 1 us per pixel or beam, and return the sizes of the measured frames."""
    counts: list[int] = []

    def seconds(work: Any) -> float:
        work(0)
        return counts[-1] * 1e-6

    def look(self: Any, *args: Any, **more: Any) -> None:
        counts.append(self.config.width * self.config.height)

    def scan(self: Any, *args: Any) -> None:
        counts.append(len(self.beams.directions))

    monkeypatch.setattr(render_cost, '_least', seconds)
    monkeypatch.setattr('regolith_sensors.camera.pipeline.Camera.expose', look)
    monkeypatch.setattr('regolith_sensors.camera.pipeline.Camera.process', lambda *args: None)
    monkeypatch.setattr('regolith_sensors.lidar.sweep.Lidar.scan', scan)
    monkeypatch.setattr(
        'regolith_sensors.bench.BenchScene',
        lambda *args: SimpleNamespace(eye=[0.0] * 3, rays=None, scene=SimpleNamespace(origin=[0.0] * 3)),
    )
    return counts


def test_render_cost_scales_small_frames(rays: list[int]) -> None:
    """Cameras scale with pixels, lidars use all beams; the rate multiplies; equal models are measured once."""
    camera = load_sensor('navcam', CameraConfig)
    lidar = load_sensor('vlp16', LidarConfig)
    found = sensor_costs(
        [
            sensor('a/left', camera),
            sensor('a/right', camera),
            sensor('a/lidar', lidar),
            sensor('a/imu', object()),
        ]
    )
    assert [each.name for each in found] == ['a/left', 'a/right', 'a/lidar']
    assert len(rays) == 2 and rays[0] <= 160 * 130 < camera.width * camera.height
    assert found[0].frame_s == pytest.approx(1e-6 * camera.width * camera.height)
    assert found[2].frame_s == pytest.approx(28_800e-6)
    assert found[0].share == pytest.approx(camera.rate_hz * found[0].frame_s)


@pytest.mark.parametrize('order', [1, -1])
@pytest.mark.parametrize(
    ('eye', 'lidar', 'total', 'most', 'factor'),
    [
        ((0.05, 10.0), (0.15, 10.0), '2', 'a/lidar: 150 ms at 10 Hz', '0.5'),
        # Neither a slow, rare frame nor a high rate of free frames is the costliest.
        ((0.05, 20.0), (0.5, 0.5), '1.2', 'a/eye: 50 ms at 20 Hz', '0.8'),
        ((0.002, 50.0), (0.03, 10.0), '0.4', 'a/lidar: 30 ms at 10 Hz', '2.5'),
        ((99.0, 10.0), (0.03, 10.0), '990', 'a/eye: 99 s at 10 Hz', '0.001'),
    ],
)
def test_render_cost_line_has_costliest_sensor_and_real_time_factor(
    eye: tuple[float, float], lidar: tuple[float, float], total: str, most: str, factor: str, order: int
) -> None:
    line = describe_sensor_costs([SensorCost('a/eye', *eye), SensorCost('a/lidar', *lidar)][::order])
    assert f'about {total} s of wall time per simulated second' in line and f'(most of it {most})' in line
    assert line.startswith('warning: sensors: ' if float(total) > SLOW else 'sensors: ')
    assert line.endswith(f'the real-time factor is at most {factor}')


@pytest.mark.seconds
def test_render_cost_of_real_frames_is_positive() -> None:
    """Through the real scene and pipeline; sensors without rays have no cost."""
    camera = load_sensor('navcam', CameraConfig)
    (found,) = sensor_costs([sensor('a/eye', camera)])
    assert found.frame_s > 0.0
    assert sensor_costs([sensor('a/imu', object())]) == []
