# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the declarations of sensor types: required streams, frames and pairs."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from pydantic import Field

from regolith_files.section import Section
from regolith_sensors.camera.pipeline import OPTICAL_FROM_BODY
from regolith_sensors.config import sensor_types, sensors
from regolith_sensors.config.sensor_types import MOTION, OPTICAL, PARTICLES, WHEELS, Output, SensorFrame, SensorType
from regolith_sensors.config.sensors import lossless_streams, sensors_of
from regolith_sensors.rays import registry
from regolith_sensors.sensors_node import static_transforms
from regolith_vehicles.agent.state_streams import STREAMS
from regolith_world.numerics.rotation import matrix

EYE = {
    'type': 'camera',
    'width': 8,
    'height': 8,
    'pixel_size_m': 1e-5,
    'focal_length_m': 1e-3,
    'f_number': 4.0,
    'exposure_s': 1e-3,
}


class Shaker(Section):
    """Configuration of a sensor type that only this test uses."""

    type: Literal['shaker'] = 'shaker'
    rate_hz: float = Field(5.0, gt=0.0)


def shaker(**more: Any) -> SensorType:
    return SensorType(Shaker, 'nowhere:Topics', {'data': (Output('data', 'std_msgs/msg/Float64'),)}, ('data',), **more)


def seen(**sensors: Any) -> tuple[sensors.ResolvedSensor, ...]:
    return sensors_of({'amber': sensors, 'basalt': {}})


@pytest.fixture
def shaking(monkeypatch: pytest.MonkeyPatch) -> None:
    tip = SensorFrame('tip', 'link', (0.0, 0.0, 0.5))
    kinds = {**sensor_types.SENSOR_TYPES, 'shaker': shaker(needs=frozenset({MOTION}), fixed_frames=(tip,))}
    monkeypatch.setattr(sensor_types, 'SENSOR_TYPES', kinds)


def test_sensor_needs_select_the_streams_of_vehicles(shaking: None) -> None:
    """Poses of all vehicles, wheels of all vehicles, motion of the sensor's own vehicle."""
    names = ('basalt', 'amber')
    assert lossless_streams((), names) == {'amber': (), 'basalt': ()}
    eye, labeling = {'model': EYE}, {'model': EYE, 'outputs': ['image', 'wheel_labels']}
    assert lossless_streams(seen(eye=eye), names) == {'amber': ('state',), 'basalt': ('state',)}
    sensing = seen(eye=labeling, shaker={'model': {'type': 'shaker'}})
    found = lossless_streams(sensing, names, wheeled=names)
    assert found == {'amber': ('state', WHEELS, MOTION), 'basalt': ('state', WHEELS)}
    assert lossless_streams(sensing, names, wheeled={'amber'})['basalt'] == ('state',)  # a vehicle on feet
    assert lossless_streams(seen(imu={'model': 'imu_mems'}), names)['amber'] == ('state', MOTION)
    # Particles of the vehicles that have them, independent of the sensors.
    assert lossless_streams(seen(eye=eye), names, {'basalt'}) == {'amber': ('state',), 'basalt': ('state', PARTICLES)}
    assert lossless_streams((), names, {'basalt'})['basalt'] == ()
    # The possible needs are the streams of vehicles.
    assert {'state', PARTICLES, *sensor_types.NEEDS} == set(STREAMS)


def test_unknown_sensor_needs_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"'smell'.*allowed: motion, wheels"):
        shaker(needs=frozenset({'smell'}))
    output = Output('data', 'std_msgs/msg/Float64', needs=frozenset({'taste'}))
    with pytest.raises(ValueError, match='taste'):
        SensorType(Shaker, 'nowhere:Topics', {'data': (output,)}, ('data',))


def test_frames_of_a_sensor_type(shaking: None) -> None:
    mount = {'xyz': [0.1, 0.2, 0.3], 'rpy_deg': [0.0, 0.0, 90.0]}
    (eye, stick) = seen(eye={'model': EYE, 'mount': mount}, stick={'model': {'type': 'shaker'}})
    link, optical = static_transforms(eye, 'body')
    assert (link.header.frame_id, link.child_frame_id) == ('amber/body', 'amber/eye_link')
    turn, half = link.transform.rotation, 0.5**0.5
    assert [turn.x, turn.y, turn.z, turn.w] == pytest.approx([0.0, 0.0, half, half])
    assert (optical.header.frame_id, optical.child_frame_id) == ('amber/eye_link', eye.frame_id)
    assert eye.frame_id == 'amber/eye_optical_frame'
    np.testing.assert_array_equal(matrix(np.array(OPTICAL.orientation)), OPTICAL_FROM_BODY.T)
    assert [t.child_frame_id for t in static_transforms(stick, 'body')] == ['amber/stick_link', 'amber/stick_tip']
    assert stick.frame_id == 'amber/stick_tip' and static_transforms(stick, 'body')[1].transform.translation.z == 0.5


@pytest.mark.parametrize(('prefix', 'before'), [(None, 'amber/'), ('fleet/a1_', 'fleet/a1_'), ('', '')])
def test_frames_of_sensors_have_the_prefix_of_their_vehicle(prefix: str | None, before: str) -> None:
    """The scenario's key sets the prefix of transforms and headers; the base frame's name is from the vehicle file."""
    (eye,) = sensors_of({'amber': {'eye': {'model': EYE}}}, {'amber': prefix})
    link, optical = static_transforms(eye, 'chassis')
    assert (link.header.frame_id, link.child_frame_id) == (f'{before}chassis', f'{before}eye_link')
    assert (optical.header.frame_id, optical.child_frame_id) == (f'{before}eye_link', f'{before}eye_optical_frame')
    assert eye.frame_id == f'{before}eye_optical_frame' and eye.full_name == 'amber/eye'  # topics and noise stay


def test_only_plugin_back_ends_are_tried() -> None:
    """The default is slow to import; an error of another back end is reported with its name."""

    class Broken:
        def __init__(self) -> None:
            raise OSError('no card')

    asked: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, 'ray_backend', lambda name: asked.append(name) or Broken)
        assert registry.check(registry.DEFAULT_RAY_BACKEND) == registry.DEFAULT_RAY_BACKEND and asked == []
        with pytest.raises(ValueError, match='cannot be created: OSError: no card; allowed: a back end that can'):
            registry.check('odd')
        patch.setattr(registry, 'ray_backend', lambda name: object)
        assert registry.check('odd') == 'odd'
    with pytest.raises(ValueError, match='unknown ray back end'):
        registry.check('odd')
