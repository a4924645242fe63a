# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the sensor layers of the view: direction of the sun and fields of view."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.config.sensors import sensors_of
from regolith_sensors.report.view_layer import field_of_view, fields_of_view, sun

EYE = {
    'eye': {
        'model': {
            'type': 'camera',
            'width': 200,
            'height': 100,
            'pixel_size_m': 1e-5,
            'focal_length_m': 1e-3,
            'f_number': 4.0,
            'exposure_s': 0.01,
        },
        'mount': {'xyz': [0.5, 0.0, 1.0], 'rpy_deg': [0.0, 0.0, 90.0]},
    }
}


def scenario(light: dict[str, Any], sensors: dict[str, Any]) -> Any:
    vehicle = SimpleNamespace(sensors=sensors, frame_prefix=None)
    return SimpleNamespace(light=LightConfig.model_validate(light), vehicles={'amber': vehicle})


def state(x: float, yaw_deg: float = 0.0) -> Any:
    half = np.radians(0.5 * yaw_deg)
    at = SimpleNamespace(x=x, y=0.0, z=0.0)
    return SimpleNamespace(
        poses=[
            SimpleNamespace(
                position=at,
                orientation=SimpleNamespace(x=0.0, y=0.0, z=np.sin(half), w=np.cos(half)),
            )
        ]
    )


def test_field_of_view_is_as_wide_as_the_image() -> None:
    (eye,) = sensors_of({'amber': EYE})
    line = field_of_view(eye)
    corners = line[[1, 2, 4, 5]] - (0.5, 0.0, 1.0)
    # The camera faces left; half its image is a focal length wide and half as much high.
    np.testing.assert_allclose(np.abs(corners[:, 0] / corners[:, 1]), 1.0)
    np.testing.assert_allclose(np.abs(corners[:, 2] / corners[:, 1]), 0.5)
    assert (corners[:, 1] > 0.0).all() and {(c > 0) for c in corners[:, 2]} == {True, False}


def test_field_of_view_follows_its_vehicle() -> None:
    found = fields_of_view(scenario({}, EYE))
    assert found is not None
    (mark,) = found.draw(0, {'/amber/part_poses': state(2.0, 90.0)})
    # The mount is half a meter ahead, which is north now.
    np.testing.assert_allclose(mark.points[0], [2.0, 0.5, 1.0], atol=1e-12)
    assert mark.joined
    assert found.draw(0, {}) == []
    assert fields_of_view(scenario({}, {})) is None


def test_sun_layer_shows_the_direction_of_the_sun() -> None:
    found = sun(scenario({'sun': {'azimuth_deg': 90.0, 'elevation_deg': 30.0}}, EYE))
    assert found is not None
    line, point = found.draw(0, {'/amber/part_poses': state(2.0)})
    way = np.subtract(line.points[1], line.points[0])
    np.testing.assert_allclose(way / np.linalg.norm(way), [np.cos(np.pi / 6), 0.0, 0.5], atol=1e-12)
    assert point.label == 'sun, 30.0° high'
    assert sun(scenario({'sun': None}, EYE)) is None


@pytest.mark.parametrize('layer', [sun, fields_of_view])
def test_layers_without_sensors_are_none(layer: Any) -> None:
    assert layer(scenario({}, {})) is None
