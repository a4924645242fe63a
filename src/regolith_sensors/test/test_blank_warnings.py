# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the warnings about point clouds without points and black images."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')

from regolith_sensors.ros.camera_topics import CameraTopics
from regolith_sensors.ros.lidar_topics import LidarTopics
from regolith_sensors.ros.sensor_topics import SensorTopics


class Recorder(SimpleNamespace):
    """Topics of a sensor whose log messages are recorded."""

    def __init__(self, **values: Any) -> None:
        self.said: list[str] = []
        node = SimpleNamespace(get_logger=lambda: SimpleNamespace(warning=self.said.append))
        super().__init__(**{'context': SimpleNamespace(node=node), '_blank': 0, **values})

    def warn_of_blank(self, t_ns: int, what: str) -> None:
        SensorTopics.warn_of_blank(self, t_ns, what)  # type: ignore[arg-type]


SENSOR = SimpleNamespace(
    full_name='rover/eye',
    vehicle='rover',
    config=SimpleNamespace(organized=False, fields='xyzi', flash=False, range_falloff=True),
    mount=None,
)
VIEW = SimpleNamespace(
    prepare=lambda t: None,
    scene=SimpleNamespace(origin=None),
    dust=lambda t: None,
    lens_transmission=lambda name: 1.0,
)


def test_blank_frame_warnings_become_rarer() -> None:
    made = Recorder(sensor=SENSOR)
    for n in range(250):
        made.warn_of_blank(n * 10**9, 'the cloud has no points')
    assert made.said == [
        'rover/eye: the cloud has no points at 0.000 s',
        'rover/eye: the cloud has no points at 9.000 s (10 so far)',
        'rover/eye: the cloud has no points at 99.000 s (100 so far)',
    ]


@pytest.mark.parametrize('points', [0, 1])
def test_empty_point_cloud_gives_a_warning(points: int) -> None:
    reach = np.full((1, 4, 2), np.inf, np.float32)
    reach.flat[:points] = 3.0
    scan = SimpleNamespace(
        range=reach,
        points=np.zeros((1, 4, 2, 3), np.float32),
        intensity=reach * 0.0,
        ring=np.zeros((1, 4, 2), np.uint16),
        time=reach * 0.0,
        return_type=np.zeros((1, 4, 2), np.uint8),
    )
    sent: list[Any] = []
    made = Recorder(
        sensor=SENSOR,
        span_ns=(0, 0),
        frame_id='f',
        publishers={'points': SimpleNamespace(publish=sent.append)},
        _lidar=SimpleNamespace(scan=lambda *_: scan),
    )
    LidarTopics.publish(made, 0, 10**9, VIEW)  # type: ignore[arg-type]
    assert len(made.said) == 1 - points and sent[0].width == points


@pytest.mark.parametrize(
    ('light', 'sun', 'lamps', 'warned'),
    [(0.0, 0.3, {}, 1), (1.0, 0.3, {}, 0), (0.0, -0.1, {}, 0), (0.0, None, {}, 0), (0.0, None, {'rover': {'l': 1}}, 1)],
)
def test_black_image_with_light_gives_a_warning(light: float, sun: float | None, lamps: Any, warned: int) -> None:
    """A black image is expected at night without lamps."""
    frame = SimpleNamespace(radiance=np.array([0.0, light, 0.0]))
    made = Recorder(sensor=SENSOR, span_ns=(0, 0), _nominal_exposure=1e-3)
    lamp = SimpleNamespace(spotlight=lambda *_: 'lamp')
    made.context.lamps = {name: dict.fromkeys(some, lamp) for name, some in lamps.items()}
    made.context.sun_at = lambda t: None if sun is None else SimpleNamespace(elevation=sun)
    made.camera = SimpleNamespace(expose=lambda *_: frame)
    view = SimpleNamespace(**vars(VIEW), base_pose=lambda *_: (np.zeros((1, 3)), np.array([[0.0, 0.0, 0.0, 1.0]])))
    assert CameraTopics._look(made, 0, 0, view) is frame  # type: ignore[arg-type]
    assert len(made.said) == warned
