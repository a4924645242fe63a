# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the warnings about point clouds without points and black images."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')

from regolith_sensors.config.sensor_types import Mount
from regolith_sensors.light import FarShadow, Sun
from regolith_sensors.ros.camera_topics import CameraTopics, darkness
from regolith_sensors.ros.dust_states import DustStates
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
    mount=Mount(),
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
        made.warn_of_blank(n * 10**9, 'the cloud has no points; fix: check mount')
    assert made.said == [
        'rover/eye: the cloud has no points at 0.000 s; fix: check mount',
        'rover/eye: the cloud has no points at 9.000 s (10 so far); fix: check mount',
        'rover/eye: the cloud has no points at 99.000 s (100 so far); fix: check mount',
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
    frame = SimpleNamespace(radiance=np.array([0.0, light, 0.0]), instance=np.full((8, 8), 3))
    made = Recorder(sensor=SENSOR, span_ns=(0, 0), _nominal_exposure=1e-3)
    lamp = SimpleNamespace(spotlight=lambda *_: 'lamp')
    made.context.lamps = {name: dict.fromkeys(some, lamp) for name, some in lamps.items()}
    made.context.sun_at = lambda t: None if sun is None else SimpleNamespace(elevation=sun, far=None)
    made.camera = SimpleNamespace(expose=lambda *_: frame)
    view = SimpleNamespace(**vars(VIEW), base_pose=lambda *_: (np.zeros((1, 3)), np.array([[0.0, 0.0, 0.0, 1.0]])))
    assert CameraTopics._look(made, 0, 0, view) is frame  # type: ignore[arg-type]
    assert len(made.said) == warned


def darkened(
    lit: float, far: float | None = None, sun: float | None = 0.028, lamps: bool = False, sky: float = 0.3
) -> str:
    """Return the warning of an image with a share of sky, and a share of sunlit pixels on its surfaces."""
    instance = np.full((100, 100), 4)
    instance[: round(100 * (1.0 - sky)), : round(100 * lit)] += 1
    instance[round(100 * (1.0 - sky)) :] = -1
    frame = SimpleNamespace(radiance=np.full((100, 100, 3), 1e-6), instance=instance)
    shadow = None if far is None else FarShadow(np.full((2, 3), far), 0.0, 0.0, 100.0)
    light = None if sun is None else Sun(0.0, sun, far=shadow)
    return darkness(frame, light, lamps, np.zeros(3))  # type: ignore[arg-type]


def test_image_without_sunlight_says_what_hides_the_sun() -> None:
    """At 1.6 degrees of elevation; not at night, with a lamp, or of the sky."""
    assert darkened(0.0).startswith(
        'the image has no sunlight, as terrain, rocks or vehicles hide the sun, 1.6 degrees high; fix'
    )
    assert darkened(0.5, far=0.0).startswith(
        'the image has no sunlight, as terrain beyond light.view_range_m hides the sun'
    )
    assert darkened(0.5) == darkened(0.5, far=0.2) == '' == darkened(0.0, sun=None) == darkened(0.0, sun=-0.1)
    assert darkened(0.0, lamps=True) == '' == darkened(0.0, sky=1.0)


def test_dust_that_is_left_out_is_warned_of_more_and_more_rarely() -> None:
    config = SimpleNamespace(parcel_mass_kg=1e-6, max_parcels=100)
    cloud = SimpleNamespace(left_out=0, config=config, t_ns=10**9)
    states = DustStates(cloud, '', '')  # type: ignore[arg-type]
    said = []
    for n in range(120):
        cloud.left_out = n
        said.append(states.left_out_text())
    assert [n for n, text in enumerate(said) if text] == [1, 10, 100]
    assert said[100].startswith(
        'dust: 0.1 g are left out up to 1.000 s, because dust.max_parcels = 100 are in the air;'
    )
